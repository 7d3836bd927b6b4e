"""Records as 64-bit keys: equal records have equal keys, and different ones almost surely do not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Keys = NDArray[np.uint64]

_STEP, _WORD = 0x9E37_79B9_7F4A_7C15, (1 << 64) - 1
_FIRST, _SECOND = np.uint64(0xBF58_476D_1CE4_E5B9), np.uint64(0x94D0_49BB_1331_11EB)
_SHIFTS = tuple(np.uint64(shift) for shift in (30, 27, 31))
_BLOCK = 2**14


def row_keys(matrix: NDArray[np.float64]) -> Keys:
    """Return a key for each row."""
    return summed_keys(list(matrix.T), range(matrix.shape[1]), len(matrix))


def summed_keys(columns: Sequence[NDArray[Any]], numbers: Sequence[int], records: int) -> Keys:
    """Return a key for each record from some of its columns, block by block: what is at work stays near to the processor."""
    keys = np.zeros(records, np.uint64)
    for start in range(0, records, _BLOCK):
        block = slice(start, start + _BLOCK)
        for number in numbers:
            keys[block] += cell_keys(columns[number][block], number)
    return keys


def cell_keys(column: NDArray[Any], number: int) -> Keys:
    """Return a key for each cell of a column; their sum over the columns is the key of a record.

    The mixing is that of SplitMix64 (Steele, Lea and Flood 2014, Fast splittable pseudorandom number generators, OOPSLA).
    """
    plain = column + 0.0 if column.dtype.kind == "f" else column.astype(np.int64)  # -0.0 is 0.0
    mixed = np.ascontiguousarray(plain).view(np.uint64)
    mixed += np.uint64(_STEP * (2 * number + 1) & _WORD)
    for shift, factor in zip(_SHIFTS, (_FIRST, _SECOND), strict=False):
        mixed ^= mixed >> shift
        mixed *= factor
    mixed ^= mixed >> _SHIFTS[-1]
    return mixed
