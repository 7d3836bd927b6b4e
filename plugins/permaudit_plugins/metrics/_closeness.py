"""Whether released records lie closer to original ones, on average, than those of any file that knows nothing of them can.

Let k be a positive definite kernel on records, and X, Y independent draws from any two distributions. Then

    E k(X, Y)  <=  sqrt( E k(X, X') E k(Y, Y') )

(Cauchy and Schwarz in the kernel's space, where each distribution is a mean). So an original and a release that were drawn
independently are, whatever their distributions, at most as close to each other as they are to themselves. A release whose
records were made from original ones, one by one, is closer. No strangers are needed, and models that are off do not matter.

The kernel is the product over the attributes of max(0, 1 - d / r), d being a distance of places: positive definite, 1 for
equal records, and 0 beyond r, so that all pairs that count lie in a band.

Where many people live, records of both files are close to each other and to themselves: the two sides rise and fall together.
So what counts is by how much they differ at each released record, and how much that varies.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from permaudit_plugins.metrics._line import mean_to_others
from permaudit_plugins.metrics._nearest import Index, default_tolerance

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.random import Generator
    from numpy.typing import NDArray

    from permaudit.model import Floats

_MOST_PAIRS = 10_000_000
"""So many pairs of records are compared at most; where there are more, fewer records are looked at."""
_MOST_INSIDE = 20_000
"""So many records of a file tell how close they are to each other."""
_FEWEST_ATTRIBUTES, _MOST_ATTRIBUTES = 3, 8
"""Between so many attributes each one is left out in turn..."""
_MOST_IN_PART = 4_000
"""...for so many released records at most."""
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
    rng: Generator,
    most_pairs: int = _MOST_PAIRS,
) -> Closeness | None:
    """Compare the mean kernel between some released and all original records with that inside each file.

    Of the released records that are looked at, each may have an original of its own, which is left out. Releases made of the
    original's own values are not independent of it, even if these were put together anew: how much closer they are in each
    attribute alone, they may be together.
    """
    (original, release), (some, own) = files, looked
    if original.total < _FEWEST or len(some) < _FEWEST or reach <= 0:
        return None
    fewer = some_of(len(some), max(_FEWEST, most_pairs // max(original.records, release.records)), rng)
    places, but = release.rows(some[fewer]), None if own is None else own[fewer]
    known = original
    if original.total > _MOST_INSIDE:
        known = Index(original.rows(some_of(original.total, _MOST_INSIDE, rng)))
    own_places = known.rows(some_of(known.total, min(len(some), max(_FEWEST, most_pairs // known.records)), rng))
    between = mean_to_others(original.kernel_sums(places, reach), places, but, reach, original.total)
    within = mean_to_others(release.kernel_sums(places, reach), places, places, reach, release.total)
    inside = mean_to_others(known.kernel_sums(own_places, reach), own_places, own_places, reach, known.total)
    value, outer, inner = (float(one.mean()) for one in (between, within, inside))
    if outer <= 0 or inner <= 0:
        return Closeness(value, 0.0, 0.0, len(places))
    bound = sqrt(outer * inner) * _by_values(files, reach, places, but)
    differ = float((between - bound / outer * within).var(ddof=1)) * (1 / len(places) + 1 / original.total)
    left = (1 - len(own_places) / original.total) * float(inside.var(ddof=1)) / len(own_places)
    return Closeness(value, bound, sqrt(differ + left * (bound / inner) ** 2), len(places))


def close_in_part(
    files: tuple[Floats, Floats], reach: float, names: Sequence[str], rng: Generator
) -> dict[str, Any] | None:
    """Look at closeness in all attributes but one, each in turn; the clearest find counts.

    Noise of one size in the values can be most of the ranks in an attribute with heavy tails, and hardly any in others.
    """
    attributes, records = len(names), len(files[0])
    if not _FEWEST_ATTRIBUTES <= attributes <= _MOST_ATTRIBUTES or records > _MOST_INSIDE:
        return None
    reach *= default_tolerance(records, attributes - 1) / default_tolerance(records, attributes)
    looked = some_of(len(files[1]), _MOST_IN_PART, rng), None
    found = []
    for place, name in enumerate(names):
        original, release = (Index(np.delete(file, place, axis=1)) for file in files)
        one = closeness((original, release), reach, looked, rng, _MOST_PAIRS // attributes)
        if one is not None:
            found.append((one, name))
    if not found:
        return None
    clearest, name = max(found, key=lambda one: one[0].excess)
    return {**clearest.details(), "without": [name], "looks": len(found)}


def _by_values(files: tuple[Index, Index], reach: float, places: Floats, but: Floats | None) -> float:
    """Return how many times closer two files may be since the values of one are those of the other, attribute by attribute."""
    times = 1.0
    for place, (original, release) in enumerate(zip(*(file.lines for file in files), strict=True)):
        column, own = places[:, place], None if but is None else but[:, place]
        between = original.to_others(column, own, reach).mean()
        within = release.to_others(column, column, reach).mean()
        inside = original.to_others(original.values, original.values, reach).mean()
        if within > 0 and inside > 0:
            times *= max(1.0, float(between / sqrt(within * inside)))
    return times


def some_of(records: int, most: int, rng: Generator) -> NDArray[np.intp]:
    """Draw so many rows at most, in order; all of them where there are no more."""
    return np.arange(records) if records <= most else np.sort(rng.choice(records, most, replace=False))
