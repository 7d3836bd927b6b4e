"""Tell what a release left as it was: an attribute's ranks, or all records as a whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from permaudit.permutation.moments import check_pair

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from permaudit.permutation.ranks import Ranked

_BLOCK = 4096
"""Files that differ mostly do so within the first block."""
_MULTIPLIER = np.uint64(0x9E37_79B9_7F4A_7C15)
"""2^64 divided by the golden ratio, odd: Knuth's multiplicative hashing (TAOCP 3, section 6.4)."""
_MIX = np.uint64(29)


def unchanged(x: Ranked, y: Ranked) -> NDArray[np.bool_]:
    """Tell for each attribute whether every record, paired by position, keeps its rank exactly."""
    check_pair(x, y)
    same = np.ones(x.attributes, dtype=bool)
    for start in range(0, x.records, _BLOCK):
        block = slice(start, start + _BLOCK)
        same &= (x.doubled[block] == y.doubled[block]).all(axis=0)
        if not same.any():
            break
    return same


def trivial_permutation(x: Ranked, y: Ranked) -> bool:
    """Tell whether the two files hold the same rank records, as multisets: whole records swapped, or a verbatim copy.

    An untied attribute settles it: sorted by it, the files must agree row by row. Otherwise unequal sums of row hashes
    refute; equal ones are confirmed by comparing the rows sorted by hash, and if two different records should share a hash,
    sorted by everything. The answer never rests on a hash.
    """
    check_pair(x, y)
    if x.attributes != y.attributes or not np.array_equal(x.tied, y.tied):
        return False
    if not x.tied.all():
        key = int(np.argmin(x.tied))
        return _agree(x, x.order[key], y, y.order[key])
    hash_x, hash_y = _row_hashes(x), _row_hashes(y)
    if hash_x.sum() != hash_y.sum():
        return False
    order_x, order_y = np.argsort(hash_x), np.argsort(hash_y)
    if not np.array_equal(hash_x[order_x], hash_y[order_y]):
        return False
    return _agree(x, order_x, y, order_y) or _agree(x, np.lexsort(x.doubled.T), y, np.lexsort(y.doubled.T))


def _agree(x: Ranked, order_x: NDArray[np.signedinteger], y: Ranked, order_y: NDArray[np.signedinteger]) -> bool:
    """Compare the rows of two files, each taken in an order of its own."""
    return all(
        np.array_equal(x.doubled[order_x[start : start + _BLOCK]], y.doubled[order_y[start : start + _BLOCK]])
        for start in range(0, x.records, _BLOCK)
    )


def _row_hashes(ranked: Ranked) -> NDArray[np.uint64]:
    """Return a 64-bit hash of each row of ranks."""
    hashes = np.zeros(ranked.records, np.uint64)
    for column in ranked.doubled.T:
        hashes += column.view(np.uint32)
        hashes *= _MULTIPLIER
        hashes ^= hashes >> _MIX
    return hashes
