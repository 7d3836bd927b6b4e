"""The files of a comparison as whole numbers: equal values have equal codes, and neither rows nor units leave a trace."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from permaudit.permutation.ranks import rank_columns
from permaudit.permutation.threads import run_each, workers
from permaudit_plugins.metrics._keys import cell_keys

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.random import Generator
    from numpy.typing import NDArray

    from permaudit import Rows
    from permaudit.model import Floats
    from permaudit_plugins.metrics._keys import Keys

    Codes = NDArray[np.int32]
    Levels = tuple[NDArray[Any], ...]
    """For each attribute the values that occur in any file, in their order."""


_MOVED = 0.02


@dataclass(frozen=True, eq=False)
class File:
    """One file: for each attribute the codes of its values, which are their places among those of all files."""

    levels: Levels
    codes: tuple[Codes, ...]

    @property
    def records(self) -> int:
        """Return how many there are."""
        return len(self.codes[0])

    @cached_property
    def counts(self) -> tuple[NDArray[np.intp], ...]:
        """Return for each attribute how many records have each value."""
        pairs = zip(self.codes, self.levels, strict=True)
        return tuple(np.bincount(column, minlength=len(levels)) for column, levels in pairs)

    @cached_property
    def _whole(self) -> Keys:
        """Return a key for each record as a whole."""
        return _summed(self.codes, range(len(self.codes)))

    def keys(self, without: Sequence[int] = ()) -> Keys:
        """Return a key for each record, leaving some attributes out."""
        if 2 * len(without) > len(self.codes):
            return _summed(self.codes, [place for place in range(len(self.codes)) if place not in without])
        return self._whole - _summed(self.codes, without) if without else self._whole

    def taken(self, rows: NDArray[np.intp]) -> File:
        """Return some records."""
        return File(self.levels, tuple(column[rows] for column in self.codes))

    def in_order(self) -> tuple[File, NDArray[np.intp]]:
        """Return the records in an order that depends on what they are, not on where they stand; and that order."""
        order = np.argsort(self.keys(), kind="stable")
        return self.taken(order), order

    def sorted_codes(self, place: int) -> Codes:
        """Return the codes of an attribute in ascending order."""
        return np.repeat(np.arange(len(self.levels[place]), dtype=np.int32), self.counts[place])

    def sorted_values(self, place: int) -> NDArray[Any]:
        """Return the values of an attribute in ascending order."""
        return np.repeat(self.levels[place], self.counts[place])

    @cached_property
    def _rank_of_values(self) -> list[Floats]:
        """Return for each attribute the share of records below each value, and half of those that have it."""
        return [(np.cumsum(counts) - counts / 2) / self.records for counts in self.counts]

    def ranks(self, rows: NDArray[np.intp] | None = None) -> Floats:
        """Return for each cell the share of this file's records below it, and half of those that tie; of all rows, or some."""
        columns = self.codes if rows is None else tuple(column[rows] for column in self.codes)
        pairs = zip(columns, self._rank_of_values, strict=True)
        return np.column_stack([of_values[column] for column, of_values in pairs])

    def ladder(self) -> Floats:
        """Return the ranks of each attribute in ascending order."""
        pairs = zip(self._rank_of_values, self.counts, strict=True)
        return np.column_stack([np.repeat(of_values, counts) for of_values, counts in pairs])

    def mixed(self, rng: Generator) -> File:
        """Return records put together at random from the values of this file."""
        return File(self.levels, tuple(rng.permutation(self.sorted_codes(place)) for place in range(len(self.codes))))

    def dressed_as(self, other: File, rng: Generator, rows: NDArray[np.intp] | None = None) -> File:
        """Return this file's records, or some, with the values of another one that have nearly the same ranks.

        What depends on the values alone (how many there are, whether they are the original's) is then as in the other file,
        and what depends on how they go together is as in this one. Ties are broken at random, and ranks move a little, or
        the records of a file would only meet themselves where the other one has the same values.
        """
        worn = []
        for number, (column, counts) in enumerate(zip(self.codes, self.counts, strict=True)):
            some, up_to = column if rows is None else column[rows], np.cumsum(counts)
            place = (up_to[some] - rng.random(len(some)) * counts[some]) / self.records
            worn.append(other.sorted_codes(number)[(moved(place, rng) * other.records).astype(np.intp)])
        return File(self.levels, tuple(worn))


def _summed(columns: Sequence[Codes], places: Sequence[int]) -> Keys:
    """Return the sum of the keys of some attributes' cells."""
    keys = np.zeros(len(columns[0]), np.uint64)
    for place in places:
        keys += cell_keys(columns[place], place)
    return keys


def moved(places: Floats, rng: Generator) -> Floats:
    """Move places between 0 and 1 at random by up to a fiftieth; at the ends, they are thrown back."""
    apart = np.abs(places + rng.uniform(-_MOVED, _MOVED, places.shape))
    return np.asarray(np.minimum(1 - np.abs(1 - apart), np.nextafter(1, 0)))


@dataclass(frozen=True, slots=True, eq=False)
class Files:
    """The original, the release and, where there is one, the holdout."""

    names: tuple[str, ...]
    original: File
    release: File
    holdout: File | None


def files_of(rows: Rows) -> Files:
    """Give the values of each attribute numbers over all files, in their order.

    Original records that are said to be left out come after the others: a release may hold them all the same.
    """
    given = [rows.original, rows.release, *([] if rows.holdout is None else [rows.holdout])]
    if rows.left_out is not None:
        given[0] = {name: np.concatenate([rows.original[name], rows.left_out[name]]) for name in rows.release}
    names = tuple(rows.release)
    sizes = [len(side[names[0]]) for side in given]
    coded = run_each(lambda name: _coded([side[name] for side in given]), names, workers(None, max(sizes)))
    levels = tuple(found for found, _ in coded)
    original, release, *holdout = (
        File(levels, tuple(columns[place] for _, columns in coded)) for place in range(len(given))
    )
    return Files(names, original, release, holdout[0] if holdout else None)


def _coded(columns: Sequence[NDArray[Any]]) -> tuple[NDArray[Any], list[Codes]]:
    """Give the values of one attribute numbers that hold in all files."""
    values = np.concatenate(columns)
    order = rank_columns([values], threads=1).order[0]
    ordered = values[order]
    first = np.concatenate([[True], ordered[1:] != ordered[:-1]])
    codes = np.empty(values.size, np.int32)
    codes[order] = np.cumsum(first, dtype=np.int32) - 1
    return ordered[first], np.split(codes, np.cumsum([len(column) for column in columns])[:-1])
