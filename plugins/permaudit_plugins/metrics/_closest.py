"""Released records that are closer to an original one than two different people ever are.

How many strangers have an original record within a distance grows with a power of that distance, the number of dimensions in
which records vary there. Where strangers have come no closer yet, that power tells how many would: a few records that were
moved a little lie where nobody is expected.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from permaudit_plugins.metrics._sighting import surprise

if TYPE_CHECKING:
    from collections.abc import Sequence

    from permaudit.model import Floats

_COUNTED = 20
"""Up to the distance of so many strangers they are too few to be counted, and the power speaks for them."""
_FITTED = 200
"""So many of the closest strangers tell the power..."""
_FITTED_SHARE = 0.25
"""...but at most this share of them."""
_DOUBT = 3.0
"""The power is taken to be lower than it reads by so many standard deviations."""
_DIFFERENT = 0.4
"""Two people are each other's closest; where fewer distances differ than this share, they go in steps, and have no power."""
_SCANNED = 0.05
"""The closest records are looked at up to this share of them: where more are close, other looks see it..."""
_HARDLY_ANY = 5.0
"""...and as far as strangers are hardly expected."""
_TWICE = 2.0
"""Strangers are a sample themselves, and their power a fit: so many times as many as they tell may be chance."""


@dataclass(frozen=True, slots=True, eq=False)
class Crowd:
    """How many of a group of strangers have an original record within a distance."""

    what: str
    distances: Floats
    """In ascending order."""
    few: int
    """Nearer than so many of them, they are too few to be counted..."""
    power: float
    """...and their number goes down with this power of the distance."""

    @classmethod
    def of_strangers(cls, distances: Floats, what: str) -> Crowd | None:
        """Fit the power to the closest (Hill's estimator); None where there are too few to tell."""
        ordered = np.sort(distances)
        closest = ordered[: min(_FITTED, int(_FITTED_SHARE * ordered.size))]
        positive = closest[closest > 0]
        if positive.size < _COUNTED or not np.isfinite(positive[-1]):
            return None
        if np.unique(positive).size < _DIFFERENT * positive.size:
            return cls(what, ordered, _COUNTED, 0.0)
        power = (1 - _DOUBT / sqrt(positive.size)) / float(np.log(positive[-1] / positive).mean())
        return cls(what, ordered, _COUNTED, max(power, 0.0))

    @classmethod
    def of_others(cls, distances: Floats, what: str) -> Crowd | None:
        """Fit the power to those that are not among the closest, which may be others than the crowd."""
        ordered = np.sort(distances)
        few, many = int(_SCANNED * ordered.size), int(_FITTED_SHARE * ordered.size)
        if few < _COUNTED or not 0 < ordered[few - 1] < ordered[many - 1] < np.inf:
            return None
        power = log(many / few) / log(ordered[many - 1] / ordered[few - 1])
        return cls(what, ordered, few, (1 - _DOUBT / sqrt(many)) * power)

    def share(self, distance: float) -> float:
        """Return which share of the crowd is within a distance."""
        reached = self.distances[self.few - 1]
        if distance >= reached:
            return float(np.searchsorted(self.distances, distance, "right") / self.distances.size)
        return float(self.few / self.distances.size * (distance / reached) ** self.power)


def closest_sighting(distances: Floats, crowds: Sequence[Crowd | None]) -> dict[str, Any] | None:
    """Find the distance within which so many released records lie as strangers least likely do; equal ones are not counted."""
    near = np.unique(distances[(distances > 0) & np.isfinite(distances)])  # a record that is there twice counts once
    near = near[: max(1, int(_SCANNED * distances.size))]
    if not near.size or not crowds or any(crowd is None for crowd in crowds):
        return None
    looks: list[tuple[float, int, float, float, str]] = []
    for number, distance in enumerate(near.tolist(), start=1):
        share, what = max((crowd.share(distance), crowd.what) for crowd in crowds if crowd is not None)
        expected = _TWICE * share * distances.size
        if looks and expected > _HARDLY_ANY:
            break
        looks.append((surprise(number, distances.size, (), expected), -number, expected, distance, what))
    likely, number, expected, distance, what = min(looks)
    return {
        "found": -number,
        "of": distances.size,
        "expected": expected,
        "chance_is": what,
        "distance": distance,
        "surprise": likely,
    }


def closest_own(distances: Floats) -> dict[str, Any] | None:
    """Find the distance within which so many linked records are left as the noise on all others least likely leaves them."""
    return closest_sighting(distances, [Crowd.of_others(distances, "the other records, beside their own originals")])
