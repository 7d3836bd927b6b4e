"""The values that generalized cells name: the ends of intervals, the members of sets."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from permaudit.data.scales.base import Distinct, Mask

    Floats = NDArray[np.float64]
    Reading = Literal["lower", "upper", "first"]
    Places = NDArray[np.intp]

READINGS: tuple[Reading, ...] = ("lower", "upper", "first")
"""By which of its points a cell can be read: the least, the greatest, and the one that is written first."""


@dataclass(frozen=True, slots=True)
class Naming:
    """What one generalized text names, as codes of the scale."""

    points: tuple[float, ...]
    """The members of a set as they are written; of an interval both ends, infinite where there is none."""
    is_set: bool


@dataclass(frozen=True, slots=True, eq=False)
class Named:
    """What the generalized cells of a released column name."""

    cells: Places
    """For each record which of the texts it has; -1 where its value is plain or missing."""
    starts: Places
    """Where the points of each text begin, and where those of the last one end."""
    points: Floats
    is_set: Mask
    """For each text: is it a set?"""
    ordered: bool
    """Does it mean something that one value lies between two others?"""

    def read_as(self, reading: Reading, codes: NDArray[Any]) -> Floats:
        """Return the codes of a column with its cells read by one of their points instead of their middle."""
        many = np.diff(self.starts)
        owner = np.repeat(np.arange(many.size), many)
        points = np.full(many.size, np.nan)
        if reading == "first":
            points[many > 0] = self.points[self.starts[:-1][many > 0]]
        else:
            (np.fmin if reading == "lower" else np.fmax).at(points, owner, self.points)
        read = np.append(points, np.nan)[self.cells]
        return np.where(np.isnan(read), codes, read)

    def at(self, rows: Places | slice) -> Named:
        """Return some records."""
        return replace(self, cells=self.cells[rows])

    @property
    def suppressed(self) -> Mask:
        """Tell which records have a text that names nothing at all, such as `*`."""
        empty = np.append(self.starts[1:] == self.starts[:-1], False)
        return np.asarray(empty[self.cells])


def named_in(texts: Distinct, namings: Mapping[str, Naming], *, ordered: bool) -> Named | None:
    """Return what the generalized texts of a column name; None where it has none."""
    if not namings:
        return None
    chosen = np.array([text in namings for text in texts.texts], bool)
    kept = texts.only(chosen)
    found: Sequence[Naming] = [namings[text] for text in kept.texts]
    return Named(
        cells=kept.index,
        starts=np.concatenate([[0], np.cumsum([len(one.points) for one in found])]).astype(np.intp),
        points=np.array([point for one in found for point in one.points], np.float64),
        is_set=np.array([one.is_set for one in found], bool),
        ordered=ordered,
    )
