"""Whether released records lie closer to original ones, on average, than those of any file that knows nothing of them can.

Let k be a positive definite kernel on records, and X, Y independent draws from any two distributions. Then

    E k(X, Y)  <=  sqrt( E k(X, X') E k(Y, Y') )

(Cauchy and Schwarz in the kernel's space, where each distribution is a mean). So an original and a release that were drawn
independently are, whatever their distributions, at most as close to each other as they are to themselves. A release whose
records were made from original ones, one by one, is closer. No strangers are needed, and models that are off do not matter.

The kernel is the product over the attributes of max(0, 1 - d / r), d being a distance of places: positive definite, 1 for
equal records, and 0 beyond r, so that all pairs that count lie in a band.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import hypot, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from permaudit_plugins.metrics._nearest import Index

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import NDArray

    from permaudit.model import Floats
    from permaudit_plugins.metrics._near import Looked

_MOST_PAIRS = 10_000_000
"""So many pairs of records are compared at most; where there are more, fewer records are looked at."""
_MOST_INSIDE = 20_000
"""So many records of a file tell how close they are to each other."""
_FEWEST = 50
"""With fewer records nothing can be said on average."""


@dataclass(frozen=True, slots=True)
class Closeness:
    """How close two files are to each other, and how close they could be at most if they were independent."""

    between: float
    bound: float
    spread: float
    """The standard deviation of their difference."""
    of: int
    """How many released records were looked at."""

    @property
    def excess(self) -> float:
        """Return by how many standard deviations the files are closer than that."""
        return (self.between - self.bound) / self.spread if self.spread else 0.0

    def details(self) -> dict[str, Any]:
        """Write it as plain numbers."""
        return {"closeness": self.between, "bound": self.bound, "spread": self.spread, "of": self.of}


def closeness(
    files: tuple[Index, Index],
    reach: float,
    looked: tuple[NDArray[np.intp], Floats | None],
    dressed: Looked,
    rng: Generator,
) -> Closeness | None:
    """Compare the mean kernel between some released and all original records with that inside each file.

    Of the released records that are looked at, each may have an original of its own, which is left out. Releases made of the
    original's own values are not independent of it, even if these were put together anew: strangers who wear the release's
    values tell how close they come.
    """
    (original, release), (some, own) = files, looked
    if original.total < _FEWEST or len(some) < _FEWEST or reach <= 0:
        return None
    known = original
    if original.total > _MOST_INSIDE:
        known = Index(original.rows(np.sort(rng.choice(original.total, _MOST_INSIDE, replace=False))))
    own_rows = np.arange(known.total)
    if known.total > len(some):
        own_rows = np.sort(rng.choice(known.total, len(some), replace=False))
    between = _mean(original, release.rows(some), reach, rng, own)
    inside, within = (
        _mean(index, index.rows(rows), reach, rng, index.rows(rows))
        for index, rows in ((known, own_rows), (release, some))
    )
    bound = sqrt(max(inside.value, 0.0) * max(within.value, 0.0))
    # Each record of the other file counts in many pairs too: as much again for the sample that it is.
    parts = [sqrt(2) * between.error]
    parts += [bound * one.error / one.value for one in (inside, within) if one.value > 0]
    worn = _mean(original, dressed.places, reach, rng, None if dressed.rows is None else original.rows(dressed.rows))
    return Closeness(between.value, max(bound, worn.value), hypot(*parts, sqrt(2) * worn.error), len(some))


@dataclass(frozen=True, slots=True)
class _Mean:
    value: float
    error: float


def _mean(index: Index, places: Floats, reach: float, rng: Generator, but: Floats | None) -> _Mean:
    """Return the mean kernel between records and those of an index, leaving out one of these each, if wanted."""
    fewer = max(_FEWEST, _MOST_PAIRS // index.records)
    if fewer < len(places):
        chosen = np.sort(rng.choice(len(places), fewer, replace=False))
        places, but = places[chosen], None if but is None else but[chosen]
    sums = index.kernel_sums(places, reach)
    if but is not None:
        sums -= np.maximum(0, 1 - np.abs(places - but) / reach).prod(axis=1)
    others = index.total - (but is not None)
    return _Mean(float(sums.mean()) / others, float(sums.std(ddof=1)) / sqrt(len(places)) / others)
