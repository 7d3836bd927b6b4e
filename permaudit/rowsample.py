"""Records for the metrics that need them whole, where the files are too large for memory: copies stay together.

Records are drawn by what they hold, not by chance: one whose hash is low enough is taken, from every file. A copy has the
hash of its original, so that the share of copied records among those drawn is that among all. Of linked files the pairs are
drawn in which either record is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from permaudit.columns import StoredColumns, length, taken
from permaudit.errors import NotApplicable
from permaudit.model import Rows
from permaudit.strangers import record_keys

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from permaudit.model import Columns

    Mask = NDArray[np.bool_]

_FIXED = 400 << 20
"""Bytes that the program itself takes, with its libraries."""
_CELL = 400
"""Bytes that looking for copies takes for each cell of the larger file, with all that it is held against."""
_FEWEST_PART, _MOST_TIMES = 0.2, 3
"""Where few different records make up a file, so many times as many may be drawn, or hardly any."""
_SPREAD = np.uint64(0x9E37_79B9_7F4A_7C15)


def most_records(memory: int, attributes: int) -> int:
    """Return how many records of a file the metrics that need them whole are given, where columns lie in files."""
    return max(1, memory - _FIXED) // (_CELL * attributes)


def rows_within_memory(rows: Rows, *, linked: bool) -> Rows:
    """Return the records, or as many of them as fit; raise `NotApplicable` where no sample would keep copies together."""
    original = rows.original
    if not isinstance(original, StoredColumns):
        return rows
    size = max(length(original), length(rows.release))
    many = most_records(original.shelf.memory, len(original))
    if size <= many:
        return rows
    sides = [rows.original, rows.release, *([] if rows.holdout is None else [rows.holdout])]
    share = many / size / (2 if linked else 1)  # of either record of a pair: together about twice as many
    chosen = [_low(keys, share) for keys in record_keys(sides)]
    if linked:
        chosen[0] = chosen[1] = chosen[0] | chosen[1]
    drawn = [_drawn(side, mask) for side, mask in zip(sides, chosen, strict=True)]
    least, most = min(map(length, drawn[:2])), max(map(length, drawn))
    if least < _FEWEST_PART * many * min(map(length, sides[:2])) / size or most > _MOST_TIMES * many:
        raise NotApplicable(
            f"{size} records do not fit into memory, and too few of them differ for a sample that keeps copies together"
        )
    text = f"{length(drawn[1])} of {length(rows.release)} released records, drawn by what they hold so that copies stay together"
    return Rows(drawn[0], drawn[1], drawn[2] if rows.holdout is not None else None, text)


def _low(keys: NDArray[np.uint64], share: float) -> Mask:
    """Mark the records whose hash is among the lowest."""
    return np.asarray(keys * _SPREAD < np.uint64(int(share * 2.0**64)))


def _drawn(columns: Columns, mask: Mask) -> Columns:
    """Read the marked records."""
    return taken(columns, np.flatnonzero(mask))
