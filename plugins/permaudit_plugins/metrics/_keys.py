"""Records as 64-bit keys: equal records have equal keys, and different ones almost surely do not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Keys = NDArray[np.uint64]

_STEP, _WORD = 0x9E37_79B9_7F4A_7C15, (1 << 64) - 1
_FIRST, _SECOND = np.uint64(0xBF58_476D_1CE4_E5B9), np.uint64(0x94D0_49BB_1331_11EB)
_SHIFTS = tuple(np.uint64(shift) for shift in (30, 27, 31))


def row_keys(matrix: NDArray[np.float64]) -> Keys:
    """Return a key for each row."""
    keys = np.zeros(len(matrix), np.uint64)
    for number, column in enumerate(matrix.T):
        keys += cell_keys(column, number)
    return keys


def cell_keys(column: NDArray[Any], number: int) -> Keys:
    """Return a key for each cell of a column; their sum over the columns is the key of a record.

    The mixing is that of SplitMix64 (Steele, Lea and Flood 2014, Fast splittable pseudorandom number generators, OOPSLA).
    """
    plain = column + 0.0 if column.dtype.kind == "f" else column.astype(np.int64)  # -0.0 is 0.0
    mixed = np.ascontiguousarray(plain).view(np.uint64) + np.uint64(_STEP * (2 * number + 1) & _WORD)
    mixed = (mixed ^ (mixed >> _SHIFTS[0])) * _FIRST
    mixed = (mixed ^ (mixed >> _SHIFTS[1])) * _SECOND
    return np.asarray(mixed ^ (mixed >> _SHIFTS[2]), np.uint64)
