"""Sum products of integers without rounding, however the sum is cut into blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

_HALF = 32
_LOW_HALF = np.int64(2**_HALF - 1)
_EXACT = 2**53
"""Up to here float64 holds every integer."""
_PIECE = 16
_PIECE_SIZE = 2**_PIECE
_SHORTEST = 1024
"""Over fewer rows than this, calls take longer than products: cut the numbers instead of the rows (from 3 million records on)."""
_LONGEST = 4096
"""A block of so many rows stays in the cache."""
SERIAL = 2**18
"""OpenBLAS starts threads of its own for products of more multiplications than this; inside our threads they hurt."""


class ExactSum:
    """An array of integer sums, each in two int64 halves (value = high * 2^32 + low).

    A plain int64 holds the sum of the squares of n doubled centred ranks, about n^3 / 3, only up to n = 3 million.
    """

    __slots__ = ("_high", "_low")

    def __init__(self, shape: tuple[int, ...]) -> None:
        """Begin with zeros."""
        self._high = np.zeros(shape, np.int64)
        self._low = np.zeros(shape, np.int64)

    def add(self, part: NDArray[np.float64], shift: int = 0) -> None:
        """Add integers below 2^53 in size, given as floats, times 2^shift (shift at most 32)."""
        whole = part.astype(np.int64)
        self._high += whole >> (_HALF - shift)
        whole <<= shift
        whole &= _LOW_HALF
        self._low += whole

    def merge(self, other: ExactSum) -> None:
        """Add another sum to this one."""
        self._high += other._high
        self._low += other._low

    def subtract(self, other: ExactSum, at: int) -> None:
        """Take a sum of one part away from that part of this one."""
        self._high[at] -= other._high[0]
        self._low[at] -= other._low[0]

    def divided(self, divisor: int) -> NDArray[np.float64]:
        """Return sum / divisor, each rounded once, to the nearest float64."""
        high = self._high + (self._low >> _HALF)
        low = self._low & _LOW_HALF
        if np.abs(high).max(initial=0) < _EXACT >> _HALF and divisor < _EXACT:
            return ((high << _HALF) + low) / np.float64(divisor)
        pairs = zip(high.ravel().tolist(), low.ravel().tolist(), strict=True)
        exact = [((above << _HALF) + below) / divisor for above, below in pairs]  # Python rounds int / int correctly
        return np.array(exact).reshape(high.shape)


class Products:
    """Sums of x' y over blocks of rows of integers that are smaller than a bound, for one x and several y.

    Every partial sum of a block is an integer below 2^53, so float64 matrix products are exact in any order of
    summation, and so is the total: it depends on neither block sizes nor threads nor the order of the records.
    """

    __slots__ = ("_piece", "_rows", "_split", "total")

    def __init__(self, shape: tuple[int, int, int], bound: int, longest: int | None = None) -> None:
        """Begin with zeros; the shape is the number of y, and the columns of x and of each y."""
        self._split = bound * bound * _SHORTEST > _EXACT
        self._rows = max(1, min(longest or _LONGEST, _EXACT // (bound * (_PIECE_SIZE if self._split else bound))))
        self._piece = max(_PIECE, SERIAL // (shape[1] * shape[2]))
        self.total = ExactSum(shape)

    def blocks(self, records: int) -> list[slice]:
        """Cut this many rows into blocks that may be added one at a time."""
        return [slice(start, min(start + self._rows, records)) for start in range(0, records, self._rows)]

    def add(self, left: NDArray[np.float64], rights: Iterable[NDArray[np.float64]]) -> None:
        """Add the products of one block of rows of x with those of each y; they are asked for one at a time."""
        if not self._split:
            self.total.add(np.stack([self._multiply(left, right) for right in rights]))
            return
        high = np.floor(left / _PIECE_SIZE)
        low = left - high * _PIECE_SIZE
        parts = [(self._multiply(high, right), self._multiply(low, right)) for right in rights]
        self.total.add(np.stack([part for part, _ in parts]), shift=_PIECE)
        self.total.add(np.stack([part for _, part in parts]))

    def _multiply(self, left: NDArray[np.float64], right: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return left' right, in pieces so small that BLAS stays in this thread."""
        whole = left.shape[0] // self._piece
        cut = whole * self._piece
        result = left[cut:].T @ right[cut:]
        if whole:
            lefts = left[:cut].reshape(whole, self._piece, -1)
            result += (lefts.mT @ right[:cut].reshape(whole, self._piece, -1)).sum(axis=0)
        return result
