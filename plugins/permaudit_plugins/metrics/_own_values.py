"""Values that one person alone has in the original, and released records that have several of one person.

Somebody who shares such a value with an original record shares a second one of the *same* record hardly ever: it gives away
copies of a few records, and records put together from pieces of several people, where no look at whole files sees anything.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from permaudit_plugins.metrics._sighting import Chance, Sighting, most, surprise

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from permaudit.model import Floats
    from permaudit_plugins.metrics._files import File
    from permaudit_plugins.metrics._strangers import Strangers

    Rows = NDArray[np.intp]

_DEPENDENCE = 20.0
"""People who are alike in one attribute are so in others: each further value of one person meets so many times as often."""
_NOBODY = -1
_FEWEST = 2


@dataclass(frozen=True, eq=False)
class Holders:
    """For each attribute and value: how many original records have it, and the sum of their rows."""

    original: File

    @cached_property
    def _rows(self) -> dict[int, NDArray[np.intp]]:
        return {}

    def _rows_of(self, place: int) -> NDArray[np.intp]:
        """Return the sums of rows for the values of an attribute, made when they are first asked for."""
        if place not in self._rows:
            column, levels = self.original.codes[place], self.original.levels[place]
            sums = np.bincount(column, np.arange(self.original.records), len(levels))
            self._rows[place] = sums.astype(np.intp)
        return self._rows[place]

    def of_values(self, file: File, but: Rows | None) -> Rows:
        """Return for each cell the row of the one original record that has its value, or -1; `but` is left out for each record."""
        found = np.full((len(file.codes), file.records), _NOBODY, np.intp)
        for place, column in enumerate(file.codes):
            counts = self.original.few[place][column]
            some = np.flatnonzero((counts == 1) | (counts == 2))  # noqa: PLR2004 - one may be the record's own
            if but is None or not some.size:
                some = some[counts[some] == 1]
                found[place, some] = self._rows_of(place)[column[some]] if some.size else 0
                continue
            own = self.original.codes[place][but[some]] == column[some]
            alone = counts[some] - own == 1
            some, own = some[alone], own[alone]
            found[place, some] = self._rows_of(place)[column[some]] - own * but[some]
        return found.T

    def several_of(self, file: File, but: Rows | None) -> NDArray[np.intp]:
        """Return how many values of one and the same person each record has at most; 0 for fewer than two."""
        rare = np.zeros(file.records, np.uint8)
        for few, column in zip(self.original.few, file.codes, strict=True):
            rare += (few[column] - np.uint8(1)) < 2  # noqa: PLR2004 - one or two: one may be the record's own
        some = np.flatnonzero(rare >= _FEWEST)
        if some.size == file.records:
            return several(self.of_values(file, but))
        most_values = np.zeros(file.records, np.intp)
        if some.size:
            most_values[some] = several(self.of_values(file.taken(some), None if but is None else but[some]))
        return most_values


def several(holders: Rows) -> NDArray[np.intp]:
    """Return how many values of one and the same person each record has at most; 0 for fewer than two."""
    most_values = np.zeros(len(holders), np.intp)
    some = np.flatnonzero((holders != _NOBODY).sum(axis=1) >= _FEWEST)
    ordered = np.sort(holders[some], axis=1)
    for size in range(_FEWEST, holders.shape[1] + 1):
        first, last = ordered[:, : ordered.shape[1] - size + 1], ordered[:, size - 1 :]
        alike = ((first == last) & (first != _NOBODY)).any(axis=1)
        if not alike.any():
            break
        most_values[some[alike]] = size
    return most_values


def by_mixing(holders: Rows) -> Floats:
    """Return how many records would have so many values of one person (0, 1, 2...), were each column put in an order of its own.

    If c_j records have the j-th value of a person, and there are N, these are the elementary symmetric polynomials of
    c_1 ... c_m, summed over all people, divided by N to the power of the number less one.
    """
    records, attributes = holders.shape
    people, place = np.unique(holders, return_inverse=True)
    place = place.reshape(holders.shape)
    sums = np.zeros((attributes + 1, people.size))
    sums[0] = 1
    for column in place.T:
        counts = np.bincount(column, minlength=people.size)
        sums[1:] += sums[:-1] * counts
    sums[:, people == _NOBODY] = 0
    return np.asarray(sums.sum(axis=1) / float(records) ** (np.arange(attributes + 1) - 1.0))


def by_dependence(original: File, holders: Rows) -> Floats:
    """Return how many records would have so many values of one person, if each that has one had those that go with it.

    How often people who share a value share others as well, those tell who stand side by side in an attribute's order. Net
    incomes that follow from gross ones by a formula are shared with them.
    """
    attributes = len(original.codes)
    expected = np.zeros(attributes + 1)
    for place, column in enumerate(original.codes):
        order = np.argsort(column, kind="stable")
        pairs = np.flatnonzero(column[order[1:]] == column[order[:-1]])
        if not pairs.size:
            continue
        first, second = order[pairs], order[pairs + 1]
        others = [other for number, other in enumerate(original.codes) if number != place]
        shares = np.sort([float((other[first] == other[second]).mean()) for other in others])[::-1]
        expected[_FEWEST:] += shares * float((holders[:, place] != _NOBODY).sum())
    return expected


def own_values_sighting(
    original: File, release: File, but: Rows | None, mixture: Callable[[], File], strangers: Sequence[Strangers]
) -> dict[str, Any] | None:
    """Look for released records that have several values each of which one and the same original record alone has."""
    holders = Holders(original)
    found = holders.several_of(release, but)
    if not found.any():
        return None
    released = holders.of_values(release, but)
    mixed, follows = by_mixing(released), by_dependence(original, released)
    people = [(holders.several_of(group.file, group.rows), group.what) for group in strangers]
    drawn = [(holders.several_of(group.dressed, group.rows), group.what_dressed) for group in strangers]
    drawn.append((holders.several_of(mixture(), None), "records put together at random from the released values"))
    looks = []
    for size in range(_FEWEST, int(found.max()) + 1):
        known, others = (
            [Chance(int((one >= size).sum()), one.size, what) for one, what in some] for some in (people, drawn)
        )
        sighting = Sighting(int((found >= size).sum()), release.records, most(*known, *others))
        powers = _DEPENDENCE ** np.arange(size - 1, mixed.size - 1)
        expected = max(float((mixed[size:] * powers).sum()), float(follows[size]))
        # What is drawn from the released values may hold pieces of what was found: of these, the expectation counts.
        likely = surprise(sighting.found, sighting.of, known, expected)
        looks.append((likely, -size, sighting))
    likely, size, sighting = min(looks, key=lambda one: one[:2])
    return {**sighting.details(), "values": -size, "surprise": likely}
