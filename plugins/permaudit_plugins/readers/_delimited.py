"""Delimited text -> columns of text, strictly."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.csv as arrow

from permaudit import DataError, Mistake
from permaudit_plugins.readers._names import name_mistakes
from permaudit_plugins.readers._quotes import check_quotes, rows, strict_parser, what_is_wrong
from permaudit_plugins.readers._text import CHUNK, Utf8Stream, is_plain_utf8, utf8_chunks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

_SHOWN_ROWS = 5
_NEVER = "\x01"
"""A delimiter that no text holds."""
_OTHER_DELIMITERS = {",": "','", ";": "';'", "\t": r'"\t"', "|": "'|'", ":": "':'"}


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


def pieces(  # noqa: PLR0913 - what there is to know of a delimited file
    path: Path,
    columns: Sequence[str],
    *,
    encoding: str,
    delimiter: str,
    quote: str | None,
    missing: Sequence[str],
    alone: bool,
) -> Iterator[pa.Table]:
    """Give these columns as text, with nulls where a cell is one of the missing tokens, in parts.

    In a file of one column (`alone`) an empty line is a record with an empty cell, and may not vanish.
    """
    quoted, across_lines = check_quotes(path, encoding, delimiter, quote)
    parsing = arrow.ParseOptions(
        delimiter=delimiter,
        quote_char=quote if quoted else False,
        newlines_in_values=across_lines,
        ignore_empty_lines=not alone,
    )

    def refusal(ragged: int) -> DataError:
        return DataError(_ragged_mistakes(path, encoding, delimiter, quote, ragged))

    return _parsed(path, encoding, columns, arrow.ReadOptions(block_size=CHUNK), parsing, missing, refusal)


def lines(path: Path, encoding: str) -> pa.ChunkedArray:
    """Return the lines of a text, the empty ones too, each as one cell."""
    for _ in utf8_chunks(path, encoding):  # refuses what is no text, before arrow's threads see it
        pass
    reading = arrow.ReadOptions(block_size=CHUNK, column_names=["line"])
    parsing = arrow.ParseOptions(delimiter=_NEVER, quote_char=False, ignore_empty_lines=False)

    def refusal(ragged: int) -> DataError:
        text = f"control characters (code {ord(_NEVER)}) stand in {ragged} of its lines"
        return DataError([Mistake("", None, None, text)])

    return pa.concat_tables(_parsed(path, encoding, ["line"], reading, parsing, (), refusal)).column(0)


def _parsed(  # noqa: PLR0913, PLR0917 - all of arrow's options
    path: Path,
    encoding: str,
    columns: Sequence[str],
    reading: arrow.ReadOptions,
    parsing: arrow.ParseOptions,
    missing: Sequence[str],
    refusal: Callable[[int], DataError],
) -> Iterator[pa.Table]:
    """Parse the file; give the columns as text, at least once, and refuse rows with too few or too many fields."""
    stream = None if is_plain_utf8(path, encoding) else Utf8Stream(path, encoding)
    ragged = 0

    def note(_row: arrow.InvalidRow) -> str:
        nonlocal ragged
        ragged += 1
        return "skip"

    parsing.invalid_row_handler = note
    converting = arrow.ConvertOptions(
        include_columns=columns,
        column_types=dict.fromkeys(columns, pa.string()),
        strings_can_be_null=bool(missing),
        null_values=missing,
        check_utf8=False,  # every caller has gone through the text before
    )
    yield pa.table({name: pa.nulls(0, pa.string()) for name in columns})
    try:
        file = path if stream is None else pa.PythonFile(io.BufferedReader(stream, CHUNK), mode="r")
        with arrow.open_csv(file, reading, parsing, converting) as batches:
            yield from map(pa.Table.from_batches, ([batch] for batch in batches))
    except (pa.ArrowException, OSError) as error:
        # The text of arrow's errors quotes cells: only its kind may be told.
        if "Empty CSV file" not in str(error):  # a header without a line end, or nothing at all
            too_long = "straddling" in str(error)
            what = f"a record is longer than {CHUNK} bytes" if too_long else "cannot be read as delimited text"
            raise DataError.one("", what) from None
    if stream is not None and stream.error is not None:
        raise stream.error
    if ragged:
        raise refusal(ragged)


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


def _ragged_mistakes(path: Path, encoding: str, delimiter: str, quote: str | None, count: int) -> list[Mistake]:
    """Name the first lines with a wrong number of fields, and count the others."""
    found: list[Mistake] = []
    expected = 0
    for line, cells in rows(path, encoding, delimiter, quote):
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
