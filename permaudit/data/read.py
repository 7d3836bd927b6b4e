"""Everything that an audit reads: the original on its own scales, and every other file on the same ones."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ParamSpec, Self, TypeVar

import pyarrow as pa

from permaudit.arrays import to_arrow
from permaudit.data.files import content_hash
from permaudit.data.linkage import ALL_ROWS, Match, match_by_key
from permaudit.data.load import load
from permaudit.data.memory import estimated_records, refuse_attributes, refuse_records
from permaudit.data.pairing import Pairer, Side
from permaudit.data.scales import ColumnError, NumericScale, read_taxonomy, refuse, scale_of
from permaudit.errors import DataError, Mistake, shown
from permaudit.model import Original
from permaudit.outcome import InputFile
from permaudit.plan import FileSource, GivenCandidate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    import numpy as np
    from numpy.random import Generator
    from numpy.typing import NDArray

    from permaudit.data.load import Loaded
    from permaudit.data.pairing import Paired
    from permaudit.data.scales import EncodedColumn, Scale
    from permaudit.model import Columns, Made, Reader
    from permaudit.plan import Attribute, Audit

    Given = ParamSpec("Given")
    Found = TypeVar("Found")
    Streams = Callable[[str], Generator]
    """Gives the random stream of a candidate by its name."""


_TOO_LONG = (
    "has numbers with more digits than 64 bits hold: no anonymizer can work on them; round or rescale them first"
)


@dataclass(frozen=True, slots=True, eq=False)
class Release:
    """A release beside the original: its columns, paired, and what is to be told about them."""

    paired: Paired
    encoded: Mapping[str, EncodedColumn]
    column_names: tuple[str, ...]
    sha256: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class AuditData:
    """The data of an audit, read, encoded and paired."""

    attributes: tuple[Attribute, ...]
    original: Loaded
    pairer: Pairer
    scales: Mapping[str, Scale]
    given: Mapping[str, Release]
    holdout: Columns | None
    inputs: tuple[InputFile, ...]
    """All files that were read, in the order of the audit file."""

    def made(self, made: Made, where: str, *, linked: bool, rng: Generator) -> Release:
        """Bring a release that an anonymizer made beside the original."""
        encoded = encode(made.table, self.scales, where)
        side = Side(where, encoded, made.table.num_rows)
        match = ALL_ROWS if made.rows is None else _rows_match(made.rows, self.original.records)
        paired = self.pairer.pair(side, match, linked=linked, rng=rng)
        paired = replace(paired, warnings=(*made.notes, *paired.warnings))
        return Release(paired, encoded, tuple(made.table.column_names))

    def for_anonymizers(self, *, study: bool) -> Original:
        """Return what anonymizers work on; raise where numbers are known by their order only."""
        mistakes = [
            Mistake(self.original.shown, None, None, f"column '{shown(name)}' {_TOO_LONG}")
            for name, scale in self.scales.items()
            if isinstance(scale, NumericScale) and not scale.in_own_units
        ]
        if mistakes:
            raise DataError(mistakes)
        encoded = self.pairer.original.columns
        table = pa.table(
            {
                attribute.name: to_arrow(encoded[attribute.name].codes, encoded[attribute.name].missing)
                if attribute.type == "numeric"
                else self.original.table[attribute.name]
                for attribute in self.attributes
            }
        )
        return Original(table, {attribute.name: attribute for attribute in self.attributes}, study)


def _rows_match(rows: NDArray[np.intp], records: int) -> Match:
    """Match released records to the original ones from which they were made."""
    return Match(original=rows, suppressed=records - len(rows))


def read_audit(audit: Audit, readers: Mapping[str, Reader], streams: Streams) -> AuditData:
    """Read the original, every given candidate and the holdout; raise with the mistakes of all of them."""
    attributes = [attribute.name for attribute in audit.attributes]
    given = [candidate for candidate in audit.candidates if isinstance(candidate, GivenCandidate)]
    keys = dict.fromkeys(name for candidate in given for name in candidate.key)
    sources = [audit.original, *(candidate.source for candidate in given)]
    refuse_attributes(audit.original.shown, len(attributes))
    refuse_records({source.shown: estimated_records(source) for source in sources}, len(attributes))
    with _Gathered() as gathered:
        original = gathered.call(load, audit.original, [*attributes, *keys], readers)
        loaded: dict[str, Loaded | None] = {
            candidate.name: gathered.call(load, candidate.source, [*attributes, *candidate.key], readers)
            for candidate in given
        }
        holdout = gathered.call(load, audit.holdout, attributes, readers) if audit.holdout is not None else None
    assert original is not None  # noqa: S101 - a failed load has raised above
    counts = {file.shown: file.records for file in (original, *loaded.values()) if file is not None}
    refuse_records(counts, len(attributes))
    attributes_in_full = _with_taxonomies(audit)
    scales = _scales(attributes_in_full, original)
    columns = {name: scale.original for name, scale in scales.items()}
    policies = {attribute.name: attribute.missing or audit.missing for attribute in audit.attributes}
    pairer = Pairer(Side(original.shown, columns, original.records), policies)
    releases: dict[str, Release | None] = {}
    with _Gathered() as gathered:
        for candidate in given:
            release = loaded[candidate.name]
            assert release is not None  # noqa: S101 - as above
            releases[candidate.name] = gathered.call(
                _release, candidate, release, original, pairer, scales, streams(candidate.name)
            )
        other = gathered.call(_holdout, holdout, scales, pairer) if holdout is not None else None
    return AuditData(
        attributes=attributes_in_full,
        original=original,
        pairer=pairer,
        scales=scales,
        given={name: release for name, release in releases.items() if release is not None},
        holdout=other,
        inputs=(
            *(
                file.input
                for file in (original, *loaded.values(), holdout)
                if file is not None and file.input is not None
            ),
            *_taxonomies(audit),
        ),
    )


def encode(
    table: pa.Table, scales: Mapping[str, Scale], where: str, *, released: bool = True
) -> dict[str, EncodedColumn]:
    """Encode the audited columns on the original's scales; raise with every column that does not fit."""
    encoded: dict[str, EncodedColumn] = {}
    mistakes = []
    for name, scale in scales.items():
        try:
            encoded[name] = scale.encode(table[name], released=released)
        except ColumnError as error:
            mistakes.append(_mistake(where, name, error))
    if mistakes:
        raise DataError(mistakes)
    return encoded


def _with_taxonomies(audit: Audit) -> tuple[Attribute, ...]:
    """Read the taxonomies that stand in files."""
    with _Gathered() as gathered:
        return tuple(
            replace(attribute, taxonomy=gathered.call(read_taxonomy, attribute.taxonomy))
            if isinstance(attribute.taxonomy, FileSource)
            else attribute
            for attribute in audit.attributes
        )


def _scales(attributes: Iterable[Attribute], original: Loaded) -> dict[str, Scale]:
    """Let the original define the scale of every attribute."""
    scales: dict[str, Scale] = {}
    mistakes = []
    for attribute in attributes:
        try:
            scales[attribute.name] = scale_of(attribute, original.table[attribute.name])
            _refuse_out_of_bounds(attribute, scales[attribute.name].original)
        except ColumnError as error:
            mistakes.append(_mistake(original.shown, attribute.name, error))
    if mistakes:
        raise DataError(mistakes)
    return scales


def _refuse_out_of_bounds(attribute: Attribute, column: EncodedColumn) -> None:
    """Refuse an original whose values lie outside the declared bounds."""
    if attribute.bounds is not None:
        low, high = attribute.bounds
        outside = (column.codes < low) | (column.codes > high)
        refuse(
            outside if column.missing is None else outside & ~column.missing,
            "value outside its bounds",
            "",
            "values outside its bounds",
        )


def _release(  # noqa: PLR0913, PLR0917 - one for each thing that meets here
    candidate: GivenCandidate,
    release: Loaded,
    original: Loaded,
    pairer: Pairer,
    scales: Mapping[str, Scale],
    rng: Generator,
) -> Release:
    """Encode and pair one given release."""
    encoded = encode(release.table, scales, release.shown)
    match = ALL_ROWS
    if candidate.written is not None and candidate.written.rows is not None:
        match = _rows_match(candidate.written.rows, original.records)
    elif candidate.key:
        match = match_by_key(original.table, release.table, candidate.key, original.shown, release.shown)
    side = Side(release.shown, encoded, release.records)
    paired = pairer.pair(side, match, linked=candidate.linkage != "none", rng=rng)
    if candidate.written is not None:
        paired = replace(paired, warnings=(*candidate.written.notes, *paired.warnings))
    return Release(paired, encoded, release.column_names, release.input.sha256 if release.input else None)


def _holdout(holdout: Loaded, scales: Mapping[str, Scale], pairer: Pairer) -> Columns:
    """Encode the holdout, which has the same types and the same policies as the original."""
    encoded = encode(holdout.table, scales, holdout.shown, released=False)
    return pairer.alone(Side(holdout.shown, encoded, holdout.records))


def _taxonomies(audit: Audit) -> list[InputFile]:
    """Return the files with taxonomies, by content."""
    sources = [attribute.taxonomy for attribute in audit.attributes]
    return [
        InputFile(path=source.shown, sha256=content_hash(source))
        for source in sources
        if isinstance(source, FileSource)
    ]


def _mistake(where: str, name: str, error: ColumnError) -> Mistake:
    """Name the column."""
    return Mistake(where, None, None, f"column '{shown(name)}' {error}")


class _Gathered:
    """Call several things that may find mistakes in data, and raise once, with all of them."""

    def __init__(self) -> None:
        """Start without a mistake."""
        self._mistakes: list[Mistake] = []

    def call(self, function: Callable[Given, Found], *arguments: Given.args, **named: Given.kwargs) -> Found | None:
        """Return what the function returns, or None where it found mistakes."""
        try:
            return function(*arguments, **named)
        except DataError as error:
            self._mistakes += error.mistakes
            return None

    def __enter__(self) -> Self:
        """Begin."""
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        """Raise what was found, unless something worse is on its way."""
        if error is None and self._mistakes:
            raise DataError(dict.fromkeys(self._mistakes))
