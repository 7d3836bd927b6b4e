"""Libraries that come with an extra."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from permaudit import DataError


def needed(module: str, extra: str, what: str) -> Any:
    """Import a library when it is first needed, or say how to install it."""
    try:
        return import_module(module)
    except ImportError:
        library = module.partition(".")[0]
        raise DataError.one("", f"reading {what} needs {library}: pip install 'permaudit[{extra}]'") from None
