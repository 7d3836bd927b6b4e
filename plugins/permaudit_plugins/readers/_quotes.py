"""Quotation marks where RFC 4180 wants them."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING

import numpy as np

from permaudit import DataError, Mistake
from permaudit_plugins.readers._text import Utf8Stream, utf8_chunks

if TYPE_CHECKING:
    from _csv import Reader as CsvParser
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from numpy.typing import NDArray

_LINE_FEED, _CARRIAGE_RETURN = b"\n\r"
_PIECE = 1 << 17
"""How much is looked at at once: what the processor's cache holds."""


def check_quotes(path: Path, encoding: str, delimiter: str, quote: str | None) -> bool:
    """Read the whole text once, and refuse a quotation mark that is never closed; tell whether any cell is quoted."""
    check = Quotes(delimiter, quote)
    for chunk in utf8_chunks(path, encoding):
        check.feed(chunk)
    check.feed(b"\n")
    if not check.regular:
        find_open_quote(path, encoding, delimiter, quote)
    return check.count > 0


def rows(path: Path, encoding: str, delimiter: str, quote: str | None) -> Iterator[tuple[int, list[str]]]:
    """Parse slowly and strictly: give the number of each record's first line, and its cells."""
    stream = Utf8Stream(path, encoding)
    text = io.TextIOWrapper(io.BufferedReader(stream), encoding="utf-8-sig", newline="")
    parser = strict_parser(text, delimiter, quote)
    while True:
        line = parser.line_num + 1
        try:
            cells = next(parser)
        except StopIteration:
            return
        except csv.Error as error:
            raise DataError([Mistake("", line, None, what_is_wrong(error))]) from None
        yield line, cells


def strict_parser(lines: Iterable[str], delimiter: str, quote: str | None) -> CsvParser:
    """Return Python's own parser, in its strict mode."""
    if quote is None:
        return csv.reader(lines, delimiter=delimiter, quoting=csv.QUOTE_NONE, strict=True)
    return csv.reader(lines, delimiter=delimiter, quotechar=quote, strict=True)


def what_is_wrong(error: csv.Error) -> str:
    """Say what the parser did not like, without its own words."""
    text = str(error)
    if "unexpected end" in text:
        return "a quotation mark is opened here and never closed"
    if "field larger" in text:
        return f"a cell that begins here has more than {csv.field_size_limit()} characters; is a quotation mark open?"
    return "a quoted cell goes on after its closing quotation mark"


class Quotes:
    """Check chunk by chunk that each mark at an even place opens a cell and each at an odd place closes one."""

    def __init__(self, delimiter: str, quote: str | None) -> None:
        """Begin before the text."""
        self.count = 0
        self.ordered = True
        """Were all marks so far where they should be?"""
        self._quote = b"" if quote is None else quote.encode()
        self._delimiter = ord(delimiter)
        self._tail = b"\n"
        """The last byte that was looked at; after it a mark that was not, for want of the byte that follows."""

    @property
    def regular(self) -> bool:
        """Tell whether every mark is where it should be, and the last one closes."""
        return self.ordered and self.count % 2 == 0

    def feed(self, chunk: bytes) -> int:
        """Look at the next chunk, and return up to where it is whole lines, all quotes closed; 0 where no line ends.

        A carriage return as the last of what is looked at ends no line yet: a line feed may follow.
        """
        if not self._quote or (self._quote not in chunk and not self._tail.endswith(self._quote)):
            self._tail = chunk[-1:] or self._tail
            if self.count % 2:
                return 0
            feed = chunk.rfind(b"\n")
            return max(feed, chunk.rfind(b"\r", feed + 1, -1)) + 1
        end = 0
        for start in range(0, len(chunk), _PIECE):
            found = self._look_at(chunk[start : start + _PIECE])
            end = start + found if found else end
        return end

    def _look_at(self, piece: bytes) -> int:
        """Look at the marks of a piece that holds some, and return where its last line ends."""
        text = np.frombuffer(self._tail + piece, dtype=np.uint8)
        line_ends = text == _LINE_FEED
        if b"\r" in piece or b"\r" in self._tail:
            line_ends |= text == _CARRIAGE_RETURN
        marks = text == self._quote[0]
        # What may stand before a mark that opens a cell, and after one that closes it.
        between = line_ends | marks | (text == self._delimiter)
        marks[-1] = False  # it is looked at when the byte that follows is known
        here = _bits(marks[1:])
        inside = _odd(here, self.count % 2 == 1)
        outside = ~inside
        if (here & inside & ~_bits(between[:-1])).any() or (here & outside & ~_bits(between[2:], here.size)).any():
            self.ordered = False
        self.count += int(np.count_nonzero(marks[1:]))
        line_ends[-1] &= text[-1] == _LINE_FEED
        last = _last(_bits(line_ends[1:]) & outside)
        before = len(self._tail)
        self._tail = bytes(text[-2:] if text[-1] == self._quote[0] else text[-1:])
        return 0 if last is None else last + 2 - before


def _bits(marks: NDArray[np.bool_], words: int = 0) -> NDArray[np.uint64]:
    """Write marks as the bits of words, the first one lowest."""
    packed = np.packbits(marks, bitorder="little")
    room = np.zeros(8 * max(words, -(-packed.size // 8)), np.uint8)
    room[: packed.size] = packed
    return room.view("<u8")


def _odd(bits: NDArray[np.uint64], odd_before: bool) -> NDArray[np.uint64]:  # noqa: FBT001
    """Tell at each bit whether the number of bits that are set up to it, itself included, is odd."""
    found = bits
    for step in (1, 2, 4, 8, 16, 32):
        found = found ^ (found << np.uint64(step))
    after = np.bitwise_xor.accumulate(found >> np.uint64(63))
    before = np.concatenate([[odd_before], after[:-1] ^ np.uint64(odd_before)]).astype(np.uint64)
    return found ^ (np.uint64(0) - before)


def _last(bits: NDArray[np.uint64]) -> int | None:
    """Return the place of the last bit that is set, if any is."""
    words = np.flatnonzero(bits)
    return 64 * int(words[-1]) + int(bits[words[-1]]).bit_length() - 1 if words.size else None


def find_open_quote(path: Path, encoding: str, delimiter: str, quote: str | None) -> None:
    """Refuse an open mark with its line; a mark inside an unquoted cell, as in 5" pipe, is an ordinary character.

    The parser that follows would swallow the rest of the file as one cell, in silence.
    """
    for _ in rows(path, encoding, delimiter, quote):
        pass
