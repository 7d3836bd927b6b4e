"""The files of a comparison as whole numbers: equal values have equal codes, and neither rows nor units leave a trace."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from permaudit_plugins.metrics._keys import cell_keys

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.random import Generator
    from numpy.typing import NDArray

    from permaudit import Rows
    from permaudit.model import Floats
    from permaudit_plugins.metrics._keys import Keys

    Codes = NDArray[np.int64]


_MOVED = 0.02


@dataclass(frozen=True, slots=True, eq=False)
class File:
    """One file: for each attribute its values, and their codes, which keep the order and are shared by all files."""

    values: tuple[NDArray[Any], ...]
    codes: tuple[Codes, ...]

    @property
    def records(self) -> int:
        """Return how many there are."""
        return len(self.codes[0])

    def keys(self, without: Sequence[int] = ()) -> Keys:
        """Return a key for each record, leaving some attributes out."""
        keys = np.zeros(self.records, np.uint64)
        for number, column in enumerate(self.codes):
            if number not in without:
                keys += cell_keys(column, number)
        return keys

    def taken(self, rows: NDArray[np.intp]) -> File:
        """Return some records."""
        return File(tuple(column[rows] for column in self.values), tuple(column[rows] for column in self.codes))

    def in_order(self) -> tuple[File, NDArray[np.intp]]:
        """Return the records in an order that depends on what they are, not on where they stand; and that order."""
        order = np.argsort(self.keys(), kind="stable")
        return self.taken(order), order

    def ranks(self) -> Floats:
        """Return for each cell the share of this file's records below it, and half of those that tie."""
        places = np.empty((self.records, len(self.codes)))
        for number, column in enumerate(self.codes):
            ordered = np.sort(column)
            below, up_to = np.searchsorted(ordered, column, "left"), np.searchsorted(ordered, column, "right")
            places[:, number] = (below + up_to) / (2 * self.records)
        return places

    def mixed(self, rng: Generator) -> File:
        """Return records put together at random from the values of this file."""
        orders = [rng.permutation(np.argsort(column, kind="stable")) for column in self.codes]
        return File(
            tuple(column[order] for column, order in zip(self.values, orders, strict=True)),
            tuple(column[order] for column, order in zip(self.codes, orders, strict=True)),
        )

    def dressed_as(self, other: File, rng: Generator) -> File:
        """Return this file's records with the values of another one that have nearly the same ranks.

        What depends on the values alone (how many there are, whether they are the original's) is then as in the other file,
        and what depends on how they go together is as in this one. Ties are broken at random, and ranks move a little, or
        the records of a file would only meet themselves where the other one has the same values.
        """
        rows = []
        for column, target in zip(self.codes, other.codes, strict=True):
            ordered = np.sort(column)
            below, up_to = np.searchsorted(ordered, column, "left"), np.searchsorted(ordered, column, "right")
            place = moved((below + rng.random(self.records) * (up_to - below)) / self.records, rng)
            rows.append(np.argsort(target, kind="stable")[(place * other.records).astype(np.intp)])
        return File(
            tuple(column[row] for column, row in zip(other.values, rows, strict=True)),
            tuple(column[row] for column, row in zip(other.codes, rows, strict=True)),
        )


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
    """Give the values of each attribute numbers over all files, in their order."""
    given = [rows.original, rows.release, *([] if rows.holdout is None else [rows.holdout])]
    names = tuple(rows.release)
    coded = [_coded([side[name] for side in given]) for name in names]
    original, release, *holdout = (
        File(tuple(side[name] for name in names), tuple(columns[place] for columns in coded))
        for place, side in enumerate(given)
    )
    return Files(names, original, release, holdout[0] if holdout else None)


def _coded(columns: Sequence[NDArray[Any]]) -> list[Codes]:
    """Give the values of one attribute numbers that hold in all files."""
    codes = np.unique(np.concatenate(columns), return_inverse=True)[1].astype(np.int64)
    return np.split(codes, np.cumsum([len(column) for column in columns])[:-1])
