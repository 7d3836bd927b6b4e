"""Cells that are Python objects -> columns of one type each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from permaudit import DataError, Mistake, shown

if TYPE_CHECKING:
    from collections.abc import Mapping

_KINDS = {
    "bool": "truth values",
    "bytes": "binary data",
    "date": "dates",
    "datetime": "points in time",
    "float": "numbers",
    "int": "numbers",
    "str": "text",
    "time": "times of day",
    "timedelta": "durations",
}


def typed_table(columns: Mapping[str, list[Any]]) -> pa.Table:
    """Return a table with the types of the cells; None is a null, and two kinds of cells in one column are a mistake."""
    arrays = {}
    mistakes = []
    for name, cells in columns.items():
        try:
            arrays[name] = _typed(cells)
        except ValueError as error:
            mistakes.append(Mistake("", None, None, f"column '{shown(name)}' {error}"))
    if mistakes:
        raise DataError(mistakes)
    return pa.table(arrays)


def kind_of(cell: object) -> str:
    """Say in words what kind of thing a cell holds."""
    return _KINDS.get(type(cell).__name__, "values of another kind")


def _typed(cells: list[Any]) -> pa.Array:
    """Return one column, or raise with the reason."""
    types = set(map(type, cells)) - {type(None)}
    if len(types) > 1 and types != {int, float}:
        first = next(cell for cell in cells if cell is not None)
        other = next(place for place, cell in enumerate(cells) if cell is not None and type(cell) is not type(first))
        found = kind_of(first), kind_of(cells[other])
        what = " and ".join(found) if found[0] != found[1] else "cells of several types"
        raise ValueError(f"holds {what} (first in record {other + 1})")
    for kind in (None, pa.uint64()):
        try:
            return pa.array(cells, kind)
        except (pa.ArrowException, TypeError, ValueError, OverflowError):  # their texts quote cells
            continue
    raise ValueError("holds values that fit no type of Arrow")
