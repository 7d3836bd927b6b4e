"""A first plugin: a complete distribution to install, to test, and to change."""

from permaudit.scaffold.names import KINDS, Kind, Names
from permaudit.scaffold.write import write_plugin

__all__ = ["KINDS", "Kind", "Names", "write_plugin"]
