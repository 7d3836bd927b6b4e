"""Which attribute is responsible for what: least protected, worst key, leave one out, distances of the permutation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from permaudit.outcome import AttributeShare, Attribution
from permaudit.permutation import (
    least_protected,
    links_without_each,
    permutation_share,
    protection_by_key,
    rank_columns,
    squared_multiple_correlations,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from permaudit.compare import Compared
    from permaudit.model import Comparison

CLASSES = 12
"""Into so many classes of rank each side is cut for the picture of the permutation."""


def attribution_of(compared: Compared) -> Attribution | None:
    """Attribute the numbers of the first comparison; None where there is none, or where its moments contradict each other."""
    if not compared.comparisons:
        return None
    try:
        return _attributed(compared.comparisons[0])
    except ArithmeticError:  # then the metrics are errors, too, and say so
        return None


def _attributed(pair: Comparison) -> Attribution:
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
            **_movement(pair, name),
        )
        for place, name in enumerate(names)
    ]
    return Attribution(least_protected=names[least_protected(moments)], worst_key=worst, attributes=shares)


def _movement(pair: Comparison, name: str) -> dict[str, Any]:
    """Say how far records moved in the order of one attribute, and which part of the change that is."""
    assert pair.rows is not None  # noqa: S101 - the comparer gives them
    original, release = pair.rows.original[name], pair.rows.release[name]
    ranks = rank_columns([original, release]).doubled.astype(np.float64) / 2
    apart = np.abs(ranks[:, 0] - ranks[:, 1])
    return {
        "moved": float((apart > 0).mean()),
        "distance": float(apart.mean() / len(apart)),
        "permutation": permutation_share(original, release),
        "density": _density(ranks),
    }


def _density(ranks: NDArray[np.float64]) -> list[list[float]]:
    """Count records by classes of original and released rank, as shares of all: the permutation as a picture."""
    size = len(ranks)
    classes = np.clip(((ranks + size / 2) * CLASSES / size).astype(np.intp), 0, CLASSES - 1)
    counts = np.bincount(classes[:, 0] * CLASSES + classes[:, 1], minlength=CLASSES**2)
    shares: list[list[float]] = (counts.reshape(CLASSES, CLASSES) / size).tolist()
    return shares
