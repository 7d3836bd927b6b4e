"""Ever wider intervals of a numeric attribute, at round numbers: what anjana calls a hierarchy."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_FINEST = 20
"""So many intervals, or a few more, the finest level has."""
_MOST = 60


def levels_of(values: NDArray[np.float64]) -> list[list[str]]:
    """Return the cells of each level: the numbers themselves, intervals of doubling width, and one interval for all."""
    low, high = float(values.min()), float(values.max())
    levels = [[repr(float(value)) for value in values]]
    width = 10.0 ** math.floor(math.log10(high - low)) / _FINEST * 2 if high > low else 1.0
    for _ in range(_MOST):
        places = np.floor(values / width)
        levels.append([_interval(place * width, (place + 1) * width) for place in places.tolist()])
        if places.min() == places.max():
            return levels
        if places.max() - places.min() == 1:  # on both sides of a round number, such as 0, widths alone never meet
            whole = _interval(places.min() * width, (places.max() + 1) * width)
            return [*levels, [whole] * len(values)]
        width *= 2
    raise ValueError("has values that no interval of round numbers holds together")


def _interval(low: float, high: float) -> str:
    """Write an interval as permaudit reads it."""
    return f"[{_number(low)},{_number(high)})"


def _number(value: float) -> str:
    """Write a round number without what its float leaves at the end."""
    rounded = float(f"{value:.12g}")
    return str(int(rounded)) if rounded == int(rounded) else repr(rounded)
