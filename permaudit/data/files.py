"""Regular local files, by content: what they are, how big they are, and how big they would become."""

from __future__ import annotations

import hashlib
import io
import os
import re
import stat
import zipfile
import zlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from permaudit.errors import DataError, shown
from permaudit.model import Extent
from permaudit.plan import FileSource
from permaudit.sourced import here

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from permaudit.errors import Mistake, PermauditError
    from permaudit.model import Reader
    from permaudit.plan import QuerySource
    from permaudit.sourced import Each

_GIB = 1 << 30
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How big a file may be, as it lies on the disk and unpacked."""

    size: int = 64 * _GIB
    unpacked: int = 64 * _GIB
    ratio: int = 200
    """How many times its own size a packed file may unpack to."""
    unsuspected: int = _GIB // 4
    """Up to here no ratio is suspect: small files of few values do pack that well."""
    members: int = 10_000
    """How many files an archive may hold."""


LIMITS = Limits()

_GZIP = "gzip data"
_ZIP = "a zip archive"
_FORMATS: tuple[tuple[str, bytes], ...] = (
    (_GZIP, rb"\x1f\x8b\x08"),
    (_ZIP, rb"PK(\x03\x04|\x05\x06)"),
    ("a pickle", rb"\x80[\x02-\x05]"),
    ("an HDF5 file", rb"\x89HDF\r\n\x1a\n"),
    ("a Parquet file", rb"PAR1[\x00-\x08\x0e-\x1f]"),
    ("an Arrow file", rb"ARROW1\x00\x00"),
    ("an SQLite database", rb"SQLite format 3\x00"),
    ("an old or encrypted Office document", rb"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"),
    ("an SPSS file", rb"\$FL[23]@\(#\)"),
    ("a Stata file", rb"<stata_dta>"),
    ("a NumPy array", rb"\x93NUMPY"),
    ("an R data file", rb"RD[AX][23]\n[ABX]\n"),
    ("bzip2 data", rb"BZh[1-9]1AY&SY"),
    ("xz data", rb"\xfd7zXZ\x00"),
    ("Zstandard data", rb"\x28\xb5\x2f\xfd"),
    ("a PDF document", rb"%PDF-"),
    ("a program", rb"\x7fELF|MZ\x90\x00"),
)
"""Formats that are known by their first bytes, each as a regular expression that no line of text begins with."""


def content_hash(source: FileSource) -> str:
    """Return the sha256 of a regular file; refuse anything else that a path can name."""
    _regular_size(source)
    try:
        with source.path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise _unreadable(source, error) from error


def source_hash(source: FileSource, each: Each = here) -> str:
    """Return the sha256 of a file, or of the list of names and hashes of the files in a directory."""
    parts = parts_of(source)
    if parts == [source]:
        return content_hash(source)
    # Without options, which need not be such as can be sent elsewhere.
    plain = [replace(part, path=part.path.absolute(), options=None) for part in parts]
    hashes = each(_hash_or_mistakes, plain)
    mistakes = [mistake for found in hashes if not isinstance(found, str) for mistake in found]
    if mistakes:
        raise DataError(mistakes)
    lines = [f"{found}  {part.path.name}\n" for found, part in zip(hashes, parts, strict=True)]
    return hashlib.sha256("".join(lines).encode("utf-8", "surrogateescape")).hexdigest()


def _hash_or_mistakes(source: FileSource) -> str | tuple[Mistake, ...]:
    """Return the hash of a file, or why there is none: who works elsewhere cannot raise here."""
    try:
        return content_hash(source)
    except DataError as error:
        return tuple(error.mistakes)


def parts_of(source: FileSource) -> list[FileSource]:
    """Return the files of a directory in the order of their names, or the file itself.

    Names that begin with `_` or `.` are none of data, as everywhere where tables are written in parts. Everything else in
    the directory must be a file of its own: whatever is there belongs to the table.
    """
    if not os.path.isdir(source.path):  # noqa: PTH112 - what cannot be looked at is told later, as what it is
        return [source]
    try:
        found = sorted(path for path in source.path.iterdir() if not path.name.startswith(("_", ".")))
    except OSError as error:
        raise _unreadable(source, error) from error
    others = [path for path in found if path.is_symlink() or not path.is_file()]
    if others:
        what = "only files may stand in the directory of a table, no links and no other directories"
        raise DataError.one(f"{source.shown}/{shown(others[0].name)}", what)
    if not found:
        raise DataError.one(source.shown, "is a directory without files")
    if len(found) > LIMITS.members:
        raise DataError.one(source.shown, f"holds {len(found)} files; at most {LIMITS.members} are read")
    if len({path.suffix.lower() for path in found}) > 1:
        raise DataError.one(source.shown, "holds files of several formats")
    return [replace(source, path=path, shown=f"{source.shown}/{shown(path.name)}", sha256=None) for path in found]


def check_file(source: FileSource, reader: Reader, limits: Limits = LIMITS) -> None:
    """Refuse what is not a regular file of sensible size and of the format that it claims to have; unpack nothing."""
    size = _regular_size(source)
    if size == 0:
        raise DataError.one(source.shown, "is empty")
    if size > limits.size:
        raise DataError.one(source.shown, f"has {size} bytes; at most {limits.size} are read")
    try:
        with source.path.open("rb") as stream:
            beginning = stream.read(64)
    except OSError as error:
        raise _unreadable(source, error) from error
    _refuse_other_format(source, reader, beginning)
    if _format_of(beginning) == _ZIP:
        _check_archive(source, size, limits)


def check_unpacked(
    source: FileSource, limits: Limits = LIMITS, *, tell: Callable[[Extent], None] | None = None
) -> None:
    """Unpack a gzip file chunk by chunk, keep nothing, and refuse one that is damaged or unpacks to too much.

    On the way, tell how many records of text there are so far, about: what the file says of its size is not to be
    trusted.
    """
    if not _packed(source):
        return
    unpacked, lines, share = 0, 0, 1.0
    try:
        for taken, given in _inflated(source):
            if not unpacked:
                share = _outside_quotes(given) / max(given.count(b"\n"), 1)
            unpacked += len(given)
            lines += given.count(b"\n")
            _refuse_bomb(source, taken, unpacked, limits)
            if tell is not None:
                tell(Extent(int(lines * share)))
    except zlib.error:
        raise DataError.one(source.shown, "its gzip data are damaged") from None
    except EOFError:
        raise DataError.one(source.shown, "its gzip data end too early; was it copied completely?") from None
    except OSError as error:
        raise _unreadable(source, error) from error


def lines_of(source: FileSource) -> Extent | None:
    """Estimate from its beginning and its size how many records a text file has; None for what is packed or no text."""
    if _packed(source):
        return None
    size = _regular_size(source)
    try:
        with source.path.open("rb") as stream:
            beginning = stream.read(_CHUNK)
    except OSError:  # whoever reads it will say so
        return None
    if b"\0" in beginning or b"\n" not in beginning:
        return None
    return Extent(_outside_quotes(beginning) * size // len(beginning))


def table_hash(table: pa.Table) -> str:
    """Return the sha256 of a table's bytes in Arrow's stream format, as one record batch."""
    digest = hashlib.sha256()
    with pa.ipc.new_stream(pa.PythonFile(_Hashed(digest.update), mode="w"), table.schema) as writer:
        writer.write_table(table.combine_chunks())
    return digest.hexdigest()


def reader_for(source: FileSource | QuerySource, readers: Mapping[str, Reader]) -> Reader:
    """Return the reader that the source declares, or else the one for its suffix."""
    if source.format is not None:
        reader = readers[source.format]
        if reader.card.local != isinstance(source, FileSource):
            what = "needs a path:" if reader.card.local else "reads no file; leave out path:"
            raise DataError.one(source.shown, f"the reader '{reader.card.id}' {what}")
        return reader
    name = source.path.name.lower()
    for reader in readers.values():
        if name.endswith(reader.card.suffixes):
            return reader
    known = ", ".join(sorted(suffix for reader in readers.values() for suffix in reader.card.suffixes))
    raise DataError.one(
        source.shown, f"no reader for '{shown(source.path.suffix)}' files; known are {known}; or say format:"
    )


class _Hashed(io.RawIOBase):
    """A stream that keeps nothing of what is written to it."""

    def __init__(self, update: Callable[[Any], object]) -> None:
        super().__init__()
        self._update = update

    def writable(self) -> bool:
        """Say yes."""
        return True

    def write(self, data: Any, /) -> int:
        """Take the bytes into the hash."""
        self._update(data)
        return len(data)


def _regular_size(source: FileSource) -> int:
    """Return the size of a regular file, without opening anything: opening a pipe would wait for its other end."""
    try:
        status = source.path.stat()
    except (OSError, ValueError) as error:
        raise _unreadable(source, error) from error
    if not stat.S_ISREG(status.st_mode):
        raise DataError.one(source.shown, "is not a regular file")
    return status.st_size


def _unreadable(source: FileSource, error: OSError | ValueError) -> PermauditError:
    """Say that the operating system does not let us read."""
    return DataError.one(source.shown, f"cannot be read: {getattr(error, 'strerror', None) or 'unknown error'}")


def _packed(source: FileSource) -> bool:
    """Tell whether the name promises gzip data."""
    return source.path.name.lower().endswith(".gz")


def _format_of(beginning: bytes) -> str | None:
    """Name the known binary format that begins like this."""
    return next((name for name, pattern in _FORMATS if re.match(pattern, beginning)), None)


def _refuse_other_format(source: FileSource, reader: Reader, beginning: bytes) -> None:
    """Refuse a known binary format that is not the reader's, and gzip data without `.gz` in the name."""
    found = _format_of(beginning)
    if _packed(source) and found != _GZIP:
        raise DataError.one(source.shown, "is called .gz, but does not hold gzip data")
    if found is None or (found == _GZIP and _packed(source)):
        return
    if not beginning.startswith(reader.card.magic):
        hint = "; is '.gz' missing in its name?" if found == _GZIP else ""
        raise DataError.one(source.shown, f"holds {found}, which the reader '{reader.card.id}' does not read{hint}")


def _check_archive(source: FileSource, size: int, limits: Limits) -> None:
    """Refuse an archive that declares too much content; the zip module unpacks no more than is declared."""
    try:
        with zipfile.ZipFile(source.path) as archive:
            members = archive.infolist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError):
        raise DataError.one(source.shown, "its zip archive is damaged") from None
    except OSError as error:
        raise _unreadable(source, error) from error
    if len(members) > limits.members:
        raise DataError.one(source.shown, f"holds {len(members)} files; at most {limits.members} are read")
    _refuse_bomb(source, size, sum(member.file_size for member in members), limits)


def _inflated(source: FileSource) -> Iterator[tuple[int, bytes]]:
    """Unpack in steps of bounded size; give how many bytes were read so far, and those that this step gave."""
    taken = 0
    machine = zlib.decompressobj(wbits=31)
    with source.path.open("rb") as stream:
        while data := stream.read(_CHUNK):
            taken += len(data)
            while data:
                if machine.eof:  # the next member of the same file
                    data = data.lstrip(b"\0")
                    if not data:
                        break
                    machine = zlib.decompressobj(wbits=31)
                yield taken, machine.decompress(data, _CHUNK)
                data = machine.unused_data if machine.eof else machine.unconsumed_tail
    while not machine.eof:  # what was held back by the bound
        held = machine.decompress(b"", _CHUNK)
        if not held:
            raise EOFError
        yield taken, held


def _outside_quotes(text: bytes) -> int:
    """Count the line ends that are not inside of quotation marks, and so end a record."""
    return sum(unquoted.count(b"\n") for unquoted in text.split(b'"')[::2])


def _refuse_bomb(source: FileSource, packed: int, unpacked: int, limits: Limits) -> None:
    """Refuse a file that unpacks to more than any honest one does."""
    if unpacked > limits.unpacked:
        raise DataError.one(source.shown, f"unpacks to more than {limits.unpacked} bytes, which is the limit")
    if unpacked > limits.unsuspected and unpacked > limits.ratio * packed:
        raise DataError.one(source.shown, f"unpacks to more than {limits.ratio} times its size; it may be a bomb")
