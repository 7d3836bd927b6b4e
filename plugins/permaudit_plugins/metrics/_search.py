"""Every look that is taken at a release for copies: which records are looked at, and beside which strangers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from permaudit_plugins.metrics._closeness import close_in_part, closeness, some_of
from permaudit_plugins.metrics._closest import Crowd, closest_own, closest_sighting
from permaudit_plugins.metrics._disguises import disguises, undisguised
from permaudit_plugins.metrics._equal import Lookup, count_equal_in_part, parts_of, rare_by_chance
from permaudit_plugins.metrics._extremes import kept_anywhere, kept_in_place
from permaudit_plugins.metrics._files import moved, orders_of_pairs
from permaudit_plugins.metrics._in_place import Pairs, in_order, needed_in_part
from permaudit_plugins.metrics._mostly import FEWEST_ATTRIBUTES, MOST_LOOKED, Agreement, most_among, mostly_sighting
from permaudit_plugins.metrics._near import (
    Found,
    Looked,
    near_sighting,
    own_sighting,
    within_sighting,
)
from permaudit_plugins.metrics._nearest import Index, default_tolerance
from permaudit_plugins.metrics._own_cells import own_cells
from permaudit_plugins.metrics._own_values import own_values_sighting
from permaudit_plugins.metrics._places import lines_of, placed, ruler_of, scale_of
from permaudit_plugins.metrics._recoded import recoded, same_groups
from permaudit_plugins.metrics._sighting import Sighting, most, surprise
from permaudit_plugins.metrics._strangers import strangers_of
from permaudit_plugins.metrics._tuples import tuples_sighting

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.random import Generator
    from numpy.typing import NDArray

    from permaudit.model import Floats
    from permaudit_plugins.metrics._disguises import Disguise
    from permaudit_plugins.metrics._files import File, Files, Ladder
    from permaudit_plugins.metrics._places import Ruler, Scale
    from permaudit_plugins.metrics._strangers import Strangers

_MOST_NEAR = 10_000
"""Near copies are looked for among so many released records at most, drawn at random; equal ones among all."""
_MOST_CLOSE = 4_000
"""So many released records tell how close the files are on average."""
_MOST_DISGUISED = 2_000
"""So many are looked at in each disguise."""
_ROUNDS = ((125, 8), (400, 2))
"""So many records tell which disguises fit best, and so many of these are looked at more closely."""
_REACH = 1.5
"""Closeness is measured within so many times the distance at which half of the strangers have found a neighbour."""
_MOST_INSIDE = 20_000
"""So many records of a file tell how close they are to each other."""
_FEW_FOUND = 3
"""So few finds are within what the rule allows beyond chance, whatever that is."""
_FEWEST_DIFFERENT = 10
"""Among fewer different records, being near to one says nothing."""


@dataclass(frozen=True, slots=True, eq=False)
class _Placed:
    """The files on the original's scales of ranks, and what is nearest there to some released records and to strangers."""

    places: Floats
    index: Index
    some: NDArray[np.intp]
    """Which released records are looked at."""
    found: Found
    known: Sequence[Sequence[Found]]

    @property
    def reach(self) -> float:
        """Return within which distance closeness is measured."""
        return _reach(self.known[-1][0])


@dataclass(frozen=True, eq=False)
class Search:
    """A release beside its original, in an order in which rows leave no trace, and the strangers to hold it against.

    What only chance needs to be told is drawn when it is asked for: where nothing was found, there is nothing to explain.
    """

    files: Files
    own: NDArray[np.intp] | None
    """Of a linked release: the row of each record's original."""
    strangers: tuple[Strangers, ...]
    rng: Generator

    @classmethod
    def of(cls, files: Files, rng: Generator, *, linked: bool) -> Search:
        """Put the files in order."""
        original, release, own = files.original, files.release, None
        if linked:
            first, second, own = orders_of_pairs(original, release)
            original, release = original.put(first), release.put(second)
        else:
            original, release = original.in_order(), release.in_order()
        holdout = None if files.holdout is None else files.holdout.in_order()
        ordered = type(files)(files.names, original, release, holdout)
        return cls(ordered, own, strangers_of(ordered, rng), rng)

    @cached_property
    def mixture(self) -> File:
        """Return records put together at random from the released values."""
        return self.files.release.mixed(self.rng)

    @cached_property
    def lookup(self) -> Lookup:
        """Return the original's records by key, on all attributes."""
        return Lookup(self.files.original)

    @cached_property
    def scales(self) -> tuple[Scale, ...]:
        """Return the original's scale of ranks of each attribute."""
        return tuple(scale_of(self.files.original.ascending(place)) for place in range(len(self.files.names)))

    def equal(self) -> Sighting:
        """Look for released records that equal an original one."""
        found = int(self.lookup.among(self.files.release, self.own).sum())
        return self._sighting(self.lookup, found)

    def _sighting(self, lookup: Lookup, found: int) -> Sighting:
        """Hold what was found against strangers; so few that they never speak against a release, against plain ones only."""
        of = self.files.release.records
        if found <= _FEW_FOUND:
            return Sighting(found, of, most(*(lookup.chance(one) for one in self.strangers)))
        return _worst(Sighting(found, of, most(*lookup.chances(self.mixture, one))) for one in self.strangers)

    def unique(self) -> dict[str, Any]:
        """Look for released records that equal an original one which is the only one of its kind."""
        original, release = self.files.original, self.files.release
        found = int(self.lookup.unique(release, self.own).sum())
        chances = self.lookup.chances_of_unique(lambda: self.mixture, self.strangers, plain=not found)
        expected = rare_by_chance(original, release.records) if found else 0.0
        likely = surprise(found, release.records, chances, expected)
        return {**Sighting(found, release.records, most(*chances)).details(), "surprise": likely}

    def own_values(self) -> dict[str, dict[str, Any]]:
        """Look for released records that have several values which one and the same original record alone has."""
        original, release = self.files.original, self.files.release
        found = own_values_sighting(original, release, self.own, lambda: self.mixture, self.strangers)
        return _named(own_values=found)

    def in_part(self) -> dict[str, Any] | None:
        """Look for released records that equal an original one but for some attributes; the clearest find counts."""
        parts = parts_of(len(self.files.names), self.rng)
        if not parts:
            return None
        original, release = self.files.original, self.files.release
        known = release.known_cells(original), original.known_cells(release)
        counts = [count_equal_in_part((original, release), known, without) for without in parts]
        many = [place for place, found in enumerate(counts) if found > _FEW_FOUND] or [int(np.argmax(counts))]
        found = [(self._sighting(Lookup(original, parts[place]), counts[place]), parts[place]) for place in many]
        sighting, without = max(found, key=lambda one: one[0].excess)
        return {**sighting.details(), "without": [self.files.names[place] for place in without], "looks": len(parts)}

    def in_pieces(self) -> dict[str, dict[str, Any]]:
        """Look for what an unlinked release holds of one person without a whole record: tuples, extremes, groups."""
        original, release, names = self.files.original, self.files.release, self.files.names
        return _named(
            tuples=tuples_sighting(self.files, self.strangers, self.rng),
            extremes=kept_anywhere(original, release, names),
            same_groups=same_groups(original, release, names, self.rng),
        )

    def near(self) -> dict[str, dict[str, Any]]:
        """Look for released records that single out an original one, by rank distance.

        Of a linked release: another one than their own, and apart from that their own.
        """
        if (placed_files := self._placed_files) is None:
            return {}
        found, known, places = placed_files.found, placed_files.known, placed_files.places
        tolerance = default_tolerance(*places.shape)
        near = _worst(near_sighting(tolerance, found, group) for group in known).details()
        closest = closest_sighting(
            found.nearest.first,
            [Crowd.of_strangers(one.nearest.first, one.looked.what) for group in known for one in group],
        )
        if self.own is None:
            release, reach = self.files.release, placed_files.reach
            rows = some_of(release.records, _MOST_INSIDE, self.rng)
            inside = placed(release.taken(rows), self.scales)
            in_part = close_in_part((places, inside), reach, self.files.names, self.rng)
            close = self._close(placed_files.index, inside, reach)
            return _named(near=near, closest=closest, close_in_part=in_part) | close
        apart = np.abs(found.looked.places - places[self.own[placed_files.some]]).max(axis=1)
        own = own_sighting(tolerance, found, apart, known[-1][0])
        return _named(near=own.details(), closest=closest_own(apart), near_elsewhere=near, closest_elsewhere=closest)

    @cached_property
    def _placed_files(self) -> _Placed | None:
        """Put the records on the original's scales and look them up there; None where too few differ."""
        original, release = self.files.original, self.files.release
        places = placed(original, self.scales)
        index = Index(places, lines_of(original, self.scales), self.lookup.kinds())
        if index.records < _FEWEST_DIFFERENT:
            return None
        some = some_of(release.records, _MOST_NEAR, self.rng)
        released, groups = self._looked(self.scales, some)
        found, known = Found.by(index, released), [[Found.by(index, one) for one in group] for group in groups]
        return _Placed(places, index, some, found, known)

    def within(self, tolerances: Mapping[str, float]) -> dict[str, dict[str, Any]]:
        """Look for released records within the declared tolerances of an original one; by default, within the rank distance."""
        if not any(name in tolerances for name in self.files.names):
            return {}
        original = self.files.original
        tolerance = default_tolerance(original.records, len(self.files.names))
        scales = [
            ruler_of(original.ascending(place), tolerances[name], tolerance) if name in tolerances else scale
            for place, (name, scale) in enumerate(zip(self.files.names, self.scales, strict=True))
        ]
        index = Index(placed(original, scales))
        released, groups = self._looked(scales, some_of(self.files.release.records, _MOST_NEAR, self.rng))
        found = _worst(within_sighting(index, tolerance, released, group) for group in groups)
        return {"within" if self.own is None else "within_elsewhere": found.details()}

    def _looked(self, scales: Sequence[Scale | Ruler], some: NDArray[np.intp]) -> tuple[Looked, list[list[Looked]]]:
        """Put some released records and some of each group of strangers, as they are and dressed, on the scales."""
        groups = []
        for one in self.strangers:
            drawn, dressed = one.some(some_of(one.file.records, _MOST_NEAR, self.rng))
            plain = Looked(placed(drawn.file, scales), drawn.rows, one.what)
            groups.append([plain, Looked(placed(dressed, scales), drawn.rows, one.what_dressed)])
        own = None if self.own is None else self.own[some]
        return Looked(placed(self.files.release.taken(some), scales), own), groups

    def _close(
        self, original: Index, release: Floats, reach: float, own: Floats | None = None
    ) -> dict[str, dict[str, Any]]:
        """Look whether released records lie closer to original ones than independent ones can, within a neighbour's reach."""
        some = some_of(len(release), _MOST_CLOSE, self.rng)
        looked = some, None if own is None else own[some]
        found = closeness((original, Index(release)), reach, looked, self.rng)
        return {} if found is None else {"close": found.details()}

    def close_by_rank(self) -> dict[str, dict[str, Any]]:
        """Look at a linked release by rank: whether its records are close to others than their own."""
        if self._placed_files is None:
            return {}
        original, release = self.files.original, self.files.release
        ranks, ladder = original.ranks(), original.ladder()
        index = Index(ranks, ladder.lines(), self.lookup.kinds())
        inside = some_of(release.records, _MOST_INSIDE, self.rng)
        released = ladder.moved_onto(release.ranks(inside))
        # Places are ranks but for straight lines between steps: what reaches a neighbour there does so here.
        looks = self._close(index, released, self._placed_files.reach, ranks[self.pairs.own[inside]])
        return {f"{name}_by_rank_elsewhere": look for name, look in looks.items()}

    def disguised(self) -> dict[str, dict[str, Any]]:
        """Look for near copies by rank, as after a change of units, and under exchanged names or upside down."""
        original, release = self.files.original, self.files.release
        base = original.ranks(some_of(original.records, _MOST_NEAR, self.rng))
        index = Index(base)
        if index.records < _FEWEST_DIFFERENT:
            return {}
        tolerance, ladder = default_tolerance(*base.shape), original.ladder()
        groups = [self._by_rank(one, base) for one in self.strangers]
        moved_groups = [one if one.rows is None else _moved(one, ladder, self.rng) for one in groups]
        inside = release.ranks(some_of(release.records, _MOST_INSIDE, self.rng))
        drawn = inside[some_of(len(inside), _MOST_DISGUISED, self.rng)]

        def found(disguise: Disguise, looked: Looked, many: int | None = None) -> Found:
            places = ladder.moved_onto(disguise.taken_off(looked.places[:many]))
            return Found.by(index, Looked(places, looked.rows, looked.what))

        def seen(disguise: Disguise) -> Sighting:
            released = found(disguise, Looked(drawn, None))
            return _worst(near_sighting(tolerance, released, [found(disguise, one)]) for one in moved_groups)

        close = self._close(index, ladder.moved_onto(inside), _reach(Found.by(index, groups[-1])))
        looks = {f"{name}_by_rank": look for name, look in close.items()}
        looks["by_rank"] = seen(undisguised(base.shape[1])).details()
        considered = left = disguises(base, drawn)
        if considered:
            plain = [found(undisguised(base.shape[1]), moved_groups[-1])]
            for many, keep in _ROUNDS:
                probed = {
                    one: near_sighting(tolerance, found(one, Looked(drawn, None), many), plain).excess for one in left
                }
                left = sorted(left, key=probed.__getitem__, reverse=True)[:keep]
            sighting, disguise = max(((seen(one), one) for one in left), key=lambda one: one[0].excess)
            looks["disguised"] = {**sighting.details(), **disguise.words(self.files.names), "looks": len(considered)}
        return looks

    def _by_rank(self, strangers: Strangers, base: Floats) -> Looked:
        """Return some strangers by rank: of the original, some of those that are looked up."""
        if strangers.rows is None:
            drawn = some_of(strangers.file.records, _MOST_DISGUISED, self.rng)
            return Looked(strangers.file.ranks(drawn), None, strangers.what)
        rows = some_of(len(base), _MOST_DISGUISED, self.rng)
        return Looked(base[rows], rows, strangers.what)

    def mostly(self) -> dict[str, dict[str, Any]]:
        """Look for released records that have most values of one original person, nearly, and others in the rest."""
        original, release, attributes = self.files.original, self.files.release, len(self.files.names)
        if attributes < FEWEST_ATTRIBUTES or original.records < _FEWEST_DIFFERENT:
            return {}
        base = some_of(original.records, most_among(attributes), self.rng)
        agreement = Agreement(placed(original.taken(base), self.scales))
        some = some_of(release.records, MOST_LOOKED, self.rng)
        released = Looked(placed(release.taken(some), self.scales), None)
        groups = []
        for one in self.strangers:
            chosen = some_of(base.size if one.rows is not None else one.file.records, MOST_LOOKED, self.rng)
            but = None if one.rows is None else chosen
            drawn, dressed = one.some(chosen if one.rows is None else base[chosen])
            plain = Looked(placed(drawn.file, self.scales), but, one.what)
            groups.append([plain, Looked(placed(dressed, self.scales), but, one.what_dressed)])
        return {"mostly": _worst(mostly_sighting(agreement, released, group) for group in groups).details()}

    @cached_property
    def pairs(self) -> Pairs:
        """Return the records of a linked release beside their own originals."""
        assert self.own is not None  # noqa: S101 - only of linked releases
        return Pairs(self.files.original, self.files.release, self.own, np.arange(self.own.size))

    def equal_in_place(self) -> Sighting:
        """Look for linked records that equal their own original."""
        return self.pairs.equal(len(self.files.names), self.rng)

    def unique_in_place(self) -> dict[str, Any]:
        """Look for those among them whose original is the only one of its kind: what many share tells nobody's record."""
        alone = self.pairs.of(self.lookup.alone)
        sighting = alone.equal(len(self.files.names), self.rng)
        expected = alone.left_alone() if sighting.found else 0.0
        likely = surprise(sighting.found, sighting.of, [sighting.chance], expected)
        return {**sighting.details(), "surprise": likely}

    def in_place(self) -> dict[str, dict[str, Any]]:
        """Look at linked records beside their own original: equal in part, and in order among themselves."""
        original, release, names, own = self.files.original, self.files.release, self.files.names, self.pairs.own
        looks = {"in_order": in_order(original, release, own, names, self.rng)}
        looks |= _named(
            own_cells=own_cells(original.taken(own), release, names, original),
            extremes=kept_in_place(original, release, own, names),
            recoded=recoded(original, release, own, names, self.rng),
        )
        if (needed := needed_in_part(len(names))) is not None:
            looks["in_part"] = {**self.pairs.equal(needed, self.rng).details(), "equal_values": needed}
        return looks


def _named(**looks: dict[str, Any] | None) -> dict[str, dict[str, Any]]:
    """Leave out the looks that could not be taken."""
    return {name: look for name, look in looks.items() if look is not None}


def _reach(strangers: Found) -> float:
    """Return within which distance closeness is measured."""
    return _REACH * float(np.median(strangers.nearest.first))


def _moved(looked: Looked, ladder: Ladder, rng: Generator) -> Looked:
    """Move ranks a little, or the original's records would only meet themselves on its own ladder."""
    return Looked(ladder.moved_onto(moved(looked.places, rng)), looked.rows, looked.what)


def _worst(sightings: Iterable[Sighting]) -> Sighting:
    """Return the clearest find."""
    return max(sightings, key=lambda one: one.excess)
