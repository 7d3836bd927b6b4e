"""Ranges of a sorted column, and how groups of equal values go on from one range to the next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Sorted:
    """One range of a column, sorted."""

    records: NDArray[np.int32]
    """The numbers of the records, in the order of their values."""
    begins: NDArray[np.bool_]
    """At which of these places another value begins."""
    first: Any
    """The lowest value."""
    last: Any
    """The highest value."""


@dataclass(frozen=True, slots=True)
class Summary:
    """What must be known of a range to place it among the others."""

    column: int
    range: int
    size: int
    first: Any
    last: Any
    first_run: int
    """How many records have the lowest value."""
    last_run: int


@dataclass(frozen=True, slots=True)
class Place:
    """Where a range lies in the order of the whole column."""

    start: int
    group_start: int
    """Where the group of its lowest value begins, perhaps in a range before."""
    group_end: int
    """Where the group of its highest value ends, perhaps in a range after."""


def sort_range(values: NDArray[Any], records: NDArray[np.int32]) -> Sorted:
    """Sort one range."""
    order = np.argsort(values)
    values = values[order]
    begins = np.concatenate(([True], values[1:] != values[:-1]))
    return Sorted(records[order], begins, values[0], values[-1])


def summary_of(column: int, number: int, one: Sorted) -> Summary:
    """Say what the others need to know of a range."""
    starts = np.flatnonzero(one.begins)
    size = one.begins.size
    first_run = int(starts[1]) if starts.size > 1 else size
    return Summary(column, number, size, one.first, one.last, first_run, size - int(starts[-1]))


def places_of(summaries: Sequence[Summary]) -> dict[int, Place]:
    """Place the ranges of one column, which come in order: by their number."""
    starts = np.concatenate(([0], np.cumsum([one.size for one in summaries])))
    places = {}
    for at, one in enumerate(summaries):
        start, end = int(starts[at]), int(starts[at + 1])
        before = at
        while before and summaries[before - 1].last == one.first:
            before -= 1
            start -= summaries[before].last_run
            if summaries[before].last_run < summaries[before].size:
                break
        after = at + 1
        while after < len(summaries) and summaries[after].first == one.last:
            end += summaries[after].first_run
            if summaries[after].first_run < summaries[after].size:
                break
            after += 1
        places[one.range] = Place(int(starts[at]), start, end)
    return places


def groups_of(one: Sorted, place: Place) -> tuple[Ints, Ints, Ints]:
    """Return where the groups of equal values begin and end in the whole order, and how many records of each are here."""
    starts = np.flatnonzero(one.begins)
    here = np.diff(starts, append=one.begins.size)
    starts += place.start
    ends = starts + here
    starts[0], ends[-1] = place.group_start, place.group_end
    return starts, ends, here
