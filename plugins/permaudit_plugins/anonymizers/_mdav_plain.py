"""MDAV as it is written: every distance to every record that is left, in numpy. The reference for faster ones.

Faster ones must give the same groups to the last record, so all that rounding could decide is defined here:

- the squared distance of a record p to a record q is the sum of (p_j - q_j)^2 over the attributes, in their order;
- the squared distance to the centroid of c records with sum S is that of (c * p_j - S_j)^2: nothing is divided;
- S is a sum of whole numbers: of the coordinates on a grid so fine that it still fits into 63 bits (`on_grid`); no order of
  adding and removing records can change it;
- of records at the same distance the one with the lowest number comes first;
- the second extreme record never joins the group of the first, however many records are the same.

Records that are the same are at the same distance always. Different ones whose distances would be equal in exact arithmetic, such
as two at either side of the centroid, may be told apart by rounding; every version tells them apart alike.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Whole = NDArray[np.int64]

_BITS = 62


def on_grid(points: Floats) -> tuple[Whole, float]:
    """Return the coordinates as whole multiples of a power of two, and that power; all of them together fit into int64."""
    largest = float(np.abs(points).max(initial=0.0)) * points.shape[0]
    step = math.ldexp(1.0, math.frexp(largest)[1] - _BITS)
    return np.rint(points / step).astype(np.int64), step


def plain_groups(points: Floats, k: int) -> Whole:
    """Return the group of each record, numbered in the order in which they were formed."""
    records = points.shape[0]
    left = _Left(points)
    groups = np.empty(records, np.int64)
    formed = 0
    while left.count >= 2 * k:
        two = left.count >= 3 * k
        first = left.farthest_from_centroid()
        distances = left.distances(first)
        if two:
            second = int(np.argmax(np.where(np.arange(left.count) == first, -1.0, distances)))
            distances[second] = np.inf
        members = [_nearest(distances, first, k)]
        if two:
            distances = left.distances(second)
            distances[members[0]] = np.inf
            members.append(_nearest(distances, second, k))
        for member in members:
            groups[left.numbers[member]] = formed
            formed += 1
        left.remove(np.concatenate(members))
    groups[left.numbers] = formed
    return groups


class _Left:
    """The records that are in no group yet, in the order of their numbers."""

    def __init__(self, points: Floats) -> None:
        whole, self.step = on_grid(points)
        self.whole = np.ascontiguousarray(whole.T)
        self.points = np.ascontiguousarray(points.T)
        self.numbers = np.arange(points.shape[0])
        self.sums = self.whole.sum(axis=1)

    @property
    def count(self) -> int:
        """Return how many are left."""
        return self.numbers.size

    def farthest_from_centroid(self) -> int:
        """Return the place of the record farthest from the centroid."""
        return int(np.argmax(_squares(self.points * self.count, self.sums * self.step)))

    def distances(self, place: int) -> Floats:
        """Return the squared distances to a record."""
        return _squares(self.points, self.points[:, place])

    def remove(self, places: NDArray[np.intp]) -> None:
        """Take records out."""
        self.sums -= self.whole[:, places].sum(axis=1)
        stay = np.ones(self.count, dtype=bool)
        stay[places] = False
        self.points, self.whole, self.numbers = self.points[:, stay], self.whole[:, stay], self.numbers[stay]


def _squares(points: Floats, center: Floats) -> Floats:
    """Add up the squared differences, attribute by attribute."""
    total = np.zeros(points.shape[1])
    for values, middle in zip(points, center, strict=True):
        total += (values - middle) ** 2
    return total


def _nearest(distances: Floats, place: int, k: int) -> NDArray[np.intp]:
    """Return the places of a record and of the k - 1 nearest to it; the lowest numbers first where distances are equal."""
    distances[place] = -1.0
    farthest = np.partition(distances, k - 1)[k - 1]
    inside = np.flatnonzero(distances < farthest)
    edge = np.flatnonzero(distances == farthest)[: k - inside.size]
    return np.concatenate([inside, edge])
