"""Texts and tables that somebody else hands over with a drawing."""

from __future__ import annotations

from numbers import Real
from typing import TYPE_CHECKING

from permaudit.errors import PluginError, shown
from permaudit.report.charts.chart import Table
from permaudit.report.charts.numbers import MISSING, number, parameter

if TYPE_CHECKING:
    from collections.abc import Sequence

_LONGEST = {"title": 120, "alt": 2000}
_LONGEST_CELL = 120


def told(text: str, what: str) -> str:
    """Demand a text."""
    if not text.strip():
        raise PluginError(f"a figure needs {what}=, so that who does not see it learns the same")
    return shown(text.strip(), _LONGEST[what])


def table_of(header: Sequence[str], rows: Sequence[Sequence[object]]) -> Table:
    """Demand the data as a table, and write its numbers as everywhere."""
    if not header or not rows:
        raise PluginError("a figure needs header= and rows=: its data as a table")
    if any(len(row) != len(header) for row in rows):
        raise PluginError("every row of a figure's table needs one cell for each column of the header")
    columns = list(zip(*rows, strict=True))
    return Table(
        header=tuple(shown(name, _LONGEST_CELL) for name in header),
        rows=tuple(tuple(map(_cell, row)) for row in rows),
        numeric=tuple(all(cell is None or _numeric(cell) for cell in column) for column in columns),
        keys=tuple("" for _ in rows),
    )


def _numeric(cell: object) -> bool:
    return isinstance(cell, Real) and not isinstance(cell, bool)


def _cell(cell: object) -> str:
    """Write a cell: measured numbers with four decimals, counts as they are, texts shortened."""
    if cell is None:
        return MISSING
    if isinstance(cell, int) or not isinstance(cell, Real):
        return parameter(cell) if isinstance(cell, int) else shown(str(cell), _LONGEST_CELL)
    return number(float(cell))
