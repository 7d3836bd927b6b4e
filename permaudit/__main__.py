"""`python -m permaudit`: the same as the command `permaudit`."""

from permaudit.cli import main

main()
