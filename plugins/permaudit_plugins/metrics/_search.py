"""Every look that is taken at a release for copies: which records are looked at, and beside which strangers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from permaudit_plugins.metrics._closeness import closeness
from permaudit_plugins.metrics._closest import Crowd, closest_own, closest_sighting
from permaudit_plugins.metrics._disguises import disguises, on_ladder, undisguised
from permaudit_plugins.metrics._equal import Lookup, parts_of, rare_by_chance
from permaudit_plugins.metrics._files import moved
from permaudit_plugins.metrics._in_place import equal_in_place, in_order, left_alone, needed_in_part
from permaudit_plugins.metrics._near import (
    Found,
    Looked,
    default_tolerance,
    near_sighting,
    own_sighting,
    within_sighting,
)
from permaudit_plugins.metrics._nearest import Index
from permaudit_plugins.metrics._own_values import own_values_sighting
from permaudit_plugins.metrics._places import placed, ruler_of, scale_of
from permaudit_plugins.metrics._sighting import surprise
from permaudit_plugins.metrics._strangers import strangers_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.random import Generator
    from numpy.typing import NDArray

    from permaudit.model import Floats
    from permaudit_plugins.metrics._disguises import Disguise
    from permaudit_plugins.metrics._files import File, Files
    from permaudit_plugins.metrics._places import Ruler, Scale
    from permaudit_plugins.metrics._sighting import Sighting
    from permaudit_plugins.metrics._strangers import Strangers

_MOST_NEAR = 10_000
"""Near copies are looked for among so many released records at most, drawn at random; equal ones among all."""
_MOST_CLOSE = 4_000
"""So many released records tell how close the files are on average."""
_MOST_DISGUISED = 2_000
"""So many are looked at in each disguise."""
_REACH = 1.5
"""Closeness is measured within so many times the distance at which half of the strangers have found a neighbour."""
_FEWEST_DIFFERENT = 10
"""Among fewer different records, being near to one says nothing."""


@dataclass(frozen=True, slots=True, eq=False)
class Search:
    """A release beside its original, in an order in which rows leave no trace, and the strangers to hold it against."""

    files: Files
    own: NDArray[np.intp] | None
    """Of a linked release: the row of each record's original."""
    strangers: tuple[Strangers, ...]
    mixture: File
    """Records put together at random from the released values."""
    rng: Generator

    @classmethod
    def of(cls, files: Files, rng: Generator, *, linked: bool) -> Search:
        """Put the files in order, and draw what is drawn."""
        original, first = files.original.in_order()
        release, second = files.release.in_order()
        place = np.empty_like(first)
        place[first] = np.arange(first.size)
        holdout = None if files.holdout is None else files.holdout.in_order()[0]
        ordered = type(files)(files.names, original, release, holdout)
        own = place[second] if linked else None
        return cls(ordered, own, strangers_of(ordered, rng), release.mixed(rng), rng)

    def equal(self, without: Sequence[int] = ()) -> Sighting:
        """Look for released records that equal an original one, in all attributes or without some."""
        lookup = Lookup(self.files.original, without)
        return _worst(lookup.sighting(self.files.release, self.own, self.mixture, one) for one in self.strangers)

    def unique(self) -> dict[str, Any]:
        """Look for released records that equal an original one which is the only one of its kind."""
        original, release = self.files.original, self.files.release
        sighting, chances = Lookup(original).unique_sighting(release, self.own, self.mixture, self.strangers)
        expected = rare_by_chance(original, release.records) if sighting.found else 0.0
        likely = surprise(sighting.found, sighting.of, chances, expected)
        return {**sighting.details(), "surprise": likely}

    def own_values(self) -> dict[str, dict[str, Any]]:
        """Look for released records that have several values which one and the same original record alone has."""
        found = own_values_sighting(self.files.original, self.files.release, self.own, self.mixture, self.strangers)
        return _named(own_values=found)

    def in_part(self) -> dict[str, Any] | None:
        """Look for released records that equal an original one but for some attributes; the clearest find counts."""
        parts = parts_of(len(self.files.names), self.rng)
        found = [(self.equal(without), without) for without in parts]
        if not found:
            return None
        sighting, without = max(found, key=lambda one: one[0].excess)
        return {**sighting.details(), "without": [self.files.names[place] for place in without], "looks": len(parts)}

    def near(self) -> dict[str, dict[str, Any]]:
        """Look for released records that single out an original one, by rank distance.

        Of a linked release: another one than their own, and apart from that their own.
        """
        original, release = self.files.original, self.files.release
        scales = [scale_of(column) for column in original.values]
        places = placed(original.values, scales)
        index, tolerance = Index(places), default_tolerance(*places.shape)
        if index.records < _FEWEST_DIFFERENT:
            return {}
        some = _some(release.records, _MOST_NEAR, self.rng)
        released, groups = self._looked(scales, some)
        found = Found.by(index, released)
        known = [[Found.by(index, one) for one in group] for group in groups]
        near = _worst(near_sighting(tolerance, found, group) for group in known).details()
        closest = closest_sighting(
            found.nearest.first,
            [Crowd.of_strangers(one.nearest.first, one.looked.what) for group in known for one in group],
        )
        others, dressed = groups[-1]
        if self.own is None:
            return _named(near=near, closest=closest) | self._close(
                index, Index(placed(release.values, scales)), others, dressed
            )
        apart = np.abs(released.places - places[self.own[some]]).max(axis=1)
        own = own_sighting(tolerance, found, apart, known[-1][0])
        return _named(near=own.details(), closest=closest_own(apart), near_elsewhere=near, closest_elsewhere=closest)

    def within(self, tolerances: Mapping[str, float]) -> dict[str, dict[str, Any]]:
        """Look for released records within the declared tolerances of an original one; by default, within the rank distance."""
        if not any(name in tolerances for name in self.files.names):
            return {}
        original = self.files.original
        tolerance = default_tolerance(original.records, len(self.files.names))
        scales = [
            ruler_of(column, tolerances[name], tolerance) if name in tolerances else scale_of(column)
            for name, column in zip(self.files.names, original.values, strict=True)
        ]
        index = Index(placed(original.values, scales))
        released, groups = self._looked(scales, _some(self.files.release.records, _MOST_NEAR, self.rng))
        found = _worst(within_sighting(index, tolerance, released, group) for group in groups)
        return {"within" if self.own is None else "within_elsewhere": found.details()}

    def _looked(self, scales: Sequence[Scale | Ruler], some: NDArray[np.intp]) -> tuple[Looked, list[list[Looked]]]:
        """Put some released records and some of each group of strangers, as they are and dressed, on the scales."""

        def looked(file: File, rows: NDArray[np.intp] | None, chosen: NDArray[np.intp], what: str = "") -> Looked:
            return Looked(placed(file.taken(chosen).values, scales), None if rows is None else rows[chosen], what)

        groups = []
        for one in self.strangers:
            chosen = _some(one.file.records, _MOST_NEAR, self.rng)
            dressed = f"{one.what} in the released values"
            groups.append(
                [looked(one.file, one.rows, chosen, one.what), looked(one.dressed, one.rows, chosen, dressed)]
            )
        return looked(self.files.release, self.own, some), groups

    def _close(
        self, original: Index, release: Index, others: Looked, dressed: Looked, own: Floats | None = None
    ) -> dict[str, dict[str, Any]]:
        """Look whether released records lie closer to original ones than independent ones can, within a neighbour's reach."""
        reach = _REACH * float(np.median(original.nearest(others.places, others.rows).first))
        some = _some(release.total, _MOST_CLOSE, self.rng)
        found = closeness((original, release), reach, (some, None if own is None else own[some]), dressed, self.rng)
        return {} if found is None else {"close": found.details()}

    def close_by_rank(self) -> dict[str, dict[str, Any]]:
        """Look at a linked release by rank: whether its records are close to others than their own."""
        assert self.own is not None  # noqa: S101 - only of linked releases
        ranks = self.files.original.ranks()
        index = Index(ranks)
        if index.records < _FEWEST_DIFFERENT:
            return {}
        rows, ladder = _some(len(ranks), _MOST_NEAR, self.rng), np.sort(ranks, axis=0)
        others, released = Looked(ranks[rows], rows), on_ladder(self.files.release.ranks(), ladder)
        looks = self._close(index, Index(released), others, _moved(others, ladder, self.rng), ranks[self.own])
        return {f"{name}_by_rank_elsewhere": look for name, look in looks.items()}

    def disguised(self) -> dict[str, dict[str, Any]]:
        """Look for near copies by rank, as after a change of units, and under exchanged names or upside down."""
        ranks, released = self.files.original.ranks(), self.files.release.ranks()
        base = ranks[_some(len(ranks), _MOST_NEAR, self.rng)]
        index = Index(base)
        if index.records < _FEWEST_DIFFERENT:
            return {}
        tolerance, ladder = default_tolerance(len(base), base.shape[1]), np.sort(ranks, axis=0)
        groups = [self._by_rank(one, base) for one in self.strangers]
        moved_groups = [one if one.rows is None else _moved(one, ladder, self.rng) for one in groups]
        drawn = _drawn(released, self.rng)

        def seen(disguise: Disguise) -> Sighting:
            places = Looked(on_ladder(disguise.taken_off(drawn), ladder), None)
            others = (
                Looked(on_ladder(disguise.taken_off(one.places), ladder), one.rows, one.what) for one in moved_groups
            )
            found = Found.by(index, places)
            return _worst(near_sighting(tolerance, found, [Found.by(index, one)]) for one in others)

        close = self._close(index, Index(on_ladder(released, ladder)), groups[-1], moved_groups[-1])
        looks = {f"{name}_by_rank": look for name, look in close.items()}
        looks["by_rank"] = seen(undisguised(base.shape[1])).details()
        worn = [(seen(disguise), disguise) for disguise in disguises(base, drawn)]
        if worn:
            sighting, disguise = max(worn, key=lambda one: one[0].excess)
            looks["disguised"] = {**sighting.details(), **disguise.words(self.files.names), "looks": len(worn)}
        return looks

    def _by_rank(self, strangers: Strangers, base: Floats) -> Looked:
        """Return some strangers by rank: of the original, some of those that are looked up."""
        if strangers.rows is None:
            return Looked(_drawn(strangers.file.ranks(), self.rng), None, strangers.what)
        rows = _some(len(base), _MOST_DISGUISED, self.rng)
        return Looked(base[rows], rows, strangers.what)

    def equal_in_place(self) -> Sighting:
        """Look for linked records that equal their own original."""
        assert self.own is not None  # noqa: S101 - only of linked releases
        original = self.files.original.taken(self.own)
        return equal_in_place(original, self.files.release, len(self.files.names), self.rng)

    def unique_in_place(self) -> dict[str, Any]:
        """Look for those among them whose original is the only one of its kind: what many share tells nobody's record."""
        assert self.own is not None  # noqa: S101 - as above
        keys = self.files.original.keys()
        _, place, counts = np.unique(keys, return_inverse=True, return_counts=True)
        alone = np.flatnonzero(counts[place][self.own] == 1)
        original, release = self.files.original.taken(self.own[alone]), self.files.release.taken(alone)
        sighting = equal_in_place(original, release, len(self.files.names), self.rng)
        likely = surprise(sighting.found, sighting.of, [sighting.chance], left_alone(original, release))
        return {**sighting.details(), "surprise": likely}

    def in_place(self) -> dict[str, dict[str, Any]]:
        """Look at linked records beside their own original: equal in part, and in order among themselves."""
        assert self.own is not None  # noqa: S101 - only of linked releases
        original, release, names = self.files.original.taken(self.own), self.files.release, self.files.names
        looks = {"in_order": in_order(original.ranks(), release.ranks(), names, self.rng)}
        if (needed := needed_in_part(len(names))) is not None:
            looks["in_part"] = {**equal_in_place(original, release, needed, self.rng).details(), "equal_values": needed}
        return looks


def _named(**looks: dict[str, Any] | None) -> dict[str, dict[str, Any]]:
    """Leave out the looks that could not be taken."""
    return {name: look for name, look in looks.items() if look is not None}


def _moved(looked: Looked, ladder: Floats, rng: Generator) -> Looked:
    """Move ranks a little, or the original's records would only meet themselves on its own ladder."""
    return Looked(on_ladder(moved(looked.places, rng), ladder), looked.rows, looked.what)


def _drawn(places: Floats, rng: Generator) -> Floats:
    """Draw as many records as are looked at in disguise."""
    return places[_some(len(places), _MOST_DISGUISED, rng)]


def _some(records: int, most: int, rng: Generator) -> NDArray[np.intp]:
    """Draw so many rows at most, in order; all of them where there are no more."""
    return np.arange(records) if records <= most else np.sort(rng.choice(records, most, replace=False))


def _worst(sightings: Iterable[Sighting]) -> Sighting:
    """Return the clearest find."""
    return max(sightings, key=lambda one: one.excess)
