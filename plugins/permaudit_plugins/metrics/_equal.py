"""Released records that equal an original one, in all attributes or in all but some."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

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
        self._without = without
        self._keys, self._place, self._counts = np.unique(
            original.keys(without), return_inverse=True, return_counts=True
        )

    def among(self, file: File, rows: NDArray[np.intp] | None = None) -> Mask:
        """Tell which records equal an original one; with `rows`, another one than that in the given row."""
        return np.asarray(self._others(file, rows) > 0)

    def unique(self, file: File, rows: NDArray[np.intp] | None = None) -> Mask:
        """Tell which records equal an original one that is the only one of its kind, once that in the given row is left out."""
        return np.asarray(self._others(file, rows) == 1)

    def _others(self, file: File, rows: NDArray[np.intp] | None) -> NDArray[np.intp]:
        """Count the original records that each one equals, without that in the given row."""
        keys = file.keys(self._without)
        found = np.minimum(np.searchsorted(self._keys, keys), len(self._keys) - 1)
        others = np.where(self._keys[found] == keys, self._counts[found], 0)
        return others if rows is None else others - ((others > 0) & (found == self._place[rows]))

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


def count_equal(original: Keys, release: Keys) -> int:
    """Count the released records whose key is an original one's.

    Most have not even the leading bits of their key in common with one, and a table of these, which is looked at once for
    each record, leaves few to be sorted.
    """
    bits = min(_MOST_BITS, max(_FEWEST_BITS, original.size.bit_length() + _SPARE_BITS))
    shift = np.uint64(64 - bits)
    leading = (release >> shift).astype(np.intp)
    table = np.zeros(1 << bits, np.bool_)
    table[(original >> shift).astype(np.intp)] = True
    maybe = np.flatnonzero(table[leading])
    if not maybe.size:
        return 0
    table[:] = False
    table[leading[maybe]] = True
    candidates = np.unique(original[table[(original >> shift).astype(np.intp)]])
    keys = np.sort(release[maybe])
    found = np.minimum(np.searchsorted(candidates, keys), candidates.size - 1)
    return int((candidates[found] == keys).sum())


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
