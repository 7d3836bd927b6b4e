"""Libraries that come with an extra."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from permaudit import DataError


def require(module: str, extra: str, what: str) -> None:
    """Say how to install a library that is not there; import nothing."""
    if find_spec(module) is None:
        raise DataError.one("", f"reading {what} needs {module}: pip install 'permaudit[{extra}]'")


def needed(module: str, extra: str, what: str) -> Any:
    """Import a library when it is first needed, or say how to install it."""
    require(module, extra, what)
    return import_module(module)
