"""Samples of two files beside each other, many at once: small enough for memory, whatever the engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from permaudit.columns import taken
from permaudit.permutation import own_moments, pair_moments, rank_columns
from permaudit.permutation.many import moments_of_files, rank_files

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from permaudit.model import Columns, Moments
    from permaudit.permutation.many import RankedFiles

    Draw = NDArray[np.intp]
    Pair = tuple[Draw, Draw]

_SHORT = 8192
"""With more records, work on the ranks takes longer than calls, and is faster one sample at a time."""


def compared_at_once(original: Columns, release: Columns, rows: Sequence[Pair], *, mirrored: bool) -> list[Moments]:
    """Compare samples of two files, given as the rows of each, one pair after the other or, where they are short, all at once."""
    names = tuple(original)
    if len(rows[0][0]) <= _SHORT:
        sides = zip((original, release), zip(*rows, strict=True), strict=True)
        one, other = (_ranked(columns, np.array(draws)) for columns, draws in sides)
        return moments_of_files(names, one, other, mirrored=mirrored)
    found: list[Moments] = []
    known: Draw | None = None
    for first, second in rows:
        if first is not known:  # the same rows are ranked once
            known, x = first, rank_columns(list(taken(original, first).values()))
            own = own_moments(x)
        y = rank_columns(list(taken(release, second).values()))
        found.append(pair_moments(names, x, y, original_own=own, mirrored=mirrored))
    return found


def _ranked(columns: Columns, draws: NDArray[np.intp]) -> RankedFiles:
    """Rank each sample of a file."""
    return rank_files([values.reshape(draws.shape) for values in taken(columns, draws.ravel()).values()])
