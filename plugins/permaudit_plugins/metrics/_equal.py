"""Released records that equal an original one, in all attributes or in all but some."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from permaudit_plugins.metrics._sighting import Chance, Sighting, most

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.random import Generator
    from numpy.typing import NDArray

    from permaudit_plugins.metrics._files import File
    from permaudit_plugins.metrics._keys import Keys
    from permaudit_plugins.metrics._strangers import Strangers

    Mask = NDArray[np.bool_]

_FEWEST = 3
"""Fewer attributes are shared by chance too often."""
_FEW = 8
"""Up to so many attributes every pair is left out in turn, and above it no longer."""
_MANY = 16
"""Up to so many attributes each one is left out in turn; above it, random parts of them are looked at."""
_PARTS = 24
"""So many random parts."""
_MIXED = "records put together at random from the released values"
_DEPENDENCE = 5.0
"""Records that agree in all attributes but one agree in that one, too, so many times as often as any two do."""


class Lookup:
    """The original's records by key, on all attributes or on some."""

    def __init__(self, original: File, without: Sequence[int] = ()) -> None:
        """Leave some attributes out."""
        self._without = without
        self._keys, self._place, self._counts = np.unique(
            original.keys(without), return_inverse=True, return_counts=True
        )

    def among(self, file: File, rows: NDArray[np.intp] | None = None) -> Mask:
        """Tell which records equal an original one; with `rows`, another one than that in the given row."""
        found, is_there = self._found(file.keys(self._without))
        if rows is not None:
            is_there &= (found != self._place[rows]) | (self._counts[found] > 1)
        return np.asarray(is_there)

    def unique(self, file: File, rows: NDArray[np.intp] | None = None) -> Mask:
        """Tell which records equal an original one that is the only one of its kind, once that in the given row is left out."""
        found, is_there = self._found(file.keys(self._without))
        counts = self._counts[found] if rows is None else self._counts[found] - (found == self._place[rows])
        return np.asarray(is_there & (counts == 1))

    @property
    def shared(self) -> float:
        """Return the share of original records that equal another one."""
        return float((self._counts[self._place] > 1).mean())

    def _found(self, keys: Keys) -> tuple[NDArray[np.intp], Mask]:
        found = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
        return found, self._keys[found] == keys

    def sighting(self, release: File, rows: NDArray[np.intp] | None, mixture: File, strangers: Strangers) -> Sighting:
        """Hold the share of such records among the released ones against that among strangers, or by chance."""
        found = int(self.among(release, rows).sum())
        chance = most(
            _chance(self.among(strangers.file, strangers.rows), strangers.what),
            _chance(self.among(strangers.dressed, strangers.rows), f"{strangers.what} in the released values"),
            _chance(self.among(mixture), _MIXED),
        )
        return Sighting(found, release.records, chance)

    def unique_sighting(
        self, release: File, rows: NDArray[np.intp] | None, mixture: File, strangers: Sequence[Strangers]
    ) -> tuple[Sighting, Sequence[Chance]]:
        """Count the released records that equal one which is the only one of its kind; strangers equal the only other one."""
        groups = [(self.unique(mixture), _MIXED)]
        for one in strangers:
            groups.append((self.unique(one.file, one.rows), one.what))
            groups.append((self.unique(one.dressed, one.rows), f"{one.what} in the released values"))
        chances = [_chance(found, what) for found, what in groups]
        return Sighting(int(self.unique(release, rows).sum()), release.records, most(*chances)), chances


def _chance(found: Mask, what: str) -> Chance:
    return Chance(int(found.sum()), found.size, what)


def rare_by_chance(original: File, records: int) -> float:
    """Return how many of so many strangers equal an original record at most, as told by those who do so but for one attribute.

    Where nobody in the original agrees with anybody even in all attributes but one, nobody is expected to in all. Where some
    do, those in whom the last attribute happens to agree as well may only be too few to be seen among as many as there are.
    """
    if len(original.codes) == 1:
        return float(records)
    shares = [
        Lookup(original, (place,)).shared * float(((np.bincount(column) / original.records) ** 2).sum())
        for place, column in enumerate(original.codes)
    ]
    return _DEPENDENCE * records * max(shares)


def parts_of(attributes: int, rng: Generator) -> list[tuple[int, ...]]:
    """Return which attributes to leave out, one look each: every one, every pair, or random ones where there are many."""
    if attributes > _MANY:
        sizes = [attributes // 2, attributes * 3 // 4]
        return [
            tuple(sorted(rng.choice(attributes, sizes[number % 2], replace=False).tolist())) for number in range(_PARTS)
        ]
    most_left_out = min(2 if attributes <= _FEW else 1, attributes - _FEWEST)
    return [some for size in range(1, most_left_out + 1) for some in combinations(range(attributes), size)]
