"""Comma-separated text, UTF-8, one header line; read strictly, as text, nothing guessed."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import pyarrow as pa
import pyarrow.csv as arrow

from permaudit import DataError, Mistake, Parameters, ReaderCard, hookimpl, shown

if TYPE_CHECKING:
    from pathlib import Path

_SHOWN_ROWS = 5
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class CsvReader:
    """Read comma-separated text."""

    card: ClassVar[ReaderCard] = ReaderCard(id="csv", title="Comma-separated text (UTF-8)", suffixes=(".csv",))

    parameters: ClassVar[type[Parameters]] = Parameters

    def columns(self, path: Path, options: Parameters) -> tuple[str, ...]:  # noqa: ARG002
        """Return the header, or say what is wrong with it."""
        try:
            with path.open(encoding="utf-8-sig", newline="") as stream:
                header = next(csv.reader(stream, strict=True), None)
        except UnicodeDecodeError:
            raise DataError.one("", "is not UTF-8 text; convert it, for example with iconv") from None
        except csv.Error:
            raise DataError.one("", "the header line cannot be read as comma-separated text") from None
        if not header:
            raise DataError.one("", "is empty")
        mistakes = [Mistake("", 1, None, text) for text in _header_mistakes(header)]
        if mistakes:
            raise DataError(mistakes)
        return tuple(header)

    def read(self, path: Path, columns: tuple[str, ...], options: Parameters) -> pa.Table:
        """Return the columns as text."""
        _refuse_open_quote(path)
        # In a file of one column an empty line is a record with a missing value, and may not vanish.
        alone = len(self.columns(path, options)) == 1
        table, ragged = _parse(path, columns, alone=alone, threads=True)
        if ragged:
            _, ragged = _parse(path, columns, alone=alone, threads=False)  # only one thread knows the line numbers
            raise DataError(_ragged_mistakes(ragged))
        return table.select(list(columns))


def _header_mistakes(header: list[str]) -> list[str]:
    """Say what is wrong with the names in the header line."""
    found = []
    if len(header) == 1 and any(mark in header[0] for mark in ";\t|"):
        found.append("the header is one column; the fields must be separated by commas")
    if "" in header:
        place = header.index("") + 1
        found.append(f"column {place} has no name; is there a comma at the end of each line?")
    repeated = sorted({name for name in header if name and header.count(name) > 1})
    found += [f"column '{shown(name)}' stands {header.count(name)} times in the header" for name in repeated]
    found += [f"column '{shown(name)}' has a NUL character in its name" for name in header if "\0" in name]
    return found


def _refuse_open_quote(path: Path) -> None:
    """Refuse a file with an odd number of quotation marks: everything after the open one would be one cell."""
    with path.open("rb") as stream:
        marks = sum(chunk.count(b'"') for chunk in iter(lambda: stream.read(_CHUNK), b""))
    if marks % 2:
        raise DataError.one("", "a quotation mark is opened and never closed")


def _parse(
    path: Path, columns: tuple[str, ...], *, alone: bool, threads: bool
) -> tuple[pa.Table, list[arrow.InvalidRow]]:
    """Parse the file; return the table and the rows that have too few or too many fields."""
    ragged: list[arrow.InvalidRow] = []

    def note(row: arrow.InvalidRow) -> str:
        ragged.append(row)
        return "skip"

    try:
        table = arrow.read_csv(
            path,
            read_options=arrow.ReadOptions(use_threads=threads),
            parse_options=arrow.ParseOptions(
                newlines_in_values=True, invalid_row_handler=note, ignore_empty_lines=not alone
            ),
            convert_options=arrow.ConvertOptions(
                include_columns=columns,
                column_types=dict.fromkeys(columns, pa.string()),
                strings_can_be_null=False,
                null_values=[],
            ),
        )
    except pa.ArrowInvalid as error:
        # The text of arrow's errors quotes cells: only its kind may be told.
        what = "has bytes that are not UTF-8" if "UTF8" in str(error) else "cannot be read as comma-separated text"
        raise DataError.one("", what) from None
    return table, ragged


def _ragged_mistakes(rows: list[arrow.InvalidRow]) -> list[Mistake]:
    """Name the first lines with a wrong number of fields, and count the others."""
    found = [
        Mistake("", row.number, None, f"has {row.actual_columns} fields where the header has {row.expected_columns}")
        for row in rows[:_SHOWN_ROWS]
    ]
    if len(rows) > _SHOWN_ROWS:
        found.append(Mistake("", None, None, f"{len(rows) - _SHOWN_ROWS} more lines have a wrong number of fields"))
    return found


@hookimpl
def permaudit_readers() -> list[CsvReader]:
    """Provide the reader of CSV files."""
    return [CsvReader()]
