"""Read the sources of an audit, and report everything that is wrong with them at once."""

from __future__ import annotations

import difflib
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from permaudit.data.files import check_file, check_unpacked, content_hash, lines_of, reader_for, table_hash
from permaudit.data.memory import TooLargeError
from permaudit.data.pieces import read_pieces
from permaudit.errors import DataError, Mistake, shown
from permaudit.model import Extent, MeasuringReader, PiecewiseReader
from permaudit.outcome import InputFile
from permaudit.plan import FileSource, GivenCandidate, QuerySource

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    import pyarrow as pa

    from permaudit.model import Reader
    from permaudit.plan import Audit, Source

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
        names, table, sha256 = _read_file(source, wanted, readers, tell, numbers)
        file = InputFile(path=source.shown, sha256=sha256)
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


def check_columns(audit: Audit, readers: Mapping[str, Reader]) -> None:
    """Look for the audited columns and the keys in every file without reading a record."""
    attributes = [attribute.name for attribute in audit.attributes]
    given = [candidate for candidate in audit.candidates if isinstance(candidate, GivenCandidate)]
    keys = [name for candidate in given for name in candidate.key]
    wanted = [(audit.original, [*attributes, *keys]), (audit.holdout, attributes)]
    wanted += [
        (candidate.source, [*attributes, *candidate.key, *waived_columns(audit, candidate.name)]) for candidate in given
    ]
    mistakes: list[Mistake] = []
    for source, columns in wanted:
        if not isinstance(source, FileSource | QuerySource):
            continue
        try:
            _require_columns(source.shown, _column_names(source, reader_for(source, readers)), columns)
        except DataError as error:
            mistakes += (_named(mistake, source.shown) for mistake in error.mistakes)
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
    path = source.path if isinstance(source, FileSource) else _NOWHERE
    try:
        reader = reader_for(source, readers)
        if isinstance(source, FileSource):
            check_file(source, reader)
        if isinstance(reader, MeasuringReader):
            return reader.extent(path, tuple(columns), _options(source, reader))
    except DataError:  # whoever reads it will say so
        return None
    return lines_of(source) if isinstance(source, FileSource) else None


def _read_file(
    source: FileSource,
    attributes: Sequence[str],
    readers: Mapping[str, Reader],
    tell: Callable[[Extent], None] | None,
    numbers: Collection[str],
) -> tuple[tuple[str, ...], pa.Table, str]:
    """Read the audited columns of a file that stays the same while it is read."""
    reader = reader_for(source, readers)
    check_file(source, reader)  # before the hash: one that is far too large would take hours
    before = content_hash(source)
    if source.sha256 is not None and source.sha256.lower() != before:
        raise DataError.one(source.shown, f"has sha256 {before}, not the one that the audit file declares")
    try:
        names = _column_names(source, reader)
        _require_columns(source.shown, names, attributes)
        check_unpacked(source, tell=tell)
        options = _options(source, reader)
        if numbers and isinstance(reader, PiecewiseReader):
            table = read_pieces(reader, source.path, attributes, options, numbers)
        else:
            table = reader.read(source.path, tuple(attributes), options)
    except TooLargeError:
        raise
    except DataError as error:
        raise DataError(_named(mistake, source.shown) for mistake in error.mistakes) from error
    if content_hash(source) != before:
        raise DataError.one(source.shown, "changed while it was read; try again when nobody writes to it")
    return names, table, before


def _fetch(
    source: QuerySource, columns: Sequence[str], readers: Mapping[str, Reader]
) -> tuple[tuple[str, ...], pa.Table]:
    """Read the wanted columns of a source that has no file."""
    reader = reader_for(source, readers)
    try:
        names = _column_names(source, reader)
        _require_columns(source.shown, names, columns)
        return names, reader.read(_NOWHERE, tuple(columns), _options(source, reader))
    except DataError as error:
        raise DataError(_named(mistake, source.shown) for mistake in error.mistakes) from error


def _column_names(source: FileSource | QuerySource, reader: Reader) -> tuple[str, ...]:
    """Return the names of a source's columns; if it is a file, one that can be read."""
    if isinstance(source, QuerySource):
        return reader.columns(_NOWHERE, _options(source, reader))
    check_file(source, reader)
    return reader.columns(source.path, _options(source, reader))


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
