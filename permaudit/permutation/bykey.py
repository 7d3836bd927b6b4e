"""Cross-covariances after both files were sorted by one attribute: what an intruder sees who links by it."""

from __future__ import annotations

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

    from permaudit.permutation.ranks import Ranked
    from permaudit.permutation.ties import Places

_BLOCK = 4096
"""Gathered rows are used up while they are in the cache."""


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
    if taken_out:
        partners = run_each(lambda key: _partners(x, y, key), taken_out, count)
        total = added_up(run_each(lambda first: _all_places(x, y, partners, first, count), range(count), count))
        for place, products in enumerate(taken_out.values()):
            total.subtract(products.total, place)
        result[list(taken_out)] += total.divided(divisor(x.records))
    return result


def _partners(x: Ranked, y: Ranked, key: int) -> NDArray[np.int32]:
    """Return for each record of x the record of y that stands at its place when both are sorted by a key."""
    partners = np.empty(x.records, np.int32)
    kernels = compiled_kernels(x.doubled.size)
    if kernels is None:
        partners[x.order[key]] = y.order[key]
    else:
        kernels.pair_up(x.order[key], y.order[key], partners)
    return partners


def _all_places(x: Ranked, y: Ranked, partners: list[NDArray[np.int32]], first: int, step: int) -> Products:
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


def _as_they_stand(x: Ranked, y: Ranked, places: Places) -> Products:
    """Sum the products at places with ties as the stored orders pair them up, by chance or by the order of the file."""
    sums = Products((1, x.attributes, y.attributes), x.records, _BLOCK)
    for block in sums.blocks(places.many):
        left, right = (
            ranked.doubled.take(order[block], axis=0, mode="clip").astype(np.float64)
            for ranked, order in ((x, places.order_x), (y, places.order_y))
        )
        sums.add(left, [right])
    return sums
