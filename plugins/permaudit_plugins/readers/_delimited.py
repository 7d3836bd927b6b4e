"""Delimited text -> columns of text, strictly."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.csv as arrow

from permaudit import DataError, Mistake
from permaudit.permutation.threads import available, some_ahead
from permaudit_plugins.readers._names import name_mistakes
from permaudit_plugins.readers._quotes import rows, strict_parser, what_is_wrong
from permaudit_plugins.readers._records import TOO_LONG, WholeRecords
from permaudit_plugins.readers._text import BOM, CHUNK, Utf8Stream, utf8_chunks

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Sequence
    from pathlib import Path

_SHOWN_ROWS = 5
_NEVER = "\x01"
"""A delimiter that no text holds."""
_OTHER_DELIMITERS = {",": "','", ";": "';'", "\t": r'"\t"', "|": "'|'", ":": "':'"}
_UNREADABLE = "cannot be read as delimited text"
_NOTHING = "Empty CSV file"
"""What arrow says where there is nothing, or a header without a line end."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Delimited:
    """A delimited text, and how it is written."""

    path: Path
    encoding: str
    delimiter: str
    quote: str | None
    names: Sequence[str]
    """Of all its columns. Where there is one, an empty line is a record with an empty cell, and may not vanish."""
    missing: Sequence[str] = ()
    """The cells that become nulls."""
    has_header: bool = True


def header(path: Path, encoding: str, delimiter: str, quote: str | None) -> tuple[str, ...]:
    """Return the first line as names, or say what is wrong with it."""
    beginning = next(utf8_chunks(path, encoding)).decode("utf-8")
    if not beginning:
        raise DataError.one("", "is empty")
    names, first = _first_two(beginning, delimiter, quote)
    if not names:
        raise DataError([Mistake("", 1, None, "is blank; the names of the columns must stand in the first line")])
    found = name_mistakes(names)
    if len(names) == 1:
        found += _delimiter_mistakes(names[0], first[0] if first else "")
    elif not names[-1]:
        found.append("the line ends with a delimiter; does every line?")
    if found:
        raise DataError(Mistake("", 1, None, text) for text in found)
    return tuple(names)


def pieces(text: Delimited, columns: Sequence[str]) -> Iterator[pa.Table]:
    """Give these columns as text, with nulls where a cell is one of the missing tokens, in parts, at least one."""
    return _tables(text, columns, lambda ragged: DataError(_ragged_mistakes(text, ragged)))


def lines(path: Path, encoding: str) -> pa.ChunkedArray:
    """Return the lines of a text, the empty ones too, each as one cell."""
    name = "line"
    text = Delimited(path=path, encoding=encoding, delimiter=_NEVER, quote=None, names=[name], has_header=False)

    def refusal(ragged: int) -> DataError:
        what = f"control characters (code {ord(_NEVER)}) stand in {ragged} of its lines"
        return DataError([Mistake("", None, None, what)])

    return pa.concat_tables(_tables(text, [name], refusal)).column(0)


def _tables(text: Delimited, columns: Sequence[str], refusal: Callable[[int], DataError]) -> Iterator[pa.Table]:
    """Parse the text in threads; behind the last part refuse records with too few or too many fields."""
    yield _no_records(columns)
    records = WholeRecords(text.path, text.encoding, text.delimiter, text.quote)
    ragged = 0
    try:
        for table, count in some_ahead(lambda part: _parsed(text, columns, *part), enumerate(records), available()):
            ragged += count
            yield table
    except pa.ArrowException:
        records.check()
        raise DataError.one("", _UNREADABLE) from None
    if not records.are_all:
        ragged += yield from _parsed_in_turn(text, columns, records.given)
    if ragged:
        raise refusal(ragged)


def _parsed(text: Delimited, columns: Sequence[str], number: int, part: bytes) -> tuple[pa.Table, int]:
    """Parse the whole records of a part; return the columns, and how many records have a wrong number of fields."""
    marked = BOM + part if part.startswith(BOM) else part  # arrow takes one away
    names = None if text.has_header and not number else text.names
    reading = arrow.ReadOptions(block_size=len(marked), use_threads=False, column_names=names)
    is_quoted = text.quote is not None and text.quote.encode() in part
    parsing, ragged = _parsing(text, is_quoted=is_quoted)
    try:
        table = arrow.read_csv(pa.BufferReader(marked), reading, parsing, _converting(text, columns))
    except pa.ArrowInvalid as error:
        if _NOTHING not in str(error):
            raise
        table = _no_records(columns)
    return table, len(ragged)


def _parsed_in_turn(text: Delimited, columns: Sequence[str], begin: int) -> Generator[pa.Table, None, int]:
    """Give the columns of a text that cannot be cut, from that byte on; return how many records are ragged."""
    stream = Utf8Stream(text.path, text.encoding, begin=begin)
    names = None if text.has_header and not begin else text.names
    reading = arrow.ReadOptions(block_size=CHUNK, column_names=names)
    parsing, ragged = _parsing(text, is_quoted=True)
    try:
        file = pa.PythonFile(io.BufferedReader(stream, CHUNK), mode="r")
        with arrow.open_csv(file, reading, parsing, _converting(text, columns)) as batches:
            yield from map(pa.Table.from_batches, ([batch] for batch in batches))
    except (pa.ArrowException, OSError) as error:
        # The text of arrow's errors quotes cells: only its kind may be told.
        if _NOTHING not in str(error):
            what = TOO_LONG if "straddling" in str(error) else _UNREADABLE
            raise DataError.one("", what) from None
    if stream.error is not None:
        raise stream.error
    return len(ragged)


def _parsing(text: Delimited, *, is_quoted: bool) -> tuple[arrow.ParseOptions, list[int]]:
    """Return how to parse the text, and where each ragged record is noted."""
    ragged: list[int] = []

    def note(row: arrow.InvalidRow) -> str:
        ragged.append(row.actual_columns)
        return "skip"

    parsing = arrow.ParseOptions(
        delimiter=text.delimiter,
        quote_char=text.quote if is_quoted else False,
        newlines_in_values=is_quoted,
        ignore_empty_lines=len(text.names) > 1,
        invalid_row_handler=note,
    )
    return parsing, ragged


def _converting(text: Delimited, columns: Sequence[str]) -> arrow.ConvertOptions:
    """Return what cells are to become."""
    return arrow.ConvertOptions(
        include_columns=columns,
        column_types=dict.fromkeys(columns, pa.string()),
        strings_can_be_null=bool(text.missing),
        null_values=text.missing,
        check_utf8=False,  # whoever cuts the text has made sure that it is
    )


def _no_records(columns: Sequence[str]) -> pa.Table:
    """Return the columns without a cell."""
    return pa.table({name: pa.nulls(0, pa.string()) for name in columns})


def _first_two(beginning: str, delimiter: str, quote: str | None) -> tuple[list[str], list[str]]:
    """Return the cells of the first two lines."""
    parser = strict_parser(io.StringIO(beginning, newline=""), delimiter, quote)
    try:
        names = next(parser, [])
    except csv.Error as error:
        raise DataError([Mistake("", 1, None, what_is_wrong(error))]) from None
    try:
        return names, next(parser, [])
    except csv.Error:
        return names, []


def _delimiter_mistakes(name: str, cell: str) -> list[str]:
    """Say which delimiter would make several columns, both of the header and of the first record."""
    counts = {shown_as: (name.count(mark), cell.count(mark)) for mark, shown_as in _OTHER_DELIMITERS.items()}
    likely = [shown_as for shown_as, (above, below) in counts.items() if above and (above == below or not cell)]
    if not likely:
        return []
    return [f"the header is one column; to have several, say delimiter: {' or '.join(likely)}"]


def _ragged_mistakes(text: Delimited, count: int) -> list[Mistake]:
    """Name the first lines with a wrong number of fields, and count the others."""
    found: list[Mistake] = []
    expected = 0
    for line, cells in rows(text.path, text.encoding, text.delimiter, text.quote):
        expected = expected or len(cells)
        if cells and len(cells) != expected:
            fields = "1 field" if len(cells) == 1 else f"{len(cells)} fields"
            found.append(Mistake("", line, None, f"has {fields} where the header has {expected}"))
        if len(found) == _SHOWN_ROWS:
            break
    left = count - len(found)
    if left > 0:
        more = "more lines have" if found else "lines have"
        found.append(Mistake("", None, None, f"{left} {more} a wrong number of fields"))
    return found
