"""Cross-covariances after both files were sorted by one attribute: what an intruder sees who links by it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from permaudit.permutation.exact import Products
from permaudit.permutation.moments import check_pair, covariance, divisor
from permaudit.permutation.threads import run_each, workers

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from permaudit.permutation.ranks import Ranked

_BLOCK = 4096
"""Gathered rows are used up while they are in the cache."""
_SHORT_BLOCK = 256
"""Products of so many rows do not tempt BLAS to start threads of its own."""


def cross_moments_by_key(x: Ranked, y: Ranked, threads: int | None = None) -> NDArray[np.float64]:
    """Return, for each attribute j, the cross-covariance of the ranks after both files were sorted by attribute j.

    Where the key has ties the result is the exact expectation under independent random tie-breaking on both sides:
    each record's ranks are replaced by the mean over its group of equal key values, in X and in Y separately.
    Untied keys are summed in integers, group means in float64 in the order of the key: no result depends on threads or on
    the order of the records.
    """
    check_pair(x, y)
    if x.attributes != y.attributes:
        raise ValueError(f"the original has {x.attributes} attributes and the release {y.attributes}")
    result = np.empty((x.attributes, x.attributes, x.attributes))
    count = workers(threads, x.records)
    tied = x.tied | y.tied
    untied_keys = np.flatnonzero(~tied)
    if untied_keys.size:
        partners = run_each(lambda key: _partners(x, y, key), untied_keys.tolist(), count)
        parts = run_each(lambda first: _untied(x, y, partners, first, count), range(count), count)
        result[untied_keys] = covariance(parts, x.records)
    tied_keys = np.flatnonzero(tied)
    if tied_keys.size:
        sums = run_each(lambda key: _tied(x, y, key), tied_keys.tolist(), count)
        result[tied_keys] = np.stack(sums) / divisor(x.records)
    return result


def _partners(x: Ranked, y: Ranked, key: int) -> NDArray[np.int32]:
    """Return for each record of x the record of y that stands at its place when both are sorted by an untied key."""
    partners = np.empty(x.records, np.int32)
    partners[x.order[key]] = y.order[key]
    return partners


def _untied(x: Ranked, y: Ranked, partners: list[NDArray[np.int32]], first: int, step: int) -> Products:
    """Sum the products of every step-th block of x with its partners in y, for each key.

    No row of x has to move: the rows of y are gathered beside it, for as many keys as there are, block by block.
    """
    sums = Products((len(partners), x.attributes, y.attributes), x.records, _BLOCK)
    gathered = np.empty((_BLOCK, y.attributes), np.int32)
    right = np.empty((_BLOCK, y.attributes))

    def beside(block: slice) -> Iterator[NDArray[np.float64]]:
        size = block.stop - block.start
        for partner in partners:
            # mode="clip" skips a check of the places, which are a permutation
            y.doubled.take(partner[block], axis=0, out=gathered[:size], mode="clip")
            right[:size] = gathered[:size]
            yield right[:size]

    for block in sums.blocks(x.records)[first::step]:
        sums.add(x.doubled[block].astype(np.float64), beside(block))
    return sums


def _tied(x: Ranked, y: Ranked, key: int) -> NDArray[np.float64]:
    """Return the expected sum of products of doubled ranks for a key that has ties in x or in y.

    With group means a and b the sum over the places is that over segments, the stretches between any two neighbouring
    group boundaries of either side: sum of length * a' b. If one side has no ties this is the sum over the other side's
    groups of (sum of x)' (sum of y) / length.
    """
    begins_x, begins_y = _group_begins(x, key), _group_begins(y, key)
    if x.tied[key] and y.tied[key]:
        places = np.flatnonzero(begins_x | begins_y)
        lengths = np.diff(places, append=x.records)
        segments_x = _Segments(_group_means(x, key, begins_x), np.cumsum(begins_x).take(places) - 1)
        segments_y = _Segments(_group_means(y, key, begins_y), np.cumsum(begins_y).take(places) - 1)
    else:
        begins = begins_y if y.tied[key] else begins_x
        places = np.flatnonzero(begins)
        lengths = np.diff(places, append=x.records)
        segments_x = _Segments(_group_means(x, key, begins))
        segments_y = _Segments(_group_means(y, key, begins))
    total = np.zeros((x.attributes, y.attributes))
    for start in range(0, places.size, _SHORT_BLOCK):  # of fixed size, so that the rounding is always the same
        block = slice(start, start + _SHORT_BLOCK)
        total += (segments_x.means(block) * lengths[block, None]).T @ segments_y.means(block)
    return total


@dataclass(frozen=True, slots=True, eq=False)
class _Segments:
    """The mean ranks of one side on each segment."""

    of_groups: NDArray[np.float64]
    group: NDArray[np.intp] | None = None
    """The group that holds each segment; nothing if the segments are the groups."""

    def means(self, block: slice) -> NDArray[np.float64]:
        """Return the mean ranks on some of the segments."""
        return self.of_groups[block] if self.group is None else self.of_groups.take(self.group[block], axis=0)


def _group_begins(ranked: Ranked, key: int) -> NDArray[np.bool_]:
    """Tell for each place in the key's order whether a group of equal values begins there."""
    arranged = ranked.doubled[:, key].take(ranked.order[key], mode="clip")
    return np.concatenate(([True], arranged[1:] != arranged[:-1]))


def _group_means(ranked: Ranked, key: int, begins: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the mean doubled ranks over stretches of the key's order; their sums are exact."""
    starts = np.flatnonzero(begins)
    sums = np.zeros((starts.size, ranked.attributes), np.int64)
    first = 0
    for edge in range(0, ranked.records, _BLOCK):
        rows = ranked.doubled.take(ranked.order[key, edge : edge + _BLOCK], axis=0, mode="clip").astype(np.int64)
        inside = np.flatnonzero(begins[edge : edge + _BLOCK])
        carried = int(inside.size == 0 or inside[0] > 0)  # a group of the block before goes on
        inside = np.concatenate((np.zeros(carried, np.intp), inside))
        first -= carried
        sums[first : first + inside.size] += np.add.reduceat(rows, inside, axis=0)
        first += inside.size
    return sums / np.diff(starts, append=ranked.records)[:, None]
