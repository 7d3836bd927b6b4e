"""Exact average ranks of files that no machine holds: every column is sorted in ranges, all columns at once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from permaudit_spark.runs import groups_of, places_of, sort_range, summary_of
from permaudit_spark.splitters import PER_RANGE, Splitters
from permaudit_spark.sums import covariances, merged, products

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray
    from pyspark import RDD, SparkContext

    from permaudit import Sourced, Stored, StoredColumns
    from permaudit.model import Floats
    from permaudit.permutation.exact import ExactSum
    from permaudit_spark.bins import Bins
    from permaudit_spark.layout import Layout
    from permaudit_spark.runs import Place, Sorted, Summary

    Cells = tuple[NDArray[Any], NDArray[np.int32]]
    Column = Stored | Sourced
    Cut = tuple[int, int]


@dataclass(frozen=True, slots=True, eq=False)
class RankedFile:
    """A file as ranks, spread over a cluster."""

    attributes: tuple[str, ...]
    layout: Layout
    matrices: RDD[NDArray[np.int32]]
    """For each block of records, one partition with the doubled centred average ranks: 2 r - (n + 1)."""
    straddling: tuple[NDArray[np.int64], ...]
    """For each attribute the groups of equal values that reach over the end of a chunk: where they begin and end."""
    own: Floats
    """The sample covariance matrix of the average ranks."""
    drawn: tuple[NDArray[np.int64], ...] = ()
    """For each attribute the groups of several records at the places that were drawn, if any were."""


def rank_file(context: SparkContext, file: StoredColumns, layout: Layout, bins: Bins | None = None) -> RankedFile:
    """Rank each column from 1 to n, equal values sharing the average of their ranks; note who is at the places of bins."""
    from pyspark import StorageLevel  # noqa: PLC0415 - takes a second

    columns, cuts = list(file.stored.values()), file.cuts(layout.rows)
    read = context.parallelize(cuts, len(cuts))
    splitters = _splitters(read, columns, layout)
    parts = layout.attributes * layout.ranges
    cells = read.flatMap(partial(_dealt, columns=columns, splitters=splitters, layout=layout))
    # On disk between the passes: the first one counts, and only then the second knows where ranges begin.
    ranges = cells.partitionBy(parts, _as_it_is).mapPartitionsWithIndex(_sorted).persist(StorageLevel.DISK_ONLY)
    places = _places(ranges.map(partial(_summary, layout=layout)).collect())
    groups = ranges.map(partial(_groups, places=places, layout=layout, bins=bins)).collect()
    straddling, drawn = (_by_column([(column, both[which]) for column, both in groups], layout) for which in (0, 1))
    back = ranges.flatMap(partial(_returned, places=places, layout=layout)).partitionBy(layout.blocks, _as_it_is)
    matrices = back.mapPartitionsWithIndex(partial(_matrix, layout=layout)).persist(StorageLevel.DISK_ONLY)
    total = matrices.map(partial(_own, bound=layout.records)).treeReduce(merged)
    ranges.unpersist()
    return RankedFile(tuple(file), layout, matrices, straddling, covariances(total, layout.records), drawn)


def _as_it_is(number: int) -> int:
    """Return the partition: keys are numbers of partitions."""
    return number


def _read(column: Column, cut: Cut) -> Cells:
    """Read some records of a column, with their numbers; -0.0 is 0.0."""
    start, size = cut
    values = column.read(start, size)
    return values + 0.0 if values.dtype.kind == "f" else values, np.arange(start, start + size, dtype=np.int32)


# --------------------------------------------------------------------------- there


def _splitters(cuts: RDD[Cut], columns: Sequence[Column], layout: Layout) -> list[Splitters | None]:
    """Find out where the ranges of each column should end, from a few of its cells."""
    if layout.ranges == 1:
        return [None] * layout.attributes
    drawn = cuts.map(partial(_drawn, columns=columns, layout=layout)).collect()
    found: list[Splitters | None] = []
    for place in range(layout.attributes):
        values, records = (np.concatenate([cells[place][part] for cells in drawn]) for part in (0, 1))
        found.append(Splitters.between(values, records, layout.ranges))
    return found


def _drawn(cut: Cut, columns: Sequence[Column], layout: Layout) -> list[Cells]:
    """Draw cells of every column, as many as it has records for; the same ones whenever the task is run."""
    start, size = cut
    wanted = PER_RANGE * layout.ranges * size // layout.records + 1
    chosen = np.random.default_rng(start).integers(size, size=wanted)
    return [tuple(part[chosen] for part in _read(column, cut)) for column in columns]  # type: ignore[misc]


def _dealt(
    cut: Cut, columns: Sequence[Column], splitters: Sequence[Splitters | None], layout: Layout
) -> Iterator[tuple[int, Cells]]:
    """Send cells to the ranges of their columns."""
    for place, (column, split) in enumerate(zip(columns, splitters, strict=True)):
        values, records = _read(column, cut)
        if split is None:
            yield place, (values, records)
            continue
        ranges = split.ranges(values, records)
        order = np.argsort(ranges, kind="stable")
        ends = np.cumsum(np.bincount(ranges, minlength=layout.ranges))
        for number, chosen in enumerate(np.split(order, ends[:-1])):
            if chosen.size:
                yield place * layout.ranges + number, (values[chosen], records[chosen])


def _sorted(partition: int, cells: Iterable[tuple[int, Cells]]) -> Iterator[tuple[int, Sorted]]:
    """Put together and sort one range."""
    parts = [part for _, part in cells]
    if parts:
        values, records = (np.concatenate([part[which] for part in parts]) for which in (0, 1))
        yield partition, sort_range(values, records)


def _summary(numbered: tuple[int, Sorted], layout: Layout) -> Summary:
    """Say what the other ranges need to know of one."""
    column, number = divmod(numbered[0], layout.ranges)
    return summary_of(column, number, numbered[1])


def _places(summaries: Iterable[Summary]) -> dict[tuple[int, int], Place]:
    """Place every range in the order of its column."""
    in_order = sorted(summaries, key=attrgetter("column", "range"))
    return {
        (column, number): place
        for column, ranges in groupby(in_order, attrgetter("column"))
        for number, place in places_of(list(ranges)).items()
    }


# --------------------------------------------------------------------------- and back


def _groups(
    numbered: tuple[int, Sorted], places: dict[tuple[int, int], Place], layout: Layout, bins: Bins | None
) -> tuple[int, tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Return the groups of equal values of a column that reach over the end of a chunk, and those at drawn places."""
    column, number = divmod(numbered[0], layout.ranges)
    starts, ends, _ = groups_of(numbered[1], places[column, number])
    inner = layout.bounds[1:-1]
    over = np.searchsorted(inner, starts, "right") < np.searchsorted(inner, ends, "left")
    drawn = np.zeros(starts.size, bool) if bins is None else bins.over(starts, ends)
    both = np.column_stack((starts, ends))
    return column, (both[over], both[drawn])


def _by_column(found: Iterable[tuple[int, NDArray[np.int64]]], layout: Layout) -> tuple[NDArray[np.int64], ...]:
    """Sort groups by column; one that lies in several ranges was found in each of them."""
    each = [[np.zeros((0, 2), np.int64)] for _ in range(layout.attributes)]
    for column, groups in found:
        each[column].append(groups)
    return tuple(np.unique(np.concatenate(groups), axis=0) for groups in each)


def _returned(
    numbered: tuple[int, Sorted], places: dict[tuple[int, int], Place], layout: Layout
) -> Iterator[tuple[int, tuple[int, NDArray[np.int32], NDArray[np.int32]]]]:
    """Send ranks back to the blocks that the records come from: s + e - n for a group at the places s to e - 1."""
    partition, one = numbered
    column, number = divmod(partition, layout.ranges)
    starts, ends, here = groups_of(one, places[column, number])
    ranks = np.repeat((starts + ends - layout.records).astype(np.int32), here)
    order = np.argsort(one.records)
    records, ranks = one.records[order], ranks[order]
    firsts = np.arange(1, layout.blocks, dtype=np.int64) * layout.rows
    cuts = np.searchsorted(records, firsts)
    for block, (some, theirs) in enumerate(zip(np.split(records, cuts), np.split(ranks, cuts), strict=True)):
        if some.size:
            yield block, (column, (some - layout.start(block)).astype(np.int32), theirs)


def _matrix(
    block: int, parts: Iterable[tuple[int, tuple[int, NDArray[np.int32], NDArray[np.int32]]]], layout: Layout
) -> Iterator[NDArray[np.int32]]:
    """Put the ranks of a block of records together."""
    matrix = np.empty((layout.size(block), layout.attributes), np.int32)
    filled = 0
    for _, (column, records, ranks) in parts:
        matrix[records, column] = ranks
        filled += records.size
    if filled != matrix.size:
        raise RuntimeError("records were lost on the way")
    yield matrix


def _own(matrix: NDArray[np.int32], bound: int) -> ExactSum:
    """Sum the products of one block."""
    return products(matrix, matrix, bound)
