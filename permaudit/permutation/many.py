"""Many small pairs of files at once: what is spent on calls for each pair, numpy spends on none.

The numbers are those of `rank_columns` and `pair_moments`, but for rounding where a key has ties.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from permaudit.model import Moments
from permaudit.permutation.exact import SERIAL
from permaudit.permutation.identity import trivial_permutation
from permaudit.permutation.moments import divisor
from permaudit.permutation.pair import close
from permaudit.permutation.ranks import Ranked
from permaudit.permutation.reversal import mirrored_permutation
from permaudit.permutation.threads import run_each, workers

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_AT_ONCE = 2**16
"""So many cells are worked on at once: what a processor keeps near."""


@dataclass(frozen=True, slots=True, eq=False)
class RankedFiles:
    """Several files of as many records and attributes, as ranks."""

    doubled: NDArray[np.int32]
    """Files x records x attributes: the doubled centred average ranks."""
    order: NDArray[np.int32]
    """Files x attributes x records: an order of each file's records by each attribute."""
    tied: NDArray[np.bool_]
    """Files x attributes: do any two records share a value?"""

    def __getitem__(self, file: int) -> Ranked:
        """Return one of the files."""
        return Ranked(self.doubled[file], self.order[file], self.tied[file])

    def some(self, files: slice) -> RankedFiles:
        """Return some of the files."""
        return RankedFiles(self.doubled[files], self.order[files], self.tied[files])


def rank_files(columns: Sequence[NDArray[Any]]) -> RankedFiles:
    """Rank each attribute, given as files x records, within each file; values are numbers without gaps."""
    files, records = columns[0].shape
    doubled = np.empty((files, records, len(columns)), np.int32)
    order = np.empty((files, len(columns), records), np.int32)
    tied = np.empty((files, len(columns)), np.bool_)

    def rank(task: tuple[slice, int]) -> None:
        part, index = task
        order[part, index], doubled[part, :, index], tied[part, index] = _ranked(columns[index][part])

    run_each(rank, product(_parts(files, records), range(len(columns))), workers(None, files * records))
    return RankedFiles(doubled, order, tied)


def _ranked(column: NDArray[Any]) -> tuple[NDArray[np.intp], NDArray[np.int32], NDArray[np.bool_]]:
    """Return the order within each file, the doubled centred ranks, and whether any values are equal."""
    files, records = column.shape
    order = np.argsort(column, axis=1)
    places = order + np.arange(0, column.size, records)[:, None]
    arranged = column.ravel().take(places)
    begins = np.ones((files, records), np.bool_)
    np.not_equal(arranged[:, 1:], arranged[:, :-1], out=begins[:, 1:])
    starts = np.flatnonzero(begins)
    lengths = np.diff(starts, append=begins.size)
    # A group at the places s to e - 1 has the doubled centred rank s + e - n.
    of_groups = (2 * (starts % records) + lengths - records).astype(np.int32)
    ranks = np.empty(column.size, np.int32)
    ranks[places.ravel()] = np.repeat(of_groups, lengths)
    return order, ranks.reshape(files, records), begins.sum(axis=1) < records


def moments_of_files(attributes: Sequence[str], x: RankedFiles, y: RankedFiles, *, mirrored: bool) -> list[Moments]:
    """Return the moments of each original of x beside the release of y with its number."""
    files, records, size = x.doubled.shape
    names = tuple(attributes)

    def compare(part: slice) -> list[Moments]:
        return list(_moments(names, x.some(part), y.some(part), mirrored=mirrored))

    found = run_each(compare, _parts(files, records * size), workers(None, files * records))
    return [one for part in found for one in part]


def own_moments_of_files(ranked: RankedFiles) -> list[Floats]:
    """Return the own covariances of each file."""
    files, records, size = ranked.doubled.shape
    found: list[Floats] = []
    for part in _parts(files, records * size):
        ranks = ranked.doubled[part].astype(np.float64)
        found += list(_products(ranks, ranks) / divisor(records))
    return found


def _parts(files: int, cells: int) -> Iterator[slice]:
    """Cut files of so many cells into parts that are worked on at once."""
    step = max(1, _AT_ONCE // cells)
    return (slice(first, first + step) for first in range(0, files, step))


def _moments(names: tuple[str, ...], x: RankedFiles, y: RankedFiles, *, mirrored: bool) -> Iterator[Moments]:
    """Return the moments of files that are few enough to be worked on at once."""
    left, right = x.doubled.astype(np.float64), y.doubled.astype(np.float64)
    by = divisor(left.shape[1])
    original, release, cross = (_products(*pair) / by for pair in ((left, left), (right, right), (left, right)))
    by_key, opposite = _by_key(x, y, mirrored=mirrored)
    unchanged = (x.doubled == y.doubled).all(axis=1)
    for file, one in enumerate(original):
        other = release[file]
        yield Moments(
            attributes=names,
            records=left.shape[1],
            original=one,
            release=other,
            cross=cross[file],
            cross_by_key=by_key[file] / by,
            unchanged=tuple(unchanged[file].tolist()),
            trivial_permutation=close(one, other) and trivial_permutation(x[file], y[file]),
            mirror_by_key=opposite[file] / by if mirrored else None,
            mirrored_permutation=mirrored
            and close(np.abs(one), np.abs(other))
            and mirrored_permutation(x[file], y[file], one, other),
        )


def _by_key(x: RankedFiles, y: RankedFiles, *, mirrored: bool) -> tuple[Floats, Floats]:
    """Return the sums of products of doubled ranks after sorting by each key: both files upwards, and in opposite directions."""
    files, _, size = x.doubled.shape
    found = np.empty((files, size, size, size))
    opposite = np.empty_like(found) if mirrored else found[:0]
    for key in range(size):
        left, right = _sorted_by(x, key), _sorted_by(y, key)
        found[:, key] = _products(left, right)
        if mirrored:
            opposite[:, key] = 0.0 - _products(left, right[:, ::-1])
    return found, opposite


def _sorted_by(ranked: RankedFiles, key: int) -> Floats:
    """Return the records of each file in the order of a key, each with the mean of those that have the same value of it."""
    files, records, size = ranked.doubled.shape
    places = ranked.order[:, key] + np.arange(0, files * records, records)[:, None]
    rows = ranked.doubled.reshape(-1, size).take(places.ravel(), axis=0)
    if not ranked.tied[:, key].any():
        return rows.astype(np.float64).reshape(files, records, size)
    begins = np.empty(files * records, np.bool_)
    np.not_equal(rows[1:, key], rows[:-1, key], out=begins[1:])
    begins[::records] = True
    starts = np.flatnonzero(begins)
    lengths = np.diff(starts, append=begins.size)
    means = np.add.reduceat(rows.astype(np.float64), starts, axis=0) / lengths[:, None]
    return np.repeat(means, lengths, axis=0).reshape(files, records, size)


def _products(left: Floats, right: Floats) -> Floats:
    """Return left' right for each file, in pieces so small that BLAS stays in this thread."""
    records, size = left.shape[1:]
    piece = max(1, SERIAL // size**2)
    total = left[:, :piece].mT @ right[:, :piece]
    for start in range(piece, records, piece):
        total += left[:, start : start + piece].mT @ right[:, start : start + piece]
    return np.asarray(total)
