"""Rows of ranks that lie in a file, and the same rows in another order."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
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
_FIXED = 400 << 20
"""Bytes that the program itself takes, with its libraries."""
_ROWS_SHARE = 4
"""The rows of each of two files may take this part of the rest."""
_LEAST = 1 << 20
_MOST_HEAPS = 256


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

    def blocks(self) -> Iterator[Rows]:
        """Read the rows as they stand."""
        with self.path.open("rb") as stream:
            for _ in range(0, self.records, BLOCK):
                yield np.fromfile(stream, np.int32, BLOCK * self.attributes).reshape(-1, self.attributes)

    @property
    def row(self) -> int:
        """Return how many bytes a row has."""
        return 4 * self.attributes


class Walker:
    """Walks through the rows of a file in any order: from memory where they fit, else by dealing them into heaps.

    A heap holds the rows of consecutive places. The file is read once from beginning to end and each row goes to its heap;
    then each heap is put in order in memory. Nothing is read at random.
    """

    def __init__(self, matrix: Matrix) -> None:
        """Read the rows if they fit."""
        self._matrix = matrix
        self._room = max(_LEAST, (matrix.shelf.memory - _FIXED) // _ROWS_SHARE)
        self._rows: Rows | None = None
        if matrix.records * matrix.row <= self._room:
            self._rows = np.fromfile(matrix.path, np.int32).reshape(-1, matrix.attributes)

    def walk(self, order: NDArray[np.int32]) -> Iterator[Rows]:
        """Give the rows in this order, block by block."""
        if self._rows is None:
            yield from self._from_heaps(order)
            return
        for start in range(0, order.size, BLOCK):
            # mode="clip" skips a check of the places, which are a permutation
            yield self._rows.take(order[start : start + BLOCK], axis=0, mode="clip")

    def _from_heaps(self, order: NDArray[np.int32]) -> Iterator[Rows]:
        """Deal the rows into heaps, and give one heap after the other."""
        matrix, shelf = self._matrix, self._matrix.shelf
        place = np.empty(order.size, np.int32)
        place[order] = np.arange(order.size, dtype=np.int32)
        blocks = -(-order.size // BLOCK)
        # A heap is held twice: as it was dealt, and in order.
        wanted = max(1, self._room // (2 * matrix.row * BLOCK))
        per_heap = BLOCK * max(wanted, -(-blocks // _MOST_HEAPS))
        paths = [shelf.new_path() for _ in range(0, order.size, per_heap)]
        try:
            self._deal(place, per_heap, paths)
            for number, path in enumerate(paths):
                dealt = np.fromfile(path, np.int32).reshape(-1, matrix.attributes + 1)
                heap = np.empty((len(dealt), matrix.attributes), np.int32)
                heap[dealt[:, 0] - number * per_heap] = dealt[:, 1:]
                path.unlink()
                for start in range(0, len(heap), BLOCK):
                    yield heap[start : start + BLOCK]
        finally:
            for path in paths:
                path.unlink(missing_ok=True)

    def _deal(self, place: NDArray[np.int32], per_heap: int, paths: Sequence[Path]) -> None:
        """Write each row, with its place before it, to the heap of its place."""
        with self._matrix.shelf.room_for_it(), ExitStack() as stack:
            streams = [stack.enter_context(path.open("wb")) for path in paths]
            for number, rows in enumerate(self._matrix.blocks()):
                places = place[number * BLOCK : number * BLOCK + len(rows)]
                heap = (places // per_heap).astype(np.uint16)
                by_heap = np.argsort(heap, kind="stable")
                dealt = np.column_stack((places, rows)).take(by_heap, axis=0)
                ends = np.cumsum(np.bincount(heap, minlength=len(paths)))
                for stream, part in zip(streams, np.split(dealt, ends[:-1]), strict=True):
                    stream.write(part.data.cast("B") if part.size else b"")
