"""Exact copies among all records of files that do not fit into memory: columns are read block by block, and keys are kept."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from permaudit import StoredColumns
from permaudit_plugins.metrics._equal import parts_of
from permaudit_plugins.metrics._in_place import AT_RANDOM, needed_in_part
from permaudit_plugins.metrics._keys import cell_keys
from permaudit_plugins.metrics._many_keys import alone_among, count_equal_by_part, sightings
from permaudit_plugins.metrics._sighting import Chance, Sighting, surprise

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.random import Generator
    from numpy.typing import NDArray

    from permaudit import Rows
    from permaudit.model import Columns
    from permaudit_plugins.metrics._keys import Keys

_BLOCK = 1 << 16
"""So many records are read at a time."""


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
        return self._size(_stored(self.rows.release))

    def _size(self, side: StoredColumns) -> int:
        return side.stored[self.names[0]].size

    @cached_property
    def _sides(self) -> list[StoredColumns]:
        """Return the original, the release and, where there is one, the holdout."""
        given = [self.rows.original, self.rows.release, self.rows.holdout]
        return [_stored(side) for side in given if side is not None]

    def _kind(self, place: int) -> np.dtype[Any]:
        """Return the kind of numbers that holds one attribute of all files."""
        return np.result_type(*(side.stored[self.names[place]].dtype for side in self._sides))

    def _blocks(self, side: StoredColumns, place: int) -> Iterator[tuple[slice, NDArray[Any]]]:
        """Read one attribute of a file, in numbers of the same kind for all files."""
        start, kind = 0, self._kind(place)
        for block in side.stored[self.names[place]].blocks(_BLOCK):
            yield slice(start, start + block.size), block.astype(kind, copy=False)
            start += block.size

    def _keys(self, side: StoredColumns) -> Keys:
        """Return the keys of a file."""
        keys = np.zeros(self._size(side), np.uint64)
        for place in range(len(self.names)):
            for here, values in self._blocks(side, place):
                keys[here] += cell_keys(values, place)
        return keys

    def _without(self, side: StoredColumns, keys: Keys, places: Sequence[int]) -> Keys:
        """Return the keys of a file without some attributes."""
        found = keys.copy()
        for place in places:
            for here, values in self._blocks(side, place):
                found[here] -= cell_keys(values, place)
        return found

    def anywhere(self) -> tuple[Sighting, dict[str, dict[str, Any]]]:
        """Look for released records that equal any original one, or one in all attributes but some."""
        keys = [self._keys(side) for side in self._sides]

        def without(part: Sequence[int], most_sides: int | None = None) -> list[Keys]:
            pairs = list(zip(self._sides, keys, strict=True))
            return [self._without(side, of_side, part) for side, of_side in pairs[:most_sides]]

        equal, unique = sightings(keys)
        looks = {"equal": equal[0].details(), "unique": _surprising(*unique)}
        if parts := parts_of(len(self.names), self.rng):
            counts = [count_equal_by_part(*without(part, most_sides=2)) for part in parts]
            part = parts[int(np.argmax(counts))]
            sighting = sightings(without(part))[0][0]
            looks["in_part"] = {
                **sighting.details(),
                "without": [self.names[place] for place in part],
                "looks": len(parts),
            }
        return equal[0], looks

    def in_place(self) -> tuple[Sighting, dict[str, dict[str, Any]]]:
        """Look for linked records that equal their own original, in all attributes or all but one, or somebody else's."""
        original, release = (self._keys(side) for side in self._sides[:2])
        equal, looks = self._beside_their_own(alone_among(original))
        moved = release[original != release]
        del release
        if moved.size:
            elsewhere, unique = sightings([self._with_left_out(original), moved])
            looks |= {"elsewhere": elsewhere[0].details(), "unique_elsewhere": _surprising(*unique)}
        return equal, looks

    def _with_left_out(self, original: Keys) -> Keys:
        """Return the keys of the original records, with those that are said to be left out."""
        if self.rows.left_out is None:
            return original
        return np.concatenate([original, self._keys(_stored(self.rows.left_out))])

    def _beside_their_own(self, alone: NDArray[np.bool_]) -> tuple[Sighting, dict[str, dict[str, Any]]]:
        """Look for linked records that equal their own original; `alone` tells which of these are the only ones of their kind."""
        whole, many = len(self.names), alone.size
        own, by_chance, shares = self._agreement(alone)

        def sighting(needed: int) -> Sighting:
            at_random = Chance(int((by_chance >= needed).sum()), many, AT_RANDOM)
            return Sighting(int((own >= needed).sum()), many, at_random)

        of = int(alone.sum())
        at_random = Chance(int(((by_chance == whole) & alone).sum()), of, AT_RANDOM)
        unique = Sighting(int(((own == whole) & alone).sum()), of, at_random)
        likely = surprise(unique.found, unique.of, [unique.chance], unique.of * prod(shares))
        looks: dict[str, dict[str, Any]] = {"equal": {**unique.details(), "surprise": likely}}
        if (needed := needed_in_part(whole)) is not None:
            looks["in_part"] = {**sighting(needed).details(), "equal_values": needed}
        return sighting(whole), looks

    def _agreement(self, alone: NDArray[np.bool_]) -> tuple[NDArray[np.int16], NDArray[np.int16], list[float]]:
        """Count for each original how many values its own record has, and how many another one, drawn at random.

        Of those who are alone, tell in which share of them each attribute is as it was.
        """
        original, release = self._sides[:2]
        others = self.rng.permutation(alone.size).astype(np.int32)
        own, by_chance = np.zeros(alone.size, np.int16), np.zeros(alone.size, np.int16)
        shares, of = [], max(1, int(alone.sum()))
        for place, name in enumerate(self.names):
            released = release[name].astype(self._kind(place), copy=False)
            found = 0
            for here, values in self._blocks(original, place):
                same = values == released[here]
                own[here] += same
                by_chance[here] += values == released[others[here]]
                found += int((same & alone[here]).sum())
            del released  # or there were two of them while the next one is read
            shares.append(found / of)
        return own, by_chance, shares


def _stored(columns: Columns) -> StoredColumns:
    """Return the columns as what they are: all records are only given where they lie in files."""
    assert isinstance(columns, StoredColumns)  # noqa: S101 - see `Rows.whole`
    return columns


def _surprising(sighting: Sighting, chances: Sequence[Chance]) -> dict[str, Any]:
    return {**sighting.details(), "surprise": surprise(sighting.found, sighting.of, chances)}
