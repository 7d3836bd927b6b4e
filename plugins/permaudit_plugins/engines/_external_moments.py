"""Moments of two ranked files that lie on a shelf, block by block."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from permaudit import Moments
from permaudit.permutation.exact import Products
from permaudit.permutation.moments import divisor
from permaudit.permutation.pair import close
from permaudit.permutation.reversal import turned
from permaudit_plugins.engines._external_groups import Groups, expected_products
from permaudit_plugins.engines._external_rows import BLOCK, Walker

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from permaudit.model import Floats
    from permaudit_plugins.engines._external_ranks import RankedFile
    from permaudit_plugins.engines._external_rows import Rows

_WIDE = 1 << 24
"""Ranks are cut into pieces from so many records on; cutting them always keeps the blocks long."""
_MULTIPLIERS = (np.uint64(0x9E37_79B9_7F4A_7C15), np.uint64(0xC2B2_AE3D_27D4_EB4F))
_MIX = np.uint64(29)


def own_moments(x: RankedFile) -> Floats:
    """Return the sample covariance matrix of the average ranks of one file."""
    return _products(x.records, ((rows, rows) for rows in x.matrix.blocks()))


def pair_moments(x: RankedFile, y: RankedFile, original: Floats, *, mirrored: bool) -> Moments:
    """Return the moments of an original, whose own ones are known, and a release."""
    release = own_moments(y)
    walk_x, walk_y = Walker(x.matrix), Walker(y.matrix)
    keys = range(len(x.attributes))
    return Moments(
        attributes=x.attributes,
        records=x.records,
        original=original,
        release=release,
        cross=_products(x.records, _beside(x.matrix.blocks(), y.matrix.blocks())),
        cross_by_key=np.stack([_by_key(x, y, walk_x, walk_y, key) for key in keys]),
        unchanged=_unchanged(x, y),
        # Equal multisets have equal moments: most releases need no second look.
        trivial_permutation=close(original, release) and _same_records(x, y, walk_x, walk_y, np.ones(1, np.int32)),
        mirror_by_key=np.stack([_by_key(x, y, walk_x, walk_y, key, turn=True) for key in keys]) if mirrored else None,
        mirrored_permutation=mirrored
        and close(np.abs(original), np.abs(release))
        and any(_same_records(x, y, walk_x, walk_y, signs) for signs in turned(original, release)),
    )


def _beside(one: Iterator[Rows], other: Iterator[Rows]) -> Iterator[tuple[Rows, Rows]]:
    """Take the blocks of two files that have as many records."""
    return zip(one, other, strict=True)


def _products(records: int, pairs: Iterable[tuple[Rows, Rows]]) -> Floats:
    """Sum the products of doubled ranks in integers, and return covariances."""
    sums: Products | None = None
    for left, right in pairs:
        if sums is None:
            sums = Products((1, left.shape[1], right.shape[1]), max(records, _WIDE))
        first = left.astype(np.float64)
        second = first if right is left else right.astype(np.float64)
        for part in sums.blocks(len(first)):
            sums.add(first[part], [second[part]])
    assert sums is not None  # noqa: S101 - no file is without records
    (matrix,) = sums.total.divided(divisor(records))
    return np.asarray(matrix)


def _by_key(  # noqa: PLR0913 - two files, ways through them, and the key
    x: RankedFile, y: RankedFile, walk_x: Walker, walk_y: Walker, key: int, *, turn: bool = False
) -> Floats:
    """Return the cross-covariance after both files were sorted by a key; with `turn`, the release from high to low.

    Turned upside down, the order is read backwards and ranks change their sign.
    """
    order_x, order_y = x.orders[key].load(), y.orders[key].load()
    rows_x = walk_x.walk(order_x)
    rows_y = walk_y.walk(order_y[::-1] if turn else order_y)
    sign = -1 if turn else 1
    if not (x.tied[key] or y.tied[key]):
        return sign * _products(x.records, _beside(rows_x, rows_y))
    begins_y = y.begins[key].load()
    if turn:  # a group begins where, read forwards, the next one does
        begins_y = np.concatenate(([True], begins_y[:0:-1]))
    groups_x = Groups(rows_x, x.begins[key].load(), BLOCK)
    groups_y = Groups(rows_y, begins_y, BLOCK)
    return sign * expected_products(groups_x, groups_y) / divisor(x.records)


def _unchanged(x: RankedFile, y: RankedFile) -> tuple[bool, ...]:
    """Tell for each attribute whether every record, paired by position, keeps its rank exactly."""
    same = np.ones(len(x.attributes), bool)
    for one, other in _beside(x.matrix.blocks(), y.matrix.blocks()):
        same &= (one == other).all(axis=0)
        if not same.any():
            break
    return tuple(same.tolist())


def _same_records(x: RankedFile, y: RankedFile, walk_x: Walker, walk_y: Walker, signs: NDArray[np.int32]) -> bool:
    """Tell whether the two files hold the same rank records, as multisets, once some of y are turned upside down.

    An untied attribute settles it: sorted by it, the files must agree row by row. Otherwise the sorted hashes of the rows
    decide; they are of 128 bits, and should two records share one, a release would be called a copy, never the reverse.
    """
    if x.tied != y.tied:
        return False
    untied = [key for key, tied in enumerate(x.tied) if not tied]
    if untied:
        key = untied[0]
        order = y.orders[key].load()
        backwards = signs[key % signs.size] < 0
        pairs = _beside(walk_x.walk(x.orders[key].load()), walk_y.walk(order[::-1] if backwards else order))
        return all(np.array_equal(one, other * signs) for one, other in pairs)
    return all(
        np.array_equal(_hashes(x, multiplier, np.ones(1, np.int32)), _hashes(y, multiplier, signs))
        for multiplier in _MULTIPLIERS
    )


def _hashes(file: RankedFile, multiplier: np.uint64, signs: NDArray[np.int32]) -> NDArray[np.uint64]:
    """Return the hashes of all rows in their own order."""
    hashes = np.empty(file.records, np.uint64)
    for number, rows in enumerate(file.matrix.blocks()):
        part = np.zeros(len(rows), np.uint64)
        for column in (rows * signs).T:
            part += np.ascontiguousarray(column).view(np.uint32)
            part *= multiplier
            part ^= part >> _MIX
        hashes[number * BLOCK : number * BLOCK + len(rows)] = part
    hashes.sort()
    return hashes
