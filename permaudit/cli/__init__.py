"""The command line: parse, call, print, exit. Every command imports what it needs when it runs."""

from permaudit.cli.main import main

__all__ = ["main"]
