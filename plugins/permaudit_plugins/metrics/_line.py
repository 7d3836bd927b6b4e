"""How close the values of one attribute are, whatever records they stand in: sums of values up to a place tell it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from permaudit.model import Floats

_MOST = 20_000
"""So many values tell how close those of two files are."""


@dataclass(frozen=True, slots=True, eq=False)
class Line:
    """The values of one attribute in ascending order; of many, every second, third... which stand for those beside them."""

    values: Floats
    total: int
    """How many there are in all."""

    @classmethod
    def of(cls, column: Floats) -> Line:
        """Put a column in order."""
        ordered = np.sort(column)
        return cls(ordered[some_in_order(ordered.size)], ordered.size)

    def to_others(self, places: Floats, but: Floats | None, reach: float) -> Floats:
        """Return the mean kernel from each place to all values, leaving out one of these each, if wanted."""
        sums = _line_sums(self.values, places, reach) * (self.total / self.values.size)
        return mean_to_others(sums, places[:, None], None if but is None else but[:, None], reach, self.total)


def some_in_order(records: int) -> slice:
    """Return which of so many values in ascending order are taken."""
    step = max(1, -(-records // _MOST))
    return slice(step // 2, None, step)


def mean_to_others(sums: Floats, places: Floats, but: Floats | None, reach: float, total: int) -> Floats:
    """Return the mean kernel from each record to those of a file, leaving out one of these each, if wanted."""
    if but is None:
        return sums / total
    return np.asarray((sums - np.maximum(0, 1 - np.abs(places - but) / reach).prod(axis=1)) / (total - 1))


def _line_sums(ordered: Floats, places: Floats, reach: float) -> Floats:
    """Return the kernel sums in one attribute: sums of values up to a place tell those of distances."""
    up_to = np.concatenate([[0.0], np.cumsum(ordered)])
    low, middle, high = (np.searchsorted(ordered, places + by) for by in (-reach, 0.0, reach))
    distances = places * (2 * middle - low - high) + up_to[high] + up_to[low] - 2 * up_to[middle]
    return np.asarray((high - low) - distances / reach)
