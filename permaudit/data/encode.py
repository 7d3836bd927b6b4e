"""Columns as they stand in a file -> columns that can be ranked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from permaudit.errors import Mistake, shown

if TYPE_CHECKING:
    from numpy.typing import NDArray


class ColumnError(Exception):
    """A column cannot be encoded; the text says why, without a cell of the data."""


def encode_table(table: pa.Table, where: str) -> tuple[dict[str, NDArray[Any]], list[Mistake]]:
    """Encode every column; return what could be encoded and a mistake for what could not."""
    encoded: dict[str, NDArray[Any]] = {}
    mistakes = []
    for name, column in zip(table.column_names, table.columns, strict=True):
        try:
            encoded[name] = encode_numeric(column)
        except ColumnError as error:
            mistakes.append(Mistake(where, None, None, f"column '{shown(name)}' {error}"))
    return encoded, mistakes


def encode_numeric(column: pa.ChunkedArray) -> NDArray[Any]:
    """Return the column as numbers; integers stay integers, so that none above 2**53 is rounded.

    Text is read strictly: `1,234`, `12 kg` or an empty cell are mistakes, not guesses.
    """
    column = _numbers(_plain(column))
    _refuse(column.is_null(), "missing value", "; fill them in or remove the records from both files")
    numbers: NDArray[Any] = column.to_numpy()
    if numbers.dtype.kind == "f":
        _refuse(np.isnan(numbers), "missing value", "; fill them in or remove the records from both files")
        _refuse(np.isinf(numbers), "infinite value", "")
    return numbers


def _plain(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Undo dictionary encoding."""
    return column.cast(column.type.value_type) if pa.types.is_dictionary(column.type) else column


def _numbers(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return an arrow column of integers or floats."""
    kind = column.type
    if pa.types.is_integer(kind):
        return column
    if pa.types.is_boolean(kind):
        return column.cast(pa.int8())
    if pa.types.is_floating(kind):
        return column.cast(pa.float64())
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return _parsed(column)
    if pa.types.is_null(kind):
        raise ColumnError("has no value at all")
    raise ColumnError(f"is of type {kind}, not a number")


def _parsed(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Read text as integers where every cell is one, and as floats otherwise."""
    _refuse(pc.equal(column, ""), "missing value", "; fill them in or remove the records from both files")
    for kind in (pa.int64(), pa.uint64(), pa.float64()):
        try:
            return column.cast(kind)
        except pa.ArrowInvalid:
            continue
    is_number = pc.match_substring_regex(column, r"^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$")
    bad = column.filter(pc.invert(is_number))
    hint = ""
    if pc.any(pc.match_substring_regex(bad, r"^[+-]?[\d.]*\d,\d+$")).as_py():
        hint = "; a comma stands in some: write a decimal point and no thousands separator"
    elif pc.any(pc.match_substring_regex(bad, r"^\s|\s$")).as_py():
        hint = "; some have blanks around them"
    _refuse(pc.invert(is_number), "value that is not a number", hint, "values that are not numbers")
    raise ColumnError("cannot be read as numbers")


def _refuse(wrong: Any, noun: str, hint: str, plural: str = "") -> None:
    """Raise for the records that are marked as wrong: how many, and which is the first."""
    marked = np.asarray(wrong)
    count = int(np.count_nonzero(marked))
    if count:
        first = int(np.argmax(marked)) + 1
        raise ColumnError(f"has {count} {noun if count == 1 else plural or noun + 's'} (first in record {first}){hint}")
