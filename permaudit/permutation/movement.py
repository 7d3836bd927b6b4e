"""How far records moved in the order of an attribute, and which part of the change that is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from permaudit.permutation.ranks import rank_columns
from permaudit.permutation.reverse import order_of_release
from permaudit.permutation.threads import run_each, workers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

CLASSES = 12
"""Into so many classes of rank each side is cut for the picture of the permutation."""


class Movement(NamedTuple):
    """What became of the order of one attribute."""

    moved: float
    """The share of the records whose value moved: whose rank in X is not that in Z, the values in the release's order.

    Records that the release only ties have not moved: their value changed in place.
    """
    distance: float
    """By how many of these ranks values moved on average, as a part of all ranks."""
    permutation: float | None
    """The part of the mean absolute change that the permutation makes; the rest is noise that changes no rank.

    Z, the original's values in the order of the release, stands between: |Z - X| is permutation, |Y - Z| residual noise.
    None where nothing changed at all, or where values are too large to take a mean of.
    """
    density: list[list[float]]
    """The shares of the records by classes of original and released rank: the permutation as a picture."""


def movements(
    originals: Sequence[NDArray[Any]], releases: Sequence[NDArray[Any]], threads: int | None = None
) -> list[Movement]:
    """Look at each attribute of two files, paired by position."""
    pairs = list(zip(originals, releases, strict=True))
    return run_each(lambda pair: _movement(*pair), pairs, workers(threads, originals[0].size if originals else 0))


def _movement(x: NDArray[Any], y: NDArray[Any]) -> Movement:
    """Look at one attribute."""
    ranked = rank_columns([x, y], threads=1)
    size = ranked.records
    before, after = np.ascontiguousarray(ranked.doubled.T).astype(np.float64)
    order = order_of_release(ranked)
    # The value at each place of the original's order goes to the record at that place of the release's order.
    apart = np.abs(before.take(ranked.order[0]) - before.take(order))
    return Movement(
        moved=np.count_nonzero(apart) / size,
        distance=float(apart.sum()) / 2 / size**2,
        permutation=_share(x.take(ranked.order[0]), x.take(order), y.take(order)),
        density=_density(before, after),
    )


def _share(z: NDArray[Any], x: NDArray[Any], y: NDArray[Any]) -> float | None:
    """Return the part of the permutation in the change; place by place in the order of the release."""
    permuted = z.astype(np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        moved = np.abs(permuted - x).mean()
        noise = np.abs(permuted - y).mean()
        share = moved / (moved + noise) if moved + noise > 0 else np.nan
    return float(share) if np.isfinite(share) else None


def _density(before: NDArray[np.float64], after: NDArray[np.float64]) -> list[list[float]]:
    """Count records by classes of rank; doubled centred ranks run from 1 - n to n - 1."""
    size = before.size
    row, column = (((ranks + size) * CLASSES / (2 * size)).astype(np.int64) for ranks in (before, after))
    counts = np.bincount(row * CLASSES + column, minlength=CLASSES**2)
    shares: list[list[float]] = (counts.reshape(CLASSES, CLASSES) / size).tolist()
    return shares
