"""Linked records that are still what they were: nearly, in part, or in their order among themselves."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from permaudit_plugins.metrics._sighting import Chance, Sighting

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import NDArray

    from permaudit.model import Floats
    from permaudit_plugins.metrics._files import File

_FEWEST_EQUAL = 3
"""Fewer equal values are shared by chance too often."""
_FEW = 16
"""Up to so many attributes all values but one must be equal, and above it half of them."""
_MOST_ORDERED = 5_000
"""So many records are put in order; more would not change the share."""
AT_RANDOM = "records paired at random"


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Released records, each beside its own original."""

    original: File
    release: File
    own: NDArray[np.intp]
    """The row of each record's original."""
    rows: NDArray[np.intp]
    """The rows of these records."""

    def of(self, originals: NDArray[np.bool_]) -> Pairs:
        """Return those of some originals."""
        chosen = originals[self.own]
        return Pairs(self.original, self.release, self.own[chosen], self.rows[chosen])

    def equal(self, needed: int, rng: Generator) -> Sighting:
        """Count the records that have so many values of their own original, beside a random pairing."""
        others = self.rows[rng.permutation(self.rows.size)]
        chance = Chance(self._agree(others, needed), self.rows.size, AT_RANDOM)
        return Sighting(self._agree(self.rows, needed), self.rows.size, chance)

    def _agree(self, rows: NDArray[np.intp], needed: int) -> int:
        """Count the pairs that agree in so many values; who differs too often is left out as soon as that shows."""
        first, second = self.own, rows
        allowed = len(self.original.codes) - needed
        differ = np.zeros(rows.size, np.int16)
        for one, other in zip(self.original.codes, self.release.codes, strict=True):
            differ += one[first] != other[second]
            left = differ <= allowed
            first, second, differ = first[left], second[left], differ[left]
        return int(differ.size)

    def left_alone(self) -> float:
        """Return how many whole records would be left alone if the values that are fell on the records at random.

        Masking that changes some values of each attribute, and leaves others, leaves a few whole records by chance.
        """
        if not self.rows.size:
            return 0.0
        pairs = zip(self.original.codes, self.release.codes, strict=True)
        return self.rows.size * prod(float((one[self.own] == other[self.rows]).mean()) for one, other in pairs)


def needed_in_part(attributes: int) -> int | None:
    """Return how many equal values make a record the same in part; None where there are too few attributes to say so."""
    needed = attributes - 1 if attributes <= _FEW else attributes // 2
    return needed if needed >= _FEWEST_EQUAL else None


def in_order(
    original: File, release: File, own: NDArray[np.intp], names: tuple[str, ...], rng: Generator
) -> dict[str, Any]:
    """Find the largest part of the records that stand in the same order, or upside down, in an original and a released column.

    Noise leaves few records in a common order, and a part that was left alone is in it as a whole, whatever became of units,
    signs and names. Beside it stands the same for normal pairs with the same rank correlation.
    """
    records = min(release.records, _MOST_ORDERED)
    rows = np.arange(records)
    if records < release.records:
        rows = np.sort(rng.choice(release.records, records, replace=False))
    first, second = original.ranks(own[rows]), release.ranks(rows)
    correlations = _cross_correlations(first, second)
    found: list[dict[str, Any]] = []
    for column, name in enumerate(names):
        source = int(np.abs(correlations[:, column]).argmax())
        correlation = float(correlations[source, column])
        turned = second[:, column] * (1 if correlation >= 0 else -1)
        found.append(
            {
                "found": _longest_order(first[:, source], turned),
                "of": records,
                "expected": _by_noise(abs(correlation), records, rng),
                "column": name,
                "goes_with": names[source],
            }
        )
    return max(found, key=lambda one: one["found"] - one["expected"])


def _cross_correlations(first: Floats, second: Floats) -> Floats:
    """Return the correlations of each column of one file with each of the other; a constant one has none."""
    scaled = []
    for matrix in (first, second):
        centered = matrix - matrix.mean(axis=0)
        size = np.sqrt((centered**2).sum(axis=0))
        scaled.append(centered / np.where(size > 0, size, 1))
    return np.asarray(scaled[0].T @ scaled[1])


def _by_noise(correlation: float, records: int, rng: Generator) -> int:
    """Return how many records stand in order if the released value is the original's under normal noise."""
    normal = 2 * np.sin(np.pi * min(correlation, 1.0) / 6)  # Pearson's, of a pair with this correlation of ranks
    first, noise = rng.normal(size=(2, records))
    return _longest_order(first, normal * first + np.sqrt(max(0.0, 1 - normal**2)) * noise)


def _longest_order(first: Floats, second: Floats) -> int:
    """Return the length of the longest series of records that rise in both, by patience sorting; equal values do not rise."""
    ends: list[float] = []
    for value in second[np.lexsort((-second, first))].tolist():
        place = bisect_left(ends, value)
        ends[place : place + 1] = [value]
    return len(ends)
