"""A column as it stands in a file -> plain numbers, exactly; nothing is guessed and nothing is rounded."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from permaudit.arrays import chunks_to_numpy, to_arrow, to_numpy
from permaudit.data.scales.base import (
    ColumnError,
    blanks_to_nulls,
    distinct_texts,
    either,
    is_text,
    nulls,
    plain,
    refuse,
    some,
    type_name,
)
from permaudit.data.scales.lines import WHOLE_FLOATS
from permaudit.data.scales.written import as_written

if TYPE_CHECKING:
    from collections.abc import Sequence

    from permaudit.data.scales.base import Codes, Distinct, Mask

NUMBER = r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?"
HUGE_EXPONENT = r"[eE][+-]?\d{4}"
"""What no float has, and what exact arithmetic must not be asked to write out."""
_IS_NUMBER_OR_INFINITE = f"^({NUMBER}|[+-]?(?i:inf|infinity))$"
_IS_NAN = r"^[+-]?(?i:nan)$"
_IS_WRITTEN_OUT = r"^[+-]?0*[1-9]\d{15,}(\.\d*)?$"
_BESIDE_EXPONENTS = "number with more than 308 digits beside exponents of four digits or more"
_MOST_DIGITS = 18
"""Seventeen digits tell every float from every other one; these are seventeen and a decimal point."""
_HAS_MANY_DIGITS = rf"^[1-9][\d.]{{{_MOST_DIGITS}}}"
_SAFE_DIGITS = 10**15
"""Decimals with fewer digits keep their order, and stay apart, as floats."""
_EXACT_TENS = 22
"""Powers of ten up to this one are floats."""
_SAMPLES = (1, 30, 1_000)
_INT64_DIGITS = 19
_INT64 = (-(2**63), 2**63 - 1)
_UINT64 = (0, 2**64 - 1)


@dataclass(frozen=True, slots=True, eq=False)
class Numbers:
    """The numbers of a column; where a value is missing or no number, any number stands."""

    values: Codes
    """int64, uint64 or float64; with `exact`, the place of each value in it."""
    missing: Mask | None = None
    exact: Sequence[Decimal] | None = None
    """The distinct values in order, where no 64-bit type keeps them apart."""
    others: Distinct | None = None
    """The texts that are no numbers."""
    bits: int | None = None
    """The width of a column of floats; None where they were read from text or are no floats."""
    rounded_off: bool = False
    """Were there different numbers before they were rounded, and none after?"""


_USUAL_GAPS = frozenset({"na", "n/a", "null", "none", ".", "-", "--", "?", "missing", "#n/a"})
"""Words that usually stand for a missing value."""
_COMMA = r"^[+-]?([\d.]*\d,\d+|\d{1,3}(,\d{3})+\.\d+)$"
"""A number with a decimal comma, or with commas between thousands."""


def read_numbers(column: pa.ChunkedArray, *, exactly: bool = False) -> Numbers:
    """Read a column of any type as numbers; text that is none is handed back.

    With `exactly`, numbers with many digits are not read as floats even where these keep them apart: those of the other
    file need all of them.
    """
    column = plain(column)
    kind = column.type
    if pa.types.is_integer(kind):
        return Numbers(_integers(column), nulls(column))
    if pa.types.is_floating(kind):
        return _floats(column.cast(pa.float64()), bits=kind.bit_width)
    if is_text(kind):
        return _from_text(blanks_to_nulls(column), exactly=exactly)
    if pa.types.is_boolean(kind):
        return Numbers(_integers(column.cast(pa.int64())), nulls(column))
    if pa.types.is_decimal(kind):
        return _from_decimals(column, exactly=exactly)
    if pa.types.is_null(kind):
        return Numbers(np.zeros(len(column), np.int64), some(np.ones(len(column), bool)))
    hint = "; declare it with type: " + ("date" if pa.types.is_date(kind) else "datetime")
    is_time = pa.types.is_date(kind) or pa.types.is_timestamp(kind)
    raise ColumnError(f"is of type {type_name(kind)}, not a number{hint if is_time else ''}")


def written_numbers(column: pa.ChunkedArray) -> Numbers | None:
    """Return the numbers of a column that was text and is held as numbers."""
    numbers = as_written(column)
    if numbers is None:
        return None
    values = _integers(numbers) if pa.types.is_integer(numbers.type) else _floats(numbers).values
    return Numbers(values, nulls(numbers))


def numbers_of_piece(text: pa.ChunkedArray) -> pa.ChunkedArray | None:
    """Read a piece of a column of text: its numbers, where whatever stands in the other pieces they are these."""
    shortest, longest = _lengths(text)
    if shortest == 0:
        text = blanks_to_nulls(text)
    if (whole := _cast(text, pa.int64())) is not None:
        return None if _is_based(text) else whole
    floats = _cast(text, pa.float64())
    if floats is None:
        return None
    largest = _largest(floats)
    if not np.isfinite(largest) or _has_many_digits(text, largest, longest):
        return None
    return floats


def refuse_others(others: Distinct, unknown: frozenset[str], hint: str) -> None:
    """Refuse the texts that are no numbers, with a guess at what went wrong."""
    texts = pa.array(sorted(unknown), pa.string())
    if not hint and pc.any(pc.match_substring_regex(texts, _COMMA)).as_py():
        hint = "; a comma stands in some: write a decimal point and no thousands separator"
    elif not hint and pc.any(pc.match_substring_regex(texts, r"^\s|\s$")).as_py():
        hint = "; some have blanks around them"
    elif not hint and {text.casefold() for text in unknown} <= _USUAL_GAPS:
        hint = "; if they stand for missing values, declare these words with the reader's option missing:"
    refuse(others.marks(unknown), "value that is not a number", hint, "values that are not numbers")


def as_decimals(values: Codes) -> tuple[list[Decimal], Codes]:
    """Return the distinct numbers in order, exactly, and the place of each value among them."""
    distinct, places = np.unique(values, return_inverse=True)
    # The shortest text of a float is what a file would show: 0.1 is the decimal 0.1.
    return [Decimal(repr(value)) for value in distinct.tolist()], places


# --------------------------------------------------------------------------- typed columns


def _integers(column: pa.ChunkedArray) -> Codes:
    """Return whole numbers as int64, or as uint64 where they are too large."""
    if column.null_count:
        column = column.fill_null(0)
    values: Codes = to_numpy(column)
    if values.dtype == np.uint64:
        return values if values.size and values.max() > _INT64[1] else values.view(np.int64)
    return values.astype(np.int64, copy=False)


def _floats(column: pa.ChunkedArray, bits: int | None = None) -> Numbers:
    """Return floats; NaN is a missing value, and infinite values are refused."""
    missing = nulls(column)
    values: Codes = to_numpy(column.fill_null(0.0) if missing is not None else column)
    if not np.isfinite(values).all():
        refuse(np.isinf(values), "infinite value")
        nan = np.isnan(values)
        values = np.where(nan, 0.0, values)
        missing = either(missing, nan)
    return Numbers(values, missing, bits=bits)


def _from_decimals(column: pa.ChunkedArray, *, exactly: bool) -> Numbers:
    """Return decimals as whole numbers or floats where those keep them apart, else exactly."""
    scale = column.type.scale
    unscaled = _unscaled(column)
    if unscaled is not None and 0 <= scale < _INT64_DIGITS and not (unscaled % 10**scale).any():
        return Numbers(unscaled // 10**scale, nulls(column))
    if unscaled is not None and 0 <= scale <= _EXACT_TENS and np.abs(unscaled).max(initial=0) < _SAFE_DIGITS:
        # Both sides of the division are exact, so the quotient is the float next to the decimal.
        return Numbers(unscaled / 10.0**scale, nulls(column))
    encoded = column.combine_chunks().dictionary_encode()
    index = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False)
    return _ordered(encoded.dictionary.to_pylist(), index, nulls(column), exactly=exactly)


def _unscaled(column: pa.ChunkedArray) -> Codes | None:
    """Return decimals without their decimal point, where they fit into 64 bits."""
    scale = column.type.scale
    try:
        wide = column.cast(pa.decimal128(38, scale)).fill_null(Decimal(0))
        chunks = [
            pa.Array.from_buffers(pa.decimal128(38, 0), len(chunk), [None, chunk.buffers()[1]], offset=chunk.offset)
            for chunk in wide.chunks
        ]
        values: Codes = pa.chunked_array(chunks, pa.decimal128(38, 0)).cast(pa.int64()).to_numpy()
    except pa.ArrowInvalid:
        return None
    return values


# --------------------------------------------------------------------------- text


def _from_text(column: pa.ChunkedArray, *, exactly: bool) -> Numbers:
    """Read text strictly: `1,234`, `12 kg` or `0x1F` are no numbers."""
    if (numbers := _all_numbers(column, exactly=exactly)) is not None:
        return numbers
    column = pc.if_else(pc.match_substring_regex(column, _IS_NAN), pa.scalar(None, column.type), column)
    # Infinite values are told apart from other text, so that they are refused as what they are.
    is_number = pc.match_substring_regex(column, _IS_NUMBER_OR_INFINITE)
    others = distinct_texts(pc.if_else(is_number, pa.scalar(None, column.type), column))
    missing = nulls(column)
    column = pc.if_else(is_number, column, pa.scalar(None, column.type))
    numbers = _all_numbers(column, exactly=exactly, words=False)
    if numbers is None:
        raise ColumnError("cannot be read as numbers")
    return Numbers(numbers.values, missing, numbers.exact, others if others.texts else None)


def _all_numbers(column: pa.ChunkedArray, *, exactly: bool, words: bool = True) -> Numbers | None:
    """Read a column in which every text is a number; return None where one may not be."""
    for kind in (pa.int64(), pa.uint64()):
        if (numbers := _cast(column, kind)) is not None:
            return None if _is_based(column) else Numbers(_integers(numbers), nulls(column))
    if (floats := _cast(column, pa.float64())) is None:
        return None
    values = to_numpy(floats.fill_null(0.0) if floats.null_count else floats)
    if words and not np.isfinite(values).all():
        return None  # nan and inf are words
    infinite = np.isinf(values)
    if infinite.any():
        # What is written out digit by digit is finite, however long it is.
        written_out = pc.match_substring_regex(column, _IS_WRITTEN_OUT)
        refuse(infinite & ~np.asarray(pc.fill_null(written_out, fill_value=False)), "infinite value")
        if pc.any(pc.match_substring_regex(column, HUGE_EXPONENT)).as_py():
            refuse(infinite, _BESIDE_EXPONENTS)
    if exactly or _has_many_digits(column, np.abs(values).max(initial=0.0), _lengths(column)[1]):
        return _with_all_digits(column, values, exactly=exactly)
    return Numbers(values, nulls(column))


def _cast(column: pa.ChunkedArray, kind: pa.DataType) -> pa.ChunkedArray | None:
    """Read every text as a number of this type, or return None; each one that is none takes long, so a few go ahead."""
    try:
        for many in _SAMPLES:
            column.slice(0, many).cast(kind)
        return column.cast(kind)
    except pa.ArrowInvalid:
        return None


def _is_based(column: pa.ChunkedArray) -> bool:
    """Tell whether some whole numbers are written like `0x1F`."""
    texts = [chunk.buffers()[-1] for chunk in column.chunks]
    # Digits and signs come before letters; bytes are looked through much faster than cells.
    if all(text is None or np.frombuffer(text, np.uint8).max(initial=0) < ord("X") for text in texts):
        return False
    return any(pc.any(pc.match_substring(column, mark)).as_py() for mark in "xX")


def _largest(floats: pa.ChunkedArray) -> float:
    """Return the largest magnitude; NaN where a number is none. No second copy of the numbers is made for it."""
    filled = floats.fill_null(0.0) if floats.null_count else floats
    ends = [end for values in chunks_to_numpy(filled) for end in (values.max(initial=0.0), -values.min(initial=0.0))]
    return float(np.max(ends, initial=0.0))


def _lengths(text: pa.ChunkedArray) -> tuple[int, int]:
    """Return how many bytes the shortest and the longest text have; 1 and 0 where there is none."""
    found = pc.min_max(pc.binary_length(text))
    return (found["min"].as_py(), found["max"].as_py()) if found["min"].is_valid else (1, 0)


def _has_many_digits(column: pa.ChunkedArray, largest: float, longest: int) -> bool:
    """Tell whether some numbers, up to the largest and the longest, are written with more digits than a float holds."""
    if largest >= WHOLE_FLOATS and pc.any(pc.match_substring_regex(column, _IS_WRITTEN_OUT)).as_py():
        return True
    if longest <= _MOST_DIGITS:
        return False
    significant = pc.ascii_ltrim(column.drop_null(), characters="+-0.")
    # By numpy: to compare with a Python value, pyarrow imports pandas.
    is_long = (to_numpy(pc.binary_length(significant)) > _MOST_DIGITS).view(np.uint8)
    long = significant.filter(to_arrow(is_long).cast(pa.bool_()))
    return bool(pc.any(pc.match_substring_regex(long, _HAS_MANY_DIGITS)).as_py())


def _with_all_digits(column: pa.ChunkedArray, values: Codes, *, exactly: bool) -> Numbers:
    """Read numbers digit by digit where that makes a difference."""
    missing = nulls(column)
    # Rounding keeps the order; so where no two texts fall together, floats are as good.
    distinct = np.unique(values if missing is None else values[~missing]).size
    finite = bool(np.isfinite(values).all())
    apart = not exactly and finite and pc.count_distinct(column, mode="only_valid").as_py() == distinct
    if apart or pc.any(pc.match_substring_regex(column, HUGE_EXPONENT)).as_py():
        return Numbers(values, missing)
    texts = distinct_texts(column)
    return _ordered([Decimal(text) for text in texts.texts], texts.index, missing, exactly=exactly)


def _ordered(values: Sequence[Decimal], index: Codes, missing: Mask | None, *, exactly: bool = False) -> Numbers:
    """Return distinct decimals as a 64-bit type where one keeps them apart, else as places in their order."""
    ordered = sorted(set(values))
    place = {value: number for number, value in enumerate(ordered)}
    places = np.array([*(place[value] for value in values), 0], np.int64)[index]  # missing values have the index -1
    if exactly:
        return Numbers(places, missing, exact=ordered)
    for kind, (least, most) in ((np.int64, _INT64), (np.uint64, _UINT64)):
        if ordered[0] >= least and ordered[-1] <= most and all(value == int(value) for value in ordered):
            whole: Any = np.array([int(value) for value in ordered], kind)
            return Numbers(whole[places], missing)
    floats = np.array([float(value) for value in ordered])
    if np.isfinite(floats[[0, -1]]).all() and (np.diff(floats) > 0).all():
        return Numbers(floats[places], missing)
    return Numbers(places, missing, exact=ordered)
