"""Cross moments after both files were sorted by a key: their records meet where the key puts them.

The order is cut into chunks. A record's rank says into which chunk it goes, and the records of both files that go into one are
paired there. Of a group of equal keys that reaches over the end of a chunk only the sum is sent: so no chunk gets more records
than it has places, however many share a key.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from permaudit_spark.sums import fractions, whole
from permaudit_spark.tiles import Straddling, Tiles, expected_products

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray
    from pyspark import Broadcast, SparkContext

    from permaudit.model import Floats
    from permaudit_spark.layout import Layout
    from permaudit_spark.ranks import RankedFile
    from permaudit_spark.sums import Ranks, Whole

    Groups = tuple[NDArray[np.int64], ...]
    Over = tuple[list[Straddling], list[Straddling]]

AT_ONCE = 1 << 30
"""Of so many ranks the records are sent around at a time, for as many keys as that allows."""


def moments_by_key(context: SparkContext, x: RankedFile, y: RankedFile, *, mirrored: bool) -> tuple[Floats, Floats]:
    """Return the cross-covariances by key, and those with the release sorted from high to low (zeros if not asked for)."""
    layout = x.layout
    over = context.broadcast((_straddling(x), _straddling(y)))
    many = max(1, AT_ONCE // (2 * layout.records * layout.attributes))
    keys = list(range(layout.attributes))
    found: dict[int, Whole] = {}
    for first in range(0, layout.attributes, many):
        found |= _some_keys(x, y, keys[first : first + many], over, mirrored=mirrored)
        context._jvm.System.gc()  # noqa: SLF001 - Spark keeps what it sent around until then
    over.unpersist()
    both = np.stack([fractions(found[key], layout.records) for key in keys])
    return both[:, 0], 0.0 - both[:, 1]


def _some_keys(
    x: RankedFile, y: RankedFile, keys: Sequence[int], over: Broadcast[Over], *, mirrored: bool
) -> dict[int, Whole]:
    """Return the sums of products for some keys."""
    sides = [
        side.matrices.flatMap(partial(_sent, number=number, keys=keys, layout=side.layout, over=side.straddling))
        for number, side in enumerate((x, y))
    ]
    parts = len(keys) * x.layout.pairs
    meeting = sides[0].union(sides[1]).partitionBy(parts, _as_it_is)
    paired = partial(_paired, keys=keys, layout=x.layout, over=over, mirrored=mirrored)
    total: dict[int, Whole] = meeting.mapPartitionsWithIndex(paired).treeReduce(_merged)
    return total


def _as_it_is(number: int) -> int:
    """Return the partition: keys are numbers of partitions."""
    return number


def _merged(one: dict[int, Whole], other: dict[int, Whole]) -> dict[int, Whole]:
    """Add sums by key."""
    return {key: _sum(one.get(key), other.get(key)) for key in one.keys() | other.keys()}


def _sum(one: Whole | None, other: Whole | None) -> Whole:
    """Add two sums of which one may not be there."""
    if one is None or other is None:
        found = other if one is None else one
        assert found is not None  # noqa: S101 - one of them is there
        return found
    return one + other


# --------------------------------------------------------------------------- groups that reach over the end of a chunk


def _straddling(side: RankedFile) -> list[Straddling]:
    """Return the groups of each key that reach over the end of a chunk, with the means of their records."""
    size = side.layout.attributes
    if not any(len(groups) for groups in side.straddling):
        return [Straddling(groups, np.zeros((0, size))) for groups in side.straddling]
    sums = side.matrices.map(partial(_group_sums, over=side.straddling, records=side.layout.records)).treeReduce(_added)
    return [
        Straddling(groups, total / (groups[:, 1] - groups[:, 0])[:, None])
        for groups, total in zip(side.straddling, sums, strict=True)
    ]


def _group_sums(matrix: Ranks, over: Groups, records: int) -> list[NDArray[np.int64]]:
    """Add up the records of a block that are in such a group, for each key."""
    found = []
    for key, groups in enumerate(over):
        sums = np.zeros((len(groups), matrix.shape[1]), np.int64)
        if len(groups):
            group, inside = group_of(middle_of(matrix, key, records), groups)
            group, rows = group[inside], matrix[inside]
            order = np.argsort(group, kind="stable")
            present, firsts = np.unique(group[order], return_index=True)
            if present.size:
                sums[present] = np.add.reduceat(rows[order].astype(np.int64), firsts, axis=0)
        found.append(sums)
    return found


def _added(one: list[NDArray[np.int64]], other: list[NDArray[np.int64]]) -> list[NDArray[np.int64]]:
    """Add sums key by key."""
    return [first + second for first, second in zip(one, other, strict=True)]


def middle_of(matrix: Ranks, key: int, records: int) -> NDArray[np.int64]:
    """Return for each record the place in the middle of its group: (s + e) / 2 of the rank s + e - n."""
    return (matrix[:, key].astype(np.int64) + records) // 2


def group_of(middle: NDArray[np.int64], groups: NDArray[np.int64]) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """Return for each place the last of the groups that begins before it, and whether the place is in it."""
    if not len(groups):
        return np.zeros(middle.size, np.intp), np.zeros(middle.size, bool)
    group = np.searchsorted(groups[:, 0], middle, "right") - 1
    return group, (group >= 0) & (middle < groups[group, 1])


# --------------------------------------------------------------------------- records that go to their chunks


def _sent(
    matrix: Ranks, number: int, keys: Sequence[int], layout: Layout, over: Groups
) -> Iterator[tuple[int, tuple[int, Ranks]]]:
    """Send the records of a block to the pairs of chunks where the keys put them."""
    for place, key in enumerate(keys):
        middle = middle_of(matrix, key, layout.records)
        rest = np.flatnonzero(~group_of(middle, over[key])[1])
        chunk = np.searchsorted(layout.bounds, middle[rest], "right") - 1
        pair = np.minimum(chunk, 2 * layout.pairs - 2 - chunk)
        order = rest[np.argsort(pair, kind="stable")]
        ends = np.cumsum(np.bincount(pair, minlength=layout.pairs))
        for at, chosen in enumerate(np.split(order, ends[:-1])):
            if chosen.size:
                yield place * layout.pairs + at, (number, matrix[chosen])


def _paired(  # noqa: PLR0913 - where, what, and how
    partition: int,
    pieces: Iterable[tuple[int, tuple[int, Ranks]]],
    keys: Sequence[int],
    layout: Layout,
    over: Broadcast[Over],
    *,
    mirrored: bool,
) -> Iterator[dict[int, Whole]]:
    """Pair the records that met in a pair of chunks."""
    place, pair = divmod(partition, layout.pairs)
    key = keys[place]
    sides: tuple[list[Ranks], list[Ranks]] = [], []
    for _, (number, rows) in pieces:
        sides[number].append(rows)
    chunks = dict.fromkeys((pair, 2 * layout.pairs - 2 - pair))
    x, y = (
        dict(_tiled(side, key, chunks, layout, straddling[key]))
        for side, straddling in zip(sides, over.value, strict=True)
    )
    total = np.zeros((2, layout.attributes, layout.attributes), object)
    for chunk in chunks:
        total[0] += whole(expected_products(x[chunk], y[chunk], layout.records))
        if mirrored:
            facing = y[2 * layout.pairs - 2 - chunk].turned(layout.records)
            total[1] += whole(expected_products(x[chunk], facing, layout.records))
    yield {key: total}


def _tiled(
    parts: Sequence[Ranks], key: int, chunks: Iterable[int], layout: Layout, straddling: Straddling
) -> Iterator[tuple[int, Tiles]]:
    """Lay out the chunks of one side."""
    rows = np.concatenate(parts) if parts else np.zeros((0, layout.attributes), np.int32)
    chunk_of = np.searchsorted(layout.bounds, middle_of(rows, key, layout.records), "right") - 1
    for chunk in chunks:
        stretch = int(layout.bounds[chunk]), int(layout.bounds[chunk + 1])
        yield chunk, Tiles.of(rows[chunk_of == chunk], key, stretch, layout.records, straddling)
