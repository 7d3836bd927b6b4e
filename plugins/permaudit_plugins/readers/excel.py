"""Excel workbooks (.xlsx): one sheet, the header in its first row, values only."""

from __future__ import annotations

import warnings
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from pydantic import Field

from permaudit import DataError, Extent, Parameters, ReaderCard, hookimpl, shown
from permaudit_plugins.readers._extra import needed
from permaudit_plugins.readers._text import Tokens  # noqa: TC001 - pydantic evaluates it

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import pyarrow as pa

permaudit_api = 1

_DAMAGED = "is not an Excel workbook (.xlsx), or it is damaged"


class ExcelOptions(Parameters, defer_build=True):
    """Which sheet to read, and what it calls missing."""

    sheet: Annotated[str, Field(min_length=1)] | None = Field(
        default=None, description="the name of the sheet; needed where there are several"
    )
    missing: Tokens = ()


class ExcelReader:
    """Read one sheet of an Excel workbook."""

    card: ClassVar[ReaderCard] = ReaderCard(
        id="excel", title="Excel workbook", suffixes=(".xlsx",), magic=(b"PK\x03\x04",)
    )

    parameters: ClassVar[type[ExcelOptions]] = ExcelOptions

    def columns(self, path: Path, options: ExcelOptions) -> tuple[str, ...]:
        """Return the cells of the first row."""
        with _sheet(path, options) as sheet:
            from permaudit_plugins.readers._sheet import header  # noqa: PLC0415 - imports openpyxl

            return header(sheet)

    def extent(self, path: Path, columns: tuple[str, ...], options: ExcelOptions) -> Extent:  # noqa: ARG002
        """Return how many records the cells of the sheet make up; what the file itself says of that is often wrong."""
        with _sheet(path, options) as sheet:
            from permaudit_plugins.readers._sheet import fewest_records  # noqa: PLC0415 - imports openpyxl

            return Extent(fewest_records(sheet))

    def read(self, path: Path, columns: tuple[str, ...], options: ExcelOptions) -> pa.Table:
        """Return the columns, each with the one type that its cells have."""
        with _sheet(path, options) as sheet:
            from permaudit_plugins.readers._sheet import cells  # noqa: PLC0415 - imports openpyxl
            from permaudit_plugins.readers._typed import typed_table  # noqa: PLC0415

            return typed_table(cells(sheet, columns, frozenset(options.missing)))

    def unread(self, path: Path, options: ExcelOptions) -> tuple[str, ...]:
        """Name other sheets, and whatever else a workbook can hold beside the cells of one."""
        with _sheet(path, options) as sheet:
            from permaudit_plugins.readers._workbook import beside_the_sheet  # noqa: PLC0415 - imports openpyxl

            return tuple(beside_the_sheet(sheet))


@contextmanager
def _sheet(path: Path, options: ExcelOptions) -> Iterator[Any]:
    """Open the workbook and choose the sheet."""
    openpyxl = needed("openpyxl", "excel", ".xlsx files")
    from permaudit_plugins.readers._damage import damage_is  # noqa: PLC0415

    # Damaged workbooks make openpyxl raise nearly anything; what it warns of are things that we do not read.
    with damage_is(_DAMAGED, Exception), warnings.catch_warnings(), path.open("rb") as stream:
        warnings.simplefilter("ignore")
        with closing(openpyxl.load_workbook(stream, read_only=True, keep_links=False)) as workbook:
            if any(name.lower().endswith("vbaproject.bin") for name in workbook._archive.namelist()):  # noqa: SLF001
                raise DataError.one("", "holds macros; save it as a workbook without macros")
            yield _chosen({sheet.title: sheet for sheet in workbook.worksheets}, options.sheet)


def _chosen(sheets: dict[str, Any], name: str | None) -> Any:
    """Return the sheet of that name, or the only one."""
    if name in sheets:
        return sheets[name]
    if name is None and len(sheets) == 1:
        return next(iter(sheets.values()))
    listed = ", ".join(f"'{shown(title)}'" for title in sheets)
    if name is None:
        raise DataError.one("", f"has {len(sheets)} sheets: {listed}; say which with sheet:")
    raise DataError.one("", f"has no sheet '{shown(name)}'; it has {listed}")


@hookimpl
def permaudit_readers() -> list[ExcelReader]:
    """Provide the reader of Excel workbooks."""
    return [ExcelReader()]
