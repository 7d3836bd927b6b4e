"""What a metric adds to the report, held to its bounds: texts and aggregates, never a record."""

from __future__ import annotations

import math
from typing import Any

from permaudit.errors import shown
from permaudit.outcome import Section

_LONGEST_FIGURE = 400_000
_LONGEST = {"title": 120, "text": 2000, "alt": 600}
_MOST_ROWS, _MOST_COLUMNS, _LONGEST_CELL = 200, 12, 100


def checked_section(given: object) -> Section | None:
    """Return the section with its texts shortened; raise `ValueError`, which says what is wrong, where it is none."""
    if given is None:
        return None
    if not isinstance(given, Section):
        raise ValueError(f"a section of type {type(given).__name__}")  # noqa: TRY004 - the caller knows one exception
    texts = {name: getattr(given, name) for name in (*_LONGEST, "figure")}
    if not all(isinstance(text, str) for text in texts.values()) or not given.title.strip():
        raise ValueError("a section without a title, or with texts that are none")
    if given.figure and not (given.alt.strip() and given.header and given.rows):
        raise ValueError("a section whose figure has no text alternative, or no data as a table")
    if len(given.figure) > _LONGEST_FIGURE:
        raise ValueError("a section whose figure is too large")
    if len(given.rows) > _MOST_ROWS or len(given.header) > _MOST_COLUMNS:
        raise ValueError("a section whose table is too large: aggregates are wanted")
    if any(len(row) != len(given.header) for row in given.rows):
        raise ValueError("a section whose table has rows of another length than its header")
    return Section(
        **{name: shown(text, _LONGEST[name]) for name, text in texts.items() if name in _LONGEST},
        figure=given.figure,
        header=[shown(str(name), _LONGEST_CELL) for name in given.header],
        rows=[[_cell(cell) for cell in row] for row in given.rows],
    )


def _cell(cell: Any) -> str | float | int | None:
    """Return a cell that can be written."""
    match cell:
        case bool():
            return str(cell).lower()
        case None | int():
            return cell
        case float():
            return cell if math.isfinite(cell) else None
        case str():
            return shown(cell, _LONGEST_CELL)
        case _:
            raise ValueError(f"a section with a cell of type {type(cell).__name__}")
