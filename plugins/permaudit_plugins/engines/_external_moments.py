"""Moments of two ranked files that lie on a shelf, block by block."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from permaudit import Moments
from permaudit.permutation.exact import Products
from permaudit.permutation.moments import added_up, divisor
from permaudit.permutation.pair import close
from permaudit.permutation.reversal import turned
from permaudit.permutation.threads import run_each, workers
from permaudit_plugins.engines._external_pairing import ONE_FILE, Way, beside, moments_by, partners_by

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from permaudit.model import Floats
    from permaudit_plugins.engines._external_ranks import RankedFile
    from permaudit_plugins.engines._external_rows import Matrix, Rows

_MULTIPLIERS = (np.uint64(0x9E37_79B9_7F4A_7C15), np.uint64(0xC2B2_AE3D_27D4_EB4F))
_MIX = np.uint64(29)


def own_moments(x: RankedFile) -> Floats:
    """Return the sample covariance matrix of the average ranks of one file."""
    return _as_they_stand(x.matrix, x.matrix)


def pair_moments(x: RankedFile, y: RankedFile, original: Floats, *, mirrored: bool) -> Moments:
    """Return the moments of an original, whose own ones are known, and a release."""
    release = own_moments(y)
    count = len(x.attributes)
    ways = [Way(key, turned=turn) for turn in (False, True)[: 1 + mirrored] for key in range(count)]
    by_way = moments_by(x, y, ways)
    signs = np.ones(count, np.int32)
    return Moments(
        attributes=x.attributes,
        records=x.records,
        original=original,
        release=release,
        cross=_as_they_stand(x.matrix, y.matrix),
        cross_by_key=by_way[:count],
        unchanged=_unchanged(x, y),
        # Equal multisets have equal moments: most releases need no second look.
        trivial_permutation=close(original, release) and _same_records(x, y, signs),
        mirror_by_key=by_way[count:] if mirrored else None,
        mirrored_permutation=mirrored
        and close(np.abs(original), np.abs(release))
        and any(_same_records(x, y, signs) for signs in turned(original, release)),
    )


def _side_by_side(x: Matrix, y: Matrix, first: int = 0, step: int = 1) -> Iterator[tuple[Rows, Rows]]:
    """Read every step-th block of two files that have as many records."""
    if x is y:
        yield from ((rows, rows) for _, rows in x.blocks(first, step))
        return
    for (_, left), (_, right) in zip(x.blocks(first, step), y.blocks(first, step), strict=True):
        yield left, right


def _as_they_stand(x: Matrix, y: Matrix) -> Floats:
    """Sum the products of ranks in integers, record by record, and return covariances."""
    count = workers(None, x.records)

    def add_up(first: int) -> Products:
        sums = Products((1, x.attributes, y.attributes), x.records)
        for left, right in _side_by_side(x, y, first, count):
            for part in sums.blocks(len(left)):
                one = left[part].astype(np.float64)
                sums.add(one, [one if right is left else right[part].astype(np.float64)])
        return sums

    (matrix,) = added_up(run_each(add_up, range(count), count)).divided(divisor(x.records))
    return np.asarray(matrix)


def _unchanged(x: RankedFile, y: RankedFile) -> tuple[bool, ...]:
    """Tell for each attribute whether every record, paired by position, keeps its rank exactly."""
    same = np.ones(len(x.attributes), bool)
    for one, other in _side_by_side(x.matrix, y.matrix):
        same &= (one == other).all(axis=0)
        if not same.any():
            break
    return tuple(same.tolist())


def _same_records(x: RankedFile, y: RankedFile, signs: NDArray[np.int32]) -> bool:
    """Tell whether the two files hold the same rank records, as multisets, once some of y are turned upside down.

    An untied attribute settles it: sorted by it, the files must agree row by row. Otherwise the sorted hashes of the rows
    decide; they are of 128 bits, and should two records share one, a release would be called a copy, never the reverse.
    """
    if x.tied != y.tied:
        return False
    if all(x.tied):
        none = np.ones_like(signs)
        return all(np.array_equal(_hashes(x, by, none), _hashes(y, by, signs)) for by in _MULTIPLIERS)
    key = x.tied.index(False)
    partners = partners_by(x, y, Way(key, turned=bool(signs[key] < 0)))
    return all(_agree(x, y, signs, partners, columns) for columns in y.matrix.parts(ONE_FILE))


def _agree(x: RankedFile, y: RankedFile, signs: NDArray[np.int32], partners: NDArray[np.int32], columns: slice) -> bool:
    """Tell whether each record of x has, in some columns, the ranks of its partner."""
    rows = y.matrix.part(columns)
    return all(
        np.array_equal(block[:, columns], beside(rows, partners, start, len(block)) * signs[columns])
        for start, block in x.matrix.blocks()
    )


def _hashes(file: RankedFile, multiplier: np.uint64, signs: NDArray[np.int32]) -> NDArray[np.uint64]:
    """Return the hashes of all rows, sorted."""
    hashes = np.empty(file.records, np.uint64)
    for start, rows in file.matrix.blocks():
        part = np.zeros(len(rows), np.uint64)
        for column in (rows * signs).T:
            part += np.ascontiguousarray(column).view(np.uint32)
            part *= multiplier
            part ^= part >> _MIX
        hashes[start : start + len(rows)] = part
    hashes.sort()
    return hashes
