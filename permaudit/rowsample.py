"""Records for the metrics that need them whole, where the files are too large for memory: copies stay together.

Records are drawn by where they lie, not by chance: the range of each attribute is cut into a few parts, and all records of
some of the boxes that these make are taken, from every file. A copy lies in the box of its original, and a near one nearly
always does; neighbours are as near as they were. So shares of copies, and of what looks like one, are those among all
records. Of linked files the pairs are drawn in which either record lies in one of the boxes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from permaudit.columns import FIXED, StoredColumns, length, taken
from permaudit.errors import NotApplicable
from permaudit.model import Rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from permaudit.model import Columns

    Mask = NDArray[np.bool_]
    Boxes = NDArray[np.uint32]

_CELL = 400
"""Bytes that looking for copies takes for each cell of the larger file, with all that it is held against."""
_WHOLE = 24
"""Bytes that looking through all records, by keys, takes for each of them."""
_FEWEST_PART, _MOST_TIMES = 0.2, 3
"""Where few different records make up a file, so many times as many may be drawn, or hardly any."""
_SPARE_CUTS, _MOST_CUTS = 2, 16
"""So many more times than needed the boxes are cut in halves, so that several are drawn; and so often at most."""
_SPREAD, _WORD = 0x9E37_79B9_7F4A_7C15, (1 << 64) - 1


def most_records(memory: int, attributes: int) -> int:
    """Return how many records of a file the metrics that need them whole are given, where columns lie in files."""
    return max(1, memory - FIXED) // (_CELL * attributes)


def rows_within_memory(rows: Rows, *, linked: bool) -> Rows:
    """Return the records, or as many of them as fit; raise `NotApplicable` where no sample would keep copies together."""
    original = rows.original
    if not isinstance(original, StoredColumns):
        return rows
    others = rows.left_out
    size = max(length(original) + (0 if others is None else length(others)), length(rows.release))
    many = most_records(original.shelf.memory, len(original))
    if size <= many:
        return rows
    more = {name: side for name, side in (("holdout", rows.holdout), ("left_out", others)) if side is not None}
    sides = [rows.original, rows.release, *more.values()]
    wanted = many // (2 if linked else 1)  # of either record of a pair: together about twice as many
    chosen = _chosen(sides, size, wanted)
    if linked:
        chosen[0] = chosen[1] = chosen[0] | chosen[1]
    drawn = [taken(side, np.flatnonzero(mask)) for side, mask in zip(sides, chosen, strict=True)]
    least, most = min(map(length, drawn[:2])), max(map(length, drawn))
    if least < _FEWEST_PART * many * min(map(length, sides[:2])) / size or most > _MOST_TIMES * many:
        raise NotApplicable(
            f"{size} records do not fit into memory, and too few of them differ for a sample that keeps copies together"
        )
    text = f"{length(drawn[1])} of {length(rows.release)} released records, drawn by what they hold so that copies stay together"
    whole = rows if _WHOLE * sum(map(length, sides)) <= original.shelf.room else None
    rest: dict[str, Any] = dict(zip(more, drawn[2:], strict=True))
    return Rows(drawn[0], drawn[1], sampled=text, whole=whole, **rest)


def _chosen(sides: Sequence[Columns], size: int, wanted: int) -> list[Mask]:
    """Mark the records of each file that lie in some boxes, which hold as many of any file as are wanted."""
    boxes, number = _boxes(sides, int(np.ceil(np.log2(size / wanted))) + _SPARE_CUTS)
    counts = np.max([np.bincount(one, minlength=number) for one in boxes], axis=0)
    is_chosen, total = np.zeros(number, np.bool_), 0
    for box in sorted(range(number), key=lambda one: (one + 1) * _SPREAD & _WORD):
        if counts[box] and total + counts[box] <= wanted:
            is_chosen[box] = True
            total += int(counts[box])
    if not total:  # each box holds more than wanted
        is_chosen[int(np.where(counts > 0, counts, counts.max() + 1).argmin())] = True
    return [is_chosen[one] for one in boxes]


def _boxes(sides: Sequence[Columns], cuts: int) -> tuple[list[Boxes], int]:
    """Return the number of the box in which each record lies, and how many boxes there are.

    Attributes are cut in turn into halves, quarters... of the original's records; one column is in memory at a time.
    """
    names = list(sides[0])
    cuts = min(cuts, _MOST_CUTS)
    boxes, number = [np.zeros(length(side), np.uint32) for side in sides], 1
    for place, name in enumerate(names):
        halvings = cuts // len(names) + (place < cuts % len(names))
        edges = _edges(sides[0][name], 2**halvings)
        for file, side in enumerate(sides):
            boxes[file] *= np.uint32(edges.size + 1)
            boxes[file] += np.searchsorted(edges, side[name], "right").astype(np.uint32)
        number *= edges.size + 1
    return boxes, number


def _edges(values: NDArray[Any], parts: int) -> NDArray[np.float64]:
    """Return where equal parts of the records begin: halfway from the value below, so that what moves a little stays inside."""
    ranks = [values.size * part // parts for part in range(1, parts)]
    if not ranks:
        return np.zeros(0)
    edges = []
    for value in np.unique(np.partition(values, ranks)[ranks]):
        below = values[values < value]
        if below.size:
            edges.append((float(below.max()) + float(value)) / 2)
    return np.array(edges, np.float64)
