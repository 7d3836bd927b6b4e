"""How far a number would move for another sample of as many records: subsamples without replacement.

Drawing half of the records without replacement, over and over, spreads a smooth statistic as much as a new sample of all
records would (the delete-d jackknife of Shao and Wu 1989, Annals of Statistics 17, 1176-1197); with b of n records the spread
is that times sqrt((n - b) / b). No record is drawn twice, so that no ties arise which the data do not have.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from permaudit.columns import drawn, length, taken

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.random import Generator

    from permaudit.model import Columns, Engine, Moments

DRAWS = 64
_MOST_RECORDS = 2000
_RECORDS_PER_SQUARED_ATTRIBUTE = 20
"""Below this many records for the squared number of attributes, the null level of a subsample drowns what it should tell."""
_FEWEST = 30


@dataclass(frozen=True, slots=True, eq=False)
class Subsamples:
    """The moments of subsamples, and by what their spread must be multiplied to be that of the whole."""

    moments: tuple[Moments, ...]
    factor: float


def subsamples_of(  # noqa: PLR0913 - two files and how to draw from them
    engine: Engine, original: Columns, release: Columns, rng: Generator, *, linked: bool, mirrored: bool
) -> Subsamples | None:
    """Draw and compare subsamples: of pairs where records are linked, of each file on its own where they are not."""
    many = min(length(original), length(release))
    attributes = len(original)
    size = min(many // 2, max(_MOST_RECORDS, _RECORDS_PER_SQUARED_ATTRIBUTE * attributes**2))
    if size < max(_FEWEST, 3 * attributes):
        return None
    found = tuple(
        engine.moments(engine.prepare(one), engine.prepare(other), mirrored=mirrored)
        for one, other in _drawn(original, release, size, rng, linked=linked)
    )
    return Subsamples(found, math.sqrt(size / (many - size)))


def _drawn(
    original: Columns, release: Columns, size: int, rng: Generator, *, linked: bool
) -> Iterator[tuple[Columns, Columns]]:
    for _ in range(DRAWS):
        if linked:
            rows = rng.choice(length(original), size, replace=False)
            yield taken(original, rows), taken(release, rows)
        else:
            yield drawn(original, size, rng), drawn(release, size, rng)
