"""Everything that an audit reads: the original on its own scales, and every other file on the same ones."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ParamSpec, Self, TypeVar

import numpy as np
import pyarrow as pa

from permaudit.arrays import to_arrow
from permaudit.data.categories import told_by_ties
from permaudit.data.displaced import displaced
from permaudit.data.encode import Scales, encode, scales_of
from permaudit.data.files import content_hash
from permaudit.data.in_order import order_of
from permaudit.data.linkage import ALL_ROWS, Match, match_by_key
from permaudit.data.load import extent_of, load, require_columns, waived_columns
from permaudit.data.maps import follows_a_direction, map_of, match_by_map
from permaudit.data.memory import Room, TooLargeError, refuse_attributes
from permaudit.data.outside import told_outside
from permaudit.data.own_values import own_values_in
from permaudit.data.pairing import Pairer, Side, refuse_missing
from permaudit.data.scales import DatetimeScale, NumericScale, read_taxonomy
from permaudit.errors import DataError, Mistake, shown
from permaudit.model import Original
from permaudit.outcome import InputFile
from permaudit.plan import FileSource, GivenCandidate

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from numpy.random import Generator
    from numpy.typing import NDArray

    from permaudit.data.categories import Tied
    from permaudit.data.load import Loaded
    from permaudit.data.pairing import Paired
    from permaudit.data.scales import EncodedColumn, Scale
    from permaudit.model import Columns, Displaced, Made, Order, OwnValues, Reader
    from permaudit.plan import Attribute, Audit, Candidate, Source

    Given = ParamSpec("Given")
    Found = TypeVar("Found")
    Streams = Callable[[str], Generator]
    """Gives the random stream of a candidate by its name."""


_NO_SCALES = Scales({}, frozenset(), ())
_TOO_LONG = (
    "has numbers with more digits than 64 bits hold: no anonymizer can work on them; round or rescale them first"
)


_NO_DISTANCE = (
    "has numbers with more digits than 64 bits hold, which are known by their order only: a tolerance says nothing there; "
    "remove it, or round or rescale the numbers first"
)


@dataclass(frozen=True, slots=True, eq=False)
class Release:
    """A release beside the original: its columns, paired, and what is to be told about them."""

    paired: Paired
    encoded: Mapping[str, EncodedColumn]
    column_names: tuple[str, ...]
    sha256: str | None = None
    match: Match = ALL_ROWS
    """Which of its records come from which of the original's."""


@dataclass(frozen=True, slots=True, eq=False)
class AuditData:
    """The data of an audit, read, encoded and paired."""

    attributes: tuple[Attribute, ...]
    original: Loaded
    pairer: Pairer
    scales: Mapping[str, Scale]
    given: Mapping[str, Release]
    holdout: Columns | None
    holdout_apart: Columns | None
    """The holdout with categories kept apart that tie."""
    inputs: tuple[InputFile, ...]
    """All files that were read, in the order of the audit file."""
    units: Mapping[str, float | None]
    """By how much the codes of each attribute grow with its own unit; None where they only keep the order."""
    checks: tuple[Callable[[], None], ...] = ()
    """Each raises where a file that is read again and again did not stay the same."""

    def refuse_changed(self) -> None:
        """Raise with every file that is not the same any more."""
        with Gathered() as gathered:
            for check in self.checks:
                gathered.call(check)

    def made(self, made: Made, where: str, *, linked: bool, rng: Generator) -> Release:
        """Bring a release that an anonymizer made beside the original."""
        scales = {name: scale for name, scale in self.scales.items() if name in made.table.column_names}
        encoded = encode(made.table.column, scales, where)
        side = Side(where, encoded, made.table.num_rows)
        match = ALL_ROWS if made.rows is None else _rows_match(made.rows, self.original.records)
        paired = self.pairer.pair(side, match, linked=linked, rng=rng)
        paired = replace(paired, warnings=(*made.notes, *paired.warnings))
        return Release(paired, encoded, tuple(made.table.column_names), match=match)

    def own_values(self, release: Release, rng: Generator, *, linked: bool) -> tuple[OwnValues, ...]:
        """Count how often the cells of a release give people's own values, read in ways that no rank shows."""
        return own_values_in(self.pairer.original.columns, release.encoded, release.match, rng, linked=linked)

    def order(self, candidate: Candidate, release: Release) -> Order | None:
        """Say how the records of a release stand in the order of the original, where the linkage does not say that they do.

        Keys of which nobody can tell where they come from say nothing of the order; a map that goes with other records than
        the rows do is wrong.
        """
        is_keyed = isinstance(candidate, GivenCandidate) and candidate.linkage == "key"
        if isinstance(candidate, GivenCandidate) and is_keyed and candidate.map is None:
            return None
        found = order_of(release.paired.original, release.paired.release)
        match = release.match
        if not is_keyed or match.original is None or match.release is None:
            return found
        as_written = np.argsort(match.release)
        if found in {"shifted", "reversed"} or follows_a_direction(match.original[as_written]):
            return None if found == "in place" else found
        return order_of(self.pairer.whole, self.pairer.filled_in(release.encoded))

    def displaced(self, release: Release) -> Displaced | None:
        """Count the stretches of a linked release that stand for other records: in the original's order, and as they are released."""
        found = displaced(release.paired.original, release.paired.release)
        rows, kept = release.match.release, release.paired.kept
        if found is None or found.found or rows is None:
            return found
        as_written = np.argsort(rows if kept is None else rows[kept])
        if (np.diff(as_written) == 1).all():
            return found
        return displaced(release.paired.original, release.paired.release, as_written)

    def told_outside(self, release: Release, scope: Collection[str], *, linked: bool) -> dict[str, str]:
        """Say which attributes outside of a scope tell people apart."""
        names = [name for name in release.encoded if name not in scope]
        original = {name: self.pairer.original.columns[name] for name in names}
        released = {name: release.encoded[name] for name in names}
        return told_outside(original, released, release.match, linked=linked)

    def told_by_ties(self, release: Release, *, linked: bool) -> Tied:
        """Say what categories of a release tell beyond their ranks."""
        return told_by_ties(self.pairer.original.columns, release.encoded, release.match, linked=linked)

    def tolerances(self) -> dict[str, float]:
        """Return the declared tolerances in the units of the columns; raise where numbers are known by their order only."""
        found, mistakes = {}, []
        for attribute in self.attributes:
            if attribute.tolerance is None:
                continue
            unit = self.units[attribute.name]
            if unit is None:
                text = f"column '{shown(attribute.name)}' {_NO_DISTANCE}"
                mistakes.append(Mistake(self.original.shown, None, None, text))
                continue
            found[attribute.name] = attribute.tolerance * unit
        if mistakes:
            raise DataError(mistakes)
        return found

    def for_anonymizers(self, names: Collection[str] = (), *, study: bool) -> Original:
        """Return what anonymizers work on, all attributes or some; raise where numbers are known by their order only."""
        wanted = [attribute for attribute in self.attributes if not names or attribute.name in names]
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
                for attribute in wanted
            }
        )
        return Original(table, {attribute.name: attribute for attribute in wanted}, study)


def _rows_match(rows: NDArray[np.intp], records: int) -> Match:
    """Match released records to the original ones from which they were made."""
    return Match(original=rows, suppressed=records - len(rows))


def read_audit(audit: Audit, readers: Mapping[str, Reader], streams: Streams, memory: int | None = None) -> AuditData:
    """Read the original, every given candidate and the holdout; raise with the mistakes of all of them.

    Each file is encoded before the next one is read, so that the text of one file at most is held. What cannot fit into
    memory, or into as much as is given, is refused.
    """
    names = [attribute.name for attribute in audit.attributes]
    given = [candidate for candidate in audit.candidates if isinstance(candidate, GivenCandidate)]
    keys = [name for candidate in given for name in candidate.key]
    policies = {attribute.name: attribute.missing or audit.missing for attribute in audit.attributes}
    sources = [audit.original, *(candidate.source for candidate in given)]
    if audit.holdout is not None:
        sources.append(audit.holdout)
    room = _room(sources, names, readers, memory)
    with Gathered() as gathered:
        attributes = gathered.call(with_taxonomies, audit)
        numeric = {one.name for one in audit.attributes if one.type == "numeric"} - {*keys}
        original = gathered.call(load, audit.original, [*names, *keys], readers, room.teller(0), numeric)
        scales = scales_of(attributes, original) if attributes is not None and original is not None else _NO_SCALES
        gathered.mistakes += scales.mistakes
        whole = Side(audit.original.shown, scales.original, 0 if original is None else original.records)
        gathered.call(refuse_missing, whole, policies)

        plain = {name for name, scale in scales.every.items() if in_plain_numbers(scale)}

        def side_of(place: int, columns: Sequence[str], *, released: bool) -> tuple[Loaded, Side] | None:
            file = gathered.call(
                load, sources[place], [*names, *columns], readers, room.teller(place), plain - {*columns}
            )
            side = None if file is None else gathered.call(encoded_side, file, scales, released=released)
            if file is None or side is None:
                return None
            gathered.call(refuse_missing, side, policies)
            return file, side

        sides = [side_of(place, candidate.released_key, released=True) for place, candidate in enumerate(given, 1)]
        maps = [gathered.call(map_of, candidate, readers) for candidate in given]
        holdout = None if audit.holdout is None else side_of(len(given) + 1, (), released=False)
        for candidate, one in zip(given, sides, strict=True):
            if one is not None:
                gathered.call(require_columns, one[0], waived_columns(audit, candidate.name))
    assert original is not None  # noqa: S101 - what failed has raised above
    assert attributes is not None  # noqa: S101 - as above
    there = [one for one in sides if one is not None]
    pairer = Pairer(whole, policies)
    with Gathered() as gathered:
        releases = {
            candidate.name: gathered.call(
                paired_release, candidate, *one, original, held, pairer, streams(candidate.name)
            )
            for candidate, one, held in zip(given, there, maps, strict=True)
        }
    files = [original, *(file for file, _ in there), *([] if holdout is None else [holdout[0]])]
    files += [held for held in maps if held is not None]
    return AuditData(
        attributes=attributes,
        original=original,
        pairer=pairer,
        scales=scales.every,
        given={name: release for name, release in releases.items() if release is not None},
        holdout=None if holdout is None else pairer.alone(holdout[1]),
        holdout_apart=None if holdout is None else pairer.alone_apart(holdout[1]),
        inputs=(*(file.input for file in files if file.input is not None), *taxonomies_of(audit)),
        units={name: unit_of(scale) for name, scale in scales.every.items()},
    )


def _room(
    sources: Sequence[Source], attributes: Sequence[str], readers: Mapping[str, Reader], memory: int | None
) -> Room:
    """Look how much there is to read; raise where that is too much."""
    refuse_attributes(sources[0].shown, len(attributes))
    room = Room([source.shown for source in sources], len(attributes), memory)
    for place, source in enumerate(sources):
        extent = extent_of(source, attributes, readers)
        if extent is not None:
            room.learn(place, extent)
    return room


def unit_of(scale: Scale) -> float | None:
    """Return by how much codes grow with the unit that tolerances are declared in; None where they only keep the order."""
    if isinstance(scale, DatetimeScale):
        return scale.per_day
    return None if isinstance(scale, NumericScale) and not scale.in_own_units else 1.0


def in_plain_numbers(scale: Scale) -> bool:
    """Tell whether other files can be read as numbers on a scale: it does not need all digits of their text."""
    return isinstance(scale, NumericScale) and scale.in_own_units


def encoded_side(file: Loaded, scales: Scales, *, released: bool) -> Side:
    """Encode one file on the original's scales, as far as there are any."""
    return Side(file.shown, encode(file.let_go, scales.every, file.shown, released=released), file.records)


def with_taxonomies(audit: Audit) -> tuple[Attribute, ...]:
    """Read the taxonomies that stand in files."""
    with Gathered() as gathered:
        return tuple(
            replace(attribute, taxonomy=gathered.call(read_taxonomy, attribute.taxonomy))
            if isinstance(attribute.taxonomy, FileSource)
            else attribute
            for attribute in audit.attributes
        )


def paired_release(  # noqa: PLR0913, PLR0917 - one for each thing that meets here
    candidate: GivenCandidate,
    release: Loaded,
    side: Side,
    original: Loaded,
    held: Loaded | None,
    pairer: Pairer,
    rng: Generator,
) -> Release:
    """Pair one given release, by its map where it is given one."""
    match = ALL_ROWS
    if candidate.written is not None and candidate.written.rows is not None:
        match = _rows_match(candidate.written.rows, original.records)
    elif held is not None:
        match = match_by_map(candidate, held, original, release)
    elif candidate.key:
        match = match_by_key(original.table, release.table, candidate.key, original.shown, release.shown)
    paired = pairer.pair(side, match, linked=candidate.linkage != "none", rng=rng)
    if candidate.written is not None:
        paired = replace(paired, warnings=(*candidate.written.notes, *paired.warnings))
    sha256 = release.input.sha256 if release.input else None
    return Release(paired, side.columns, release.column_names, sha256, match)


def taxonomies_of(audit: Audit) -> list[InputFile]:
    """Return the files with taxonomies, by content."""
    sources = [attribute.taxonomy for attribute in audit.attributes]
    return [
        InputFile(path=source.shown, sha256=content_hash(source))
        for source in sources
        if isinstance(source, FileSource)
    ]


class Gathered:
    """Call several things that may find mistakes in data, and raise once, with all of them.

    Only what does not fit into memory is told at once.
    """

    def __init__(self) -> None:
        """Start without a mistake."""
        self.mistakes: list[Mistake] = []

    def call(self, function: Callable[Given, Found], *arguments: Given.args, **named: Given.kwargs) -> Found | None:
        """Return what the function returns, or None where it found mistakes."""
        try:
            return function(*arguments, **named)
        except TooLargeError:
            raise
        except DataError as error:
            self.mistakes += error.mistakes
            return None

    def __enter__(self) -> Self:
        """Begin."""
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        """Raise what was found, unless something worse is on its way."""
        if error is None and self.mistakes:
            raise DataError(dict.fromkeys(self.mistakes))
