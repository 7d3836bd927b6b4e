"""Exact copies among all records of files that do not fit into memory: one column is read at a time, and keys are kept."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from permaudit_plugins.metrics._equal import count_equal, parts_of
from permaudit_plugins.metrics._in_place import AT_RANDOM, needed_in_part
from permaudit_plugins.metrics._keys import cell_keys
from permaudit_plugins.metrics._sighting import Chance, Sighting, most, surprise

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.random import Generator
    from numpy.typing import NDArray

    from permaudit import Rows
    from permaudit.model import Columns
    from permaudit_plugins.metrics._keys import Keys

    Counts = NDArray[np.int64]

_PARTITION = 4
"""By so many leading bits keys are dealt into parts before they are sorted."""


@dataclass(frozen=True, eq=False)
class Whole:
    """All records of the files, by keys of 64 bits."""

    rows: Rows
    rng: Generator

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Return the names of the attributes."""
        return tuple(self.rows.release)

    @property
    def records(self) -> int:
        """Return how many are released."""
        return self._keys[1].size

    @cached_property
    def _keys(self) -> list[Keys]:
        """Return the keys of the original, of the release and, where there is one, of the holdout."""
        sums = [np.zeros(len(side[self.names[0]]), np.uint64) for side in self._sides]
        for place in range(len(self.names)):
            for file, column in enumerate(self._columns(place)):
                sums[file] += cell_keys(column, place)
        return sums

    @cached_property
    def _left_out(self) -> Keys:
        """Return the keys of the original records that are said to be left out."""
        others = self.rows.left_out
        if others is None:
            return np.zeros(0, np.uint64)
        keys = np.zeros(len(others[self.names[0]]), np.uint64)
        for place, name in enumerate(self.names):
            kind = np.result_type(*(side[name].dtype for side in self._sides))
            keys += cell_keys(others[name].astype(kind, copy=False), place)
        return keys

    @property
    def _sides(self) -> list[Columns]:
        holdout = self.rows.holdout
        return [self.rows.original, self.rows.release, *([] if holdout is None else [holdout])]

    def _columns(self, place: int, most_sides: int | None = None) -> Iterator[NDArray[Any]]:
        """Read one attribute of each file, in numbers of the same kind."""
        name = self.names[place]
        kind = np.result_type(*(side[name].dtype for side in self._sides))
        for side in self._sides[:most_sides]:
            yield side[name].astype(kind, copy=False)

    def _without(self, places: Sequence[int], most_sides: int | None = None) -> list[Keys]:
        """Return the keys without some attributes; of all files, or of the first ones."""
        keys = [one.copy() for one in self._keys[:most_sides]]
        for place in places:
            for file, column in enumerate(self._columns(place, most_sides)):
                keys[file] -= cell_keys(column, place)
        return keys

    def anywhere(self) -> tuple[Sighting, dict[str, dict[str, Any]]]:
        """Look for released records that equal any original one, or one in all attributes but some."""
        equal, unique = _sightings(self._keys)
        looks = {"equal": equal[0].details(), "unique": _surprising(*unique)}
        if parts := parts_of(len(self.names), self.rng):
            counts = [count_equal(*self._without(part, most_sides=2)) for part in parts]
            part = parts[int(np.argmax(counts))]
            sighting = _sightings(self._without(part))[0][0]
            looks["in_part"] = {
                **sighting.details(),
                "without": [self.names[place] for place in part],
                "looks": len(parts),
            }
        return equal[0], looks

    def in_place(self) -> tuple[Sighting, dict[str, dict[str, Any]]]:
        """Look for linked records that equal their own original, in all attributes or all but one, or somebody else's."""
        original, release = self._keys[:2]
        others = self.rng.permutation(original.size)
        alone = _alone(original)
        own, by_chance = np.zeros(original.size, np.int16), np.zeros(original.size, np.int16)
        shares = []
        for place in range(len(self.names)):
            first, second, *_ = self._columns(place)
            same = first == second
            own += same
            by_chance += first == second[others]
            shares.append(float(same[alone].mean()) if alone.any() else 0.0)
        whole = len(self.names)

        def sighting(agree: NDArray[np.bool_], at_random: NDArray[np.bool_], of: int) -> Sighting:
            return Sighting(int(agree.sum()), of, Chance(int(at_random.sum()), of, AT_RANDOM))

        equal = sighting(own == whole, by_chance == whole, original.size)
        unique = sighting((own == whole) & alone, (by_chance == whole) & alone, int(alone.sum()))
        likely = surprise(unique.found, unique.of, [unique.chance], unique.of * prod(shares))
        moved = release[original != release]
        if moved.size:
            elsewhere, unique_elsewhere = _sightings([np.concatenate([original, self._left_out]), moved])
            others_looks = {"elsewhere": elsewhere[0].details(), "unique_elsewhere": _surprising(*unique_elsewhere)}
        else:
            others_looks = {}
        looks = {"equal": {**unique.details(), "surprise": likely}, **others_looks}
        if (needed := needed_in_part(whole)) is not None:
            part = sighting(own >= needed, by_chance >= needed, original.size)
            looks["in_part"] = {**part.details(), "equal_values": needed}
        return equal, looks


def _alone(keys: Keys) -> NDArray[np.bool_]:
    """Tell which keys no other record has."""
    alone = np.empty(keys.size, np.bool_)
    leading = (keys >> np.uint64(64 - _PARTITION)).astype(np.uint8)
    for part in range(1 << _PARTITION):
        rows = np.flatnonzero(leading == part)
        _, place, counts = np.unique(keys[rows], return_inverse=True, return_counts=True)
        alone[rows] = counts[place] == 1
    return alone


def _surprising(sighting: Sighting, chances: Sequence[Chance]) -> dict[str, Any]:
    return {**sighting.details(), "surprise": surprise(sighting.found, sighting.of, chances)}


def _sightings(keys: Sequence[Keys]) -> list[tuple[Sighting, list[Chance]]]:
    """Count the released records that equal an original one, and those that equal one which is alone of its kind.

    Beside them stand the original's records, each beside all others, and those of a holdout.
    """
    found = np.zeros((len(keys), 2), np.int64)
    for parts in zip(*map(_parts, keys), strict=True):
        known, counts = np.unique(parts[0], return_counts=True)
        for number, part in enumerate(parts):
            if not known.size:
                continue
            asked = np.sort(part)
            place = np.minimum(np.searchsorted(known, asked), known.size - 1)
            times = np.where(known[place] == asked, counts[place], 0) - (number == 0)
            found[number] += (int((times > 0).sum()), int((times == 1).sum()))
    whose = {0: "the original's records, each beside all others", 2: "the holdout's records"}
    sightings = []
    for column in range(2):
        chances = [
            Chance(int(found[number, column]), keys[number].size, what)
            for number, what in whose.items()
            if number < len(keys)
        ]
        sightings.append((Sighting(int(found[1, column]), keys[1].size, most(*chances)), chances))
    return sightings


def _parts(keys: Keys) -> Iterator[Keys]:
    """Return the keys in parts of their range: to sort a part takes little room."""
    leading = (keys >> np.uint64(64 - _PARTITION)).astype(np.uint8)
    for part in range(1 << _PARTITION):
        yield keys[leading == part]
