"""The files of a comparison as whole numbers: equal values have equal codes, and neither rows nor units leave a trace."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from permaudit.permutation.ranks import rank_columns
from permaudit.permutation.threads import run_each, workers
from permaudit_plugins.metrics._ascending import Ascending
from permaudit_plugins.metrics._keys import summed_keys
from permaudit_plugins.metrics._line import Line, some_in_order

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.random import Generator
    from numpy.typing import NDArray

    from permaudit import Rows
    from permaudit.model import Floats
    from permaudit_plugins.metrics._keys import Keys

    Codes = NDArray[np.int32]
    Whole = NDArray[np.signedinteger[Any]]
    Levels = tuple[NDArray[Any], ...]
    """For each attribute the values that occur in any file, in their order."""

_MOVED = 0.02
_NOWHERE = -1
_BESIDE = np.uint64(0x9E37_79B9_7F4A_7C15)
_MOST_IN_32_BITS = 2**30 - 1


@dataclass(frozen=True, eq=False)
class File:
    """One file: for each attribute the codes of its values, which are their places among those of all files."""

    levels: Levels
    codes: tuple[Codes, ...]
    known_order: tuple[Codes, ...] | None = None
    """The same codes in ascending order, where they have been put in order already."""

    @property
    def records(self) -> int:
        """Return how many there are."""
        return len(self.codes[0])

    @cached_property
    def counts(self) -> tuple[NDArray[np.int32], ...]:
        """Return for each attribute how many records have each value."""
        pairs = zip(self.codes if self.known_order is None else self.known_order, self.levels, strict=True)
        return tuple(np.bincount(column, minlength=len(levels)).astype(np.int32) for column, levels in pairs)

    @cached_property
    def few(self) -> tuple[NDArray[np.uint8], ...]:
        """Return how many have each value, up to three: a table so small that it is looked up fast."""
        tables = tuple(np.zeros(len(levels), np.uint8) for levels in self.levels)
        for table, ordered in zip(tables, self.ordered, strict=True):
            begins = begins_of(ordered)
            if begins.size == ordered.size:
                table[ordered] = 1
            else:
                table[ordered[begins]] = np.minimum(np.diff(begins, append=ordered.size), 3)
        return tables

    def counts_between(self, place: int, start: int, stop: int) -> NDArray[np.intp]:
        """Return how many have each of some values of an attribute that follow each other."""
        first, last = np.searchsorted(self.ordered[place], [start, stop]).tolist()
        return np.bincount(self.ordered[place][first:last] - start, minlength=stop - start)

    def known_cells(self, file: File) -> NDArray[np.bool_]:
        """Tell for each attribute and record of another file whether its value occurs here."""
        return np.stack([few[column] > 0 for few, column in zip(self.few, file.codes, strict=True)])

    @cached_property
    def ordered(self) -> tuple[Codes, ...]:
        """Return the codes of each attribute in ascending order."""
        if self.known_order is not None:
            return self.known_order
        return tuple(np.repeat(np.arange(counts.size, dtype=np.int32), counts) for counts in self.counts)

    @cached_property
    def _whole(self) -> Keys:
        """Return a key for each record as a whole."""
        return summed_keys(self.codes, range(len(self.codes)), self.records)

    def keys(self, without: Sequence[int] = ()) -> Keys:
        """Return a key for each record, leaving some attributes out."""
        if 2 * len(without) > len(self.codes):
            left = [place for place in range(len(self.codes)) if place not in without]
            return summed_keys(self.codes, left, self.records)
        return self._whole - summed_keys(self.codes, without, self.records) if without else self._whole

    def taken(self, rows: NDArray[np.intp]) -> File:
        """Return some records."""
        return File(self.levels, tuple(column[rows] for column in self.codes))

    def in_order(self) -> File:
        """Return the records in an order that depends on what they are, not on where they stand."""
        return self.put(order_of(self.keys()))

    def put(self, order: NDArray[np.intp]) -> File:
        """Return all records in some order."""
        return File(self.levels, self.taken(order).codes, self.known_order)

    def ascending(self, place: int) -> Ascending:
        """Return the values of an attribute in ascending order."""
        return Ascending(self.levels[place], self.ordered[place])

    def _bounds(self, place: int, rows: NDArray[np.intp] | None) -> tuple[Whole, Whole]:
        """Return how many records are below each cell, and how many are not above it; of all rows, or some."""
        if rows is None:
            counts, column = self.counts[place], self.codes[place]
            up_to = np.cumsum(counts)
            return (up_to - counts)[column], up_to[column]
        cells, ordered = self.codes[place][rows], self.ordered[place]
        rising = np.argsort(cells)  # neighbours are found one after the other, and what they meet stays near
        bounds = np.empty((2, rows.size), np.intp)
        for found, side in zip(bounds, ("left", "right"), strict=True):
            found[rising] = np.searchsorted(ordered, cells[rising], side)  # type: ignore[call-overload]  # of two texts
        return bounds[0], bounds[1]

    def ranks(self, rows: NDArray[np.intp] | None = None) -> Floats:
        """Return for each cell the share of this file's records below it, and half of those that tie; of all rows, or some."""
        found = np.empty((len(self.codes), self.records if rows is None else rows.size))
        for place, line in enumerate(found):
            np.divide(self._doubled_ranks(place, rows), 2 * self.records, out=line)
        return found.T

    def _doubled_ranks(self, place: int, rows: NDArray[np.intp] | None) -> Whole:
        if rows is not None:
            below, up_to = self._bounds(place, rows)
            return below + up_to
        ordered = self.ordered[place]
        doubled = _doubled_ranks(ordered)
        of_values = np.empty(len(self.levels[place]), doubled.dtype)
        of_values[ordered] = doubled
        return of_values[self.codes[place]]

    def ladder(self) -> Ladder:
        """Return the ranks of each attribute in ascending order."""
        return Ladder([_doubled_ranks(ordered) for ordered in self.ordered])

    def mixed(self, rng: Generator) -> File:
        """Return records put together at random from the values of this file."""
        return File(self.levels, tuple(map(rng.permutation, self.ordered)))

    def dressed_as(self, other: File, rng: Generator, rows: NDArray[np.intp] | None = None) -> File:
        """Return this file's records, or some, with the values of another one that have nearly the same ranks.

        What depends on the values alone (how many there are, whether they are the original's) is then as in the other file,
        and what depends on how they go together is as in this one. Ties are broken at random, and ranks move a little, or
        the records of a file would only meet themselves where the other one has the same values.
        """
        worn = []
        for number in range(len(self.codes)):
            below, up_to = self._bounds(number, rows)
            place = (up_to - rng.random(len(up_to)) * (up_to - below)) / self.records
            worn.append(other.ordered[number][(moved(place, rng) * other.records).astype(np.intp)])
        return File(self.levels, tuple(worn))


def order_of(keys: Keys) -> NDArray[np.intp]:
    """Return an order of records by their keys."""
    return np.asarray(rank_columns([keys], threads=1).order[0], np.intp)


def orders_of_pairs(original: File, release: File) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]:
    """Return an order of each file that depends on what linked records are, both of them, and for each released one its original's place.

    Equal records whose partners differ would keep the order in which they stand. The original's further records have no partner.
    """
    pairs = original.keys() * _BESIDE
    pairs[: release.records] += release.keys()
    first = order_of(pairs)
    own = np.flatnonzero(first < release.records)
    return first, first[own], own


def _doubled_ranks(ordered: Codes) -> Whole:
    """Return for each of the values, which stand in ascending order, how many are below it and how many not above it."""
    begins, kind = begins_of(ordered), np.int32 if ordered.size <= _MOST_IN_32_BITS else np.int64
    if begins.size == ordered.size:
        return np.arange(1, 2 * ordered.size, 2, dtype=kind)
    ends = np.append(begins[1:], ordered.size)
    return np.repeat((begins + ends).astype(kind), ends - begins)


def begins_of(ordered: NDArray[Any]) -> NDArray[np.intp]:
    """Return where each group of equal values begins."""
    return np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))


@dataclass(frozen=True, slots=True, eq=False)
class Ladder:
    """The ranks that a file has in each attribute, in ascending order."""

    doubled: list[Whole]

    def lines(self) -> list[Line]:
        """Return them as lines of values."""
        return [Line(column[some_in_order(column.size)] / (2 * column.size), column.size) for column in self.doubled]

    def moved_onto(self, ranks: Floats) -> Floats:
        """Move ranks to those that the file has in the same places: the reverse mapping.

        Shares of categories differ a little between any two files; without this, no record would have an original's ranks.
        """
        found = np.empty(ranks.shape)
        for number, (column, values) in enumerate(zip(self.doubled, ranks.T, strict=True)):
            steps = np.clip((values * column.size).astype(np.intp), 0, column.size - 1)
            found[:, number] = column[steps] / (2 * column.size)
        return found


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
    known = [rows.original_order, rows.release_order, None]
    if rows.left_out is not None:
        given[0] = {name: np.concatenate([rows.original[name], rows.left_out[name]]) for name in rows.release}
        known[0] = None
    names = tuple(rows.release)
    sizes = [len(side[names[0]]) for side in given]
    threads = min(workers(None, max(sizes)), len(names))
    rooms = list(
        np.empty((threads, 2, sum(sizes)), np.int64)
    )  # once for each thread: new pages cost as much as the work

    def coded(name: str) -> tuple[NDArray[Any], list[Codes], list[Codes]]:
        orders = [None if order is None else order[name] for order in known[: len(given)]]
        room = rooms.pop()
        found = _coded([side[name] for side in given], orders, room)
        rooms.append(room)
        return found

    found = run_each(coded, names, threads)
    rooms.clear()
    levels = tuple(values for values, _, _ in found)
    original, release, *holdout = (
        File(levels, tuple(codes[place] for _, codes, _ in found), tuple(ordered[place] for _, _, ordered in found))
        for place in range(len(given))
    )
    return Files(names, original, release, holdout[0] if holdout else None)


def _coded(
    columns: Sequence[NDArray[Any]], orders: Sequence[NDArray[np.int32] | None], room: NDArray[np.int64]
) -> tuple[NDArray[Any], list[Codes], list[Codes]]:
    """Give the values of one attribute numbers that hold in all files: by record, and in ascending order.

    Columns in an order of their own are runs, which a stable sort merges in one go. No order that was given is believed before
    it is seen to be one.
    """
    runs, ordered = (line.view(np.result_type(*columns))[: line.size] for line in room)
    ends = np.cumsum([column.size for column in columns])
    known = [_run(*one) for one in zip(columns, orders, np.split(runs, ends[:-1]), strict=True)]
    merged = np.argsort(runs, kind="stable")
    runs.take(merged, out=ordered, mode="clip")  # which spares a copy
    first = np.concatenate([[True], ordered[1:] != ordered[:-1]])
    in_runs = np.empty(runs.size, np.int32)
    in_runs[merged] = np.cumsum(first, dtype=np.int32) - 1
    of_files = np.split(in_runs, ends[:-1])
    codes = []
    for order, inside in zip(known, of_files, strict=True):
        by_record = np.full_like(inside, _NOWHERE)
        by_record[order] = inside
        if (by_record == _NOWHERE).any():  # some record stands there twice
            return _coded(columns, [None] * len(columns), room)
        codes.append(by_record)
    return ordered[first], codes, of_files


def _run(column: NDArray[Any], order: NDArray[np.int32] | None, run: NDArray[Any]) -> NDArray[np.int32]:
    """Return an order of a column, and write the column in it; of one that was given, see whether values rise in it."""
    column = column.astype(run.dtype, copy=False)
    if order is not None and order.shape == column.shape and order.min() >= 0 and order.max() < column.size:
        column.take(order, out=run, mode="clip")
        if (run[1:] >= run[:-1]).all():
            return order
    order = rank_columns([column], threads=1).order[0]
    column.take(order, out=run, mode="clip")
    return order
