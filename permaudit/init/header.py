"""A first line that is no header is a record: its cells must not be taken for names, and written down."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from permaudit.errors import DataError, Mistake
from permaudit.init.columns import cell_type, present_values

if TYPE_CHECKING:
    from permaudit.data import Loaded

_NUMBER = re.compile(r"[+-]?(\d+[.,]?\d*|[.,]\d+)([eE][+-]?\d+)?\Z", re.ASCII)
_ADDRESS = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+\Z")
_YEAR = re.compile(r"(1[89]|20)\d\d\Z", re.ASCII)
_LOOKED_AT = 1000


def refuse_records_as_names(loaded: Loaded) -> None:
    """Refuse a file in which all columns of numbers are called by a number, or one by the address of somebody."""
    names = loaded.column_names
    if list(names) in ([str(place + start) for place in range(len(names))] for start in (0, 1)):
        return  # how data frames without names are written
    numeric = [name for name in names if _is_numeric(loaded, name)]
    numbered = bool(numeric) and all(_NUMBER.match(name) and not _YEAR.match(name) for name in numeric)
    if numbered or any(map(_ADDRESS.match, names)):
        text = "looks like a record, not like the names of the columns; put a line with their names before it"
        raise DataError([Mistake(loaded.shown, 1, None, text)])


def _is_numeric(loaded: Loaded, name: str) -> bool:
    """Tell whether a column holds numbers."""
    cells = present_values(loaded.table[name]).slice(0, _LOOKED_AT)
    return bool(len(cells)) and cell_type(cells) == "numeric"
