"""Columns that stay where they stand: whoever sees the files can read any piece of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np

from permaudit.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    Task = TypeVar("Task")
    Result = TypeVar("Result")
    Wanted = tuple["Piece", NDArray[np.intp]]


class Each(Protocol):
    """A way to call a function on many things, here or elsewhere."""

    def __call__(self, work: Callable[[Task], Result], tasks: Sequence[Task], /) -> list[Result]:
        """Return what the function returns for each of them, in their order."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Some consecutive records of a table, as a file holds them together."""

    start: int
    """The number of its first record in the whole table, from 0."""
    size: int
    path: Path
    shown: str
    group: int
    """Which of the file's groups of records it is."""
    state: tuple[int, int]
    """The size of the file and when it was changed last."""

    def refuse_changed(self) -> None:
        """Raise where the file is not the same any more."""
        if state_of(self.path) != self.state:
            raise DataError.one(self.shown, "changed while it was read; try again when nobody writes to it")


def state_of(path: Path) -> tuple[int, int]:
    """Return the size of a file, and when it was changed last."""
    status = path.stat()
    return status.st_size, status.st_mtime_ns


@dataclass(frozen=True, slots=True, eq=False)
class Sourced:
    """One column in the pieces of a table, as numbers: what reads a piece can be sent to wherever the work is done."""

    pieces: tuple[Piece, ...]
    get: Callable[[Piece], NDArray[Any]]
    dtype: np.dtype[Any]
    size: int
    differs: bool
    """Is there more than one value?"""

    def load(self) -> NDArray[Any]:
        """Read the column into memory."""
        return self.read(0, self.size)

    def read(self, start: int, size: int) -> NDArray[Any]:
        """Read some consecutive records."""
        values, end = np.empty(size, self.dtype), start + size
        for piece in self.pieces:
            low, high = max(start, piece.start), min(end, piece.start + piece.size)
            if low < high:
                values[low - start : high - start] = self.get(piece)[low - piece.start : high - piece.start]
        return values

    def blocks(self, size: int) -> Iterator[NDArray[Any]]:
        """Read the column in order, so many records at a time at most."""
        for piece in self.pieces:
            values = self.get(piece)
            for start in range(0, piece.size, size):
                yield values[start : start + size]

    def taken(self, rows: NDArray[np.intp]) -> NDArray[Any]:
        """Read some records only."""
        return taken_from({"": self}, rows)[""]

    def varies(self) -> bool:
        """Tell whether there is more than one value."""
        return self.differs


def here(work: Callable[[Task], Result], tasks: Sequence[Task], /) -> list[Result]:
    """Do everything in this process."""
    return [work(task) for task in tasks]


def taken_from(columns: Mapping[str, Sourced], rows: NDArray[np.intp], each: Each = here) -> dict[str, NDArray[Any]]:
    """Read some records of the columns of one table; each piece is read once, wherever the work is done."""
    pieces = next(iter(columns.values())).pieces
    order = np.argsort(rows, kind="stable")
    ordered = rows[order]
    ends = np.searchsorted(ordered, [piece.start + piece.size for piece in pieces])
    parts = zip(pieces, np.split(ordered, ends[:-1]), strict=True)
    wanted: list[Wanted] = [(piece, part - piece.start) for piece, part in parts if part.size]
    found = each(partial(_rows, gets=[column.get for column in columns.values()]), wanted)
    taken = {}
    for place, (name, column) in enumerate(columns.items()):
        values = np.empty(rows.size, column.dtype)
        values[order] = np.concatenate([part[place] for part in found]) if found else values
        taken[name] = values
    return taken


def _rows(wanted: Wanted, gets: Sequence[Callable[[Piece], NDArray[Any]]]) -> list[NDArray[Any]]:
    """Read some records of one piece, one column at a time."""
    piece, rows = wanted
    return [get(piece)[rows] for get in gets]
