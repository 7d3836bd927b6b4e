"""Released records that equal an original one, in all attributes or in all but some."""

from __future__ import annotations

from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from permaudit.permutation.ranks import rank_columns
from permaudit_plugins.metrics._sighting import Chance

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

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
_FEWEST_BITS, _SPARE_BITS, _MOST_BITS = 12, 4, 27
MIXED = "records put together at random from the released values"
_DEPENDENCE = 5.0
"""Records that agree in all attributes but one agree in that one, too, so many times as often as any two do."""


class Lookup:
    """The original's records by key, on all attributes or on some."""

    def __init__(self, original: File, without: Sequence[int] = ()) -> None:
        """Leave some attributes out."""
        self._original, self._without = original, without
        keys = original.keys(without)
        ranked = rank_columns([keys], threads=1)
        order = ranked.order[0]
        self._keys = keys[order]
        self._place = np.empty(order.size, np.intp)
        self._place[order] = np.arange(order.size)
        self._counts = np.ones(order.size, np.int32)
        if ranked.tied[0]:
            begins = np.concatenate([[True], self._keys[1:] != self._keys[:-1]])
            number = np.cumsum(begins) - 1
            self._keys, self._place = self._keys[begins], number[self._place]
            self._counts = np.bincount(number).astype(np.int32)

    @cached_property
    def _leading(self) -> Leading:
        return Leading(self._keys)

    def among(self, file: File, rows: NDArray[np.intp] | None = None) -> Mask:
        """Tell which records equal an original one; with `rows`, another one than that in the given row."""
        return np.asarray(self._others(file, rows) > 0)

    def unique(self, file: File, rows: NDArray[np.intp] | None = None) -> Mask:
        """Tell which records equal an original one that is the only one of its kind, once that in the given row is left out."""
        return np.asarray(self._others(file, rows) == 1)

    def _others(self, file: File, rows: NDArray[np.intp] | None) -> NDArray[np.int32]:
        """Count the original records that each one equals, without that in the given row."""
        others = np.zeros(file.records, np.int32)
        some, found = self._found(file)
        others[some] = self._counts[found]
        if rows is not None:
            others[some] -= found == self._place[rows[some]]
        return others

    def _found(self, file: File) -> tuple[NDArray[np.intp] | slice, NDArray[np.intp]]:
        """Return which records equal an original one, and the number of its key."""
        if file is self._original:
            return slice(None), self._place
        keys = file.keys(self._without)
        some = self._leading.shared_by(keys)
        place = np.minimum(np.searchsorted(self._keys, keys[some]), self._keys.size - 1)
        equal = self._keys[place] == keys[some]
        return some[equal], place[equal]

    def kinds(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Return for each original record the number of its kind, and for each kind the row of a record."""
        rows = np.arange(self._place.size)
        if self._counts.size == rows.size:
            return rows, rows
        some = np.empty(self._counts.size, np.intp)
        some[self._place] = rows
        return self._place, some

    @property
    def alone(self) -> Mask:
        """Tell which original records are the only ones of their kind."""
        return np.asarray(self._counts[self._place] == 1)

    def chance(self, strangers: Strangers) -> Chance:
        """Return how many strangers equal an original record."""
        return _chance(self.among(strangers.file, strangers.rows), strangers.what)

    def chances(self, mixture: File, strangers: Strangers) -> list[Chance]:
        """Return how many strangers do, as they are and dressed, and records put together at random."""
        return [
            self.chance(strangers),
            _chance(self.among(strangers.dressed, strangers.rows), strangers.what_dressed),
            _chance(self.among(mixture), MIXED),
        ]

    def chances_of_unique(
        self, mixture: Callable[[], File], strangers: Sequence[Strangers], *, plain: bool
    ) -> list[Chance]:
        """Return how many strangers equal a record that is the only one of its kind; only plain ones, or all."""
        groups = [(self.unique(one.file, one.rows), one.what) for one in strangers]
        if not plain:
            groups += [(self.unique(one.dressed, one.rows), one.what_dressed) for one in strangers]
            groups.append((self.unique(mixture()), MIXED))
        return [_chance(found, what) for found, what in groups]


def _chance(found: Mask, what: str) -> Chance:
    return Chance(int(found.sum()), found.size, what)


class Leading:
    """Which leading bits keys have: of others, most have not even these in common with one."""

    def __init__(self, keys: Keys) -> None:
        """Take them into a table, which is looked at once for each key."""
        bits = min(_MOST_BITS, max(_FEWEST_BITS, keys.size.bit_length() + _SPARE_BITS))
        self._shift = np.uint64(64 - bits)
        self._table = np.zeros(1 << bits, np.bool_)
        self._table[(keys >> self._shift).astype(np.intp)] = True

    def shared_by(self, keys: Keys) -> NDArray[np.intp]:
        """Return the places of the keys that have leading bits of these."""
        return np.flatnonzero(self._table[(keys >> self._shift).astype(np.intp)])


def count_equal(original: Keys, release: Keys) -> int:
    """Count the released records whose key is an original one's; only those in doubt are sorted."""
    if not original.size or not release.size:
        return 0
    keys = np.sort(release[Leading(original).shared_by(release)])
    if not keys.size:
        return 0
    candidates = np.unique(original[Leading(keys).shared_by(original)])
    found = np.minimum(np.searchsorted(candidates, keys), candidates.size - 1)
    return int((candidates[found] == keys).sum())


def count_equal_in_part(files: tuple[File, File], known: tuple[Mask, Mask], without: Sequence[int]) -> int:
    """Count the released records that equal an original one without some attributes.

    Of each file, only records of which all other values occur in the other file can be among them.
    """
    sides = []
    for file, cells in zip(files, known, strict=True):
        others = [place for place in range(len(cells)) if place not in without]
        rows = np.flatnonzero(cells[others].all(axis=0))
        sides.append(file.keys(without) if rows.size == file.records else file.taken(rows).keys(without))
    return count_equal(*sides)


def rare_by_chance(original: File, records: int) -> float:
    """Return how many of so many strangers equal an original record at most, as told by those who do so but for one attribute.

    Where nobody in the original agrees with anybody even in all attributes but one, nobody is expected to in all. Where some
    do, those in whom the last attribute happens to agree as well may only be too few to be seen among as many as there are.
    """
    if len(original.codes) == 1:
        return float(records)
    shares = [
        float((~Lookup(original, (place,)).alone).mean()) * float(((counts / original.records) ** 2).sum())
        for place, counts in enumerate(original.counts)
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
