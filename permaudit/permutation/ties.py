"""What sorting by a key with ties is expected to pair up, if chance decides among equals on both sides."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from permaudit.permutation.fast import compiled_kernels

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from permaudit.permutation.ranks import Ranked

_BLOCK = 4096
"""Gathered rows are used up while they are in the cache."""
_SHORT_BLOCK = 256
"""Products of so many rows do not tempt BLAS to start threads of its own."""
_MANY = 4
"""If ties are at more than one in this many places, it is faster to look at all of them."""
_FEW = 8
"""Means of one group for so many records take little memory beside the ranks,"""
_ALWAYS_FEW = 2**15
"""and so do the means of so many groups, whatever the file."""


@dataclass(frozen=True, slots=True, eq=False)
class Places:
    """Some places of two files that are sorted by a key: whole groups of equal values on both sides."""

    order_x: NDArray[np.int32]
    """The records of x at these places."""
    order_y: NDArray[np.int32]
    begins_x: NDArray[np.bool_]
    """Whether a group begins there."""
    begins_y: NDArray[np.bool_]

    @property
    def many(self) -> int:
        """Return how many places they are."""
        return self.order_x.size


def tied_places(x: Ranked, y: Ranked, key: int) -> Places:
    """Return the places where x or y has equal values of the key; all places if these are many.

    Where one side has no ties, its groups may be those of the other side, since the products of a mean with several
    numbers add up to those with their mean.
    """
    order_x, order_y = x.order[key], y.order[key]
    if not (x.tied[key] or y.tied[key]):
        nothing = np.zeros(0, np.bool_)
        return Places(order_x[:0], order_y[:0], nothing, nothing)
    begins_x = _group_begins(x if x.tied[key] else y, key)
    begins_y = _group_begins(y, key) if x.tied[key] and y.tied[key] else begins_x
    alone = begins_x & begins_y
    alone[:-1] &= alone[1:]
    tied = np.flatnonzero(~alone)
    if tied.size > x.records // _MANY:
        return Places(order_x, order_y, begins_x, begins_y)
    return Places(order_x.take(tied), order_y.take(tied), begins_x.take(tied), begins_y.take(tied))


def expected_products(x: Ranked, y: Ranked, places: Places) -> NDArray[np.float64]:
    """Return the expected sum of products of doubled ranks over these places.

    With group means a and b the sum over the places is that over segments, the stretches between any two neighbouring
    group boundaries of either side: sum of length * a' b.
    """
    total = np.zeros((x.attributes, y.attributes))
    if not places.many:
        return total
    side_x, side_y = _means(x, places.order_x, places.begins_x), _means(y, places.order_y, places.begins_y)
    for start in range(0, places.many, _BLOCK):  # of fixed size, so that the rounding is always the same
        block = slice(start, min(start + _BLOCK, places.many))
        begins = places.begins_x[block] | places.begins_y[block]
        begins[0] = True
        segments = np.flatnonzero(begins)
        lengths = np.diff(segments, append=begins.size)
        left, right = side_x.at(block, segments) * lengths[:, None], side_y.at(block, segments)
        for first in range(0, segments.size, _SHORT_BLOCK):
            some = slice(first, first + _SHORT_BLOCK)
            total += left[some].T @ right[some]
    return total


# --------------------------------------------------------------------------- means over groups


class _Means(Protocol):
    """The mean doubled ranks of one side over groups of places."""

    def at(self, block: slice, segments: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return the means over the groups that hold these places of a block."""


def _means(ranked: Ranked, order: NDArray[np.int32], begins: NDArray[np.bool_]) -> _Means:
    """Have the means of few groups at hand; make those of many block by block, or they would fill the memory."""
    if np.count_nonzero(begins) <= max(ranked.records // _FEW, _ALWAYS_FEW):
        return _FewGroups(ranked, order, begins)
    return _ManyGroups(ranked, order, begins)


class _FewGroups:
    """Means that are all there."""

    __slots__ = ("_group", "_means")

    def __init__(self, ranked: Ranked, order: NDArray[np.int32], begins: NDArray[np.bool_]) -> None:
        """Sum up every group; the sums are exact."""
        lengths = np.diff(np.flatnonzero(begins), append=begins.size)
        self._means = _group_sums(ranked, order, begins, lengths.size) / lengths[:, None]
        self._group = np.cumsum(begins, dtype=np.int32)
        self._group -= 1

    def at(self, block: slice, segments: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return the means over the groups that hold these places of a block."""
        return self._means.take(self._group[block].take(segments), axis=0)


class _ManyGroups:
    """Means that are made when they are needed; only the sums of groups that lie in several blocks are there."""

    __slots__ = ("_begins", "_order", "_ranked", "_starts", "_stops", "_sums")

    def __init__(self, ranked: Ranked, order: NDArray[np.int32], begins: NDArray[np.bool_]) -> None:
        """Sum up the groups that begin in one block and end in another."""
        self._ranked, self._order, self._begins = ranked, order, begins
        starts = np.flatnonzero(begins)
        stops = np.append(starts[1:], begins.size)
        across = np.flatnonzero(starts // _BLOCK != (stops - 1) // _BLOCK)
        self._starts, self._stops = starts[across], stops[across]
        self._sums = [self._sum(*ends) for ends in zip(self._starts.tolist(), self._stops.tolist(), strict=True)]

    def at(self, block: slice, segments: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return the means over the groups that hold these places of a block."""
        begins = self._begins[block].copy()
        begins[0] = True
        starts = np.flatnonzero(begins)
        lengths = np.diff(starts, append=begins.size)
        sums = np.add.reduceat(self._rows(block), starts, axis=0)
        for group, place in ((0, block.start), (-1, block.stop - 1)):
            across = int(np.searchsorted(self._starts, place, side="right")) - 1
            if across >= 0 and place < self._stops[across]:
                sums[group] = self._sums[across]
                lengths[group] = self._stops[across] - self._starts[across]
        means = sums / lengths[:, None]
        return np.asarray(means.take(np.cumsum(begins).take(segments) - 1, axis=0))

    def _rows(self, block: slice) -> NDArray[np.int64]:
        """Return the doubled ranks of the records at these places."""
        return self._ranked.doubled.take(self._order[block], axis=0, mode="clip").astype(np.int64)

    def _sum(self, start: int, stop: int) -> NDArray[np.int64]:
        """Add up the doubled ranks over these places."""
        edges = range(start, stop, _BLOCK)
        parts = [self._rows(slice(edge, min(edge + _BLOCK, stop))).sum(axis=0) for edge in edges]
        return np.asarray(np.sum(parts, axis=0, dtype=np.int64))


def _group_begins(ranked: Ranked, key: int) -> NDArray[np.bool_]:
    """Tell for each place in the key's order whether a group of equal values begins there."""
    kernels = compiled_kernels(ranked.doubled.size)
    if kernels is not None:
        begins: NDArray[np.bool_] = kernels.group_begins(ranked.doubled, ranked.order[key], key)
        return begins
    arranged = ranked.doubled[:, key].take(ranked.order[key], mode="clip")
    return np.concatenate(([True], arranged[1:] != arranged[:-1]))


def _group_sums(ranked: Ranked, order: NDArray[np.int32], begins: NDArray[np.bool_], groups: int) -> NDArray[np.int64]:
    """Return the sums of doubled ranks over groups of places."""
    kernels = compiled_kernels(ranked.doubled.size)
    if kernels is not None:
        found: NDArray[np.int64] = kernels.group_sums(ranked.doubled, order, begins, groups)
        return found
    sums = np.zeros((groups, ranked.attributes), np.int64)
    first = 0
    for edge in range(0, order.size, _BLOCK):
        rows = ranked.doubled.take(order[edge : edge + _BLOCK], axis=0, mode="clip").astype(np.int64)
        inside = np.flatnonzero(begins[edge : edge + _BLOCK])
        carried = int(inside.size == 0 or inside[0] > 0)  # a group of the block before goes on
        inside = np.concatenate((np.zeros(carried, np.intp), inside))
        first -= carried
        sums[first : first + inside.size] += np.add.reduceat(rows, inside, axis=0)
        first += inside.size
    return sums
