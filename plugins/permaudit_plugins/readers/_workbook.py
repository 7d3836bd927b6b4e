"""What a workbook holds beside the cells of one sheet."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from permaudit import shown
from permaudit_plugins.readers._looks import looks_of
from permaudit_plugins.readers._sheet import parser_of

if TYPE_CHECKING:
    from collections.abc import Iterator

_USUAL = re.compile(
    r"\[Content_Types\]\.xml|_rels/\.rels|docProps/(app|core)\.xml|xl/(workbook|styles|sharedStrings|calcChain)\.xml"
    r"|xl/theme/theme\d*\.xml|xl/_rels/workbook\.xml\.rels|xl/(worksheets|chartsheets)/.*|.*/",
    re.IGNORECASE,
)
"""The parts that every workbook has, or that say how it looks; sheets are named by their titles."""
_TEXTS = ("category", "contentStatus", "description", "identifier", "keywords", "subject", "title")
"""The properties that say something of the content, and not who saved it when."""


def beside_the_sheet(sheet: Any) -> Iterator[str]:
    """Say what else is in the workbook: sheets, names, texts that no cell shows, properties, looks, parts of other kinds."""
    book = sheet.parent
    for other in book._sheets:  # noqa: SLF001 - also those that hold charts
        if other is not sheet:
            yield f"sheet '{shown(other.title)}'"
    if len(book.defined_names) or any(len(getattr(other, "defined_names", ())) for other in book.worksheets):
        yield "defined names"
    if len(book.worksheets) == 1 and _has_unused_texts(sheet):
        yield "texts that no cell shows"
    if any(getattr(book.properties, name, None) for name in _TEXTS):
        yield "properties of the document"
    yield from looks_of(sheet)
    for part in book._archive.namelist():  # noqa: SLF001 - openpyxl reads some of them, and tells of none
        if not _USUAL.fullmatch(part):
            yield f"part '{shown(part)}'"


def _has_unused_texts(sheet: Any) -> bool:
    """Tell whether the texts that sheets share are more than those of the cells."""
    with sheet._get_source() as source:  # noqa: SLF001 - see parser_of
        used = {cell["value"] for _, row in parser_of(sheet, source).parse() for cell in row}
    return not used.issuperset(sheet._shared_strings)  # noqa: SLF001 - as above
