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
_NUMBERS = 2**17
"""A block of so many numbers is near the cache, and long work beside the calls that threads take turns in."""
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

    Every sum of so many blocks as are held back, and every part of it, is an integer below 2^53, so float64 matrix products
    are exact in any order of summation, and so is the total: it depends on neither block sizes nor threads nor the order of
    the records.
    """

    __slots__ = ("_columns", "_exact", "_held", "_parts", "_rows", "_shifts", "_total")

    def __init__(self, shape: tuple[int, int, int], bound: int, longest: int | None = None) -> None:
        """Begin with zeros; the shape is the number of y, and the columns of x and of each y."""
        is_split = bound * bound * _SHORTEST > _EXACT
        self._shifts = (_PIECE, 0) if is_split else (0,)
        self._exact = max(1, _EXACT // (bound * (_PIECE_SIZE if is_split else bound)))
        self._rows = min(longest or max(1, _NUMBERS // max(shape[1:])), self._exact)
        self._columns = shape[2]
        self._parts = [np.zeros(shape) for _ in self._shifts]
        self._held = 0
        self._total = ExactSum(shape)

    @property
    def total(self) -> ExactSum:
        """Return the sum of all blocks so far."""
        self._settle()
        return self._total

    def blocks(self, records: int) -> list[slice]:
        """Cut this many rows into blocks that may be added one at a time."""
        return [slice(start, min(start + self._rows, records)) for start in range(0, records, self._rows)]

    def add(self, left: NDArray[np.float64], rights: Iterable[NDArray[np.float64]]) -> None:
        """Add the products of one block of rows of x with those of each y; one or several y side by side are asked for at a time."""
        if self._held + len(left) > self._exact:
            self._settle()
        self._held += len(left)
        lefts = [left]
        if len(self._shifts) > 1:
            high = np.floor(left / _PIECE_SIZE)
            lefts = [high, left - high * _PIECE_SIZE]
        first = 0
        for right in rights:
            many = right.shape[1] // self._columns
            for part, factor in zip(self._parts, lefts, strict=True):
                products = _multiply(right, factor).reshape(many, self._columns, -1)
                part[first : first + many] += products.mT
            first += many

    def _settle(self) -> None:
        """Add what is held back to the total."""
        for part, shift in zip(self._parts, self._shifts, strict=True):
            self._total.add(part, shift)
            part.fill(0.0)
        self._held = 0


def _multiply(left: NDArray[np.float64], right: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return left' right, in pieces so small that BLAS stays in this thread."""
    rows, columns = left.shape
    most = max(_PIECE, SERIAL // (columns * right.shape[1]))
    pieces = -(-rows // most)
    piece = rows // pieces
    cut = pieces * piece
    result = (left[:cut].reshape(pieces, piece, -1).mT @ right[:cut].reshape(pieces, piece, -1)).sum(axis=0)
    if cut < rows:
        result += left[cut:].T @ right[cut:]
    return np.asarray(result)
