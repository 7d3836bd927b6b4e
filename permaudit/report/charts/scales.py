"""From values to places on a drawing."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import isfinite, log
from typing import TYPE_CHECKING

from permaudit.report.charts.numbers import known, parameter, ticks

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_GEOMETRIC = 3.0
"""Where the largest step is so many times the smallest one, values are better seen on a logarithmic axis."""
_MANY = 12


@dataclass(frozen=True, slots=True)
class Linear:
    """A scale from one value to another, from one place to another."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        """Return the place of a value; what lies outside is put on the border."""
        if not self.high > self.low:
            return (self.start + self.end) / 2
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)

    def marks(self, most: int = 5) -> list[tuple[float, str]]:
        """Return the places of round numbers, and these."""
        return [(self(value), parameter(round(value, 12))) for value in ticks(self.low, self.high, most)]


@dataclass(frozen=True, slots=True)
class Steps:
    """A scale for the values of a parameter: logarithmic where they are geometric, even where they are words."""

    places: dict[float | str, float]
    logarithmic: bool

    def __call__(self, value: float | str) -> float | None:
        """Return the place of a value, if it is one of those that have one."""
        return self.places.get(value, self.places.get(parameter(value)))

    def marks(self) -> list[tuple[float, str]]:
        """Return the places of the values, and these as text; of many even steps, round numbers instead."""
        values = list(self.places)
        low, high = values[0], values[-1]
        if len(values) > _MANY and not self.logarithmic and not isinstance(low, str) and not isinstance(high, str):
            return Linear(low, high, self.places[low], self.places[high]).marks()
        return [(place, parameter(value)) for value, place in self.places.items()]


def steps(values: Iterable[float | str], start: float, end: float) -> Steps:
    """Make the scale of a parameter: numbers in order; with words among them, all as they come."""
    given = [value for value in values if isinstance(value, str) or isfinite(value)]
    numbers = sorted({value for value in given if not isinstance(value, str)})
    if any(isinstance(value, str) for value in given):
        names = list(dict.fromkeys(map(parameter, given)))
        shares = {name: place / max(1, len(names) - 1) for place, name in enumerate(names)}
        return Steps({name: start + share * (end - start) for name, share in shares.items()}, logarithmic=False)
    logarithmic = _geometric(numbers)
    ends = [log(value) if logarithmic else value for value in (numbers[0], numbers[-1])] if numbers else [0.0, 1.0]
    scale = Linear(ends[0], ends[1], start, end)
    return Steps({value: scale(log(value) if logarithmic else value) for value in numbers}, logarithmic)


def _geometric(numbers: Sequence[float]) -> bool:
    """Tell whether numbers in order grow by factors rather than by differences."""
    if len(numbers) < 3 or numbers[0] <= 0:  # noqa: PLR2004 - two are no pattern
        return False
    gaps = [after - before for before, after in pairwise(numbers)]
    return max(gaps) > _GEOMETRIC * min(gaps)


def covering(bounds: tuple[float, float], values: Sequence[float | None]) -> tuple[float, float]:
    """Widen bounds until every value is within; bounds that are not finite come from the values."""
    there = [value for value in values if known(value)]
    low = min([*there, bounds[0]] if isfinite(bounds[0]) else there, default=0.0)
    high = max([*there, bounds[1]] if isfinite(bounds[1]) else there, default=1.0)
    return (low, high) if high > low else (low - 0.5, high + 0.5)
