"""How far a number would move for another sample of as many records: subsamples without replacement.

Drawing half of the records without replacement, over and over, spreads a smooth statistic as much as a new sample of all
records would (the delete-d jackknife of Shao and Wu 1989, Annals of Statistics 17, 1176-1197); with b of n records the spread
is that times sqrt((n - b) / b). No record is drawn twice, so that no ties arise which the data do not have.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from permaudit.atonce import compared_at_once
from permaudit.columns import length

if TYPE_CHECKING:
    import numpy as np
    from numpy.random import Generator
    from numpy.typing import NDArray

    from permaudit.model import Columns, Moments

    Pair = tuple[NDArray[np.intp], NDArray[np.intp]]

DRAWS = 64
_MOST_RECORDS = 2000
_RECORDS_PER_SQUARED_ATTRIBUTE = 20
"""Below this many records for the squared number of attributes, the null level of a subsample drowns what it should tell."""
_FEWEST = 30
_MOST_CELLS = 2**21
"""So many cells of each file are drawn at a time."""


@dataclass(frozen=True, slots=True, eq=False)
class Subsamples:
    """The moments of subsamples, and by what their spread must be multiplied to be that of the whole."""

    moments: tuple[Moments, ...]
    factor: float


def subsamples_of(
    original: Columns, release: Columns, rng: Generator, *, linked: bool, mirrored: bool
) -> Subsamples | None:
    """Draw and compare subsamples: of pairs where records are linked, of each file on its own where they are not.

    They fit into memory whatever the engine, and are compared there, all at once.
    """
    many = min(length(original), length(release))
    attributes = len(original)
    size = min(many // 2, max(_MOST_RECORDS, _RECORDS_PER_SQUARED_ATTRIBUTE * attributes**2))
    if size < max(_FEWEST, 3 * attributes):
        return None
    rows = _rows(length(original), length(release), size, rng, linked=linked)
    step = max(1, _MOST_CELLS // (size * attributes))
    found = [
        moments
        for first in range(0, DRAWS, step)
        for moments in compared_at_once(original, release, rows[first : first + step], mirrored=mirrored)
    ]
    return Subsamples(tuple(found), math.sqrt(size / (many - size)))


def _rows(original: int, release: int, size: int, rng: Generator, *, linked: bool) -> list[Pair]:
    """Draw rows of both files, the same where they are linked."""
    pairs = []
    for _ in range(DRAWS):
        rows = rng.choice(original, size, replace=False)
        pairs.append((rows, rows if linked else rng.choice(release, size, replace=False)))
    return pairs
