"""Regular local files, by content."""

from __future__ import annotations

import hashlib
import stat
from typing import TYPE_CHECKING

from permaudit.errors import DataError, shown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from permaudit.model import Reader
    from permaudit.plan import FileSource


def content_hash(source: FileSource) -> str:
    """Return the sha256 of a regular file; refuse anything else that a path can name."""
    try:
        if not stat.S_ISREG(source.path.stat().st_mode):
            raise DataError.one(source.shown, "is not a regular file")
        with source.path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError as error:
        raise DataError.one(source.shown, f"cannot be read: {error.strerror or 'unknown error'}") from error


def reader_for(source: FileSource, readers: Mapping[str, Reader]) -> Reader:
    """Return the reader that the source declares, or else the one for its suffix."""
    if source.format is not None:
        return readers[source.format]
    name = source.path.name.lower()
    for reader in readers.values():
        if name.endswith(reader.card.suffixes):
            return reader
    known = ", ".join(sorted(suffix for reader in readers.values() for suffix in reader.card.suffixes))
    raise DataError.one(
        source.shown, f"no reader for '{shown(source.path.suffix)}' files; known are {known}; or say format:"
    )
