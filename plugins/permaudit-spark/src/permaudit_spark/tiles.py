"""A stretch of an order by a key, as groups of equal keys that lie side by side without a gap."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from permaudit_spark.sums import products

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from permaudit.model import Floats
    from permaudit_spark.sums import Ranks


@dataclass(frozen=True, slots=True, eq=False)
class Tiles:
    """The groups of one file in a stretch of the order."""

    starts: NDArray[np.int64]
    """Where each group begins, in the order of the whole file."""
    end: int
    """Where the last one ends."""
    means: Floats
    """The mean ranks of the records of each group."""

    @classmethod
    def of(cls, rows: Ranks, key: int, stretch: tuple[int, int], records: int, over: Straddling) -> Tiles:
        """Group records by a key; groups that reach beyond the stretch were summed up elsewhere."""
        order = np.argsort(rows[:, key])
        rows = rows[order]
        ranks = rows[:, key].astype(np.int64)
        begins = np.flatnonzero(np.concatenate(([True], ranks[1:] != ranks[:-1]))) if ranks.size else ranks
        sizes = np.diff(begins, append=ranks.size)
        sums = rows if sizes.size == ranks.size else np.add.reduceat(rows.astype(np.int64), begins, axis=0)
        starts = (ranks[begins] + records - sizes) // 2  # of s + e and e - s
        clipped, means = over.inside(stretch)
        starts = np.concatenate((starts, clipped[:, 0]))
        sizes = np.concatenate((sizes, clipped[:, 1] - clipped[:, 0]))
        place = np.argsort(starts)
        starts, ends = starts[place], (starts + sizes)[place]
        if starts[0] != stretch[0] or ends[-1] != stretch[1] or not np.array_equal(starts[1:], ends[:-1]):
            raise RuntimeError("records were lost on the way")
        own = sums / sizes[: len(sums), None]
        return cls(starts, stretch[1], np.concatenate((own, means))[place])

    @property
    def is_single(self) -> bool:
        """Tell whether each group is one record."""
        return len(self.starts) == self.end - int(self.starts[0])

    def turned(self, records: int) -> Tiles:
        """Return the groups as they are met when the order is read backwards."""
        ends = np.append(self.starts[1:], self.end)
        return Tiles(records - ends[::-1], records - int(self.starts[0]), self.means[::-1])


@dataclass(frozen=True, slots=True, eq=False)
class Straddling:
    """The groups of one file and key that reach over the ends of stretches."""

    groups: NDArray[np.int64]
    """Where each begins and ends."""
    means: Floats

    def inside(self, stretch: tuple[int, int]) -> tuple[NDArray[np.int64], Floats]:
        """Return those that reach into a stretch, cut off at its ends."""
        low, high = stretch
        reach = (self.groups[:, 0] < high) & (self.groups[:, 1] > low)
        return np.clip(self.groups[reach], low, high), self.means[reach]


def expected_products(x: Tiles, y: Tiles, bound: int) -> Floats:
    """Return the sum of products of ranks over a stretch, in expectation over random orders inside of the groups."""
    if x.is_single and y.is_single:
        (total,) = products(x.means, y.means, bound).divided(1)
        return np.asarray(total)
    starts = np.union1d(x.starts, y.starts)
    lengths = np.diff(starts, append=x.end)
    left = x.means[np.searchsorted(x.starts, starts, "right") - 1]
    right = y.means[np.searchsorted(y.starts, starts, "right") - 1]
    return np.asarray((left * lengths[:, None]).T @ right)
