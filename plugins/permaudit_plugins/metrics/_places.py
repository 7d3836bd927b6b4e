"""Values -> places on the original's scale of ranks, on which distances mean the same for every attribute."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from permaudit_plugins.metrics._files import begins_of
from permaudit_plugins.metrics._line import Line, some_in_order

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from permaudit.model import Floats
    from permaudit_plugins.metrics._ascending import Ascending
    from permaudit_plugins.metrics._files import File

_STEPS = 50
"""So many steps the scale has at most, of equal numbers of records."""
_FEWEST_PER_STEP = 20
"""With fewer records on a step, a record would shape the scale on which its own distances are measured."""
_WHOLE_FLOATS = 2.0**53
_FARTHEST = 4.0
"""Values farther out than so many times the original's greatest distance from its median are all alike."""
_OUTSIDE = 1.0
"""How far outside the original's scale, which runs from 0 to 1, a value can be placed."""


_NOWHERE = 1e300
"""As far from everything as a finite number can be: missing values."""
_SHORTEST = 1e-280
_BLOCK = 2**14
"""So many values are placed at a time: what fits into the processor's cache."""


@dataclass(frozen=True, slots=True, eq=False)
class Scale:
    """The share of the original's records below a value, and half of those that have it: straight lines between steps.

    Between two steps the place follows the value, not the rank: a value that was moved a little stays near its origin, also
    where the origin is one of few categories, and a single record hardly moves the scale.
    """

    origin: Any
    reach: float
    values: Floats
    places: Floats

    def place(self, values: NDArray[Any]) -> Floats:
        """Return the places of values; outside the original's range the first or last step goes on."""
        places = np.empty(values.size)
        for start in range(0, values.size, _BLOCK):
            block = slice(start, start + _BLOCK)
            places[block] = self._place(self.moderate(values[block]))
        return places

    def _place(self, found: Floats) -> Floats:
        if self.values.size == 1:
            return np.asarray(np.clip(found - self.values[0], -_OUTSIDE, 1 + _OUTSIDE), np.float64)
        places = np.interp(found, self.values, self.places)
        for end, inner, outside in ((0, 1, found < self.values[0]), (-1, -2, found > self.values[-1])):
            slope = (self.places[inner] - self.places[end]) / (self.values[inner] - self.values[end])
            places[outside] = self.places[end] + (found[outside] - self.values[end]) * slope
        return np.asarray(np.clip(places, -_OUTSIDE, 1 + _OUTSIDE), np.float64)

    def moderate(self, values: NDArray[Any]) -> Floats:
        """Return finite numbers of moderate size."""
        with np.errstate(over="ignore"):
            return np.asarray(np.clip(apart(values, self.origin) / self.reach, -_FARTHEST, _FARTHEST), np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class Ruler:
    """The values themselves, in units in which the declared tolerance is as long as the default one."""

    origin: Any
    unit: float

    def place(self, values: NDArray[Any]) -> Floats:
        """Return the places of values."""
        return np.asarray(np.clip(apart(values, self.origin) / self.unit, -_NOWHERE, _NOWHERE), np.float64)


def ruler_of(ordered: Ascending, tolerance: float, default: float) -> Ruler:
    """Measure distances in terms of a declared tolerance; where that is 0, only equal values are near."""
    return Ruler(ordered.middle, max(tolerance / default, _SHORTEST))


def scale_of(ordered: Ascending) -> Scale:
    """Let the original's values, in their order, define the scale: steps of equal numbers of records, finer towards both ends."""
    plain = Scale(ordered.middle, _reach(ordered), np.zeros(1), np.zeros(1))
    values = np.unique(plain.moderate(ordered.at(_steps(ordered.size))))
    below = ordered.count(plain.moderate, lambda some: some >= values)
    up_to = ordered.count(plain.moderate, lambda some: some > values)
    return Scale(plain.origin, plain.reach, values, (below + up_to) / (2 * ordered.size))


def _reach(ordered: Ascending) -> float:
    """Return the greatest finite distance from the middle: that of an end, unless it is too far for a number."""
    with np.errstate(over="ignore"):
        distances = np.abs(apart(ordered.at(np.array([0, -1])), ordered.middle))
        if not np.isfinite(distances).all():
            distances = np.abs(apart(ordered.at(np.arange(ordered.size)), ordered.middle))
    return float(distances[np.isfinite(distances)].max(initial=0.0)) or 1.0


def _steps(records: int) -> NDArray[np.intp]:
    """Return the ranks at which the steps begin: towards the ends, where values lie apart, of 4, 8, 16... records."""
    width = max(_FEWEST_PER_STEP, -(-records // _STEPS))
    ends = 4 * 2 ** np.arange(width.bit_length()) - 4
    ends = ends[ends < min(width, records)]
    return np.unique(np.concatenate([np.arange(0, records, width), ends, records - 1 - ends]))


def apart(values: NDArray[Any], origin: Any) -> Floats:
    """Return how far values are from another one, as floats; whole numbers that are near each other without rounding."""
    rough = values.astype(np.float64) - float(origin)
    if values.dtype.kind == "f" or values.dtype != np.asarray(origin).dtype:
        return np.asarray(rough, np.float64)
    # Beyond 2^53 the difference of whole numbers may wrap, and a float is as good.
    exact = values - origin if values.dtype.kind == "i" else (values - origin).view(np.int64)
    return np.where(np.abs(rough) < _WHOLE_FLOATS, exact.astype(np.float64), rough)


def placed(file: File, scales: Sequence[Scale | Ruler]) -> Floats:
    """Return a row of places for each record; the columns are whole in memory."""
    found = np.empty((len(scales), file.records))
    for number, (scale, levels, column) in enumerate(zip(scales, file.levels, file.codes, strict=True)):
        if file.known_order is None:
            found[number] = scale.place(levels[column])
            continue
        ordered, of_values = file.known_order[number], np.empty(len(levels))
        present = ordered[begins_of(ordered)]
        of_values[present] = scale.place(levels[present])
        of_values.take(column, out=found[number], mode="clip")  # which spares a copy
    return found.T


def lines_of(file: File, scales: Sequence[Scale | Ruler]) -> list[Line]:
    """Return the places of each attribute in ascending order."""
    some = some_in_order(file.records)
    triples = zip(scales, file.levels, file.ordered, strict=True)
    return [Line(scale.place(levels[ordered[some]]), file.records) for scale, levels, ordered in triples]
