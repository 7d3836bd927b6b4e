"""The values of an attribute in ascending order, read only where they are asked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from permaudit.model import Floats

    Places = NDArray[np.intp]


@dataclass(frozen=True, slots=True, eq=False)
class Ascending:
    """The values of one attribute of a file, one for each record."""

    levels: NDArray[Any]
    """Each value once, in ascending order."""
    codes: NDArray[np.int32]
    """The numbers of the records' values among these, in ascending order."""

    @property
    def size(self) -> int:
        """Return how many there are."""
        return self.codes.size

    @property
    def middle(self) -> Any:
        """Return the value in the middle."""
        return self.levels[self.codes[self.size // 2]]

    def at(self, places: Places) -> NDArray[Any]:
        """Return the values at some places."""
        return np.asarray(self.levels[self.codes[places]])

    def count(self, rising: Callable[[NDArray[Any]], Floats], reached: Callable[[Floats], NDArray[np.bool_]]) -> Places:
        """Count the values whose image under a rising function has not reached what is asked for, by halving."""
        low = np.zeros(reached(rising(self.at(np.zeros(1, np.intp)))).size, np.intp)
        high = np.full_like(low, self.size)
        while (left := low < high).any():
            middle = (low + high) // 2
            there = reached(rising(self.at(np.minimum(middle, self.size - 1))))
            high = np.where(left & there, middle, high)
            low = np.where(left & ~there, middle + 1, low)
        return low
