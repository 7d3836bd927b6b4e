"""What every type of attribute hands back, and the small tools they share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from permaudit.errors import shown

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from numpy.typing import NDArray

    from permaudit.data.scales.named import Named

    Codes = NDArray[Any]
    Mask = NDArray[np.bool_]


class ColumnError(Exception):
    """A column cannot be encoded; the text says why, without a cell of the data."""

    def __init__(self, text: str, wrong: Mask | None = None) -> None:
        """Take the text, and which records are to blame if not all are."""
        super().__init__(text)
        self.wrong = wrong


@dataclass(frozen=True, slots=True, eq=False)
class EncodedColumn:
    """A column as numbers that sort like its values."""

    codes: Codes
    """int64, uint64 or float64, without NaN; where the value is missing, any number."""
    missing: Mask | None = None
    """Which values are missing; None where none is."""
    statements: tuple[str, ...] = ()
    """Choices that the result must state, in words and without a value of the data."""
    hides: bool = False
    """Do different values of the file have one and the same code, so that no metric can see them?"""
    named: Named | None = None
    """What its generalized cells name, where it has some."""
    kinds: Codes | None = None
    """Of categories: nearly the same numbers, which differ wherever the categories do."""
    unused: int = 0
    """How many cells hold one of several categories that the original does not use and that have the same code."""

    @property
    def varies(self) -> bool:
        """Tell whether the file has different values, seen or not."""
        return self.hides or differ(self.codes, self.missing)


class Scale(Protocol):
    """The numbers that the original gives to values; the release and the holdout are encoded on it."""

    @property
    def original(self) -> EncodedColumn:
        """Return the original, encoded."""

    def encode(self, column: pa.ChunkedArray, released: bool = True) -> EncodedColumn:  # noqa: FBT001, FBT002
        """Encode another column; only a released one may hold intervals, sets, inner categories and `*`."""


def refuse(wrong: Any, noun: str, hint: str = "", plural: str = "") -> None:
    """Raise for the records that are marked as wrong: how many, and which is the first."""
    marked = np.asarray(wrong)
    count = int(np.count_nonzero(marked))
    if count:
        first = int(np.argmax(marked)) + 1
        text = f"has {count} {noun if count == 1 else plural or noun + 's'} (first in record {first}){hint}"
        raise ColumnError(text, marked)


def many(count: int, noun: str, plural: str = "") -> str:
    """Write a number with its noun."""
    return f"{count} {noun if count == 1 else plural or noun + 's'}"


def plain(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return the values themselves: without dictionary or run-length encoding, and text in one form."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
        # Slices of a dictionary array may share a dictionary that is not theirs alone: by value, never by index.
        column = column.cast(kind)
    elif pa.types.is_run_end_encoded(kind):
        column = pa.chunked_array([pc.run_end_decode(chunk) for chunk in column.chunks], kind.value_type)
    if pa.types.is_string_view(column.type):
        column = column.cast(pa.large_string())
    return column


def is_text(kind: pa.DataType) -> bool:
    """Tell whether a plain column holds text."""
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def type_name(kind: pa.DataType) -> str:
    """Write a type so that it can be printed; the names inside a nested one may come from cells."""
    return str(kind).partition("<")[0] if pa.types.is_nested(kind) else shown(str(kind))


def nulls(column: pa.ChunkedArray) -> Mask | None:
    """Return where the column is null, or None where it never is."""
    return column.is_null().to_numpy() if column.null_count else None


def either(first: Mask | None, second: Mask | None) -> Mask | None:
    """Return where any of two masks is set."""
    if first is None or second is None:
        return second if first is None else first
    return first | second


def differ(values: NDArray[Any], missing: Mask | None = None) -> bool:
    """Tell whether there are different values among those that are not missing."""
    there = values if missing is None else values[~missing]
    return bool(there.size) and bool((there != there[0]).any())


def some(mask: Mask | None) -> Mask | None:
    """Return the mask, or None where nothing is marked."""
    return mask if mask is not None and mask.any() else None


def blanks_to_nulls(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Make empty text missing."""
    if pc.min(pc.binary_length(column)).as_py() != 0:
        return column
    return pc.if_else(pc.equal(column, ""), pa.scalar(None, column.type), column)


def refuse_empty(encoded: EncodedColumn) -> EncodedColumn:
    """Refuse an original without any value: it cannot define a scale."""
    if encoded.missing is not None and encoded.missing.all():
        raise ColumnError("has no value at all")
    return encoded


@dataclass(frozen=True, slots=True, eq=False)
class Distinct:
    """The distinct texts of a column, and which of them each record has."""

    texts: Sequence[str]
    index: NDArray[np.intp]
    """For each record the place of its text; -1 where it is missing."""

    @property
    def missing(self) -> Mask | None:
        """Return where the value is missing, or None."""
        return some(self.index < 0)

    def spread(self, values: NDArray[Any]) -> NDArray[Any]:
        """Give each record the value of its text; a missing one gets the last value, or 0."""
        return values[self.index] if len(values) else np.zeros(self.index.size, values.dtype)

    def marks(self, texts: Collection[str]) -> Mask:
        """Mark the records that have one of these texts."""
        chosen = np.array([text in texts for text in self.texts] + [False])
        return chosen[self.index]

    def only(self, chosen: Mask) -> Distinct:
        """Return the chosen texts; the records that have another one count as missing."""
        places = np.full(chosen.size + 1, -1, np.intp)
        places[:-1][chosen] = np.arange(np.count_nonzero(chosen))
        return Distinct([self.texts[place] for place in np.flatnonzero(chosen).tolist()], places[self.index])

    def count(self, texts: Collection[str]) -> int:
        """Count the records that have one of these texts."""
        return int(np.count_nonzero(self.marks(texts)))


def distinct_texts(column: pa.ChunkedArray) -> Distinct:
    """Find the distinct texts of a plain text column; empty text is missing."""
    encoded = blanks_to_nulls(column).dictionary_encode()
    if len({_place_of(chunk.dictionary) for chunk in encoded.chunks}) > 1:  # comparing dictionaries takes very long
        encoded = encoded.unify_dictionaries()
    if not encoded.num_chunks:
        return Distinct([], np.zeros(0, np.intp))
    indices = [chunk.indices.fill_null(-1).to_numpy(zero_copy_only=False) for chunk in encoded.chunks]
    return Distinct(encoded.chunk(0).dictionary.to_pylist(), np.concatenate(indices).astype(np.intp, copy=False))


def _place_of(texts: pa.Array) -> tuple[int, ...]:
    """Return where texts lie in memory."""
    return (texts.offset, len(texts), *(buffer.address for buffer in texts.buffers() if buffer is not None))


def category_texts(column: pa.ChunkedArray) -> Distinct:
    """Find the distinct categories of a column as text: text itself, whole numbers and booleans as they are written."""
    column = plain(column)
    kind = column.type
    if pa.types.is_null(kind):
        return Distinct([], np.full(len(column), -1, np.intp))
    if pa.types.is_floating(kind):
        # A data frame holds whole numbers with gaps as floats.
        column = pc.if_else(pc.is_nan(column), pa.scalar(None, kind), column)
        try:
            column = column.cast(pa.int64())
        except pa.ArrowInvalid:
            raise ColumnError(f"is of type {type_name(kind)}: fractions are not categories") from None
    elif not (is_text(kind) or pa.types.is_integer(kind) or pa.types.is_boolean(kind)):
        raise ColumnError(f"is of type {type_name(kind)}, not a category")
    return distinct_texts(column if is_text(kind) else column.cast(pa.string()))


def near_misses(unknown: Sequence[str], known: Sequence[str]) -> str:
    """Return a hint where unknown texts differ from known ones by blanks or case only."""
    folded = {text.strip().casefold() for text in known}
    near = any(text.strip().casefold() in folded for text in unknown)
    return "; some differ from a known one only by blanks or by upper and lower case" if near else ""
