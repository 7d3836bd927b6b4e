"""The engine: columns on the shelf, or where they stand -> ranks in blocks on the cluster -> moments."""

from __future__ import annotations

import weakref
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from permaudit import EngineCard, EngineCost, Moments, PermauditError, StoredColumns
from permaudit.permutation import own_moments as own_moments_in_memory
from permaudit.permutation import pair_moments, rank_columns
from permaudit.permutation.pair import close
from permaudit.permutation.reversal import turned
from permaudit.permutation.whitening import whiten
from permaudit_spark.bins import BINS, Bins, error_of, moments_by_bins
from permaudit_spark.bykey import moments_by_key
from permaudit_spark.layout import CELLS, Layout
from permaudit_spark.pairs import cross_moments, same_records
from permaudit_spark.ranks import rank_file
from permaudit_spark.session import running, told

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from permaudit import Shelf
    from permaudit.model import Columns, Floats
    from permaudit.permutation import Ranked
    from permaudit_spark.ranks import RankedFile


_TURNS = 8
"""So many times each core is given pieces of files, whatever their number: to be given one takes longer than to read a small one."""
_MOST = 2**31 - 1
"""Numbers of records, and doubled ranks, are of 32 bits."""


@dataclass(frozen=True, eq=False)
class InMemory:
    """A sample, ranked here."""

    attributes: tuple[str, ...]
    ranked: Ranked

    @cached_property
    def own(self) -> Floats:
        """Return the covariances of the file's own ranks, computed once."""
        return own_moments_in_memory(self.ranked)


@dataclass(frozen=True, eq=False)
class OnCluster:
    """A file whose columns are ranked, on the cluster."""

    file: RankedFile
    shelf: Shelf


@dataclass(frozen=True, slots=True)
class SparkEngine:
    """Rank and compare on a cluster what lies in files; samples that are in memory are compared in memory."""

    cells: int = CELLS
    """How many numbers a task holds of a file at a time."""
    bins: int = 0
    """From how many places of an order moments by key are estimated; 0 for all of them."""
    seed: int = 0
    """For drawing these places."""

    card: ClassVar[EngineCard] = EngineCard(
        id="spark",
        title="On Apache Spark",
        summary="Sorts every column in ranges and pairs records where a key puts them, on one machine or on a cluster; sums exact "
        "integers. Gives what the engine in memory gives. PERMAUDIT_SPARK_MASTER names the cluster.",
        stored=True,
        cost=EngineCost(sorting=9.0, pairing=1.0, record=24, scratch=70),
        approximates=True,
        spreads=True,
    )

    def approximate(self, seed: int) -> SparkEngine:
        """Return the engine that estimates moments by key, and says how far off they may be."""
        return replace(self, bins=BINS, seed=seed)

    def each(self, work: Callable[[Any], Any], tasks: Sequence[Any], shelf: Shelf) -> list[Any]:
        """Let the workers do something for each task; what comes back is small, and so may be the tasks."""
        context = running(shelf)
        if not tasks:
            return []
        with told(shelf):
            turns = min(len(tasks), _TURNS * context.defaultParallelism)
            found: list[Any] = context.parallelize(tasks, turns).map(work).collect()
            return found

    def prepare(self, columns: Columns) -> OnCluster | InMemory:
        """Rank each column once."""
        if not isinstance(columns, StoredColumns):
            return InMemory(tuple(columns), rank_columns(list(columns.values())))
        shelf, records = columns.shelf, next(iter(columns.stored.values())).size
        if records >= _MOST:
            raise PermauditError(f"the engine 'spark' numbers records with 32 bits, and there are {_MOST} or more")
        context, layout = running(shelf), Layout(records, len(columns), self.cells)
        with told(shelf):
            file = rank_file(context, columns, layout, self._drawn(layout.records))
        prepared = OnCluster(file, shelf)
        weakref.finalize(prepared, _let_go, file).atexit = False
        return prepared

    def moments(
        self, original: OnCluster | InMemory, release: OnCluster | InMemory, *, mirrored: bool = False
    ) -> Moments:
        """Compare two ranked files, paired by position."""
        if isinstance(original, InMemory) and isinstance(release, InMemory):
            names, own = original.attributes, original.own
            return pair_moments(names, original.ranked, release.ranked, original_own=own, mirrored=mirrored)
        if isinstance(original, InMemory) or isinstance(release, InMemory):
            raise TypeError("one of the files is in memory and the other is not")
        with told(original.shelf):
            bins = self._drawn(original.file.layout.records)
            return _compared(original, release, bins, mirrored=mirrored)

    def _drawn(self, records: int) -> Bins | None:
        """Draw the places of an order that are enough; None for all of them."""
        return Bins.of(records, self.bins, self.seed) if self.bins else None


def _compared(original: OnCluster, release: OnCluster, bins: Bins | None, *, mirrored: bool) -> Moments:
    """Return the moments of two files on the cluster."""
    x, y = original.file, release.file
    if x.layout != y.layout:
        raise ValueError("the files have not the same number of records and attributes")
    first, second = x.own, y.own
    cross, unchanged = cross_moments(x, y)
    # Of attributes that are combinations of others, an error could not be told.
    if bins is not None and all(whiten(own).rank == len(own) for own in (first, second)):
        error: float | None = error_of(x, y, bins)
        by_key, mirror_by_key = moments_by_bins(running(original.shelf), x, y, bins, mirrored=mirrored)
    else:
        error = None
        by_key, mirror_by_key = moments_by_key(running(original.shelf), x, y, mirrored=mirrored)
    plain = np.ones(len(x.attributes), np.int32)
    ways = list(turned(first, second)) if mirrored and close(np.abs(first), np.abs(second)) else []
    return Moments(
        attributes=x.attributes,
        records=x.layout.records,
        original=first,
        release=second,
        cross=cross,
        cross_by_key=by_key,
        unchanged=unchanged,
        # Equal multisets have equal moments: most releases need no second look.
        trivial_permutation=close(first, second) and same_records(x, y, [plain]),
        mirror_by_key=mirror_by_key if mirrored else None,
        mirrored_permutation=same_records(x, y, ways),
        by_key_error=error,
    )


def _let_go(file: RankedFile) -> None:
    """Let the cluster forget a file."""
    context = file.matrices.context
    if context._jsc is not None:  # noqa: SLF001 - unless Spark has ended
        file.matrices.unpersist()
