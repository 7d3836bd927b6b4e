"""Text files of any encoding, packed or not, as chunks of UTF-8."""

from __future__ import annotations

import codecs
import gzip
import io
import zlib
from itertools import islice
from typing import TYPE_CHECKING, Annotated

from pydantic import AfterValidator, Field

from permaudit import DataError, Mistake

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from _typeshed import WriteableBuffer

CHUNK = 1 << 20
"""How much is read at once."""
LONGEST_LINE = CHUNK
"""A longer line is taken for a file that is no text, or that has lost its line ends."""
_NOT_FOR_FILES = {"idna", "mbcs", "oem", "punycode", "raw_unicode_escape", "undefined", "unicode_escape"}
BOM = codecs.BOM_UTF8


def _known_encoding(name: str) -> str:
    """Return the name if Python can read text files of that encoding."""
    try:
        codec = codecs.lookup(name)
        "".encode(name)  # refuses codecs that are not of text
    except (LookupError, ValueError):
        codec = None
    if codec is None or codec.incrementaldecoder is None or codec.name.replace("-", "_") in _NOT_FOR_FILES:
        raise ValueError("must be an encoding of text, such as utf-8, cp1252, latin-1 or utf-16")
    return name


Encoding = Annotated[str, AfterValidator(_known_encoding), Field(max_length=40)]
Tokens = Annotated[tuple[str, ...], Field(description="cells that mean a missing value, exactly as written")]


def utf8_chunks(path: Path, encoding: str) -> Iterator[bytes]:
    """Give the text chunk by chunk as UTF-8 without byte order mark; refuse what is not text of that encoding."""
    as_it_is = _is_utf8(encoding)
    machine = codecs.getincrementaldecoder("utf-8" if as_it_is else encoding)(errors="strict")
    pending = False
    begun = False
    length = 0
    for number, data in enumerate(_raw_chunks(path)):
        if as_it_is and not pending and data.isascii():
            chunk = data
        else:
            try:
                chunk = machine.decode(data, not data).encode("utf-8")
            except UnicodeError as error:
                raise _refusal(path, encoding, number, *_undecodable(path, encoding, error)) from None
            pending = as_it_is and machine.getstate()[0] != b""
        if not begun and chunk:
            chunk, begun = chunk.removeprefix(BOM), True
        if b"\0" in chunk:
            before = chunk[: chunk.index(b"\0")].count(b"\n")
            raise _refusal(path, encoding, number, before, "has a NUL character" + _utf16_hint(path))
        end = chunk.rfind(b"\n")
        end = max(end, chunk.rfind(b"\r", end + 1))
        length = len(chunk) - end - 1 + (length if end < 0 else 0)
        if length >= LONGEST_LINE:
            raise _refusal(path, encoding, number, chunk.count(b"\n"), f"has {LONGEST_LINE} bytes or more")
        yield chunk


class Utf8Stream(io.RawIOBase):
    """The same text as a binary stream, with a byte order mark in front, which whoever reads it takes away.

    It never raises while it is read: an exception in a stream that arrow's threads are reading ends the process. What
    went wrong stands in `error`, and the stream ends there.
    """

    def __init__(self, path: Path, encoding: str, *, begin: int = 0) -> None:
        """Begin after so many bytes of UTF-8."""
        super().__init__()
        self.error: DataError | None = None
        self._chunks = utf8_chunks(path, encoding)
        self._skip = begin
        self._rest = memoryview(BOM)

    def readable(self) -> bool:
        """Say yes."""
        return True

    def readinto(self, buffer: WriteableBuffer, /) -> int:
        """Fill the buffer, or a part of it; 0 means the end."""
        try:
            while not self._rest:
                chunk = memoryview(next(self._chunks))
                self._rest, self._skip = chunk[self._skip :], max(0, self._skip - len(chunk))
        except StopIteration:
            return 0
        except DataError as error:
            self.error = error
            return 0
        target = memoryview(buffer).cast("B")
        size = min(len(target), len(self._rest))
        target[:size] = self._rest[:size]
        self._rest = self._rest[size:]
        return size


def _is_utf8(encoding: str) -> bool:
    """Tell whether the encoding is UTF-8 by any of its names."""
    return codecs.lookup(encoding).name in {"utf-8", "utf-8-sig"}


def _is_packed(path: Path) -> bool:
    """Tell whether the file is gzip data: the host has made sure that the name is right."""
    return path.name.lower().endswith(".gz")


def _raw_chunks(path: Path) -> Iterator[bytes]:
    """Give the unpacked bytes, and an empty chunk for the end."""
    try:
        with gzip.open(path, "rb") if _is_packed(path) else path.open("rb") as stream:
            while data := stream.read(CHUNK):
                yield data
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise DataError.one("", "its gzip data are damaged or end too early") from None
    except OSError as error:
        raise DataError.one("", f"cannot be read: {error.strerror or 'unknown error'}") from None
    yield b""


def _refusal(path: Path, encoding: str, number: int, before: int, message: str) -> DataError:
    """Make the error for a line of the chunk with that number, before which that many lines end in the chunk.

    Lines are counted only now: for a text without mistakes that would be half the work.
    """
    earlier = sum(chunk.count(b"\n") for chunk in islice(utf8_chunks(path, encoding), number))
    return DataError([Mistake("", earlier + before + 1, None, message)])


def _undecodable(path: Path, encoding: str, error: UnicodeError) -> tuple[int, str]:
    """Say how many lines end before the first bytes that are no text, and which encoding may be right."""
    before = 0
    if isinstance(error, UnicodeDecodeError):
        before = error.object[: error.start].decode(encoding, "replace").count("\n")
    return before, f"has bytes that are not {encoding} text; {_encoding_hint(path, encoding)}"


def _encoding_hint(path: Path, tried: str) -> str:
    """Guess the encoding from the first bytes."""
    hint = _utf16_hint(path)
    if hint:
        return hint.removeprefix("; ")
    beginning = next(_raw_chunks(path))
    if codecs.lookup(tried).name != "cp1252" and not set(beginning) & {0x81, 0x8D, 0x8F, 0x90, 0x9D}:
        return "it may be encoding: cp1252"
    return "say which it is with encoding:"


def _utf16_hint(path: Path) -> str:
    """Recognize UTF-16 by its mark, or by its many zeros."""
    beginning = next(_raw_chunks(path))[:4096]
    if beginning.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "; it may be encoding: utf-16"
    many = len(beginning) // 4
    if beginning[1::2].count(0) > many:
        return "; it may be encoding: utf-16-le"
    if beginning[::2].count(0) > many:
        return "; it may be encoding: utf-16-be"
    return ""
