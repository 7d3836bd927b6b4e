"""How files are cut: into blocks of records, ranges of values, and chunks of places in an order."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

CELLS = 1 << 22
"""So many numbers a task holds of a file at a time; with what it makes of them, some hundred megabytes."""


@dataclass(frozen=True)
class Layout:
    """The cuts through a file; they follow from its size alone, so that files of one size are cut alike."""

    records: int
    attributes: int
    cells: int = CELLS

    @property
    def rows(self) -> int:
        """Return how many records a block has, except for the last one."""
        return max(1, self.cells // self.attributes)

    @property
    def blocks(self) -> int:
        """Return the number of blocks."""
        return -(-self.records // self.rows)

    @property
    def ranges(self) -> int:
        """Return into how many ranges each column is cut to be sorted."""
        return -(-self.records // self.cells)

    @property
    def pairs(self) -> int:
        """Return how many pairs of chunks there are: each chunk with the one that is as far from the other end.

        The chunk in the middle is its own partner. With both at hand, an order can also be read backwards.
        """
        return min(self.blocks, -(-self.records // 2))

    @cached_property
    def bounds(self) -> NDArray[np.int64]:
        """Return where the chunks of an order begin, and its end; they look the same from both ends."""
        chunks = 2 * self.pairs - 1
        lower = np.arange(self.pairs, dtype=np.int64) * self.records // chunks
        return np.concatenate((lower, self.records - lower[::-1]))

    def start(self, block: int) -> int:
        """Return the first record of a block."""
        return block * self.rows

    def size(self, block: int) -> int:
        """Return how many records a block has."""
        return min(self.rows, self.records - self.start(block))
