"""Cross-covariances of two ranked files in files, after both were sorted by a key: some columns in memory at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from permaudit.permutation.exact import Products
from permaudit.permutation.moments import added_up, divisor
from permaudit.permutation.threads import run_each, workers
from permaudit_plugins.engines._external_groups import Groups, expected_products
from permaudit_plugins.engines._external_rows import BLOCK, walk

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from permaudit.model import Floats
    from permaudit_plugins.engines._external_ranks import RankedFile
    from permaudit_plugins.engines._external_rows import Matrix, Rows

ONE_FILE = 2
"""The rows of one file may take this part of the room,"""
_EACH_OF_TWO = 4
"""those of either of two files this part,"""
_PARTNERS = 8
"""and this part who stands beside whom, for several keys."""


class Way(NamedTuple):
    """A way to lay two files beside each other: both sorted by a key, or the release from high to low."""

    key: int
    turned: bool = False


def moments_by(x: RankedFile, y: RankedFile, ways: Sequence[Way]) -> Floats:
    """Return for each way the cross-covariance of the files that are laid beside each other.

    Turned upside down, ranks change their sign.
    """
    count = len(x.attributes)
    found = np.empty((len(ways), count, count))
    in_groups = [place for place, way in enumerate(ways) if x.tied[way.key] or y.tied[way.key]]
    in_pairs = [place for place in range(len(ways)) if place not in in_groups]
    many = max(1, x.matrix.shelf.room // (_PARTNERS * 4 * x.records))
    for columns in y.matrix.parts(ONE_FILE) if in_pairs else []:
        rows = y.matrix.part(columns)
        for start in range(0, len(in_pairs), many):
            some = in_pairs[start : start + many]
            found[some, :, columns] = _products(x.matrix, rows, [partners_by(x, y, ways[place]) for place in some])
        del rows
    for left, right in _two_parts(x.matrix, y.matrix) if in_groups else []:
        rows_x, rows_y = x.matrix.part(left), y.matrix.part(right)
        for place in in_groups:
            found[place, left, right] = _in_expectation(x, y, rows_x, rows_y, ways[place])
        del rows_x, rows_y
    for place, way in enumerate(ways):
        if way.turned:
            found[place] = 0.0 - found[place]
    return found


def partners_by(x: RankedFile, y: RankedFile, way: Way) -> NDArray[np.int32]:
    """Return for each record of x the record of y beside it."""
    order = y.orders[way.key].load()
    partners = np.empty(x.records, np.int32)
    partners[x.orders[way.key].load()] = order[::-1] if way.turned else order
    return partners


def beside(rows: Rows, partners: NDArray[np.int32], start: int, many: int) -> Rows:
    """Return the rows of the partners of some records."""
    # mode="clip" skips a check of the places, which are a permutation
    return rows.take(partners[start : start + many], axis=0, mode="clip")


def _products(x: Matrix, rows: Rows, partners: Sequence[NDArray[np.int32]]) -> Floats:
    """Sum the products of all rows of x with those of their partners, and return covariances: no row of x has to move."""
    count = workers(None, x.records)

    def add_up(first: int) -> Products:
        sums = Products((len(partners), x.attributes, rows.shape[1]), x.records)
        for start, block in x.blocks(first, count):
            for part in sums.blocks(len(block)):
                left = block[part].astype(np.float64)
                sums.add(left, _gathered(rows, partners, start + part.start, len(left)))
        return sums

    return added_up(run_each(add_up, range(count), count)).divided(divisor(x.records))


def _gathered(rows: Rows, partners: Iterable[NDArray[np.int32]], start: int, many: int) -> Iterator[Floats]:
    """Give the rows beside some records, for one key after the other."""
    for one in partners:
        yield beside(rows, one, start, many).astype(np.float64)


def _two_parts(x: Matrix, y: Matrix) -> Iterator[tuple[slice, slice]]:
    """Give all pairs of parts of the columns of both files."""
    for left in x.parts(_EACH_OF_TWO):
        for right in y.parts(_EACH_OF_TWO):
            yield left, right


def _in_expectation(x: RankedFile, y: RankedFile, rows_x: Rows, rows_y: Rows, way: Way) -> Floats:
    """Return the cross-covariance of some columns where the key has ties and chance decides among equals."""
    order_y, begins_y = y.orders[way.key].load(), y.begins[way.key].load()
    if way.turned:  # a group begins where, read forwards, the next one does
        order_y, begins_y = order_y[::-1], np.concatenate(([True], begins_y[:0:-1]))
    groups_x = Groups(walk(rows_x, x.orders[way.key].load()), x.begins[way.key].load(), BLOCK)
    groups_y = Groups(walk(rows_y, order_y), begins_y, BLOCK)
    return expected_products(groups_x, groups_y) / divisor(x.records)
