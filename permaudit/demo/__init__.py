"""A demonstration that needs nothing from outside: data made by code, an audit file, four candidates."""

from permaudit.demo.write import write_demo

__all__ = ["write_demo"]
