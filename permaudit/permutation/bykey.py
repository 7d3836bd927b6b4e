"""Cross-covariances after both files were sorted by one attribute: what an intruder sees who links by it."""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from permaudit.permutation.exact import Products
from permaudit.permutation.fast import compiled_kernels
from permaudit.permutation.moments import added_up, check_pair, divisor
from permaudit.permutation.threads import run_each, workers
from permaudit.permutation.ties import expected_products, tied_places

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from permaudit.permutation.exact import ExactSum
    from permaudit.permutation.ranks import Ranked
    from permaudit.permutation.ties import Places

_PARTNERS = 7 * 2**20
"""So many places are paired up at a time: 28 MiB, which the C library keeps from the ranking of columns."""
_NUMBERS = 2**17
"""So many gathered numbers are used up while they are in the cache."""
_PRODUCTS = 1024
"""Rows for several keys are gathered side by side until one of x has about so many products with them: what BLAS is best at."""


def cross_moments_by_key(x: Ranked, y: Ranked, threads: int | None = None) -> NDArray[np.float64]:
    """Return, for each attribute j, the cross-covariance of the ranks after both files were sorted by attribute j.

    Where the key has ties the result is the exact expectation under independent random tie-breaking on both sides:
    each record's ranks are replaced by the mean over its group of equal key values, in X and in Y separately.
    Places without ties are summed in integers, group means in float64 in the order of the key: no result depends on threads
    or on the order of the records.
    """
    check_pair(x, y)
    if x.attributes != y.attributes:
        raise ValueError(f"the original has {x.attributes} attributes and the release {y.attributes}")
    result = np.zeros((x.attributes, x.attributes, x.attributes))
    count = workers(threads, x.records)

    def expect(key: int) -> Products | None:
        """Add what is expected where the key has ties, and return what must be taken out of the sums over all places."""
        places = tied_places(x, y, key)
        result[key] = expected_products(x, y, places)
        return None if places.many == x.records else _as_they_stand(x, y, places)

    found = enumerate(run_each(expect, range(x.attributes), count))
    result /= divisor(x.records)
    taken_out = {key: products for key, products in found if products is not None}
    for keys in _batches(list(taken_out), x.records):
        total = _in_pairs(x, y, keys, count)
        for place, key in enumerate(keys):
            total.subtract(taken_out[key].total, place)
        result[keys] += total.divided(divisor(x.records))
    return result


def _batches(keys: list[int], records: int) -> list[list[int]]:
    """Cut the keys into batches of about the same size whose partners are worth the memory."""
    many = -(-len(keys) * records // _PARTNERS)
    edges = [len(keys) * place // many for place in range(many + 1)] if keys else []
    return [keys[first:last] for first, last in pairwise(edges) if first < last]


def _in_pairs(x: Ranked, y: Ranked, keys: list[int], count: int) -> ExactSum:
    """Sum the products of the records that stand at the same places when both files are sorted by a key, for some keys."""
    partners = np.empty((len(keys), x.records), np.int32)
    run_each(lambda pair: _pair_up(x, y, *pair), list(zip(keys, partners, strict=True)), count)
    return added_up(run_each(partial(_all_places, x, y, partners, count), range(count), count))


def _pair_up(x: Ranked, y: Ranked, key: int, partners: NDArray[np.int32]) -> None:
    """Write for each record of x the record of y that stands at its place when both are sorted by a key."""
    kernels = compiled_kernels(x.doubled.size)
    if kernels is None:
        partners[x.order[key]] = y.order[key]
    else:
        kernels.pair_up(x.order[key], y.order[key], partners)


def _all_places(x: Ranked, y: Ranked, partners: NDArray[np.int32], step: int, first: int) -> Products:
    """Sum the products of every step-th block of x with its partners in y, for each key.

    No row of x has to move: the rows of y are gathered beside it, for some keys at a time, block by block.
    """
    keys, attributes = len(partners), y.attributes
    some = min(keys, max(1, _PRODUCTS // (x.attributes * attributes)))
    longest = max(1, _NUMBERS // (some * attributes))
    sums = Products((keys, x.attributes, attributes), x.records, longest)
    room = np.empty((longest, some * attributes))

    def beside(block: slice) -> Iterator[NDArray[np.float64]]:
        for start in range(0, keys, some):
            of_keys = partners[start : start + some, block]
            rows = room.ravel()[: of_keys.size * attributes].reshape(of_keys.shape[1], -1)
            _lay_beside(y, of_keys, rows)
            yield rows

    for block in sums.blocks(x.records)[first::step]:
        sums.add(x.doubled[block].astype(np.float64), beside(block))
    return sums


def _lay_beside(y: Ranked, partners: NDArray[np.int32], rows: NDArray[np.float64]) -> None:
    """Write the rows of partners, one line of them for each key, side by side."""
    kernels = compiled_kernels(y.doubled.size)
    if kernels is None:
        # mode="clip" skips a check of the places, which are a permutation
        rows[:] = y.doubled.take(partners.T.ravel(), axis=0, mode="clip").reshape(rows.shape)
    else:
        kernels.lay_beside(y.doubled, partners, rows)


def _as_they_stand(x: Ranked, y: Ranked, places: Places) -> Products:
    """Sum the products at places with ties as the stored orders pair them up, by chance or by the order of the file."""
    sums = Products((1, x.attributes, y.attributes), x.records)
    for block in sums.blocks(places.many):
        left, right = (
            ranked.doubled.take(order[block], axis=0, mode="clip").astype(np.float64)
            for ranked, order in ((x, places.order_x), (y, places.order_y))
        )
        sums.add(left, [right])
    return sums
