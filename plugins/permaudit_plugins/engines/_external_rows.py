"""Rows of ranks that lie in a file, and as many of their columns in memory as fit."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from permaudit import Shelf, Stored

    Rows = NDArray[np.int32]

BLOCK = 1 << 14
"""So many records come at a time; all who walk side by side take the same steps."""


@dataclass(frozen=True, slots=True, eq=False)
class Matrix:
    """Ranks in a file, row by row."""

    path: Path
    records: int
    attributes: int
    shelf: Shelf

    @classmethod
    def beside(cls, columns: Sequence[Stored], shelf: Shelf) -> Matrix:
        """Lay columns beside each other; they are not needed any longer."""
        records = columns[0].size
        blocks = (np.column_stack(parts) for parts in zip(*(one.blocks(BLOCK) for one in columns), strict=True))
        path = shelf.put_blocks(blocks).path
        for column in columns:
            column.path.unlink()
        return cls(path, records, len(columns), shelf)

    def blocks(self, first: int = 0, step: int = 1) -> Iterator[tuple[int, Rows]]:
        """Read every step-th block of rows, and say with which record it begins."""
        with self.path.open("rb") as stream:
            for start in range(first * BLOCK, self.records, step * BLOCK):
                stream.seek(start * 4 * self.attributes)
                yield start, np.fromfile(stream, np.int32, BLOCK * self.attributes).reshape(-1, self.attributes)

    def parts(self, share: int) -> list[slice]:
        """Cut the columns into as few parts as fit into this share of the room, one part in memory at a time."""
        fitting = max(1, self.shelf.room // (share * 4 * self.records))
        many = -(-self.attributes // fitting)
        edges = [self.attributes * part // many for part in range(many + 1)]
        return [slice(low, high) for low, high in pairwise(edges)]

    def part(self, columns: slice) -> Rows:
        """Read some columns of all rows."""
        rows = np.empty((self.records, columns.stop - columns.start), np.int32)
        for start, block in self.blocks():
            rows[start : start + len(block)] = block[:, columns]
        return rows


def walk(rows: Rows, order: NDArray[np.int32]) -> Iterator[Rows]:
    """Give rows in this order, block by block."""
    for start in range(0, order.size, BLOCK):
        # mode="clip" skips a check of the places, which are a permutation
        yield rows.take(order[start : start + BLOCK], axis=0, mode="clip")
