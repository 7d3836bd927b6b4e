"""Columns of numbers, in memory or in files: what the host does with them is the same."""

from __future__ import annotations

import contextlib
import errno
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from permaudit.errors import ScratchError, shown
from permaudit.sourced import Sourced, taken_from

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.random import Generator
    from numpy.typing import NDArray

    from permaudit.model import Columns
    from permaudit.sourced import Each

    Rows = NDArray[np.intp]

FIXED = 400 << 20
"""Bytes that the program itself takes, with its libraries."""
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


@dataclass(frozen=True, slots=True)
class Stored:
    """One column in a file, as bare numbers."""

    path: Path
    dtype: np.dtype[Any]
    size: int

    def load(self) -> NDArray[Any]:
        """Read the column into memory."""
        return np.fromfile(self.path, self.dtype)

    def read(self, start: int, size: int) -> NDArray[Any]:
        """Read some consecutive records."""
        values = np.fromfile(self.path, self.dtype, size, offset=start * self.dtype.itemsize)
        if values.size != size:
            raise OSError("a column is shorter than it was")
        return values

    def blocks(self, size: int) -> Iterator[NDArray[Any]]:
        """Read the column in order, so many records at a time."""
        with self.path.open("rb") as stream:
            for _ in range(0, self.size, size):
                yield np.fromfile(stream, self.dtype, size)

    def taken(self, rows: NDArray[np.intp]) -> NDArray[Any]:
        """Read some records only."""
        mapped = np.memmap(self.path, self.dtype, "r", shape=(self.size,))
        return np.array(mapped[rows])

    def varies(self) -> bool:
        """Tell whether there is more than one value; mostly the beginning tells."""
        blocks = self.blocks(1 << 16)
        first = next(blocks)[0]
        return any(bool((block != first).any()) for block in self.blocks(1 << 16))


class Shelf:
    """A directory for columns that do not fit into memory together: nobody else may look, and nothing stays behind."""

    def __init__(self, memory: int, folder: Path | None = None) -> None:
        """Make the directory, in the given one or where the system keeps temporary files.

        `memory` says how many bytes the whole process may hold: who works on the columns cuts the work accordingly.
        """
        self.memory = memory
        self.each: Each | None = None
        """Calls a function on pieces of the files wherever the engine works, if it does that."""
        try:
            self.directory = Path(tempfile.mkdtemp(prefix="permaudit-", dir=folder))
        except OSError as error:
            where = "for temporary files" if folder is None else f"'{shown(str(folder), 200)}'"
            reason = error.strerror or "unknown reason"
            raise ScratchError(f"the scratch directory {where} cannot be used: {reason}") from error
        self._numbers = count()
        self._end = contextlib.ExitStack()

    @property
    def room(self) -> int:
        """Return how many bytes of memory there are for columns and what is made of them."""
        return max(0, self.memory - FIXED)

    def at_end(self, what: Callable[[], object]) -> None:
        """Do something before the directory is removed: end what works in it."""
        self._end.callback(what)

    def put(self, values: NDArray[Any]) -> Stored:
        """Write a column."""
        return self.put_blocks([values])

    def put_blocks(self, blocks: Iterable[NDArray[Any]]) -> Stored:
        """Write a column that comes in pieces of one type."""
        path = self.new_path()
        size, kind = 0, np.dtype(np.float64)
        with self.room_for_it(), path.open("wb") as stream:
            for block in blocks:
                plain = np.ascontiguousarray(block)
                stream.write(plain.data.cast("B") if plain.size else b"")
                size, kind = size + plain.shape[0], plain.dtype
        return Stored(path, kind, size)

    def keep(self, columns: Iterable[tuple[str, NDArray[Any]]]) -> StoredColumns:
        """Write columns as they come, one at a time."""
        return StoredColumns({name: self.put(values) for name, values in columns}, self)

    def new_path(self) -> Path:
        """Return the name of a file that is not there yet."""
        return self.directory / str(next(self._numbers))

    @contextlib.contextmanager
    def room_for_it(self) -> Iterator[None]:
        """Say in plain words that the disk is full."""
        try:
            yield
        except OSError as error:
            if error.errno not in _FULL:
                raise
            raise ScratchError.full(self.directory.parent) from error

    def __enter__(self) -> Self:
        """Begin."""
        return self

    def __exit__(self, *_: object) -> None:
        """Remove everything."""
        with contextlib.suppress(Exception):  # whatever fails to end, nothing stays
            self._end.close()
        shutil.rmtree(self.directory, ignore_errors=True)


class StoredColumns(Mapping[str, "NDArray[Any]"]):
    """Columns in files; one that is asked for is read anew each time, and is gone when nobody holds it."""

    def __init__(self, stored: Mapping[str, Stored | Sourced], shelf: Shelf) -> None:
        """Take the columns, which have as many records each; those that stand in a table are of the same one."""
        self.stored = dict(stored)
        self.shelf = shelf

    def __getitem__(self, name: str) -> NDArray[Any]:
        """Read one column."""
        return self.stored[name].load()

    def __contains__(self, name: object) -> bool:
        """Look for a name; a mapping would read the column."""
        return name in self.stored

    def __iter__(self) -> Iterator[str]:
        """Go through the names."""
        return iter(self.stored)

    def __len__(self) -> int:
        """Return the number of columns."""
        return len(self.stored)

    def taken(self, rows: Rows) -> dict[str, NDArray[Any]]:
        """Read some records only."""
        sourced = {name: column for name, column in self.stored.items() if isinstance(column, Sourced)}
        each = self.shelf.each
        found = taken_from(sourced, rows, *([] if each is None else [each])) if sourced else {}
        return {name: found[name] if name in found else column.taken(rows) for name, column in self.stored.items()}

    def cuts(self, size: int) -> list[tuple[int, int]]:
        """Cut the records where they are best read, about so many at a time: the first of each part, and how many it has.

        A piece of a table is read as a whole, and only by one.
        """
        records = length(self)
        ends = next((_ends(column) for column in self.stored.values() if isinstance(column, Sourced)), None)
        if ends is None:
            ends = [min(start + size, records) for start in range(0, records, size)]
        cuts, start = [], 0
        for place, end in enumerate(ends):
            after = ends[place + 1] if place + 1 < len(ends) else records + size + 1
            if after - start > size and end > start:
                cuts.append((start, end - start))
                start = end
        return cuts


def _ends(column: Sourced) -> list[int]:
    """Return where the pieces of a column end."""
    return [piece.start + piece.size for piece in column.pieces]


def length(columns: Columns) -> int:
    """Return the number of records."""
    if isinstance(columns, StoredColumns):
        return next((column.size for column in columns.stored.values()), 0)
    return len(next(iter(columns.values()), ()))


def select(columns: Columns, names: Sequence[str]) -> Columns:
    """Return some of the columns."""
    if isinstance(columns, StoredColumns):
        return StoredColumns({name: columns.stored[name] for name in names}, columns.shelf)
    return {name: columns[name] for name in names}


def in_memory(columns: Columns) -> Columns:
    """Return all of the columns in memory; for small files."""
    return dict(columns) if isinstance(columns, StoredColumns) else columns


def varying(columns: Columns) -> list[str]:
    """Return the names of the columns that have more than one value."""
    return [name for name in columns if varies(columns, name)]


def varies(columns: Columns, name: str) -> bool:
    """Tell whether a column has more than one value."""
    if isinstance(columns, StoredColumns):
        return columns.stored[name].size > 0 and columns.stored[name].varies()
    values = columns[name]
    return bool(values.size) and not bool((values == values[0]).all())


def taken(columns: Columns, rows: Rows) -> Columns:
    """Return some rows of every column, in memory."""
    if isinstance(columns, StoredColumns):
        return columns.taken(rows)
    return {name: np.ascontiguousarray(values[rows]) for name, values in columns.items()}


def first(columns: Columns, name: str, many: int) -> NDArray[Any]:
    """Return the first records of one column."""
    if isinstance(columns, StoredColumns):
        return columns.stored[name].read(0, many)
    return np.asarray(columns[name][:many])


def last(columns: Columns, name: str, many: int) -> NDArray[Any]:
    """Return the last records of one column."""
    start = length(columns) - many
    if isinstance(columns, StoredColumns):
        return columns.stored[name].read(start, many)
    return np.asarray(columns[name][start:])


def drawn(columns: Columns, size: int, rng: Generator) -> Columns:
    """Draw records without replacement; their order is random, so that no row pairs up by its place in the file."""
    return taken(columns, rng.choice(length(columns), size, replace=False))


def drawn_down(columns: Columns, size: int, rng: Generator) -> Columns:
    """Draw as many records as another file has: what was in files stays in files."""
    if not isinstance(columns, StoredColumns):
        return drawn(columns, size, rng)
    rows = rng.choice(length(columns), size, replace=False)
    return columns.shelf.keep((name, values[rows]) for name, values in columns.items())
