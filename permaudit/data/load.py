"""Read the sources of an audit, and report everything that is wrong with them at once."""

from __future__ import annotations

import difflib
import unicodedata
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from permaudit.data.files import check_file, check_unpacked, lines_of, parts_of, reader_for, source_hash, table_hash
from permaudit.data.memory import TooLargeError
from permaudit.data.pieces import read_pieces
from permaudit.data.scales.base import type_name
from permaudit.errors import DataError, Mistake, PluginFailedError, shown
from permaudit.model import DeclaringReader, Extent, GroupedReader, MeasuringReader, PiecewiseReader, ThoroughReader
from permaudit.outcome import InputFile
from permaudit.plan import FileSource, GivenCandidate, QuerySource
from permaudit.sourced import here

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from permaudit.model import Reader
    from permaudit.plan import Audit, Source
    from permaudit.sourced import Each

_LONGEST_PLACE = 300
_LETTING_GO = Lock()
"""Threads let go of columns of one table."""
_NOWHERE: Any = None
"""The path of what is no file."""


@dataclass(slots=True, eq=False)
class Loaded:
    """A table that was read, and what else there is to know of it."""

    shown: str
    column_names: tuple[str, ...]
    table: pa.Table
    """The wanted columns as they stand in the source, but for those that were let go."""
    records: int
    input: InputFile | None

    def let_go(self, name: str) -> pa.ChunkedArray:
        """Return a column and hold it no longer: text takes more memory than the numbers that are made of it."""
        with _LETTING_GO:
            column = self.table[name]
            self.table = self.table.drop_columns([name])
        return column


def load(
    source: Source,
    columns: Sequence[str],
    readers: Mapping[str, Reader],
    tell: Callable[[Extent], None] | None = None,
    numbers: Collection[str] = (),
) -> Loaded:
    """Read these columns of one source; raise `DataError` with every mistake found in it.

    As soon as it is known better than before how much there is, `tell` hears of it, and may refuse to go on. Columns in
    `numbers` will be read as numbers, and need not be held as text.
    """
    wanted = list(dict.fromkeys(columns))
    if isinstance(source, FileSource):
        opened = OpenedFile(source, readers)
        opened.require(wanted)
        table = opened.read(wanted, tell, numbers)
        opened.refuse_changed()
        names, file = opened.column_names, opened.input
    elif isinstance(source, QuerySource):
        names, table = _fetch(source, wanted, readers)
        file = InputFile(path=source.shown, sha256=table_hash(table))
    else:
        names, file = tuple(source.table.column_names), None
        _require_columns(source.shown, names, wanted)
        table = source.table.select(wanted)
    if table.num_rows == 0:
        raise DataError.one(source.shown, "has no records")
    if tell is not None:
        tell(Extent(table.num_rows, table.nbytes))
    return Loaded(source.shown, names, table, table.num_rows, file)


def as_written(source: Source, columns: Sequence[str], readers: Mapping[str, Reader]) -> Iterator[pa.Table]:
    """Give these columns as they are without any declared token for missing values, in pieces or groups where the reader has some."""
    if not isinstance(source, FileSource | QuerySource):
        yield source.table.select(list(columns))
        return
    for part in parts_of(source) if isinstance(source, FileSource) else [source]:
        reader = reader_for(part, readers)
        options = _options(source, reader)
        # Nor may numbers be brought into another notation, or a token would not be found.
        plain = {"missing": (), "codes": tuple(columns)}
        options = options.model_copy(update={name: value for name, value in plain.items() if hasattr(options, name)})
        path = part.path if isinstance(part, FileSource) else _NOWHERE
        with _named_as(part.shown):
            if isinstance(reader, PiecewiseReader):
                yield from reader.pieces(path, tuple(columns), options)
            elif isinstance(reader, GroupedReader) and (groups := len(reader.groups(path, options))):
                for group in range(groups):
                    yield reader.read_group(path, group, tuple(columns), options)
            else:
                yield reader.read(path, tuple(columns), options)


def with_text(source: Source, columns: Sequence[str], readers: Mapping[str, Reader]) -> list[str]:
    """Return the columns that may hold text, as far as files tell without being read."""
    if not isinstance(source, FileSource):
        return list(columns)
    found: set[str] = set()
    for part in parts_of(source):
        reader = reader_for(part, readers)
        if not isinstance(reader, GroupedReader):
            return list(columns)
        with _named_as(part.shown):
            types = reader.types(part.path, tuple(columns), _options(source, reader))
        found |= {name for name, kind in zip(columns, types, strict=True) if not _is_number(kind)}
    return [name for name in columns if name in found]


def _is_number(kind: pa.DataType) -> bool:
    """Tell whether values of a type are numbers or times, whatever else stands in the column."""
    return bool(pa.types.is_primitive(kind))


def declared_in(source: Source, columns: Sequence[str], readers: Mapping[str, Reader]) -> Iterator[pa.Table]:
    """Give the values that the files of a source declare missing themselves, where they can."""
    if not isinstance(source, FileSource):
        return
    for part in parts_of(source):
        reader = reader_for(part, readers)
        if isinstance(reader, DeclaringReader):
            with _named_as(part.shown):
                yield reader.declared_missing(part.path, tuple(columns), _options(source, reader))


def check_columns(audit: Audit, readers: Mapping[str, Reader]) -> None:
    """Look for the audited columns and the keys in every file without reading a record."""
    attributes = [attribute.name for attribute in audit.attributes]
    given = [candidate for candidate in audit.candidates if isinstance(candidate, GivenCandidate)]
    keys = [name for candidate in given for name in candidate.key]
    wanted = [(audit.original, [*attributes, *keys]), (audit.holdout, attributes)]
    for candidate in given:
        columns = [*attributes, *candidate.released_key, *waived_columns(audit, candidate.name)]
        wanted += [(candidate.source, columns), (candidate.map, list(candidate.mapped_key))]
    mistakes: list[Mistake] = []
    for source, columns in wanted:
        if not isinstance(source, FileSource | QuerySource):
            continue
        try:
            for part in parts_of(source) if isinstance(source, FileSource) else [source]:
                _require_columns(part.shown, _names_of(part, reader_for(part, readers)), columns)
        except DataError as error:
            mistakes += error.mistakes
    if mistakes:
        raise DataError(dict.fromkeys(mistakes))


def waived_columns(audit: Audit, candidate: str) -> list[str]:
    """Return the columns that waivers name and the rest of the audit does not: only the release can have them."""
    keys = [name for one in audit.candidates if isinstance(one, GivenCandidate) for name in one.key]
    declared = {*(one.name for one in audit.attributes), *audit.identifiers, *audit.not_audited, *keys}
    named = [waiver.attribute for waiver in audit.waivers if waiver.candidate == candidate]
    return [name for name in named if name is not None and name not in declared]


def require_columns(loaded: Loaded, wanted: Sequence[str]) -> None:
    """Raise for each of these columns that a source does not have."""
    _require_columns(loaded.shown, loaded.column_names, wanted)


def extent_of(source: Source, columns: Sequence[str], readers: Mapping[str, Reader]) -> Extent | None:
    """Return how much there is to read in a source, where that can be told without reading it all."""
    if not isinstance(source, FileSource | QuerySource):
        return Extent(source.table.num_rows)
    try:
        if isinstance(source, QuerySource):
            return _extent(source, _NOWHERE, columns, reader_for(source, readers))
        found = [_extent(part, part.path, columns, reader_for(part, readers)) for part in parts_of(source)]
    except DataError:  # whoever reads it will say so
        return None
    known = [extent for extent in found if extent is not None]
    if len(known) < len(found):
        return None
    return Extent(sum(extent.records for extent in known), sum(extent.bytes for extent in known))


def unread_in(source: Source, readers: Mapping[str, Reader]) -> tuple[str, ...]:
    """Say what a file holds beside its columns; of what is no file, the columns are all there is."""
    if not isinstance(source, FileSource):
        return ()
    said: list[str] = []
    for part in parts_of(source):
        reader = reader_for(part, readers)
        if isinstance(reader, ThoroughReader):
            with _named_as(part.shown):
                said += reader.unread(part.path, _options(source, reader))
    return tuple(dict.fromkeys(said))


def _extent(source: FileSource | QuerySource, path: Path, columns: Sequence[str], reader: Reader) -> Extent | None:
    """Return how much there is to read in one file."""
    if isinstance(source, FileSource):
        check_file(source, reader)
    if isinstance(reader, MeasuringReader):
        return reader.extent(path, tuple(columns), _options(source, reader))
    return lines_of(source) if isinstance(source, FileSource) else None


class OpenedFile:
    """A file, or the parts in a directory, of which columns can be read once or several times; it must stay the same."""

    def __init__(self, source: FileSource, readers: Mapping[str, Reader], each: Each | None = None) -> None:
        """Look at everything that can be seen without reading a record; a column of any part is a column of all.

        With `each`, others take the hashes of the parts.
        """
        self._source = source
        self._each = each or here
        self._parts = [(part, reader_for(part, readers)) for part in parts_of(source)]
        for part, reader in self._parts:  # before the hash: one that is far too large would take hours
            check_file(part, reader)
        self._sha256 = source_hash(source, self._each)
        if source.sha256 is not None and source.sha256.lower() != self._sha256:
            raise DataError.one(source.shown, f"has sha256 {self._sha256}, not the one that the audit file declares")
        self._names = [_names_of(part, reader) for part, reader in self._parts]
        self.column_names = tuple(dict.fromkeys(name for names in self._names for name in names))
        self._unpacked = False

    @property
    def input(self) -> InputFile:
        """Return the file by content."""
        return InputFile(path=self._source.shown, sha256=self._sha256)

    @property
    def parts(self) -> list[tuple[FileSource, Reader, Any]]:
        """Return its files in order, each with the reader and the options for it."""
        return [(part, reader, _options(self._source, reader)) for part, reader in self._parts]

    @property
    def size(self) -> int:
        """Return how many bytes it has on the disk."""
        return sum(part.path.stat().st_size for part, _ in self._parts)

    def require(self, columns: Sequence[str]) -> None:
        """Raise for each column that is missing, in any of the parts."""
        for (part, _), names in zip(self._parts, self._names, strict=True):
            _require_columns(part.shown, names, columns)

    def read(
        self,
        columns: Sequence[str],
        tell: Callable[[Extent], None] | None = None,
        numbers: Collection[str] = (),
    ) -> pa.Table:
        """Read some columns; of several parts as they stand, or whole numbers in one would not be of another's type."""
        tables = []
        for part, reader in self._parts:
            with _named_as(part.shown):
                if not self._unpacked:
                    check_unpacked(part, tell=tell)
                options = _options(self._source, reader)
                if numbers and len(self._parts) == 1 and isinstance(reader, PiecewiseReader):
                    tables.append(read_pieces(reader, part.path, columns, options, numbers))
                else:
                    tables.append(reader.read(part.path, tuple(columns), options))
        self._unpacked = True
        return _put_together(tables, [part.shown for part, _ in self._parts])

    def refuse_changed(self) -> None:
        """Raise where the file is not the same any more."""
        if source_hash(self._source, self._each) != self._sha256:
            raise DataError.one(self._source.shown, "changed while it was read; try again when nobody writes to it")


def _put_together(tables: Sequence[pa.Table], parts: Sequence[str]) -> pa.Table:
    """Put the parts of a table one below the other; raise where a column has another type than in the first part."""
    first = tables[0]
    mistakes = [
        Mistake(
            where,
            None,
            None,
            f"column '{shown(name)}' is of type {type_name(part[name].type)}, and in {parts[0]} of type "
            f"{type_name(first[name].type)}: all parts must have the same types",
        )
        for where, part in zip(parts[1:], tables[1:], strict=True)
        for name in first.column_names
        if part[name].type != first[name].type
    ]
    if mistakes:
        raise DataError(mistakes)
    return first if len(tables) == 1 else pa.concat_tables(tables)


@contextmanager
def _named_as(where: str) -> Iterator[None]:
    """Name the file in mistakes as the audit file does: a reader knows only its path."""
    try:
        yield
    except TooLargeError:
        raise
    except DataError as error:
        raise DataError(_named(mistake, where) for mistake in error.mistakes) from error
    except PluginFailedError as error:
        raise PluginFailedError(f"{shown(where, _LONGEST_PLACE)}: {error}") from error


def _fetch(
    source: QuerySource, columns: Sequence[str], readers: Mapping[str, Reader]
) -> tuple[tuple[str, ...], pa.Table]:
    """Read the wanted columns of a source that has no file."""
    reader = reader_for(source, readers)
    names = _names_of(source, reader)
    _require_columns(source.shown, names, columns)
    with _named_as(source.shown):
        return names, reader.read(_NOWHERE, tuple(columns), _options(source, reader))


def _column_names(source: FileSource | QuerySource, reader: Reader) -> tuple[str, ...]:
    """Return the names of a source's columns; if it is a file, one that can be read."""
    if isinstance(source, QuerySource):
        return reader.columns(_NOWHERE, _options(source, reader))
    check_file(source, reader)
    return reader.columns(source.path, _options(source, reader))


def _names_of(source: FileSource | QuerySource, reader: Reader) -> tuple[str, ...]:
    """Return the names of a source's columns; mistakes name the source."""
    with _named_as(source.shown):
        return _column_names(source, reader)


def _options(source: FileSource | QuerySource, reader: Reader) -> Any:
    """Return the options of the audit file, or the reader's defaults."""
    if source.options is not None:
        return source.options
    try:
        return reader.parameters()
    except ValueError:
        raise DataError.one(source.shown, f"the reader '{reader.card.id}' cannot do without options:") from None


def _named(mistake: Mistake, where: str) -> Mistake:
    """Name the file as the audit file does: a reader knows only its path."""
    return Mistake(where, mistake.line, mistake.column, mistake.message)


def _require_columns(where: str, names: Iterable[str], wanted: Sequence[str]) -> None:
    """Raise for each audited column that is not there, with the nearest name that is."""
    present = list(names)
    mistakes = []
    for name in dict.fromkeys(wanted):
        if name not in present:
            near = _nearest(name, present)
            hint = f"; did you mean '{shown(near)}'?" if near else ""
            mistakes.append(Mistake(where, None, None, f"has no column '{shown(name)}'{hint}"))
    if mistakes:
        raise DataError(mistakes)


def _nearest(name: str, present: Sequence[str]) -> str | None:
    """Return the column most like the name: the same but for form, case and blanks, else the closest spelling."""
    plain = {_folded(column): column for column in present}
    if _folded(name) in plain:
        return plain[_folded(name)]
    return next(iter(difflib.get_close_matches(name, present, n=1)), None)


def _folded(name: str) -> str:
    """Write a name without the differences that the eye does not see."""
    return unicodedata.normalize("NFKC", name).strip().casefold()
