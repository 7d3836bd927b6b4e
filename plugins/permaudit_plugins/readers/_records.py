"""A delimited text -> parts that hold whole records, checked on the way."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permaudit import DataError
from permaudit_plugins.readers._quotes import Quotes, find_open_quote
from permaudit_plugins.readers._text import CHUNK, utf8_chunks

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_LONGEST_RECORD = 2 * CHUNK
_ENOUGH = 2 * CHUNK
"""How much is given at once: less takes longer, because arrow is called more often, and more takes more memory."""
TOO_LONG = f"a record is longer than {CHUNK} bytes"


class WholeRecords:
    """The text in parts of a few chunks, each cut behind a line end outside of quotes.

    What is wrong with the text is raised at the latest behind the last part. A mark inside an unquoted cell, as in 5" pipe,
    leaves open where quotes are: from there on nothing is given.
    """

    def __init__(self, path: Path, encoding: str, delimiter: str, quote: str | None) -> None:
        """Begin before the header."""
        self.given = 0
        """How many bytes were given, as UTF-8."""
        self.are_all = False
        """Was that the whole text?"""
        self._parts = self._cut(path, encoding, delimiter, quote)

    def __iter__(self) -> Iterator[bytes]:
        """Go on behind the last part that was given."""
        return self._parts

    def check(self) -> None:
        """Look at what was not given yet, and raise what is wrong with it."""
        for _ in self._parts:
            pass

    def _cut(self, path: Path, encoding: str, delimiter: str, quote: str | None) -> Iterator[bytes]:
        """Give part by part."""
        check = Quotes(delimiter, quote)
        whole: list[bytes | memoryview] = []
        rest = b""
        is_too_long = False
        for chunk in utf8_chunks(path, encoding):
            end = check.feed(chunk)
            if is_too_long or not check.ordered:
                continue
            if not end:
                rest += chunk
                is_too_long = len(rest) > _LONGEST_RECORD
                continue
            whole += [rest, memoryview(chunk)[:end]]
            rest = chunk[end:]
            if sum(map(len, whole)) >= _ENOUGH:
                yield self._given(whole)
        if whole:
            yield self._given(whole)
        check.feed(b"\n")
        if not check.regular:
            find_open_quote(path, encoding, delimiter, quote)
        if is_too_long:
            raise DataError.one("", TOO_LONG)
        if check.regular:
            self.are_all = True
            if rest:
                yield self._given([rest])

    def _given(self, pieces: list[bytes | memoryview]) -> bytes:
        """Put together what is given next, and hold the pieces no longer."""
        part = b"".join(pieces)
        pieces.clear()
        self.given += len(part)
        return part
