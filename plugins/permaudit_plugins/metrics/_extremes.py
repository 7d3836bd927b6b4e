"""The highest and lowest values of an attribute, released as they are, where values beside them are not.

Whoever has the highest income is known by it: the exact value tells who it is, in whatever record it stands.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from permaudit_plugins.metrics._places import apart
from permaudit_plugins.metrics._sighting import Chance, surprise

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from permaudit_plugins.metrics._files import File

    Mask = NDArray[np.bool_]

_FARTHEST = 20
"""So many values at each end are looked at..."""
_BESIDE, _FEWEST_BESIDE = 200, 40
"""...beside so many records next to them, where chance meets values more often: people are denser there."""
_READ = 1024
_SCANS = 5.0
"""The first few of them count, however many that is: as good as so many looks."""


@dataclass(frozen=True, slots=True, eq=False)
class _Column:
    """An attribute: how many original records have each value, and which values are left."""

    name: str
    original: File
    place: int
    left: Callable[[NDArray[np.intp]], Mask]
    """Tells of some values, given by their numbers, which are left."""
    levels: NDArray[Any] | None = None
    """The values, where only ends count at which they lie apart."""

    def at_both_ends(self) -> Iterator[dict[str, Any]]:
        """Yield what is kept at each end, from there inwards."""
        for end, highest in (("highest", True), ("lowest", False)):
            own, beside, counts = self._end(highest=highest)
            if counts.sum() < _FEWEST_BESIDE:
                continue
            if self.levels is None or _thins_out(self.levels, own, beside):
                found = int(counts[self.left(beside)].sum())
                chance = Chance(found, int(counts.sum()), "values next to these")
                yield {**_kept(self.left(own), chance), "column": self.name, "end": end}

    def _end(self, *, highest: bool) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]:
        """Return the outermost values of one person alone, those next to them, and how many have each of the latter.

        As few values as can be are read.
        """
        values, read = len(self.original.levels[self.place]), _READ
        while True:
            read = min(read, values)
            start = values - read if highest else 0
            counts = self.original.counts_between(self.place, start, start + read)[:: -1 if highest else 1]
            there = np.flatnonzero(counts)
            own = there[counts[there] == 1][:_FARTHEST]
            beside = there[there > own[-1]] if own.size == _FARTHEST else there[:0]
            up_to = np.cumsum(counts[beside])
            if read == values or (up_to.size and up_to[-1] > _BESIDE):
                beside = beside[up_to <= _BESIDE]
                numbers = [values - 1 - some if highest else some for some in (own, beside)]
                return numbers[0], numbers[1], counts[beside]
            read *= 8


def kept_anywhere(original: File, release: File, names: Sequence[str]) -> dict[str, Any] | None:
    """Look for original values of one person alone, at the ends of an attribute, that some released record has.

    Only where people thin out towards the end: whole amounts next to nothing are dense, and strangers meet there.
    """
    columns = []
    for place, name in enumerate(names):
        left = partial(_among, release.ordered[place])
        columns.append(_Column(name, original, place, left, original.levels[place]))
    return _clearest(columns)


def kept_in_place(original: File, release: File, own: NDArray[np.intp], names: Sequence[str]) -> dict[str, Any] | None:
    """Look for such values that are still in their own record, whose originals stand in the given rows."""
    columns = []
    for place, (name, one, other) in enumerate(zip(names, original.codes, release.codes, strict=True)):
        left = partial(_among, np.sort(other[one[own] == other]))
        columns.append(_Column(name, original, place, left))
    return _clearest(columns)


def _among(ordered: NDArray[np.int32], numbers: NDArray[np.intp]) -> Mask:
    """Tell which numbers are among those that stand in ascending order."""
    return np.asarray(np.searchsorted(ordered, numbers, "left") < np.searchsorted(ordered, numbers, "right"))


def _clearest(columns: Iterable[_Column]) -> dict[str, Any] | None:
    """Return the end of an attribute at which chance least likely keeps so many values; None where there are too few to tell."""
    found = [kept for column in columns for kept in column.at_both_ends()]
    if not found:
        return None
    clearest = min(found, key=lambda one: float(one["surprise"]))
    return {**clearest, "surprise": min(1.0, clearest["surprise"] * len(found) * _SCANS), "looks": len(found)}


def _thins_out(levels: NDArray[Any], own: NDArray[np.intp], beside: NDArray[np.intp]) -> bool:
    """Tell whether the values of single persons at an end lie farther apart than values next to them."""
    ends = [float(abs(apart(levels[some[[0, -1]]], levels[some[0]])[1])) / some.size for some in (own, beside)]
    return ends[0] >= ends[1]


def _kept(flags: Mask, chance: Chance) -> dict[str, Any]:
    """Hold the values at an end, given from there inwards, against what is left next to them, whoever shares that.

    Round amounts are shared there by many, and named by one alone farther out: strangers name them too.
    """
    share = (chance.found + 1) / (chance.of + 1)
    counts = np.cumsum(flags).tolist()
    looks = [(surprise(found, size, [chance], size * share), found, size) for size, found in enumerate(counts, start=1)]
    likely, found, size = min(looks)
    return {"found": found, "of": size, "expected": size * share, "chance_is": chance.what, "surprise": likely}
