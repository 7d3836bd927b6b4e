"""Cross moments by key from a sample of places: the order by a key is cut into bins of as many records, and one place is drawn of each.

The records of both files at a drawn place stand for those of its bin. Only they are sent around, so that the cost does not grow
with the files; what is sent adds up, in whatever order. How far off the sum may be follows from how large records can be.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from permaudit.permutation.whitening import scales, whiten
from permaudit_spark.bykey import group_of, middle_of
from permaudit_spark.layout import Layout
from permaudit_spark.sums import fractions, number, whole

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray
    from pyspark import Broadcast, SparkContext

    from permaudit.model import Floats
    from permaudit_spark.ranks import RankedFile
    from permaudit_spark.sums import Ranks, Whole

    Ints = NDArray[np.int64]
    Piece = tuple[int, Ints, Ints]
    """The number of a file, places by their number, and what the records there add up to, with their number."""

BINS = 1 << 20
DOUBT = 1e-6
"""How probable it is, at most, that the error is larger than stated."""


@dataclass(frozen=True, slots=True, eq=False)
class Bins:
    """The drawn places, and how many each stands for. They are the same ones from either end, so that orders can be turned."""

    places: Ints
    weights: Ints

    @classmethod
    def of(cls, records: int, wanted: int, seed: int) -> Bins:
        """Draw a place of each bin; with bins for all records, these are all places."""
        half = records // 2
        bins = max(1, min(half, wanted // 2))
        bounds = np.arange(bins + 1, dtype=np.int64) * half // bins
        widths = np.diff(bounds)
        lower = bounds[:-1] + np.random.default_rng((seed, records)).integers(widths)
        middle = np.arange(half, records - half, dtype=np.int64)  # of an odd number
        places = np.concatenate((lower, middle, records - 1 - lower[::-1]))
        return cls(places, np.concatenate((widths, np.ones_like(middle), widths[::-1])))

    @property
    def records(self) -> int:
        """Return how many places there are in all."""
        return int(self.weights.sum())

    @property
    def widest(self) -> int:
        """Return how many places the widest bin has."""
        return int(self.weights.max())

    def over(self, starts: Ints, ends: Ints) -> NDArray[np.bool_]:
        """Tell which groups of several records have a drawn place."""
        drawn = np.searchsorted(self.places, starts) < np.searchsorted(self.places, ends)
        return np.asarray(drawn & (ends - starts > 1))


def moments_by_bins(
    context: SparkContext, x: RankedFile, y: RankedFile, bins: Bins, *, mirrored: bool
) -> tuple[Floats, Floats]:
    """Estimate the cross-covariances by key, and those with the release sorted from high to low (zeros if not asked for)."""
    layout = Layout(bins.places.size, x.layout.attributes, x.layout.cells)
    drawn = context.broadcast(bins)
    found = []
    for key in range(layout.attributes):
        groups = context.broadcast((x.drawn[key], y.drawn[key]))
        sides = [
            side.matrices.flatMap(partial(_sent, which=which, key=key, layout=layout, bins=drawn, groups=groups))
            for which, side in enumerate((x, y))
        ]
        meeting = sides[0].union(sides[1]).partitionBy(layout.pairs, _as_it_is)
        paired = partial(_paired, layout=layout, bins=drawn, groups=groups, mirrored=mirrored)
        found.append(fractions(meeting.mapPartitionsWithIndex(paired).treeReduce(_sum), x.layout.records))
        groups.unpersist()
    drawn.unpersist()
    both = np.stack(found)
    return both[:, 0], 0.0 - both[:, 1]


def error_of(x: RankedFile, y: RankedFile, bins: Bins) -> float:
    """Return how far off the estimates are at most, as correlations of whitened ranks (Frobenius norm), for any key.

    Bernstein's inequality in Hilbert space (Pinelis 1994, Annals of Probability 22, 1679-1706): sums of independent vectors of
    length below H and of total variance B^2 are longer than t with a probability below 2 exp(-t^2 / (2 B^2 + 2 t H / 3)).
    The vectors are products of whitened ranks, a c', times the width of the bin; places at the same distance from either
    end are drawn together. The variance is below the sum of |a|^2 |c|^2, which by Cauchy-Schwarz needs no pairing.
    """
    if bins.widest == 1:
        return 0.0
    (fourth_x, most_x), (fourth_y, most_y) = _lengths(x), _lengths(y)
    scale = x.layout.records - 1
    variance = 2 * bins.widest * math.sqrt(fourth_x) * math.sqrt(fourth_y) / scale**2
    length = 4 * bins.widest * most_x * most_y / scale
    surely = math.log(2 / DOUBT)
    return surely * length / 3 + math.sqrt((surely * length / 3) ** 2 + 2 * surely * variance)


def _lengths(side: RankedFile) -> tuple[float, float]:
    """Return the sum of the fourth powers of the lengths of whitened records, and the greatest length."""
    whitening = scales(side.own)[:, None] * whiten(side.own).basis / 2  # ranks are doubled
    fourth, most = side.matrices.map(partial(_block_lengths, whitening=whitening)).treeReduce(_both)
    return number(fourth), most


def _block_lengths(matrix: Ranks, whitening: Floats) -> tuple[Whole, float]:
    """Measure the records of a block."""
    squares = ((matrix @ whitening) ** 2).sum(axis=1)
    return whole(np.array([(squares**2).sum()])), float(np.sqrt(squares.max()))


def _both(one: tuple[Whole, float], other: tuple[Whole, float]) -> tuple[Whole, float]:
    """Add sums, and keep what is greater."""
    return one[0] + other[0], max(one[1], other[1])


def _as_it_is(number: int) -> int:
    """Return the partition: keys are numbers of partitions."""
    return number


def _sum(one: Whole, other: Whole) -> Whole:
    """Add two sums."""
    return one + other


def _sent(  # noqa: PLR0913, PLR0917 - what, and where to
    matrix: Ranks, which: int, key: int, layout: Layout, bins: Broadcast[Bins], groups: Broadcast[tuple[Ints, Ints]]
) -> Iterator[tuple[int, Piece]]:
    """Send the records of a block that are at drawn places to the pairs of chunks of these; groups as their sums."""
    places, tied, records = bins.value.places, groups.value[which], bins.value.records
    middle = middle_of(matrix, key, records)
    group, inside = group_of(middle, tied)
    alone = np.flatnonzero(~inside)
    at = np.searchsorted(places, middle[alone])
    hit = places[np.minimum(at, places.size - 1)] == middle[alone]
    where, rows = [at[hit]], [_counted(matrix[alone[hit]])]
    present = np.unique(group[inside])
    if present.size:
        order = np.flatnonzero(inside)[np.argsort(group[inside], kind="stable")]
        sums = np.add.reduceat(_counted(matrix[order]), np.searchsorted(group[order], present), axis=0)
        first, after = (np.searchsorted(places, tied[present, side]) for side in (0, 1))
        for low, high in zip(layout.bounds[:-1], layout.bounds[1:], strict=True):
            reach = (first < high) & (after > low)
            where.append(np.maximum(first[reach], low))
            rows.append(sums[reach])
    index, total = np.concatenate(where), np.concatenate(rows)
    chunk = np.searchsorted(layout.bounds, index, "right") - 1
    pair = np.minimum(chunk, 2 * layout.pairs - 2 - chunk)
    order = np.argsort(pair, kind="stable")
    ends = np.cumsum(np.bincount(pair, minlength=layout.pairs))
    for meeting, chosen in enumerate(np.split(order, ends[:-1])):
        if chosen.size:
            yield meeting, (which, index[chosen], total[chosen])


def _counted(rows: Ranks) -> Ints:
    """Return records with a one after each, so that sums of them also tell of how many."""
    return np.column_stack((rows, np.ones(len(rows), np.int64)))


def _paired(  # noqa: PLR0913 - where, what, and how
    pair: int,
    pieces: Iterable[tuple[int, Piece]],
    layout: Layout,
    bins: Broadcast[Bins],
    groups: Broadcast[tuple[Ints, Ints]],
    *,
    mirrored: bool,
) -> Iterator[Whole]:
    """Pair the records at the drawn places of a pair of chunks."""
    parts: tuple[list[Piece], list[Piece]] = [], []
    for _, piece in pieces:
        parts[piece[0]].append(piece)
    chunks = dict.fromkeys((pair, 2 * layout.pairs - 2 - pair))
    x, y = (
        {chunk: _means(side, chunk, layout, bins.value, tied) for chunk in chunks}
        for side, tied in zip(parts, groups.value, strict=True)
    )
    total = np.zeros((2, layout.attributes, layout.attributes), object)
    for chunk in chunks:
        low, high = layout.bounds[chunk : chunk + 2]
        weighted = x[chunk] * bins.value.weights[low:high, None]
        total[0] += whole(weighted.T @ y[chunk])
        if mirrored:
            total[1] += whole(weighted.T @ y[2 * layout.pairs - 2 - chunk][::-1])
    yield total


def _means(parts: list[Piece], chunk: int, layout: Layout, bins: Bins, tied: Ints) -> Floats:
    """Return the mean ranks of the records at each drawn place of a chunk."""
    low, high = (int(bound) for bound in layout.bounds[chunk : chunk + 2])
    sums = np.zeros((high - low, layout.attributes + 1), np.int64)
    for _, index, rows in parts:
        here = (index >= low) & (index < high)
        np.add.at(sums, index[here] - low, rows[here])
    sizes, source = np.ones(high - low, np.int64), np.arange(high - low)
    first, after = (np.clip(np.searchsorted(bins.places, tied[:, side]), low, high) - low for side in (0, 1))
    reach = first < after
    lengths = (after - first)[reach]
    inside = np.repeat(first[reach], lengths) + _steps(lengths)
    source[inside] = np.repeat(first[reach], lengths)
    sizes[inside] = np.repeat((tied[reach, 1] - tied[reach, 0]), lengths)
    sums = sums[source]
    if not np.array_equal(sums[:, -1], sizes):
        raise RuntimeError("records were lost on the way")
    return np.asarray(sums[:, :-1] / sizes[:, None])


def _steps(lengths: Ints) -> Ints:
    """Return 0, 1, 2 and so on for each length."""
    return np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
