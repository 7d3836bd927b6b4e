"""One original beside its releases: which attributes enter, and the moments of each pair."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from permaudit.columns import drawn_down, length, select, taken, varies, varying
from permaudit.errors import DataError, shown
from permaudit.model import Comparison, Rows
from permaudit.outcome import Excluded
from permaudit.permutation.ground import ground_of
from permaudit.references import references_of
from permaudit.subsamples import subsamples_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.random import Generator

    from permaudit.cards import Kind
    from permaudit.data import Paired
    from permaudit.model import Columns, Engine, Moments, References
    from permaudit.permutation.ground import Ground
    from permaudit.plan import Role
    from permaudit.streams import Streams
    from permaudit.subsamples import Subsamples

DRAWS = 5
"""How often the larger of two unlinked files of different size is drawn down to the smaller."""

_NEARLY_ALL = 0.99
"""Above this share of one value a column has hardly any order."""
_FEWEST_LEFT = 10
"""Of fewer records the order can be the original's by chance."""
_FEWEST_READ = 30
"""Of fewer records three points together may tell the order by chance."""
_LOW_NULL = 0.9
"""Below this null level unrelated files look linked."""
_CONSTANT = "constant in the original: there is no order to protect"
_PUBLIC = "not among the attributes that must be protected: known to everybody anyway"


@dataclass(frozen=True, slots=True, kw_only=True)
class What:
    """What kind of release is compared, and what is wanted of the comparison."""

    kind: Kind
    linked: bool
    references: bool = False
    mirrored: bool = False
    intervals: bool = False
    scope: frozenset[str] | None = None
    """The attributes that must be protected; None for all."""
    roles: Mapping[str, Role | None] = field(default_factory=dict)
    """What an intruder may know of each attribute."""


@dataclass(frozen=True, slots=True, eq=False)
class Compared:
    """All comparisons of one candidate, and what they leave out."""

    comparisons: tuple[Comparison, ...] = ()
    bounds: tuple[Comparison, ...] = ()
    """The same, as if every record that was left out for a missing value had been released unchanged."""
    left: tuple[Comparison, ...] = ()
    """Each attribute that is suppressed for some, alone, among the records where it is not."""
    by_points: Mapping[str, Comparison] = field(default_factory=dict)
    """Ranges and sets by their points instead of their middle: linked, each attribute beside all points; else file by file."""
    excluded: tuple[Excluded, ...] = ()
    warnings: tuple[str, ...] = ()
    ground: Ground | None = None
    """On how much the first comparison stands."""
    subsamples: Subsamples | None = None
    """For the intervals, where they are wanted."""

    @property
    def attributes(self) -> tuple[str, ...]:
        """Return the attributes that entered."""
        return self.comparisons[0].moments.attributes if self.comparisons else ()

    @property
    def unchanged(self) -> tuple[str, ...]:
        """Return the attributes that keep every rank in some comparison, or what is left of them does."""
        bare = {
            name
            for pair in (*self.comparisons, *self.left)
            for name, same in zip(pair.moments.attributes, pair.moments.unchanged, strict=True)
            if same
        }
        return tuple(name for name in self.attributes if name in bare)


class Comparer:
    """Compare releases with one original, whose columns are ranked once."""

    def __init__(  # noqa: PLR0913 - what all candidates share
        self,
        engine: Engine,
        whole: Columns,
        holdout: Columns | None,
        streams: Streams,
        tolerances: Mapping[str, float] | None = None,
        *,
        holdout_apart: Columns | None = None,
    ) -> None:
        """Take the engine, the whole original, the records that were not used for any release, and declared tolerances.

        The holdout is there twice where it has categories: as they rank, and kept apart.
        """
        self._engine = engine
        self._whole = select(whole, varying(whole))
        self._original = whole
        self._holdout = holdout
        self._holdout_apart = holdout if holdout_apart is None else holdout_apart
        self._streams = streams
        self._tolerances = tolerances or {}
        self._prepared: Any = None
        self._references: dict[tuple[tuple[str, ...], bool], References] = {}

    def refuse_size(self, paired: Paired, where: str) -> None:
        """Raise where there are too few records to compare so many attributes."""
        records = min(length(paired.original), length(paired.release))
        attributes = len(varying(paired.original)) if records else len(paired.original)
        if records <= 2 * attributes + 1:
            what = f"{records} records are too few to compare {attributes} attribute{'s' * (attributes != 1)}"
            raise DataError.one(where, f"{what}; needed are {2 * attributes + 2}")

    def compare(self, pairs: Sequence[Paired], what: What, rng: Generator) -> Compared:
        """Return the comparisons of a candidate: one for each replicate, or several draws where sizes differ."""
        vary = _common([varying(paired.original) for paired in pairs])
        names = [name for name in vary if what.scope is None or name in what.scope]
        excluded = [
            Excluded(attribute=name, reason=_PUBLIC if name in vary else _CONSTANT)
            for name in pairs[0].original
            if name not in names
        ]
        warnings = [note for paired in pairs[:1] for note in paired.warnings]
        warnings += [
            f"attribute '{shown(name)}' is constant in the release: it counts as linked to nothing"
            for name in names
            if not all(varies(paired.release, name) for paired in pairs)
        ]
        sizes = {(length(paired.original), length(paired.release)) for paired in pairs}
        if any(original != release for original, release in sizes):
            larger = "the original" if all(original > release for original, release in sizes) else "the release"
            size = min(min(both) for both in sizes)
            warnings.append(f"{larger} was drawn down at random to {size} records, {DRAWS} times; values are means")
        found: list[Comparison] = []
        bounds: list[Comparison] = []
        ranked: list[tuple[Columns, Columns]] = []
        if names:
            for paired in pairs:
                beside, files = self._pairs(paired.original, paired.release, names, what, rng, paired.apart)
                found += _beside(paired, beside, names)
                ranked.append(files)
                if paired.bound is not None:
                    bounds += self._bounds(paired, paired.bound, names, what, rng)
        ground = ground_of(found[0].moments) if found else None
        errors = [pair.moments.by_key_error for pair in (*found, *bounds) if pair.moments.by_key_error is not None]
        if errors:
            warnings.append(
                "moments by key are approximate: all canonical correlations of a key together are off by at most "
                f"{max(errors):.3g}, with a probability of 0.999999; metrics that look at keys are the worst values that this allows"
            )
        if ground is not None:
            warnings += _thin_ground(ground, found[0].moments)
        subsamples = self._subsamples(*ranked[0], what) if ranked and what.intervals else None
        left = [pair for paired in pairs for pair in self._left(paired, names, what)] if what.linked else []
        warnings += [_told_of_rest(pair.moments) for pair in left]
        by_points: dict[str, Comparison] = {}
        for paired in pairs:
            for name, pair in self._by_points(paired, names, what, rng):
                by_points[f"{name} {len(by_points)}" if name in by_points else name] = pair
        return Compared(
            tuple(found),
            tuple(bounds),
            tuple(left),
            by_points,
            tuple(excluded),
            tuple(dict.fromkeys(warnings)),
            ground,
            subsamples,
        )

    def _bounds(
        self, paired: Paired, bound: tuple[Columns, Columns], names: Sequence[str], what: What, rng: Generator
    ) -> list[Comparison]:
        """Compare with dropped records as if they were released unchanged, and show them as they were."""
        pairs, _ = self._pairs(*bound, names, what, rng)
        shown_as = paired if paired.apart is None else paired.apart
        if shown_as.seen is None:
            return _beside(paired, pairs, names)
        original, release = shown_as.seen
        # By what categories are, where there are some.
        holdout = self._holdout if paired.apart is None else self._holdout_apart
        rows = Rows(select(original, names), select(release, names), holdout)
        return _beside(shown_as, [replace(pair, rows=rows) for pair in pairs], names)

    def _by_points(
        self, paired: Paired, names: Sequence[str], what: What, rng: Generator
    ) -> Iterator[tuple[str, Comparison]]:
        """Compare the points of ranges and sets: an order that is gone from their middles may be there all the same."""
        if not what.linked:
            for reading, release in paired.read.items():
                if names:
                    yield reading, self._pairs(paired.original, release, names, what, rng)[0][0]
            return
        for name in names if paired.read else ():
            points = [release[name] for release in paired.read.values()]
            rows = paired.left.get(name)
            rows = np.arange(len(points[0])) if rows is None else rows
            own = np.asarray(paired.original[name])[rows]
            if rows.size < _FEWEST_READ or bool((own == own[0]).all()):
                continue
            if all(np.array_equal(column, paired.release[name]) for column in points):
                continue  # all plain values
            original = dict.fromkeys(paired.read, own)
            release = {reading: column[rows] for reading, column in zip(paired.read, points, strict=True)}
            moments = self._engine.moments(self._engine.prepare(original), self._engine.prepare(release))
            yield name, Comparison(what.kind, what.linked, moments)

    def _left(self, paired: Paired, names: Sequence[str], what: What) -> Iterator[Comparison]:
        """Compare what is left of each attribute that is suppressed for some: gaps would hide how bare it is."""
        for name, rows in paired.left.items():
            original, release = (taken(select(side, [name]), rows) for side in (paired.original, paired.release))
            if name in names and rows.size >= _FEWEST_LEFT and varies(original, name):
                moments = self._engine.moments(self._engine.prepare(original), self._engine.prepare(release))
                yield Comparison(what.kind, what.linked, moments)

    def _subsamples(self, original: Columns, release: Columns, what: What) -> Subsamples | None:
        """Draw subsamples of the first comparison: the same records for every candidate, which are compared all the better."""
        rng = self._streams("", "subsamples")
        return subsamples_of(original, release, rng, linked=what.linked, mirrored=what.mirrored)

    def _pairs(  # noqa: PLR0913, PLR0917 - two files, and what is known of them
        self,
        original: Columns,
        release: Columns,
        names: Sequence[str],
        what: What,
        rng: Generator,
        apart: Paired | None = None,
    ) -> tuple[list[Comparison], tuple[Columns, Columns]]:
        """Compare two files, drawing the larger down to the smaller where their sizes differ; return both whole, too.

        Where the engine has their ranks at hand, these come back instead of the values: samples of them compare alike.
        """
        is_whole = original is self._original and len(names) == len(self._whole)
        first = self._whole if is_whole else select(original, names)
        second = select(release, names)
        size = min(length(first), length(second))
        pairs, files = [], (first, second)
        for _ in range(1 if length(first) == length(second) else DRAWS):
            one = first if length(first) == size else drawn_down(first, size, rng)
            other = second if length(second) == size else drawn_down(second, size, rng)
            prepared = self._prepare(one), self._engine.prepare(other)
            moments = self._engine.moments(*prepared, mirrored=what.mirrored)
            rows = Rows(first, second, self._holdout, apart=self._rows_apart(apart, names))
            if one is first and other is second:
                rows = replace(rows, original_order=_order_of(prepared[0]), release_order=_order_of(prepared[1]))
                files = _ranks_of(prepared[0]) or first, _ranks_of(prepared[1]) or second
            references = self._refer(tuple(names), mirrored=what.mirrored) if what.references else None
            pairs.append(Comparison(what.kind, what.linked, moments, rows, references, self._tolerances, what.roles))
        return pairs, files

    def _rows_apart(self, apart: Paired | None, names: Sequence[str]) -> Rows | None:
        """Return both files with categories kept apart that tie, where there are some."""
        if apart is None:
            return None
        left_out = None if apart.left_out is None else select(apart.left_out, names)
        return Rows(select(apart.original, names), select(apart.release, names), self._holdout_apart, left_out)

    def _refer(self, names: tuple[str, ...], *, mirrored: bool) -> References:
        """Compare the whole original with strangers and with itself, once for all candidates."""
        if (names, mirrored) not in self._references:
            original = select(_ranks_of(self._prepared) or self._original, names)
            self._references[names, mirrored] = references_of(
                original, self._holdout, self._streams("", "references"), mirrored=mirrored
            )
        return self._references[names, mirrored]

    def _prepare(self, columns: Columns) -> Any:
        """Rank a file; the whole original only once for all candidates."""
        if columns is not self._whole:
            return self._engine.prepare(columns)
        if self._prepared is None:
            self._prepared = self._engine.prepare(columns)
        return self._prepared


def _order_of(prepared: Any) -> Columns | None:
    """Return the order of a file by each attribute, where the engine has put its columns in order and says so."""
    return getattr(prepared, "order_by_attribute", None)


def _ranks_of(prepared: Any) -> Columns | None:
    """Return the ranks of a file by attribute, where the engine has them at hand and says so."""
    return getattr(prepared, "ranks_by_attribute", None)


def _beside(paired: Paired, pairs: list[Comparison], names: Sequence[str]) -> list[Comparison]:
    """Show the records that are said to be left out to whoever looks at records: they may have been released all the same."""
    if paired.left_out is None:
        return pairs
    others = select(paired.left_out, names)
    return [replace(pair, rows=pair.rows and replace(pair.rows, left_out=others)) for pair in pairs]


def _told_of_rest(moments: Moments) -> str:
    """Say that what is left of an attribute is judged on its own."""
    return (
        f"attribute '{shown(moments.attributes[0])}' has a value on both sides in {moments.records} records only; the order "
        "of these is judged on its own, too"
    )


def _thin_ground(ground: Ground, moments: Moments) -> list[str]:
    """Say where numbers stand on little: attributes that repeat each other, hardly vary, or are many for the records."""
    notes = []
    for side, found in (("original", ground.original), ("release", ground.release)):
        if found.rank < found.varying:
            notes.append(
                f"the {found.varying} attributes that vary in the {side} have rank {found.rank}: some repeat or determine "
                "others, and what they share counts once"
            )
        notes += [
            f"attribute '{shown(name)}': 99 % or more of the records of the {side} have the same value, and hardly any order"
            for name, share in zip(moments.attributes, found.commonest, strict=True)
            if _NEARLY_ALL <= share < 1
        ]
    if ground.null < _LOW_NULL:
        notes.append(
            f"{moments.records} records are few for {len(moments.attributes)} attributes: taken together, the links of "
            f"unrelated files would leave {ground.null:.2f} where 1 stands for no link at all; compare with the null level"
        )
    return notes


def _common(originals: Sequence[Sequence[str]]) -> list[str]:
    """Return the attributes that vary in every one of them."""
    return [name for name in originals[0] if all(name in names for names in originals)]
