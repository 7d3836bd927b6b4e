"""Which record belongs to which range of a column: by its value, and among equal values by its number.

A value that many records share would otherwise make one range as large as the file.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

PER_RANGE = 64
"""So many cells are drawn for each range, to find out where ranges should end."""


@dataclass(frozen=True, slots=True, eq=False)
class Splitters:
    """The first value and record of every range but the lowest."""

    values: NDArray[Any]
    records: NDArray[np.int32]

    @classmethod
    def between(cls, values: NDArray[Any], records: NDArray[np.int32], ranges: int) -> Splitters:
        """Choose splitters so that the drawn cells fall into ranges of the same size."""
        order = np.lexsort((records, values))
        chosen = order[np.arange(1, ranges) * order.size // ranges]
        return cls(values[chosen], records[chosen])

    def ranges(self, values: NDArray[Any], records: NDArray[np.int32]) -> NDArray[np.intp]:
        """Return the range of each cell."""
        found = np.searchsorted(self.values, values, "left")
        above = np.searchsorted(self.values, values, "right")
        for low in np.unique(found[found < above]):
            here = np.flatnonzero((found == low) & (above > low))
            high = above[here[0]]
            found[here] = low + np.searchsorted(self.records[low:high], records[here], "right")
        return found
