"""Find out how a file is written: by asking its reader, never by opening it here."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from permaudit.data.files import check_file, check_unpacked, parts_of, reader_for
from permaudit.data.load import load
from permaudit.errors import DataError, Mistake, shown
from permaudit.init.header import refuse_records_as_names
from permaudit.init.notation import missing_tokens, notation_of
from permaudit.plan import FileSource

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from permaudit.data import Loaded
    from permaudit.model import Reader

_ENCODINGS = ("utf-8", "cp1252", "utf-16", "latin-1")
"""In this order: few texts of another encoding are valid UTF-8; UTF-16 has zeros, which nothing before it takes."""
_DELIMITERS = (",", ";", "\t", "|")
_ASKED = ("delimiter", "encoding", "decimal", "thousands", "codes", "missing")
"""The options of a reader of delimited text that can be found out."""
_IS_URL = re.compile(r"[a-z][a-z0-9+.-]+:/", re.IGNORECASE)
"""Also without its second slash, which a path loses."""


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """A file, read, and how it was read."""

    source: FileSource
    options: Mapping[str, Any]
    """What differs from the reader's defaults, as the audit file says it."""
    loaded: Loaded
    doubts: tuple[str, ...] = ()
    """What was guessed and may be wrong."""


def find(path: Path, readers: Mapping[str, Reader], tokens: Sequence[str] = ()) -> Found:
    """Read all columns of a file, in the notation that fits it best.

    `tokens` stand for missing values in another file, and do so here, too, if they occur.
    """
    source = FileSource(path=path, shown=shown(str(path), 200))
    if any("\ud800" <= character <= "\udfff" for character in str(path.absolute())):
        raise DataError.one(
            source.shown, "its name or that of its folder is not UTF-8, so that no audit file can say it"
        )
    if _IS_URL.match(str(path)) and not path.exists():
        raise DataError.one(source.shown, "is a URL; only local files are read")
    first = parts_of(source)[0]
    if first != source:
        return _in_parts(source, _in_one(first, readers, tokens), readers)
    return _in_one(source, readers, tokens)


def _in_parts(source: FileSource, first: Found, readers: Mapping[str, Reader]) -> Found:
    """Read the files of a directory as the first one of them is written."""
    source = replace(source, format=first.source.format, options=first.source.options)
    return replace(first, source=source, loaded=load(source, first.loaded.column_names, readers))


def _in_one(source: FileSource, readers: Mapping[str, Reader], tokens: Sequence[str]) -> Found:
    """Read one file."""
    try:
        reader = reader_for(source, readers)
    except DataError as error:
        return _any_delimited(source, readers, tokens, error)
    check_file(source, reader)
    check_unpacked(source)
    if _is_delimited(reader):
        return _delimited(source, reader, readers, tokens)
    try:
        names = reader.columns(source.path, reader.parameters())
    except DataError:
        names = ()  # loading says the same again, with the name of the file
    except ValueError:
        what = f"the reader '{reader.card.id}' cannot do without options:; write the audit file by hand"
        return _any_delimited(source, readers, tokens, DataError([Mistake(source.shown, None, None, what)]))
    return Found(source, {}, load(source, names, readers))


def _is_delimited(reader: Reader) -> bool:
    """Tell whether the reader has the options of delimited text."""
    return set(_ASKED) <= set(reader.parameters.model_fields)


def _any_delimited(source: FileSource, readers: Mapping[str, Reader], tokens: Sequence[str], error: DataError) -> Found:
    """Take a file that nobody else can read for delimited text, which comes as .txt, .dat and much else."""
    for name, reader in readers.items():
        if _is_delimited(reader):
            named = replace(source, format=name)
            try:
                check_file(named, reader)
                check_unpacked(named)
                found = _delimited(named, reader, readers, tokens)
            except DataError:
                break
            if len(found.loaded.column_names) > 1:
                return found
    raise error


def _delimited(source: FileSource, reader: Reader, readers: Mapping[str, Reader], tokens: Sequence[str]) -> Found:
    """Find encoding and delimiter first; then look at the cells."""
    found = _split(source, reader, readers)
    refuse_records_as_names(found.loaded)
    return _with_notation(found, tokens, reader, readers)


def _split(source: FileSource, reader: Reader, readers: Mapping[str, Reader]) -> Found:
    """Try encodings and delimiters until the reader has nothing against them."""
    first: DataError | None = None
    for options in _tries(source, reader):
        try:
            found = _read(source, options, reader, readers)
        except DataError as error:
            first = first or error
            continue
        if "encoding" in options:
            doubt = (
                f"the file is not UTF-8, but can be read as {options['encoding']}; if letters look wrong, say another"
            )
            found = replace(found, doubts=(doubt,))
        return found
    if first is None:  # no header could be read: let the loading say why
        return _read(source, {}, reader, readers)
    raise first


def _tries(source: FileSource, reader: Reader) -> Iterator[dict[str, Any]]:
    """Yield the options to try: for each encoding the delimiters, the one that makes the most columns first."""
    for encoding in _ENCODINGS:
        text = {} if encoding == _ENCODINGS[0] else {"encoding": encoding}
        found: list[tuple[tuple[str, ...], dict[str, Any]]] = []
        for options in ({}, *({"delimiter": mark} for mark in _DELIMITERS)):
            try:
                names = reader.columns(source.path, reader.parameters.model_validate({**text, **options}))
            except DataError:
                continue
            # Any delimiter may stand in the cells of a single column; several names are the same by one delimiter only.
            if len(names) == 1 or all(names != others for others, _ in found):
                found.append((names, {**text, **options}))
        # The sorting is stable: where two make as many, the default comes first.
        for _, options in sorted(found, key=lambda item: len(item[0]), reverse=True):
            yield options


def _read(source: FileSource, options: Mapping[str, Any], reader: Reader, readers: Mapping[str, Reader]) -> Found:
    """Read all columns with these options."""
    chosen = reader.parameters.model_validate(dict(options))
    if options:
        source = replace(source, format=reader.card.id, options=chosen)
    try:
        names = reader.columns(source.path, chosen)
    except DataError:
        names = ()
    return Found(source, options, load(source, names, readers))


def _with_notation(found: Found, tokens: Sequence[str], reader: Reader, readers: Mapping[str, Reader]) -> Found:
    """Read once more where numbers are written in another notation, or where missing values have a name."""
    notation, doubt = notation_of(found.loaded.table, found.options.get("delimiter"))
    if notation:
        found = _again(found, notation, doubt, reader, readers)
    names = missing_tokens(found.loaded.table, tokens)
    if names:
        doubt = f"cells that read {' or '.join(names)} are taken for missing values, in every column of this file"
        found = _again(found, {"missing": names}, doubt, reader, readers)
    return found


def _again(found: Found, more: Mapping[str, Any], doubt: str, reader: Reader, readers: Mapping[str, Reader]) -> Found:
    """Read with more options; where that does not work, stay with what did."""
    try:
        better = _read(found.source, {**found.options, **more}, reader, readers)
    except DataError:
        return found
    return replace(better, doubts=(*found.doubts, doubt))
