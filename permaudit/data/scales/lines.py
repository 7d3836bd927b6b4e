"""The original's values in order: where an interval begins and ends in it, and what lies halfway."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence
    from decimal import Decimal

    from permaudit.data.scales.base import Codes, EncodedColumn
    from permaudit.data.scales.generalized import Place

WHOLE_FLOATS = 2**53
"""Up to here every whole number is a float."""

GAP = 2**31
"""What lies between the codes of neighbours where values are held by their order only: room for every released value."""


def in_order(column: EncodedColumn) -> Codes:
    """Return the codes that are not missing, sorted."""
    return np.sort(column.codes if column.missing is None else column.codes[~column.missing])


class NaturalLine:
    """The original's values in order, held as the numbers they are."""

    def __init__(self, ordered: Codes) -> None:
        """Take the sorted values."""
        self._ordered = ordered
        self._is_float = ordered.dtype.kind == "f"

    @property
    def size(self) -> int:
        """Return how many there are."""
        return int(self._ordered.size)

    def below(self, place: Place, *, including: bool) -> int:
        """Return how many values are below the place, or equal to it."""
        number: Any
        if self._is_float:
            number = float(place)
        else:
            number = math.floor(place) if including else math.ceil(place)
            limits = np.iinfo(self._ordered.dtype)
            if number > limits.max:
                return self.size
            if number < limits.min:
                return 0
        return int(np.searchsorted(self._ordered, self._ordered.dtype.type(number), "right" if including else "left"))

    def halfway(self, first: int, second: int) -> float:
        """Return the number halfway between two values."""
        low, high = self._ordered[first].item(), self._ordered[second].item()
        return _mean(low, high)

    def middle(self, low: Place, high: Place) -> float:
        """Return the number halfway between two places."""
        if self._is_float:
            return _mean(float(low), float(high))
        middle = (Fraction(low) + Fraction(high)) / 2
        return math.floor(middle) if middle.denominator == 1 or abs(middle) > WHOLE_FLOATS else float(middle)

    def code(self, place: Place) -> float:
        """Return the number itself."""
        return float(place)


def _mean(low: float, high: float) -> float:
    """Return the number halfway between two; whole numbers stay whole where the half would be rounded."""
    if low == high:
        return low
    total = low + high
    if isinstance(total, int):
        return total // 2 if total % 2 == 0 or abs(total) > WHOLE_FLOATS else total / 2
    return total / 2 if math.isfinite(total) else low / 2 + high / 2


class ExactLine:
    """The original's values in order, where no 64-bit type keeps them apart."""

    def __init__(self, values: Sequence[Decimal], ordered: Codes) -> None:
        """Take the distinct values in order, and the sorted codes of all records."""
        self._values = values
        self._ordered = ordered

    @property
    def size(self) -> int:
        """Return how many there are."""
        return int(self._ordered.size)

    def below(self, place: Place, *, including: bool) -> int:
        """Return how many values are below the place, or equal to it."""
        distinct = (bisect_right if including else bisect_left)(self._values, place)
        return int(np.searchsorted(self._ordered, distinct * GAP))

    def halfway(self, first: int, second: int) -> float:
        """Return the code halfway between those of two values."""
        return (int(self._ordered[first]) + int(self._ordered[second])) // 2

    def middle(self, low: Place, high: Place) -> float:
        """Return the code of the gap that the middle of two places falls into."""
        middle: Any = (Fraction(low) + Fraction(high)) / 2
        return bisect_left(self._values, middle) * GAP - GAP // 2

    def code(self, place: Place) -> float:
        """Return the code of the value, or of the gap that the place falls into."""
        at = bisect_left(self._values, place)
        there = at < len(self._values) and self._values[at] == place
        return float(at * GAP - (0 if there else GAP // 2))


def exact_codes(values: Sequence[Decimal], original: Sequence[Decimal]) -> Codes:
    """Give distinct values, in order, codes among those of the original: its own where equal, else one in the gap.

    The original's distinct values have the codes 0, g, 2g, ...; there is room in a gap for as many values as a file can
    have records, so that no two values share a code.
    """
    codes = np.empty(len(values), np.int64)
    gap, used = -1, 0
    for number, value in enumerate(values):
        place = bisect_left(original, value)
        if place < len(original) and original[place] == value:
            codes[number] = place * GAP
            continue
        used = used + 1 if place == gap else 1
        gap = place
        codes[number] = (place - 1) * GAP + used
    return codes
