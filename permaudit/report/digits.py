"""How many digits numbers have, in every view: apart from the charts, so that who draws none need not import them."""

DIGITS = 4
