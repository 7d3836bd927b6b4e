"""Records as 64-bit keys: equal records have equal keys, and different ones almost surely do not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Keys = NDArray[np.uint64]

_STEP = np.uint64(0x9E37_79B9_7F4A_7C15)
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
    mixed = np.ascontiguousarray(plain).view(np.uint64) + _STEP * np.uint64(2 * number + 1)
    mixed = (mixed ^ (mixed >> _SHIFTS[0])) * _FIRST
    mixed = (mixed ^ (mixed >> _SHIFTS[1])) * _SECOND
    return np.asarray(mixed ^ (mixed >> _SHIFTS[2]), np.uint64)


def alike(columns: Sequence[NDArray[Any]]) -> list[NDArray[Any]]:
    """Return columns of several files in one type, so that equal numbers have equal bits; whole ones are not rounded."""
    kind = np.result_type(*columns)
    kind = np.dtype(np.float64) if kind.kind == "f" else kind
    return [column.astype(kind, copy=False) for column in columns]
