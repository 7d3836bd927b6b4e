"""Values -> places on the original's scale of ranks, on which distances mean the same for every attribute."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from permaudit.model import Floats
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
        found = self._plain(values)
        if self.values.size == 1:
            return np.asarray(np.clip(found - self.values[0], -_OUTSIDE, 1 + _OUTSIDE), np.float64)
        places = np.interp(found, self.values, self.places)
        for end, inner, outside in ((0, 1, found < self.values[0]), (-1, -2, found > self.values[-1])):
            slope = (self.places[inner] - self.places[end]) / (self.values[inner] - self.values[end])
            places[outside] = self.places[end] + (found[outside] - self.values[end]) * slope
        return np.asarray(np.clip(places, -_OUTSIDE, 1 + _OUTSIDE), np.float64)

    def _plain(self, values: NDArray[Any]) -> Floats:
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


def ruler_of(ordered: NDArray[Any], tolerance: float, default: float) -> Ruler:
    """Measure distances in terms of a declared tolerance; where that is 0, only equal values are near."""
    return Ruler(ordered[ordered.size // 2], max(tolerance / default, _SHORTEST))


def scale_of(ordered: NDArray[Any]) -> Scale:
    """Let the original's values, in their order, define the scale: steps of equal numbers of records, finer towards both ends."""
    origin = ordered[ordered.size // 2]
    distances = np.abs(apart(ordered, origin))
    finite = distances[np.isfinite(distances)]
    reach = float(finite.max(initial=0.0)) or 1.0
    plain = Scale(origin, reach, np.zeros(1), np.zeros(1))._plain(ordered)  # noqa: SLF001 - its own kind
    values = np.unique(plain[_steps(plain.size)])
    below, up_to = np.searchsorted(plain, values, "left"), np.searchsorted(plain, values, "right")
    return Scale(origin, reach, values, (below + up_to) / (2 * plain.size))


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


def placed(file: File, places: Sequence[Floats]) -> Floats:
    """Return a row of places for each record, from those of all values of each attribute."""
    return np.column_stack([of_values[column] for column, of_values in zip(file.codes, places, strict=True)])
