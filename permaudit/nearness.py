"""Whether a holdout holds the original's records under slight noise: they are nearer to it than strangers can be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from permaudit.columns import length
from permaudit.errors import DataError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from permaudit.model import Columns

    Floats = NDArray[np.float64]

_CLOSE = 0.25
"""As a part of the distance to the next neighbour."""
_DEVIATIONS = 6.0
_PART = 1.5
_MOST_ASKED = 2_000
_MOST_RECORDS = 200_000
_MOST_ATTRIBUTES = 6
"""In more dimensions looking for neighbours takes as long as looking at everybody."""


def refuse_nearly_the_same(where: str, holdout: Columns, original: Columns) -> None:
    """Raise where more of the holdout's records lie next to an original one than records of the original do themselves.

    A record lies next to its neighbour where it is much nearer to it than that one is to the next. A stranger does so as
    often as a record of the original that is taken out and put beside the others, wherever the population is dense: both
    were drawn alike. A record under slight noise nearly always does.
    """
    own, others = _placed(holdout, original)
    rng = np.random.default_rng(0)
    asked = rng.permutation(len(own))[:_MOST_ASKED]
    strangers = others[rng.permutation(len(others))[:_MOST_ASKED]]
    found, expected = _next_to(strangers, own, own_places=None), _next_to(own[asked], own, own_places=asked)
    noise = np.sqrt(max(expected, 1 / len(asked)) * (1 / len(asked) + 1 / len(strangers)))
    if found > _PART * expected + _DEVIATIONS * noise:
        raise DataError.one(
            where,
            f"{found:.0%} of the records lie next to a record of the original, and {expected:.0%} of the original's own do: a "
            "holdout holds other people, and not the same under noise",
        )


def _next_to(records: Floats, own: Floats, own_places: NDArray[np.intp] | None) -> float:
    """Return the share of records that are much nearer to one of the original than that one is to any other.

    Records of the original itself, known by their places, are neighbours of nobody while they are asked.
    """
    from scipy.spatial import cKDTree  # noqa: PLC0415 - only for those who bring a holdout

    tree = cKDTree(own)
    distances, places = map(np.asarray, tree.query(records, k=[1, 2]))
    if own_places is not None:
        is_itself = places[:, 0] == own_places
        distances, places = (np.where(is_itself, both[:, 1], both[:, 0])[:, None] for both in (distances, places))
    nearest, whose = distances[:, 0], places[:, 0]
    around, who = map(np.asarray, tree.query(own[whose], k=[1, 2, 3]))
    # Not that one itself, nor the one that asks.
    away = who == whose[:, None]
    if own_places is not None:
        away |= who == own_places[:, None]
    beyond = np.where(away, np.inf, around).min(axis=1)
    return float((nearest < _CLOSE * beyond).mean())


def _placed(holdout: Columns, original: Columns) -> tuple[Floats, Floats]:
    """Place the records of both files by rank in the original, in the attributes with most different values."""
    step = -(-length(original) // _MOST_RECORDS)
    values = {name: np.asarray(column)[::step] for name, column in original.items()}
    chosen = sorted(values, key=lambda name: -np.unique(values[name]).size)[:_MOST_ATTRIBUTES]
    both = [[_ranks(column, values[name]) for column in (values[name], np.asarray(holdout[name]))] for name in chosen]
    return np.column_stack([own for own, _ in both]), np.column_stack([other for _, other in both])


def _ranks(values: NDArray[Any], own: NDArray[Any]) -> Floats:
    """Return where values stand among those of the original, from 0 to 1; between two of them as far as they are apart."""
    ordered = np.unique(own)
    if ordered.size < 2:  # noqa: PLR2004 - one place for all
        return np.zeros(len(values))
    return np.asarray(np.interp(values, ordered, np.searchsorted(np.sort(own), ordered) / len(own)))
