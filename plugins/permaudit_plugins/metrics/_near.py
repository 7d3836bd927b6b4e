"""Released records that are so near to one original record, and to no other, as strangers hardly ever are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from permaudit_plugins.metrics._keys import row_keys
from permaudit_plugins.metrics._nearest import Nearest
from permaudit_plugins.metrics._sighting import Chance, Sighting, most

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from permaudit.model import Floats
    from permaudit_plugins.metrics._nearest import Index

_RARE = 0.02
"""This share of strangers counts as near, and no more: how much nearer to one record than to the next that is, they tell."""
_SLACK = 1 + 1e-9
"""What rounding may add to a distance that is exactly the tolerance."""


@dataclass(frozen=True, slots=True, eq=False)
class Looked:
    """Some records on the scale of places."""

    places: Floats
    rows: NDArray[np.intp] | None
    """The rows of the original that are left out, one for each record; None for none."""
    what: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Found:
    """Some records on the scale of places, and what is nearest to each of them."""

    looked: Looked
    nearest: Nearest

    @classmethod
    def by(cls, index: Index, looked: Looked) -> Found:
        """Look records up."""
        return cls(looked, index.nearest(looked.places, looked.rows))


def near_sighting(tolerance: float, release: Found, strangers: Sequence[Found]) -> Sighting:
    """Count the released records that are equal to an original one or single one out, and hold them against strangers."""
    limit = min(_limit(one.nearest) for one in strangers)
    chances = [_chance(one, tolerance, limit) for one in strangers]
    places = release.looked.places
    repeats = len(places) / np.unique(row_keys(places)).size
    return Sighting(_singled_out(release.nearest, tolerance, limit), len(places), most(*chances), repeats)


def own_sighting(tolerance: float, release: Found, apart: Floats, strangers: Found) -> Sighting:
    """Count the linked records that single out their own original, which is so far apart; strangers single out somebody."""
    limit = _limit(strangers.nearest)
    found = Nearest(apart, release.nearest.first)
    return Sighting(_singled_out(found, tolerance, limit), apart.size, _chance(strangers, tolerance, limit))


def _chance(strangers: Found, tolerance: float, limit: float) -> Chance:
    found = _singled_out(strangers.nearest, tolerance, limit)
    return Chance(found, len(strangers.looked.places), strangers.looked.what)


def within_sighting(index: Index, tolerance: float, release: Looked, strangers: Sequence[Looked]) -> Sighting:
    """Count the released records that have an original one within the tolerance, whoever else is there."""
    found, *others = (
        int((index.nearest(one.places, one.rows).first <= tolerance * _SLACK).sum()) for one in (release, *strangers)
    )
    chances = [Chance(count, len(one.places), one.what) for count, one in zip(others, strangers, strict=True)]
    return Sighting(found, len(release.places), most(*chances))


def _limit(found: Nearest) -> float:
    """Return below which ratio of the nearest to the next distance a record is nearer than strangers hardly ever are."""
    ratios = np.sort(_ratio(found)[found.first > 0])
    return float(ratios[int(_RARE * ratios.size)]) if ratios.size else 0.0


def _ratio(found: Nearest) -> Floats:
    """Return the nearest distance in terms of the next; where there is no next, nothing is singled out."""
    ratio = np.ones_like(found.first)
    some = np.isfinite(found.second) & (found.second > 0)
    ratio[some] = found.first[some] / found.second[some]
    return ratio


def _singled_out(found: Nearest, tolerance: float, limit: float) -> int:
    """Count the records that equal an original, or are within the tolerance of one and far nearer to it than to any other."""
    near = (found.first <= tolerance * _SLACK) & (_ratio(found) < limit)
    return int(((found.first == 0) | near).sum())
