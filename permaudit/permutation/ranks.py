"""Rank the columns of a file once, exactly; everything else works on what comes out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from permaudit.permutation.fast import compiled_kernels
from permaudit.permutation.keys import order_keys, signed_bits
from permaudit.permutation.order import sort_keys
from permaudit.permutation.threads import keep_freed_memory, run_each, workers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

_MOST_RECORDS = 2**31 - 2
"""Doubled ranks run from 1 - n to n - 1 and are kept in 32 bits."""


@dataclass(frozen=True, slots=True, eq=False)
class Ranked:
    """A file as ranks.

    A column's doubled centred ranks, 2r - (n + 1) with r the average rank from 1 to n, are integers that sum to 0: half
    the memory of floats, and their sums of products can be had without any rounding.
    """

    doubled: NDArray[np.int32]
    """Records x attributes, row by row: the doubled centred average ranks."""
    order: NDArray[np.int32]
    """Attributes x records: an order of the records by each attribute; equal values stand in no particular order."""
    tied: NDArray[np.bool_]
    """For each attribute: do any two records share a value?"""

    @property
    def records(self) -> int:
        """Return the number of records, n."""
        return int(self.doubled.shape[0])

    @property
    def attributes(self) -> int:
        """Return the number of attributes, m."""
        return int(self.doubled.shape[1])


def rank_columns(columns: Sequence[NDArray[Any]], threads: int | None = None) -> Ranked:
    """Rank each column from 1 to n, equal values sharing the average of their ranks (Spearman).

    Integers of any width are compared as integers, floats as floats with -0.0 equal to 0.0 and infinities allowed.
    Raises `ValueError` or `TypeError`, naming the position of the column, for NaN and for values that are not numbers.
    """
    records = _records(columns)
    keep_freed_memory()
    doubled = np.empty((records, len(columns)), np.int32)
    order = np.empty((len(columns), records), np.int32)

    kernels = compiled_kernels(records * len(columns))
    count = workers(threads, records)
    # Once for each thread, since new pages of memory cost as much as the work on them, and not by the threads, whose freed
    # memory nobody else gets.
    rooms = list(np.empty((min(count, len(columns)), 2, records), np.uint64)) if kernels else []

    def rank(index: int) -> bool:
        try:
            if kernels is not None:
                bits, is_float = signed_bits(columns[index])
                room = rooms.pop()
                tied = kernels.rank_column(bits, is_float, order[index], doubled, index, room)
                rooms.append(room)
                if tied in (0, 1):
                    return bool(tied)
            return _rank(columns[index], order[index], doubled[:, index])  # raises for NaN
        except (TypeError, ValueError) as error:
            raise type(error)(f"column {index} {error}") from None

    tied = run_each(rank, range(len(columns)), count)
    return Ranked(doubled, order, np.array(tied, dtype=bool))


def _rank(column: NDArray[Any], order: NDArray[np.int32], doubled: NDArray[np.int32]) -> bool:
    """Write the order of a column and its ranks; tell whether any values are equal."""
    arrangement, equal = sort_keys(order_keys(column))
    order[:] = arrangement
    ranks = np.empty(column.size, np.int32)
    ranks[arrangement] = _arranged_ranks(equal)
    doubled[:] = ranks  # scattering straight into the rows would miss the cache at every record
    return bool(equal.any())


def _records(columns: Sequence[NDArray[Any]]) -> int:
    """Return the common length of the columns."""
    if not columns:
        raise ValueError("there is no column to rank")
    for index, column in enumerate(columns):
        if column.ndim != 1:
            raise ValueError(f"column {index} has {column.ndim} dimensions instead of 1")
        if column.size != columns[0].size:
            raise ValueError(f"column {index} has {column.size} records, column 0 has {columns[0].size}")
    records = columns[0].size
    if not records:
        raise ValueError("there is no record to rank")
    if records > _MOST_RECORDS:
        raise ValueError(f"{records} records are too many: ranks are kept in 32 bits, at most {_MOST_RECORDS} records")
    return records


def _arranged_ranks(equal: NDArray[np.bool_]) -> NDArray[np.int32]:
    """Return the doubled centred ranks of records that are in order already.

    A group at the places s to e - 1 (from 0) has the average rank (s + 1 + e) / 2, so the doubled centred one is s + e - n.
    """
    records = equal.size + 1
    if not equal.any():
        return np.arange(1 - records, records + 1, 2, dtype=np.int32)
    starts = np.concatenate(([0], np.flatnonzero(~equal) + 1))
    ends = np.append(starts[1:], records)
    return np.repeat((starts + ends - records).astype(np.int32), ends - starts)
