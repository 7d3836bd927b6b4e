"""Audit files with one mistake each, and the one line that tells of it: where it is, what was expected, the nearest name."""

from .candidates import CANDIDATES
from .columns import COLUMNS
from .rules import RULES
from .top import TOP
from .waivers import WAIVERS

ONE_MISTAKE = TOP | COLUMNS | CANDIDATES | RULES | WAIVERS
