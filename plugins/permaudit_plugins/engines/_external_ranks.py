"""Rank columns that lie in files, one at a time: sorted in memory where the column fits, else by DuckDB on the disk."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from permaudit.permutation import rank_columns
from permaudit.permutation.fast import compiled_kernels
from permaudit_plugins.engines._external_rows import Matrix
from permaudit_plugins.engines._external_sort import sorted_on_disk

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from permaudit import Shelf, Sourced, Stored, StoredColumns

_SORTED = 36
"""Bytes that sorting a column in memory takes for each record, with the column itself."""
_SORTING_SHARE = 2
"""It may take one part in so many of the room."""


@dataclass(frozen=True, slots=True, eq=False)
class RankedFile:
    """A file as ranks, on a shelf."""

    attributes: tuple[str, ...]
    matrix: Matrix
    """The doubled centred average ranks, row by row."""
    orders: tuple[Stored, ...]
    """For each attribute an order of the records by it; equal values stand in no particular order."""
    begins: tuple[Stored, ...]
    """For each attribute and each place in its order: does a group of equal values begin there?"""
    tied: tuple[bool, ...]
    """For each attribute: do any two records share a value?"""

    @property
    def records(self) -> int:
        """Return the number of records."""
        return self.matrix.records


def rank_file(columns: StoredColumns) -> RankedFile:
    """Rank each column from 1 to n, equal values sharing the average of their ranks, one column at a time."""
    shelf = columns.shelf
    ranks, orders, begins, tied = [], [], [], []
    for column in columns.stored.values():
        compiled_kernels(
            column.size * len(columns)
        )  # once they are loaded, for the whole file, each column is worth it
        doubled, order, opens = _ranked(column, shelf)
        ranks.append(shelf.put(doubled))
        orders.append(shelf.put(order))
        begins.append(shelf.put(opens))
        tied.append(not opens.all())
    return RankedFile(tuple(columns), Matrix.beside(ranks, shelf), tuple(orders), tuple(begins), tuple(tied))


def _ranked(column: Stored | Sourced, shelf: Shelf) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.bool_]]:
    """Return the doubled centred ranks of a column, an order of its records, and where groups of equal values begin."""
    if _SORTING_SHARE * _SORTED * column.size > shelf.room:
        order, begins = sorted_on_disk(column, shelf)
        return _ranks(order, begins), order, begins
    ranked = rank_columns([column.load()], threads=1)
    doubled, order = ranked.doubled[:, 0], ranked.order[0]
    begins = np.ones(column.size, bool)
    if ranked.tied[0]:
        arranged = doubled.take(order, mode="clip")
        np.not_equal(arranged[1:], arranged[:-1], out=begins[1:])
    return doubled, order, begins


def _ranks(order: NDArray[np.int32], begins: NDArray[np.bool_]) -> NDArray[np.int32]:
    """Return the doubled centred ranks in the order of the file: s + e - n for a group at the places s to e - 1."""
    count = order.size
    doubled, ends = np.arange(count, dtype=np.int32), np.arange(1, count + 1, dtype=np.int32)
    doubled[~begins] = 0
    np.maximum.accumulate(doubled, out=doubled)
    ends[:-1][~begins[1:]] = count
    np.minimum.accumulate(ends[::-1], out=ends[::-1])
    doubled += ends
    doubled -= np.int32(count)
    del ends
    ranks = np.empty(count, np.int32)
    ranks[order] = doubled
    return ranks
