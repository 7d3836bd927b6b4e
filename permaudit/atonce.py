"""Samples of files, or of two files beside each other, many at once: small enough for memory, whatever the engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from permaudit.columns import taken
from permaudit.permutation import own_moments, pair_moments, rank_columns
from permaudit.permutation.many import moments_of_files, own_moments_of_files, rank_files
from permaudit.permutation.threads import run_each, workers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from permaudit.model import Columns, Floats, Moments
    from permaudit.permutation import Ranked
    from permaudit.permutation.many import RankedFiles

    Draw = NDArray[np.intp]
    Pair = tuple[Draw, Draw]

_SHORT = 8192
"""With more records, work on the ranks takes longer than calls, and is faster one sample at a time."""


def compared_at_once(original: Columns, release: Columns, rows: Sequence[Pair], *, mirrored: bool) -> list[Moments]:
    """Compare samples of two files, given as the rows of each, one pair for each thread or, where they are short, all at once."""
    names = tuple(original)
    if len(rows[0][0]) <= _SHORT:
        sides = zip((original, release), zip(*rows, strict=True), strict=True)
        one, other = (_ranked_files(columns, draws) for columns, draws in sides)
        return moments_of_files(names, one, other, mirrored=mirrored)

    def compare(pair: Pair) -> Moments:
        x, y = (_ranked(side, draw) for side, draw in zip((original, release), pair, strict=True))
        return pair_moments(names, x, y, threads=1, mirrored=mirrored)

    return run_each(compare, rows, workers(None, sum(len(one) for one, _ in rows)))


def own_at_once(columns: Columns, draws: Sequence[Draw]) -> list[Floats]:
    """Return the own covariances of samples of a file, given as their rows."""
    if len(draws[0]) <= _SHORT:
        return own_moments_of_files(_ranked_files(columns, draws))
    threads = workers(None, sum(map(len, draws)))
    return run_each(lambda draw: own_moments(_ranked(columns, draw), threads=1), draws, threads)


def _ranked(columns: Columns, draw: Draw) -> Ranked:
    """Rank one sample of a file."""
    return rank_columns(list(taken(columns, draw).values()), threads=1)


def _ranked_files(columns: Columns, draws: Sequence[Draw]) -> RankedFiles:
    """Rank each sample of a file."""
    rows = np.array(draws)
    return rank_files([values.reshape(rows.shape) for values in taken(columns, rows.ravel()).values()])
