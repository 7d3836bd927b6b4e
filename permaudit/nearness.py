"""Whether a holdout holds the original's records under slight noise: they are nearer to it than strangers can be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from permaudit.errors import DataError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from permaudit.model import Columns

    Floats = NDArray[np.float64]

_CLOSE = 0.25
"""As a part of the distance to the next neighbour."""
_DEVIATIONS = 5.0
_PART = 1.5
_MOST_ASKED = 2_000
_MOST_RECORDS = 200_000
_FEWEST = 8
"""Records; fewer tell nothing."""
_MOST_ATTRIBUTES = 6
"""In more dimensions looking for neighbours takes as long as looking at everybody."""


def refuse_nearly_the_same(where: str, holdout: Columns, original: Columns) -> None:
    """Raise where more of the holdout's records lie next to records of the original than the original's own do.

    A record lies next to another where it is much nearer to it than that one is to its next neighbour. The original is cut
    in two, and both the holdout and one half are put beside the other half: strangers do as that half does, however the
    population is spread, since all were drawn alike. A record under slight noise nearly always lies next to where it was.
    """
    chosen = _most_told(original)
    own, others = (np.column_stack([np.asarray(file[name]) for name in chosen]) for file in (original, holdout))
    rng = np.random.default_rng(0)
    own = own[rng.permutation(len(own))[:_MOST_RECORDS]]
    if len(own) < _FEWEST:
        return
    strangers = others[rng.permutation(len(others))[:_MOST_ASKED]]
    first, second = np.array_split(own, 2)
    found = (_next_to(strangers, first) + _next_to(strangers, second)) / 2
    expected = (_next_to(second[:_MOST_ASKED], first) + _next_to(first[:_MOST_ASKED], second)) / 2
    asked = min(len(own), 2 * _MOST_ASKED)
    beyond = _angle(found, len(strangers)) - _angle(min(_PART * expected, 1.0), asked)
    if beyond > _DEVIATIONS * np.sqrt(1 / asked + 1 / len(strangers)):
        raise DataError.one(
            where,
            f"{found:.0%} of the records lie next to a record of the original, and {expected:.0%} of the original's own do: a "
            "holdout holds other people, and not the same under noise",
        )


def _most_told(original: Columns) -> list[str]:
    """Return the attributes with most different values."""
    return sorted(original, key=lambda name: -np.unique(np.asarray(original[name])).size)[:_MOST_ATTRIBUTES]


def _angle(share: float, records: int) -> float:
    """Return a share as twice Anscombe's angle, whose variance is 1 / records for any share, however small."""
    return 2 * float(np.arcsin(np.sqrt((share * records + 3 / 8) / (records + 3 / 4))))


def _next_to(records: NDArray[Any], half: NDArray[Any]) -> float:
    """Return the share of records that are much nearer to one of the half than that one is to any other of it."""
    from scipy.spatial import cKDTree  # noqa: PLC0415 - only for those who bring a holdout

    placed = np.column_stack([_ranks(column, column) for column in half.T])
    tree = cKDTree(placed)
    asked = np.column_stack([_ranks(column, own) for column, own in zip(records.T, half.T, strict=True)])
    nearest, whose = map(np.asarray, tree.query(asked))
    around, who = map(np.asarray, tree.query(placed[whose], k=[1, 2]))
    beyond = np.where(who == whose[:, None], np.inf, around).min(axis=1)
    return float((nearest < _CLOSE * beyond).mean())


def _ranks(values: NDArray[Any], own: NDArray[Any]) -> Floats:
    """Return where values stand among those of the original, from 0 to 1; between two of them as far as they are apart."""
    ordered = np.unique(own)
    if ordered.size < 2:  # noqa: PLR2004 - one place for all
        return np.zeros(len(values))
    return np.asarray(np.interp(values, ordered, np.searchsorted(np.sort(own), ordered) / len(own)))
