"""How the sheet of a workbook looks where that differs from record to record: whoever sees it reads more than the cells."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from openpyxl.utils.cell import coordinate_from_string
from openpyxl.xml.functions import iterparse

if TYPE_CHECKING:
    from collections.abc import Iterator

_PLAIN = frozenset(
    (
        *("cols", "dimension", "drawing", "ignoredErrors", "legacyDrawing", "mergeCells", "pageMargins", "pageSetup"),
        *("phoneticPr", "printOptions", "sheetCalcPr", "sheetData", "sheetFormatPr", "sheetPr", "sheetProtection"),
        *("sheetViews", "tableParts"),
    )
)
"""What belongs to any sheet, and what lies in parts of its own, which are named as such."""
_SAID = {
    "autoFilter": "filters",
    "conditionalFormatting": "conditional formats",
    "customSheetViews": "further views",
    "dataValidations": "validation lists",
    "extLst": "extensions",
    "headerFooter": "headers and footers",
    "hyperlinks": "links",
}
_OF_CELLS = frozenset(("r", "s", "t"))
_OF_ROWS = frozenset(("r", "spans"))
_RICH = frozenset(("r", "rPh"))
"""Parts of a text that have a format, or a pronunciation, of their own."""
_TOP = 2
_SHOWN = 5


def looks_of(sheet: Any) -> Iterator[str]:
    """Say what stands around the cells of a sheet, and which of their looks are not the same for all records."""
    looks = _Looks()
    depth = 0
    with sheet._get_source() as source:  # noqa: SLF001 - openpyxl has no public way to the bare sheet
        for event, element in iterparse(source, events=("start", "end")):
            tag = _short(element.tag)
            if event == "start":
                depth += 1
                if depth == _TOP and tag not in _PLAIN:
                    looks.beside.add(tag)
                continue
            depth -= 1
            if tag == "c":
                looks.look_at_cell(element)
            elif tag == "row":
                looks.look_at_row(element)
                element.clear()
    looks.rich = looks.rich or _has_rich_texts(sheet.parent)
    yield from looks.told()


class _Looks:
    """What was found."""

    def __init__(self) -> None:
        self.beside: set[str] = set()
        self.rich = False
        self._formats: defaultdict[str, set[str]] = defaultdict(set)
        self._rows: set[tuple[tuple[str, str], ...]] = set()
        self._further = False

    def look_at_cell(self, cell: Any) -> None:
        """Note the format of a cell below the names of the columns."""
        letters, number = coordinate_from_string(cell.get("r", "A1"))
        if number > 1:
            self._formats[letters].add(cell.get("s", "0"))
        self._further = self._further or not {_short(name) for name, _ in cell.items()} <= _OF_CELLS
        self.rich = self.rich or any(_short(part.tag) in _RICH for text in cell for part in text)

    def look_at_row(self, row: Any) -> None:
        """Note the looks of a row below the names of the columns, which may have their own."""
        if row.get("r") != "1":
            self._rows.add(tuple(sorted((name, value) for name, value in row.items() if _short(name) not in _OF_ROWS)))

    def told(self) -> Iterator[str]:
        """Say what there is."""
        yield from (_SAID.get(tag, f"element '{tag}' of the sheet") for tag in sorted(self.beside))
        several = sorted(letters for letters, found in self._formats.items() if len(found) > 1)
        if several:
            yield f"formats that differ within a column ({', '.join(several[:_SHOWN])})"
        if len(self._rows) > 1:
            yield "rows of different heights or looks"
        if self._further:
            yield "further properties of cells"
        if self.rich:
            yield "texts with formats of their own"


def _has_rich_texts(book: Any) -> bool:
    """Tell whether a text that cells share has formats of its own."""
    archive = book._archive  # noqa: SLF001 - as above
    names = [name for name in archive.namelist() if name.lower() == "xl/sharedstrings.xml"]
    return any(_short(element.tag) in _RICH for name in names for _, element in iterparse(archive.open(name)))


def _short(name: str) -> str:
    """Return a name of XML without its namespace."""
    return name.rpartition("}")[2]
