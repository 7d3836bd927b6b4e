"""Columns as text that can be compared across files, whatever they are held as."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from permaudit.data.scales.base import plain

_SIGNS = r"[^\p{L}\p{N}]"
"""Everything but letters and digits."""


def texts(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Write a column as text, whole numbers without a point, whatever they are held as."""
    column = plain(column)
    if pa.types.is_floating(column.type):
        numbers = column.to_numpy()
        kept = numbers[np.isfinite(numbers)]
        if kept.size and (kept == np.floor(kept)).all() and np.abs(kept).max() < 2.0**53:
            whole = pa.array(numbers, pa.float64(), from_pandas=True).cast(pa.int64(), safe=False)
            return pa.chunked_array([whole.cast(pa.large_string())])
    return pc.utf8_trim_whitespace(column.cast(pa.large_string()))


def letters_and_digits(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Write texts in small letters, without blanks and signs: what is left where spellings differ."""
    return pc.replace_substring_regex(pc.utf8_lower(column), pattern=_SIGNS, replacement="")


def in_one_spelling(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Write numbers in one way, and other texts without case and signs, so that equal values are equal texts."""
    written = texts(column)
    try:
        numbers = written.cast(pa.float64())
    except pa.ArrowInvalid:
        return letters_and_digits(written)
    return texts(numbers)
