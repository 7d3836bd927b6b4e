"""Samples of two files beside each other, many at once: small enough for memory, whatever the engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permaudit.columns import taken
from permaudit.permutation.many import moments_of_files, rank_files

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from permaudit.model import Columns, Moments
    from permaudit.permutation.many import RankedFiles

    Draws = NDArray[np.intp]


def compared_at_once(
    original: Columns, release: Columns, rows: tuple[Draws, Draws], *, mirrored: bool
) -> list[Moments]:
    """Compare samples of two files, given as draws x rows of each, that of each draw with that of the same one."""
    one, other = (_ranked(columns, draws) for columns, draws in zip((original, release), rows, strict=True))
    return moments_of_files(tuple(original), one, other, mirrored=mirrored)


def _ranked(columns: Columns, draws: Draws) -> RankedFiles:
    """Rank each sample of a file."""
    return rank_files([values.reshape(draws.shape) for values in taken(columns, draws.ravel()).values()])
