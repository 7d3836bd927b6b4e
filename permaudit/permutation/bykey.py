"""Cross-covariances after both files were sorted by one attribute: what an intruder sees who links by it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from permaudit.permutation.exact import Products
from permaudit.permutation.moments import check_pair, covariance, divisor
from permaudit.permutation.threads import run_each, workers

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from permaudit.permutation.ranks import Ranked

_BLOCK = 4096
"""Gathered rows, and means of groups, are used up while they are in the cache."""


def cross_moments_by_key(x: Ranked, y: Ranked, threads: int | None = None) -> NDArray[np.float64]:
    """Return, for each attribute j, the cross-covariance of the ranks after both files were sorted by attribute j.

    Where the key has ties the result is the exact expectation under independent random tie-breaking on both sides:
    each record's ranks are replaced by the mean over its group of equal key values, in X and in Y separately (spec 1.3).
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
        parts = run_each(lambda first: _untied(x, y, untied_keys, first, count), range(count), count)
        result[untied_keys] = covariance(parts, x.records)
    tied_keys = np.flatnonzero(tied)
    if tied_keys.size:
        sums = run_each(lambda key: _tied(x, y, key), tied_keys.tolist(), count)
        result[tied_keys] = np.stack(sums) / divisor(x.records)
    return result


def _untied(x: Ranked, y: Ranked, keys: NDArray[np.intp], first: int, step: int) -> Products:
    """Sum the products of every step-th block of x with its partners in y, for each of the keys.

    Without ties the rank of a record is its place in the order, so its partner is read off the other file's order and no
    row of x has to move.
    """
    records = x.records
    sums = Products((keys.size, x.attributes, y.attributes), records, _BLOCK)
    blocks = sums.blocks(records)[first::step]
    longest = blocks[0].stop - blocks[0].start if blocks else 0
    gathered = np.empty((longest, y.attributes), np.int32)
    partners = np.empty((keys.size, longest, y.attributes))
    for block in blocks:
        rows = x.doubled[block]
        size = rows.shape[0]
        for index, key in enumerate(keys):
            place = np.add(rows[:, key], records - 1, dtype=np.intp) >> 1
            # mode="clip" skips a check that costs as much as the copy; the places are a permutation
            y.doubled.take(y.order[key].take(place, mode="clip"), axis=0, out=gathered[:size], mode="clip")
            partners[index, :size] = gathered[:size]
        sums.add(rows.astype(np.float64), partners[:, :size])
    return sums


def _tied(x: Ranked, y: Ranked, key: int) -> NDArray[np.float64]:
    """Return the expected sum of products of doubled ranks for a key that has ties in x or in y.

    With group means a and b the sum over the places is that over segments, the stretches between any two neighbouring
    group boundaries of either side: sum of length * a' b. If one side has no ties this is the sum over the other side's
    groups of (sum of x)' (sum of y) / length.
    """
    starts_x = _group_starts(x, key)
    starts_y = _group_starts(y, key)
    if not x.tied[key] or not y.tied[key]:
        starts = starts_y if y.tied[key] else starts_x
        lengths = np.diff(starts, append=x.records)
        return _dot(_group_sums(x, key, starts) / lengths[:, None], _group_sums(y, key, starts))
    means_x = _group_sums(x, key, starts_x) / np.diff(starts_x, append=x.records)[:, None]
    means_y = _group_sums(y, key, starts_y) / np.diff(starts_y, append=x.records)[:, None]
    segments = np.union1d(starts_x, starts_y)
    lengths = np.diff(segments, append=x.records)
    in_x = np.searchsorted(starts_x, segments, side="right") - 1
    in_y = np.searchsorted(starts_y, segments, side="right") - 1
    total = np.zeros((x.attributes, y.attributes))
    for start in range(0, segments.size, _BLOCK):
        block = slice(start, start + _BLOCK)
        total += _dot(means_x[in_x[block]] * lengths[block, None], means_y[in_y[block]])
    return total


def _group_starts(ranked: Ranked, key: int) -> NDArray[np.intp]:
    """Return the places in the key's order at which a group of equal values begins."""
    arranged = ranked.doubled[:, key].take(ranked.order[key])
    return np.flatnonzero(np.diff(arranged, prepend=arranged[0] - 1))


def _group_sums(ranked: Ranked, key: int, starts: NDArray[np.intp]) -> NDArray[np.int64]:
    """Return the sums of the doubled ranks over stretches of the key's order, exactly."""
    sums = np.zeros((starts.size, ranked.attributes), np.int64)
    edges = range(0, ranked.records, _BLOCK)
    firsts = np.searchsorted(starts, edges, side="right") - 1
    lasts = np.append(firsts[1:], starts.size - 1)
    for edge, first, last in zip(edges, firsts, lasts, strict=True):
        rows = ranked.doubled.take(ranked.order[key, edge : edge + _BLOCK], axis=0, mode="clip")
        inside = np.maximum(starts[first : last + 1] - edge, 0)
        inside = inside[inside < rows.shape[0]]
        sums[first : first + inside.size] += np.add.reduceat(rows, inside, axis=0, dtype=np.int64)
    return sums


def _dot(left: NDArray[np.float64], right: NDArray[np.int64] | NDArray[np.float64]) -> NDArray[np.float64]:
    """Return left' right, in blocks of fixed size so that the rounding is always the same."""
    total = np.zeros((left.shape[1], right.shape[1]))
    for start in range(0, left.shape[0], _BLOCK):
        total += left[start : start + _BLOCK].T @ right[start : start + _BLOCK].astype(np.float64)
    return total
