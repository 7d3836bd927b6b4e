"""The original beside strangers and beside itself: what the metrics read where nothing was disclosed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permaudit.columns import drawn, in_memory, length, select, taken
from permaudit.model import References

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.random import Generator

    from permaudit.model import Columns, Engine, Moments

DRAWS = 10
"""How often strangers, or samples of the original, are drawn."""
MOST_RECORDS = 20_000
"""More records on each side would not change what is read here, only take longer."""


def references_of(
    engine: Engine, original: Columns, holdout: Columns | None, rng: Generator, *, mirrored: bool
) -> References:
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
    pairs = list(_strangers(original, holdout, many, rng))
    half = many // 2 if many // 2 > _fewest(original) else 0
    return References(
        strangers=tuple(_compared(engine, *pair, mirrored=mirrored) for pair in pairs),
        strangers_are=what,
        resampled=tuple(_resampled(engine, original, rng)),
        fewer_strangers=tuple(
            _compared(engine, *(_first(side, half) for side in pair), mirrored=mirrored) for pair in pairs if half
        ),
    )


def _compared(engine: Engine, one: Columns, other: Columns, *, mirrored: bool) -> Moments:
    """Compare two files."""
    return engine.moments(engine.prepare(one), engine.prepare(other), mirrored=mirrored)


def _fewest(columns: Columns) -> int:
    """Return how many records are too few to compare so many attributes."""
    return 2 * len(columns) + 1


def _first(columns: Columns, many: int) -> Columns:
    """Return the first rows of every column; they are in random order."""
    return {name: values[:many] for name, values in columns.items()}


def _strangers(
    original: Columns, holdout: Columns | None, many: int, rng: Generator
) -> Iterator[tuple[Columns, Columns]]:
    """Draw records of the original, and as many of somebody else's."""
    for _ in range(DRAWS):
        if holdout is None:
            size = length(original)
            # The whole of a large file need not be shuffled for a small part of it.
            chosen = rng.permutation(size) if many == size // 2 else rng.choice(size, 2 * many, replace=False)
            yield taken(original, chosen[:many]), taken(original, chosen[many : 2 * many])
        else:
            others = select(holdout, list(original))
            yield drawn(original, many, rng), drawn(others, many, rng)


def _resampled(engine: Engine, original: Columns, rng: Generator) -> Iterator[Moments]:
    """Compare the original, or as much of it as is needed, with samples drawn from it with replacement."""
    size = length(original)
    many = min(size, MOST_RECORDS)
    base = in_memory(original) if many == size else drawn(original, many, rng)
    prepared = engine.prepare(base)
    for _ in range(DRAWS):
        yield engine.moments(prepared, engine.prepare(taken(base, rng.integers(many, size=many))))
