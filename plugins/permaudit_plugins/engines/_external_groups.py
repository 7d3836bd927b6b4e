"""Sums over groups of equal key values, for files that come block by block."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from permaudit.model import Floats


class Groups:
    """The groups of equal key values of one file: where each ends, and the mean ranks of its records."""

    def __init__(self, blocks: Iterator[NDArray[np.int32]], begins: NDArray[np.bool_], step: int) -> None:
        """Take the rows in the order of the key, in blocks of `step` rows, and where groups begin."""
        self._coming = self._complete(blocks, begins, step)
        self.ends, self.means = next(self._coming)

    @property
    def end(self) -> int:
        """Return up to which place the groups at hand reach."""
        return int(self.ends[-1])

    def go_on(self, place: int) -> bool:
        """Leave the groups that end at or before a place; fetch more where none is left, and tell whether there are any."""
        left = np.searchsorted(self.ends, place, "right")
        self.ends, self.means = self.ends[left:], self.means[left:]
        if not self.ends.size:
            self.ends, self.means = next(self._coming, (self.ends, self.means))
        return bool(self.ends.size)

    @staticmethod
    def _complete(
        blocks: Iterator[NDArray[np.int32]], begins: NDArray[np.bool_], step: int
    ) -> Iterator[tuple[NDArray[np.int64], Floats]]:
        """Give groups as soon as they are complete; their sums are exact."""
        opened, held = 0, np.zeros(0, np.int64)
        for number, block in enumerate(blocks):
            rows, start = block.astype(np.int64), number * step
            inside = np.flatnonzero(begins[start : start + len(rows)])
            if not inside.size:  # the group of the block before goes on
                held = held + rows.sum(axis=0)
                continue
            sums = np.add.reduceat(rows, inside, axis=0)
            places = start + inside
            if number:
                ends = places
                begun = np.concatenate(([opened], places[:-1]))
                complete = np.vstack((held + rows[: inside[0]].sum(axis=0), sums[:-1]))
            else:
                ends, begun, complete = places[1:], places[:-1], sums[:-1]
            opened, held = int(places[-1]), sums[-1]
            if ends.size:
                yield ends, complete / (ends - begun)[:, None]
        size = begins.size
        yield np.array([size]), held[None, :] / (size - opened)


def expected_products(x: Groups, y: Groups) -> Floats:
    """Return the sum of products of ranks over all places, in expectation over random orders inside of the groups.

    The places are cut into segments wherever a group of either file ends; on each, both files have one mean.
    """
    total = np.zeros((x.means.shape[1], y.means.shape[1]))
    place = 0
    more = True
    while more:
        limit = min(x.end, y.end)
        ends = np.union1d(x.ends[x.ends <= limit], y.ends[y.ends <= limit])
        lengths = np.diff(ends, prepend=place)
        left = x.means[np.searchsorted(x.ends, ends)]
        right = y.means[np.searchsorted(y.ends, ends)]
        total += (left * lengths[:, None]).T @ right
        place = limit
        more = x.go_on(place) & y.go_on(place)
    return total
