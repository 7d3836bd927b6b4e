"""The original beside strangers and beside itself: what the metrics read where nothing was disclosed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from permaudit.atonce import compared_at_once, own_at_once
from permaudit.columns import drawn, in_memory, length, select
from permaudit.model import OwnMoments, References

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.random import Generator
    from numpy.typing import NDArray

    from permaudit.model import Columns, Moments

    Pair = tuple[NDArray[np.intp], NDArray[np.intp]]

DRAWS = 10
"""How often strangers, or samples of the original, are drawn."""
MOST_RECORDS = 20_000
"""More records on each side would not change what is read here, only take longer."""


def references_of(original: Columns, holdout: Columns | None, rng: Generator, *, mirrored: bool) -> References:
    """Compare the original with strangers and with samples of itself; nothing comes back where there are too few records.

    Strangers are the holdout's records; without a holdout, one random half of the original stands beside the other.
    """
    size = length(original)
    if holdout is None:
        many = min(size // 2, MOST_RECORDS)
        what = f"one random half of the original beside the other, {many} records each"
    else:
        many = min(size, length(holdout), MOST_RECORDS)
        what = f"the original beside the holdout, {many} records each"
    if many <= _fewest(original):
        return References((), f"{what}: too few for {len(original)} attributes", ())
    others = original if holdout is None else select(holdout, list(original))
    rows = _strangers(length(original), None if holdout is None else length(others), many, rng)
    half = many // 2 if many // 2 > _fewest(original) else 0
    return References(
        strangers=_compared(original, others, rows, mirrored=mirrored),
        strangers_are=what,
        resampled=_resampled(original, rng),
        # The first rows: they are in random order.
        fewer_strangers=_compared(
            original, others, [(one[:half], other[:half]) for one, other in rows], mirrored=mirrored
        )
        if half
        else (),
        drawn_share=0.0 if holdout is None else many / min(size, length(holdout)),
    )


def _compared(original: Columns, others: Columns, rows: Sequence[Pair], *, mirrored: bool) -> tuple[Moments, ...]:
    """Compare some rows of two files, as often as they are given."""
    return tuple(compared_at_once(original, others, rows, mirrored=mirrored))


def _fewest(columns: Columns) -> int:
    """Return how many records are too few to compare so many attributes."""
    return 2 * len(columns) + 1


def _strangers(records: int, strangers: int | None, many: int, rng: Generator) -> list[Pair]:
    """Draw rows of the original, and as many of somebody else's, or of its own where there is nobody else."""
    pairs = []
    for _ in range(DRAWS):
        if strangers is None:
            # The whole of a large file need not be shuffled for a small part of it.
            is_half = many == records // 2
            chosen = rng.permutation(records) if is_half else rng.choice(records, 2 * many, replace=False)
            pairs.append((chosen[:many], chosen[many : 2 * many]))
        else:
            pairs.append((rng.choice(records, many, replace=False), rng.choice(strangers, many, replace=False)))
    return pairs


def _resampled(original: Columns, rng: Generator) -> tuple[OwnMoments, ...]:
    """Compare the original, or as much of it as is needed, with samples drawn from it with replacement."""
    size = length(original)
    many = min(size, MOST_RECORDS)
    base = in_memory(original) if many == size else drawn(original, many, rng)
    samples = [rng.integers(many, size=many) for _ in range(DRAWS)]
    whole, *drawn_again = own_at_once(base, [np.arange(many), *samples])
    return tuple(OwnMoments(many, whole, own) for own in drawn_again)
