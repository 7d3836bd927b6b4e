"""What generalized cells tell to somebody who reads them not by their middle: ends, members and centres as people's own values.

An interval with the own value at one end, a set of it and some decoys, an interval around it: all of these rank by what they
cover, and name the value. Honest generalization names values too: the ends of a group's range belong to one member each, and
in classes of whole numbers everybody is at an end now and then. So each reading is held against what it finds by chance, were
everybody's value that of a random original record inside their cell.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from permaudit.model import OwnValues

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from permaudit.data.scales.named import Named

    Floats = NDArray[np.float64]
    Places = NDArray[np.intp]

CROWD = 3
"""So many records at least must share a cell, or lie inside, as offices demand of every cell of a table they publish."""


BESIDE = (-0.04, -0.02, 0.02, 0.04)
"""By these shares of the records the places lie beside a value that noise would hit as often as the value itself."""


class Axis:
    """The original's distinct values in order, and how many records have each."""

    def __init__(self, codes: NDArray[np.float64]) -> None:
        """Take the codes of all records that have a value."""
        self.values, self.counts = np.unique(codes, return_counts=True)
        self._up_to = np.concatenate([[0], np.cumsum(self.counts)])
        self._squares = np.concatenate([[0.0], np.cumsum(self.counts.astype(np.float64) ** 2)])

    @property
    def records(self) -> int:
        """Return how many records there are."""
        return int(self._up_to[-1])

    def equal(self, codes: NDArray[np.float64]) -> Places:
        """Return the place of each code among the values; -1 where no record has it."""
        at = np.minimum(np.searchsorted(self.values, codes), self.values.size - 1)
        return np.where(self.values[at] == codes, at, -1)

    def nearest(self, codes: NDArray[np.float64]) -> Places:
        """Return the place of the value that is nearest to each code; -1 for what is not finite."""
        right = np.clip(np.searchsorted(self.values, codes), 0, self.values.size - 1)
        left = np.maximum(right - 1, 0)
        finite = np.isfinite(codes)
        there = np.where(finite, codes, 0.0)
        nearer = there - self.values[left] < self.values[right] - there
        return np.where(finite, np.where(nearer, left, right), -1)

    def count(self, places: Places) -> NDArray[np.int64]:
        """Return how many records have the value at each place; none at -1."""
        return np.where(places >= 0, self.counts[places], 0)

    def beside(self, places: Places, records: NDArray[np.floating[Any]] | float) -> Places:
        """Return the place that lies so many records above or below each place, the next one at least; -1 stays -1."""
        rank = self._up_to[places] + self.counts[places] / 2 + records
        moved = np.clip(np.searchsorted(self._up_to, rank, "right") - 1, 0, self.values.size - 1)
        step = np.where(np.asarray(records) > 0, 1, -1)
        moved = np.clip(np.where(moved == places, places + step, moved), 0, self.values.size - 1)
        return np.where((places < 0) | (moved == places), -1, moved)

    def inside(self, low: Floats, high: Floats) -> tuple[NDArray[np.int64], Floats]:
        """Return how many records lie between two codes, and the sum of squares of how many have each value there."""
        first = np.searchsorted(self.values, low, "left")
        last = np.maximum(first, np.searchsorted(self.values, high, "right"))
        return self._up_to[last] - self._up_to[first], self._squares[last] - self._squares[first]


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """The generalized texts of a column on the original's axis: what each names and covers."""

    named: Named
    low: Floats
    high: Floats
    covered: NDArray[np.int64]
    """How many original records lie between the ends, or have a value of the set."""
    squares: Floats
    """The sum of squares of how many of these have each value."""
    between: NDArray[np.int64]
    """How many original records lie between the least and the greatest point, also of a set; all where there is no order."""
    owner: Places
    """For each point the text that has it."""
    places: Places
    """For each point the original value that is nearest to it; only an equal one where there is no order."""

    def between_ends(self, axis: Axis, share: float = 0.5) -> Places:
        """Return the original value that is nearest to the centre of each text, or at another share of the way; else -1."""
        if not self.named.ordered:
            return np.full(self.low.size, -1, np.intp)
        is_wide = np.isfinite(self.low) & np.isfinite(self.high) & (self.low < self.high)
        there = np.where(is_wide, self.low, 0) * (1 - share) + np.where(is_wide, self.high, 0) * share
        return np.where(is_wide, axis.nearest(there), -1)

    @property
    def width(self) -> int:
        """Return by how much the numbers of neighbouring texts differ."""
        return int(self.places.max(initial=0)) + 1

    def members(self) -> NDArray[np.int64]:
        """Return the distinct original values that each set names, as text and place, in order and in one number each."""
        keys = self.keys(self.owner, self.places)
        return np.unique(keys[self.named.is_set[self.owner] & (self.places >= 0)])

    def keys(self, texts: Places, places: Places) -> NDArray[np.int64]:
        """Write a text and a place as one number."""
        return texts.astype(np.int64) * self.width + places


def cells_of(named: Named, axis: Axis) -> Cells:
    """Put the texts of a column on the original's axis."""
    texts = named.is_set.size
    owner = np.repeat(np.arange(texts), np.diff(named.starts))
    low, high = np.full(texts, np.inf), np.full(texts, -np.inf)
    np.minimum.at(low, owner, named.points)
    np.maximum.at(high, owner, named.points)
    places = axis.nearest(named.points) if named.ordered else axis.equal(named.points)
    between, squares = axis.inside(low, high) if named.ordered else (np.full(texts, axis.records), np.zeros(texts))
    there = places >= 0
    distinct, place = np.divmod(np.unique(owner[there] * axis.values.size + places[there]), axis.values.size)
    many = axis.count(place)
    of_sets = np.bincount(distinct, many, texts).astype(np.int64)
    squares_of_sets = np.bincount(distinct, many.astype(np.float64) ** 2, texts)
    return Cells(
        named,
        low,
        high,
        covered=np.where(named.is_set, of_sets, between),
        squares=np.where(named.is_set, squares_of_sets, squares),
        between=between,
        owner=owner,
        places=places,
    )


def readings(attribute: str, named: Named, axis: Axis, own: Places, groups: Places) -> Iterator[OwnValues]:
    """Read the cells of linked records in every way, and count how often that is the record's own value.

    `own` is the place of each record's own value among the original's, -1 where it has none. Records with the same number
    in `groups` have the same cells in every attribute.
    """
    rows = np.flatnonzero((named.cells >= 0) & (own >= 0))
    cells = cells_of(named, axis)
    is_set, filled = named.is_set, named.starts[1:] > named.starts[:-1]
    if not filled.any():
        return
    low, high = axis.nearest(cells.low), axis.nearest(cells.high)
    first, last = (
        cells.places[np.clip(at, 0, cells.places.size - 1)] for at in (named.starts[:-1], named.starts[1:] - 1)
    )
    look = _Look(attribute, cells, axis, named.cells[rows], own[rows], groups[rows])
    if named.ordered:
        yield look.one("the lower end is the own value", np.where(is_set, -1, low), is_an_end=True)
        yield look.one("the upper end is the own value", np.where(is_set, -1, high), is_an_end=True)
        yield look.centre(cells.between_ends(axis))
        yield look.one("the least member is the own value", np.where(is_set, low, -1), is_an_end=True)
        yield look.one("the greatest member is the own value", np.where(is_set, high, -1), is_an_end=True)
    yield look.one("the first member is the own value", np.where(is_set & filled, first, -1), is_an_end=True)
    yield look.one("the last member is the own value", np.where(is_set & filled, last, -1), is_an_end=True)
    yield look.any_member()
    yield look.all_of_a_kind()


class _Look:
    """The linked records of one column, by who shares their cell: a group of a crowd at least, or all that have the text."""

    def __init__(  # noqa: PLR0913, PLR0917 - one for each thing that meets here
        self, attribute: str, cells: Cells, axis: Axis, texts: Places, own: Places, groups: Places
    ) -> None:
        self._attribute, self._cells, self._axis = attribute, cells, axis
        self._texts, self._own = texts, own
        crowds = np.bincount(groups)[groups] >= CROWD
        by_group = np.unique(np.where(crowds, groups + cells.low.size, texts), return_index=True, return_inverse=True)
        _, one_of_each, self._units = by_group
        self._text = texts[one_of_each]
        """For each unit the text that its records have."""
        self._size = np.bincount(self._units, minlength=self._text.size)
        self._is_small = self._size < CROWD
        self._truthful = self._per_unit(self._are_inside()) / self._size
        """The share of the records of each unit whose own value lies inside the cell."""

    def one(self, what: str, places: Places, *, is_an_end: bool) -> OwnValues:
        """Read one value from each text; an end or a member may be that of one person of the group that shares it."""
        hits = self._per_unit((self._own == places[self._texts]) & (places[self._texts] >= 0))
        at, cells = places[self._text], self._cells
        reads, many = at >= 0, self._axis.count(at)
        value = self._axis.values[at]
        # A value that is named from outside is one more that it could have been.
        outside = reads & ((value < cells.low[self._text]) | (value > cells.high[self._text]))
        base = np.maximum(cells.covered[self._text] + np.where(outside, many, 0), CROWD)
        chance = np.where(reads, np.minimum(many / base, 1), 0)
        # Whoever is not inside could be anybody, and it takes no crowd to be somewhere else.
        anybody = np.where(reads, many / self._axis.records, 0)
        chance = np.where(self._is_small, self._truthful * chance + (1 - self._truthful) * anybody, chance)
        expected: Floats = np.asarray(self._size * chance, np.float64)
        if is_an_end:
            expected = np.where(self._is_small, expected, _at_least_one(chance, self._size))
        return self._told(what, reads, hits, expected, chance)

    def centre(self, places: Places) -> OwnValues:
        """Read the centre of each cell; who puts cells around values under noise meets the places beside it as often."""
        found = self.one("the centre is the own value", places, is_an_end=False)
        beside = [
            self.one("", self._axis.beside(places, share * self._cells.covered), is_an_end=False).found
            for share in BESIDE
        ]
        return replace(found, expected=max(found.expected, sum(beside) / len(beside)))

    def any_member(self) -> OwnValues:
        """Look for the own value among all members of each set.

        Where a set lists what a group has, every member is somebody's; what nobody in the group has is there to mislead.
        """
        cells, is_set = self._cells, self._cells.named.is_set
        members, keys = cells.members(), cells.keys(self._texts, self._own)
        at = np.minimum(np.searchsorted(members, keys), max(members.size - 1, 0))
        found = (members[at] == keys) & is_set[self._texts] if members.size else np.zeros(keys.size, bool)
        have = np.bincount(members // cells.width, minlength=is_set.size)[self._text]
        width = self._axis.values.size
        seen = np.bincount(np.unique(self._units[found] * width + self._own[found]) // width, minlength=self._size.size)
        chance = np.minimum(cells.covered / np.maximum(cells.between, CROWD), 1)[self._text]
        misled = seen + (self._size - seen) * chance
        expected = np.where(self._is_small, self._size * chance, np.where(seen == have, self._size, misled))
        hits = self._per_unit(found)
        return self._told(
            "one of the members is the own value", is_set[self._text], hits, expected, chance, by_group=False
        )

    def all_of_a_kind(self) -> OwnValues:
        """Count the records whose cell has one and the same own value behind it wherever it stands.

        That c records inside a cell have the same value by chance has the probability sum(p^c), at most sum(p^2)^(c/2).
        """
        cells = self._cells
        size = np.bincount(self._texts, minlength=cells.low.size)
        order = np.lexsort((self._own, self._texts))
        texts, own = self._texts[order], self._own[order]
        differs = np.zeros(size.size, bool)
        differs[texts[1:][(texts[1:] == texts[:-1]) & (own[1:] != own[:-1])]] = True
        several = (size > 1) & (cells.squares < cells.covered.astype(np.float64) ** 2)
        share = cells.squares / np.maximum(cells.covered, CROWD).astype(np.float64) ** 2
        chance = np.where(several, np.minimum(share, 1) ** (size / 2), 0)
        variance = (size.astype(np.float64) ** 2 * chance * (1 - chance)).sum()
        return OwnValues(
            (self._attribute,),
            "all who have the same cell have the same value",
            int(size[several & ~differs].sum()),
            int(size[several].sum()),
            float((size * chance).sum()),
            float(np.sqrt(variance)),
        )

    def _are_inside(self) -> NDArray[np.bool_]:
        """Tell which own values lie between the ends of their cell; without an order, none lies outside."""
        value, cells = self._axis.values[self._own], self._cells
        inside = (cells.low[self._texts] <= value) & (value <= cells.high[self._texts])
        return np.asarray(inside | (not cells.named.ordered))

    def _per_unit(self, marks: NDArray[np.bool_]) -> NDArray[np.int64]:
        return np.bincount(self._units[marks], minlength=self._size.size)

    def _told(  # noqa: PLR0913 - what is known of each unit
        self,
        what: str,
        reads: NDArray[np.bool_],
        hits: NDArray[np.int64],
        expected: Floats,
        chance: Floats,
        *,
        by_group: bool = True,
    ) -> OwnValues:
        """Put the units together; those of a crowd may be alike in other ways than chance, and vary as a whole."""
        variance = self._size * chance * (1 - chance)
        if by_group:
            variance = np.where(self._is_small, variance, np.maximum(variance, (hits - expected) ** 2))
        return OwnValues(
            (self._attribute,),
            what,
            int(hits[reads].sum()),
            int(self._size[reads].sum()),
            float(expected[reads].sum()),
            float(np.sqrt(variance[reads].sum())),
        )


def _at_least_one(chance: Floats, size: NDArray[np.int64]) -> Floats:
    """Return how many of a group have a value by chance, given that somebody has: one where the chance is nothing."""
    somebody = -np.expm1(size * np.log1p(-np.minimum(chance, 1 - 1e-12)))
    return np.where(chance > 0, size * chance / np.where(somebody > 0, somebody, 1), np.minimum(size, 1))
