"""A file of text, read piece by piece: columns of numbers are held as numbers, and never whole as text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from permaudit.data.scales import numbers_of_piece, written
from permaudit.permutation.threads import available, one_behind, run_each

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence
    from pathlib import Path

    from permaudit.model import PiecewiseReader

_ENOUGH = 1 << 24
"""Bytes of text that are worth a look: for fewer, calling arrow takes longer than its work."""


def read_pieces(
    reader: PiecewiseReader, path: Path, columns: Sequence[str], options: Any, numbers: Collection[str]
) -> pa.Table:
    """Read these columns, those in `numbers` as numbers wherever that says the same as their text.

    A column of which some piece is not plainly numbers is needed as text to the last digit. Where that comes to light late,
    its text is read once more. Threads look at a piece while the next one is read; a file of one piece needs none.
    """
    kept = {name: _Column(number=name in numbers) for name in columns}
    pieces = _worth_a_look(reader.pieces(path, tuple(columns), options))
    first = [next(pieces)]
    threads = available() if first[0].nbytes >= _ENOUGH else 1
    batches = (list(zip(kept.values(), piece.columns, strict=True)) for piece in _all_of(first, pieces))
    one_behind(_look, batches, _take, threads)
    pa.default_memory_pool().release_unused()  # arrow would hold on to the room of texts that are gone
    whole = dict(zip(kept, run_each(_Column.whole, kept.values(), threads), strict=True))
    again = tuple(name for name, column in whole.items() if column is None)
    if again:
        text = reader.read(path, again, options)
        whole |= {name: text[name] for name in again}
    return pa.table(whole)


class _Column:
    """One column as far as it was read."""

    def __init__(self, *, number: bool) -> None:
        """Begin; as numbers, if they may be."""
        self._number = number
        self._is_lost = False
        """Was text let go that is needed after all?"""
        self._chunks: list[pa.Array] = []

    def look(self, piece: pa.ChunkedArray) -> pa.ChunkedArray | None:
        """Return the numbers of the next piece, if the column may be held as numbers."""
        return numbers_of_piece(piece) if self._number else None

    def take(self, piece: pa.ChunkedArray, numbers: pa.ChunkedArray | None) -> None:
        """Hold the next piece; `numbers` is what looking at it gave."""
        if numbers is not None:
            self._chunks += numbers.chunks
        elif self._number and self._chunks:
            self._is_lost, self._number = True, False
            self._chunks.clear()
        elif not self._is_lost:
            self._number = False
            self._chunks += piece.chunks

    def whole(self) -> pa.ChunkedArray | None:
        """Return everything that was held; None where text is needed that was let go."""
        if self._is_lost:
            return None
        if not self._number:
            return pa.chunked_array(self._chunks, pa.string())
        kinds = {chunk.type for chunk in self._chunks}
        kind = kinds.pop() if len(kinds) == 1 else pa.float64()
        chunks, self._chunks = self._chunks, []
        try:
            # In one chunk: whoever needs the numbers looks at them where they lie, and makes no copy.
            return written(pa.chunked_array([pa.concat_arrays([chunk.cast(kind) for chunk in chunks])]))
        except pa.ArrowInvalid:  # a whole number that no float holds, in a column of floats
            return None


def _look(part: tuple[_Column, pa.ChunkedArray]) -> pa.ChunkedArray | None:
    """Let a column look at its part of a piece."""
    column, text = part
    return column.look(text)


def _take(part: tuple[_Column, pa.ChunkedArray], numbers: pa.ChunkedArray | None) -> None:
    """Let a column take its part of a piece."""
    column, text = part
    column.take(text, numbers)


def _all_of(first: list[pa.Table], others: Iterator[pa.Table]) -> Iterator[pa.Table]:
    """Give the first piece, hold it no longer, and give the others."""
    yield first.pop()
    yield from others


def _worth_a_look(pieces: Iterator[pa.Table]) -> Iterator[pa.Table]:
    """Put small pieces together."""
    held: list[pa.Table] = []
    size = 0
    for piece in pieces:
        held.append(piece)
        size += piece.nbytes
        if size >= _ENOUGH:
            yield pa.concat_tables(held)
            held, size = [], 0
    if held:
        yield pa.concat_tables(held)
