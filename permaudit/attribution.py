"""Which attribute is responsible for what: least protected, worst key, leave one out, distances of the permutation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from permaudit.columns import select, taken
from permaudit.outcome import AttributeShare, Attribution
from permaudit.permutation import (
    least_protected,
    links_without_each,
    movements,
    protection_by_key,
    squared_multiple_correlations,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.random import Generator

    from permaudit.compare import Compared
    from permaudit.model import Comparison
    from permaudit.permutation.movement import Movement

MOST_PAIRS = 250_000
"""From so many pairs of records it is read how far records moved: shares are then within .002 in 95 of 100 samples."""


def attribution_of(compared: Compared, rng: Generator) -> Attribution | None:
    """Attribute the numbers of the first comparison; None where there is none, or where its moments contradict each other.

    How far records moved is read from a random sample where there are very many of them.
    """
    if not compared.comparisons:
        return None
    try:
        return _attributed(compared.comparisons[0], rng)
    except ArithmeticError:  # then the metrics are errors, too, and say so
        return None


def sampled(compared: Compared) -> list[str]:
    """Say so where an attribution stands on a sample."""
    pairs = [pair for pair in compared.comparisons[:1] if pair.linked and pair.moments.records > MOST_PAIRS]
    return [
        f"how far records moved was read from a random sample of {MOST_PAIRS} of {pair.moments.records} pairs"
        for pair in pairs
    ]


def _attributed(pair: Comparison, rng: Generator) -> Attribution:
    """Attribute the numbers of a comparison; what needs linked records is left open where there are none."""
    moments = pair.moments
    names = moments.attributes
    by_key = protection_by_key(moments)
    known = [key for key in by_key if key is not None]
    worst = names[known.index(min(known))] if known else None
    if not pair.linked:
        shares = [AttributeShare(attribute=name, as_key=key) for name, key in zip(names, by_key, strict=True)]
        return Attribution(least_protected=None, worst_key=worst, attributes=shares)
    explained, without = squared_multiple_correlations(moments).tolist(), links_without_each(moments)
    shares = [
        AttributeShare(
            attribute=name,
            explained=explained[place],
            links_without=without[place],
            as_key=by_key[place],
            **movement._asdict(),
        )
        for place, (name, movement) in enumerate(zip(names, _movements(pair, names, rng), strict=True))
    ]
    return Attribution(least_protected=names[least_protected(moments)], worst_key=worst, attributes=shares)


def _movements(pair: Comparison, names: Sequence[str], rng: Generator) -> list[Movement]:
    """Say how far records moved in the order of each attribute, and which part of the change that is."""
    assert pair.rows is not None  # noqa: S101 - the comparer gives them
    original, release = select(pair.rows.original, names), select(pair.rows.release, names)
    if pair.moments.records > MOST_PAIRS:
        # In the order of the file, which is faster to read.
        rows = np.sort(rng.choice(pair.moments.records, MOST_PAIRS, replace=False))
        original, release = taken(original, rows), taken(release, rows)
    return movements(list(original.values()), list(release.values()))
