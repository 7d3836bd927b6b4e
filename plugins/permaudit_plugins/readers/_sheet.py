"""The cells of one sheet of a workbook."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from openpyxl.utils import get_column_letter
from openpyxl.worksheet._reader import WorkSheetParser

from permaudit import DataError, Mistake, shown
from permaudit_plugins.readers._damage import checked_names
from permaudit_plugins.readers._typed import kind_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

_LAST_ROW = 1_048_576
_LAST_COLUMN = 16_384
_SHOWN_CELLS = 5
_CHUNK = 1 << 20
_CELL_ENDS = (b"</v>", b"</is>")
"""What ends a cell that holds something."""


def header(sheet: Any) -> tuple[str, ...]:
    """Return the names in the first row."""
    with sheet._get_source() as source:  # noqa: SLF001 - see parser_of
        number, first = next(parser_of(sheet, source).parse(), (0, []))
    if number != 1:
        raise DataError.one("", "the first row of the sheet is empty; it must hold the names of the columns")
    _Findings().raise_for(first)
    named = {cell["column"]: cell["value"] for cell in first if cell["value"] is not None}
    wrong = [place for place, name in named.items() if not isinstance(name, str | int) or isinstance(name, bool)]
    if wrong:
        raise DataError.one("", f"cell {get_column_letter(wrong[0])}1 is no name of a column")
    last = max(named, default=0)
    return checked_names([str(named.get(place, "")) for place in range(1, last + 1)])


def fewest_records(sheet: Any) -> int:
    """Count the cells that hold something, without parsing them, and return how many records they make up at least."""
    width = len(header(sheet))
    found, tail = 0, b""
    with sheet._get_source() as source:  # noqa: SLF001 - see parser_of
        while chunk := source.read(_CHUNK):
            text = tail + chunk
            # Only those that end in the chunk: the others were counted before.
            found += sum(text.count(mark, max(0, len(tail) - len(mark) + 1)) for mark in _CELL_ENDS)
            tail = text[1 - max(map(len, _CELL_ENDS)) :]
    return max(0, found // width - 1)


def cells(sheet: Any, columns: Sequence[str], missing: Collection[str]) -> dict[str, list[Any]]:
    """Return the cells of these columns, from the second row to the last that holds anything."""
    names = header(sheet)
    found = _Findings()
    wanted: dict[str, list[Any]] = {name: [] for name in columns}
    by_place = {names.index(name) + 1: wanted[name] for name in columns}
    with sheet._get_source() as source:  # noqa: SLF001 - see parser_of
        parser = parser_of(sheet, source)
        for number, row in _in_order(parser.parse()):
            if number == 1 or not any(cell["value"] is not None for cell in row):
                continue
            for target in by_place.values():  # rows that the file leaves out are empty ones
                target.extend([None] * (number - 1 - len(target)))
            for cell in row:
                found.look_at(cell, len(names))
                target = by_place.get(cell["column"], [])
                if target and not _is_missing(cell["value"], missing):
                    target[-1] = cell["value"]
                    found.note_kind(cell, names)
        found.merged = [str(area.ref) for area in parser.merged_cells.mergeCell] if parser.merged_cells else []
    found.raise_all()
    return wanted


def parser_of(sheet: Any, source: Any) -> WorkSheetParser:
    """Return openpyxl's own parser of a sheet.

    Its public way to read without holding the whole sheet in memory tells nothing of merged cells, and drops rows that
    are not in order.
    """
    book = sheet.parent
    return WorkSheetParser(
        source,
        sheet._shared_strings,  # noqa: SLF001
        data_only=False,
        epoch=book.epoch,
        date_formats=book._date_formats,  # noqa: SLF001
        timedelta_formats=book._timedelta_formats,  # noqa: SLF001
    )


def _in_order(rows: Iterator[tuple[int, list[dict[str, Any]]]]) -> Iterator[tuple[int, list[dict[str, Any]]]]:
    """Give the rows, and refuse numbers that no sheet has: they would be filled up with empty rows."""
    last = 0
    for number, row in rows:
        if not last < number <= _LAST_ROW or any(cell["column"] > _LAST_COLUMN for cell in row):
            raise DataError.one("", "the rows of the sheet are not in order; is it damaged?")
        last = number
        yield number, row


def _is_missing(value: Any, missing: Collection[str]) -> bool:
    """Tell whether a cell is empty or one of the missing tokens."""
    return value is None or (isinstance(value, str) and value in missing)


def _address(cell: dict[str, Any]) -> str:
    """Write the address of a cell as Excel does."""
    return f"{get_column_letter(cell['column'])}{cell['row']}"


class _Findings:
    """What is wrong with the cells, by address and never by content."""

    def __init__(self) -> None:
        self.merged: list[str] = []
        self._formulas: list[str] = []
        self._errors: list[str] = []
        self._nameless: list[str] = []
        self._mixed: dict[int, str] = {}
        self._kinds: dict[int, str] = {}

    def look_at(self, cell: dict[str, Any], width: int) -> None:
        """Note a formula, an error, or a cell without a column name above it."""
        if cell["data_type"] == "f":
            self._formulas.append(_address(cell))
        elif cell["data_type"] == "e":
            self._errors.append(_address(cell))
        elif cell["column"] > width and cell["value"] is not None:
            self._nameless.append(_address(cell))

    def note_kind(self, cell: dict[str, Any], names: Sequence[str]) -> None:
        """Note the first cell that is of another kind than those above it."""
        place, kind = cell["column"], kind_of(cell["value"])
        if self._kinds.setdefault(place, kind) != kind and place not in self._mixed and not self._formulas:
            both = f"{self._kinds[place]} and {kind}"
            self._mixed[place] = f"column '{shown(names[place - 1])}' holds {both} (first in cell {_address(cell)})"

    def raise_for(self, row: list[dict[str, Any]]) -> None:
        """Raise for what is wrong with one row."""
        for cell in row:
            self.look_at(cell, _LAST_COLUMN)
        self.raise_all()

    def raise_all(self) -> None:
        """Raise for everything that was noted."""
        texts = [
            _listed(self._formulas, "holds a formula", "hold formulas", "; save the sheet with values only"),
            _listed(self._errors, "holds an error", "hold errors", ""),
            _listed(self._nameless, "has no column name above it", "have no column name above them", ""),
            _listed(self.merged, "is merged", "are merged", "; unmerge them and fill in each cell"),
            *self._mixed.values(),
        ]
        mistakes = [Mistake("", None, None, text) for text in texts if text]
        if mistakes:
            raise DataError(mistakes)


def _listed(addresses: list[str], one: str, several: str, hint: str) -> str:
    """Name the first addresses and count the others."""
    if not addresses:
        return ""
    if len(addresses) == 1:
        return f"cell {addresses[0]} {one}{hint}"
    more = f" and {len(addresses) - _SHOWN_CELLS} more" if len(addresses) > _SHOWN_CELLS else ""
    return f"cells {', '.join(addresses[:_SHOWN_CELLS])}{more} {several}{hint}"
