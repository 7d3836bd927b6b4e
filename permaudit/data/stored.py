"""Everything that an audit reads, where the files do not fit into memory together: one attribute after the other.

An attribute is read in all files, encoded on the original's scale and laid down on the shelf before the next one is read,
so that a few columns are held at a time, whatever their number. Where the engine lets others read, what can be encoded piece
by piece stays where it stands, and nobody reads it as a whole.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from permaudit.data.encode import StoredEncoded, encode, scales_of
from permaudit.data.load import Loaded, OpenedFile, extent_of, require_columns, waived_columns
from permaudit.data.maps import map_of
from permaudit.data.memory import refuse_attributes
from permaudit.data.pairing import Pairer, Side, refuse_missing
from permaudit.data.read import (
    AuditData,
    Gathered,
    in_plain_numbers,
    paired_release,
    taxonomies_of,
    unit_of,
    with_taxonomies,
)
from permaudit.data.spread import left_in_place
from permaudit.errors import DataError, Mistake
from permaudit.model import Extent
from permaudit.plan import FileSource, GivenCandidate, MadeCandidate, QuerySource, TableSource

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from permaudit.columns import Shelf
    from permaudit.data.read import Streams
    from permaudit.data.scales import Scale
    from permaudit.model import Reader
    from permaudit.outcome import InputFile
    from permaudit.plan import Attribute, Audit, Source

_SHARE = 8
"""What is read at a time may take this part of the memory: as it is read, encoded, and what lies between take their own."""
_CELL = 16
"""Bytes of a cell that is read, at least."""


class _Input:
    """One of the files: what is read of it lies on the shelf."""

    def __init__(self, source: Source, readers: Mapping[str, Reader], shelf: Shelf) -> None:
        """Look at the file."""
        self.source = source
        self._opened, self._table = None, pa.table({})
        if isinstance(source, FileSource):
            self._opened = OpenedFile(source, readers, shelf.each)
            self._known: tuple[tuple[str, ...], InputFile | None] = self._opened.column_names, self._opened.input
        elif isinstance(source, TableSource):
            self._table = source.table
            self._known = tuple(self._table.column_names), None
        self.encoded = StoredEncoded(shelf)
        self.records: int | None = None

    @property
    def opened(self) -> OpenedFile | None:
        """Return the file, if it is one."""
        return self._opened

    def require(self, columns: Sequence[str]) -> None:
        """Raise for each column that is missing."""
        if self._opened is not None:
            self._opened.require(columns)
        else:
            require_columns(self.loaded(), columns)

    def read(self, columns: Sequence[str], numbers: Collection[str] = ()) -> Loaded:
        """Read some columns; those in `numbers` need not be held as text."""
        if self._opened is None:
            table = self._table.select(list(columns))
        else:
            table = self._opened.read(columns, numbers=numbers)
        if table.num_rows == 0:
            raise DataError.one(self.source.shown, "has no records")
        if self.records not in {None, table.num_rows}:
            raise DataError.one(self.source.shown, "changed while it was read; try again when nobody writes to it")
        self.records = table.num_rows
        return self.loaded(table)

    def loaded(self, table: pa.Table | None = None) -> Loaded:
        """Return what is known of the file."""
        names, file = self._known
        return Loaded(self.source.shown, names, pa.table({}) if table is None else table, self.records or 0, file)

    @property
    def size(self) -> int:
        """Return how many bytes the file has."""
        return 0 if self._opened is None else self._opened.size

    @property
    def side(self) -> Side:
        """Return all that was read, encoded."""
        return Side(self.source.shown, self.encoded, self.records or 0)

    def refuse_changed(self) -> None:
        """Raise where the file is not the same any more."""
        if self._opened is not None:
            self._opened.refuse_changed()


def read_audit_stored(audit: Audit, readers: Mapping[str, Reader], streams: Streams, shelf: Shelf) -> AuditData:
    """Read the original, every given candidate and the holdout; raise with the mistakes of all of them."""
    given = [candidate for candidate in audit.candidates if isinstance(candidate, GivenCandidate)]
    sources: list[Source] = [audit.original, *(candidate.source for candidate in given)]
    if audit.holdout is not None:
        sources.append(audit.holdout)
    names = [attribute.name for attribute in audit.attributes]
    keys = list(dict.fromkeys(name for candidate in given for name in candidate.key))
    policies = {attribute.name: attribute.missing or audit.missing for attribute in audit.attributes}
    _refuse_whole_tables(audit, sources)
    refuse_attributes(audit.original.shown, len(names))
    with Gathered() as gathered:
        attributes = gathered.call(with_taxonomies, audit)
        files = [gathered.call(_Input, source, readers, shelf) for source in sources]
        for file, candidate in zip(files, [None, *given, None], strict=False):
            if file is not None:
                more = keys if file is files[0] else []
                if candidate is not None:
                    more = [*candidate.released_key, *waived_columns(audit, candidate.name)]
                gathered.call(file.require, [*names, *more])
        maps = [gathered.call(map_of, candidate, readers) for candidate in given]
    assert attributes is not None  # noqa: S101 - what failed has raised above
    inputs = [file for file in files if file is not None]
    original, others = inputs[0], inputs[1:]
    left = _left_in_place(attributes, inputs, shelf)
    units: dict[str, float | None] = dict.fromkeys(left, 1.0)
    with Gathered() as gathered:
        read = [attribute for attribute in attributes if attribute.name not in left]
        for group in _groups(read, inputs, readers, shelf):
            units |= _encode(group, original, others, len(given), gathered)
        pa.default_memory_pool().release_unused()  # arrow would hold on to the room of columns that are laid down
        for file in inputs:
            file.encoded.in_order(names)
            gathered.call(refuse_missing, file.side, policies)
        # What is left in place is read again and again: whether it stayed the same is seen at the end.
        for file in inputs if not left else []:
            gathered.call(file.refuse_changed)
    pairer = Pairer(original.side, policies, shelf)
    with Gathered() as gathered:
        releases = {}
        for candidate, file, held in zip(given, others, maps, strict=False):
            first, second = (
                one.read(key) if key else one.loaded()
                for one, key in ((original, candidate.key), (file, candidate.released_key))
            )
            releases[candidate.name] = gathered.call(
                paired_release, candidate, second, file.side, first, held, pairer, streams(candidate.name)
            )
    found = [file.loaded().input for file in inputs] + [held.input for held in maps if held is not None]
    return AuditData(
        attributes=attributes,
        original=original.loaded(),
        pairer=pairer,
        scales={},
        given={name: release for name, release in releases.items() if release is not None},
        holdout=None if audit.holdout is None else pairer.alone(others[-1].side),
        holdout_apart=None if audit.holdout is None else pairer.alone_apart(others[-1].side),
        inputs=(*(file for file in found if file is not None), *taxonomies_of(audit)),
        units=units,
        checks=tuple(file.refuse_changed for file in inputs) if left else (),
    )


def _left_in_place(attributes: Sequence[Attribute], inputs: Sequence[_Input], shelf: Shelf) -> frozenset[str]:
    """Let others read, check and encode what they can where it stands; return these attributes."""
    files = [file.opened for file in inputs if file.opened is not None]
    if shelf.each is None or len(files) < len(inputs):
        return frozenset()
    found = left_in_place(attributes, files, shelf.each)
    for file, columns in zip(inputs, found, strict=True):
        for name, column in columns.items():
            file.encoded.leave(name, column.codes, column.missing, column.gaps, column.statements)
            file.records = column.codes.size
    return frozenset(found[0])


def _encode(
    group: Sequence[Attribute], original: _Input, others: Sequence[_Input], releases: int, gathered: Gathered
) -> dict[str, float | None]:
    """Read some attributes in every file, the releases first, and lay them down as numbers; return their units."""
    columns = [attribute.name for attribute in group]
    numeric = {attribute.name for attribute in group if attribute.type == "numeric"}
    read = gathered.call(original.read, columns, numeric)
    if read is None:
        return {}
    scales = scales_of(group, read)
    gathered.mistakes += scales.mistakes
    original.encoded.add(scales.original)
    for place, file in enumerate(others):
        gathered.call(_encode_other, file, scales.every, columns, released=place < releases)
    return {name: unit_of(scale) for name, scale in scales.every.items()}


def _encode_other(file: _Input, scales: Mapping[str, Scale], columns: Sequence[str], *, released: bool) -> None:
    """Read some attributes of one file, and lay them down on the original's scales."""
    read = file.read(columns, {name for name, scale in scales.items() if in_plain_numbers(scale)})
    file.encoded.add(encode(read.let_go, scales, file.source.shown, released=released))


def _groups(
    attributes: Sequence[Attribute], inputs: Sequence[_Input], readers: Mapping[str, Reader], shelf: Shelf
) -> Iterator[Sequence[Attribute]]:
    """Part the attributes: as many at a time as fit, since text is read from the beginning for each group."""
    names = [attribute.name for attribute in attributes]
    if not names:
        return
    largest = 1
    for file in inputs:
        extent = extent_of(file.source, names, readers) or Extent(0)
        largest = max(largest, extent.records * _CELL + max(file.size, extent.bytes) // len(names))
    at_once = max(1, shelf.memory // _SHARE // largest)
    for start in range(0, len(attributes), at_once):
        yield attributes[start : start + at_once]


def _refuse_whole_tables(audit: Audit, sources: Sequence[Source]) -> None:
    """Refuse what can be had only as a whole."""
    mistakes = [
        Mistake(source.shown, None, None, "a query gives its table at once; export it to Parquet first")
        for source in sources
        if isinstance(source, QuerySource)
    ]
    mistakes += [
        Mistake(
            f"candidate {candidate.name}",
            None,
            None,
            "an anonymizer needs the whole original in memory; make the release first and audit the file",
        )
        for candidate in audit.candidates
        if isinstance(candidate, MadeCandidate)
    ]
    if mistakes:
        raise DataError(dict.fromkeys(mistakes))
