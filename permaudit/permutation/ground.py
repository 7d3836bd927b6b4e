"""On how much the numbers of a comparison stand: ranks of matrices, ties, and what chance alone would give."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from permaudit.permutation.null import wilks_null_mean
from permaudit.permutation.whitening import whiten

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from permaudit.model import Moments


@dataclass(frozen=True, slots=True, eq=False)
class Side:
    """What can be told of one file."""

    varying: int
    """How many attributes have more than one value."""
    rank: int
    """The numerical rank of their correlation matrix."""
    ties: NDArray[np.float64]
    """For each attribute, the part of the rank variance that equal values take away: 0 without ties, 1 if constant."""
    commonest: NDArray[np.float64]
    """For each attribute, at most what share of the records has the commonest value; near 1 that share itself."""


@dataclass(frozen=True, slots=True, eq=False)
class Ground:
    """What can be told of a pair of files."""

    original: Side
    release: Side
    null: float
    """The mean of Wilks' lambda for unrelated files of these ranks and so many records."""


def ground_of(moments: Moments) -> Ground | None:
    """Read from the moments how firm the ground is; nothing can be told of moments that are not finite."""
    if not (np.isfinite(moments.original).all() and np.isfinite(moments.release).all()):
        return None
    original, release = _side(moments.original, moments.records), _side(moments.release, moments.records)
    return Ground(original, release, wilks_null_mean(original.rank, release.rank, moments.records))


def _side(own: NDArray[np.float64], records: int) -> Side:
    """Look at one file.

    Without ties the variance of n ranks is n (n + 1) / 12; groups of t equal values take sum (t^3 - t) / (n^3 - n) of it
    away (Kendall 1945, Biometrika 33, 239-251). Where the commonest value has the share p, that sum is between p^3 and
    p^3 + (1 - p)^3, up to terms of order 1 / n^2: its cube root is p where p is near 1.
    """
    variances = np.diagonal(own)
    ties = np.clip(1 - variances / (records * (records + 1) / 12), 0.0, 1.0)
    return Side(int(np.count_nonzero(variances > 0)), whiten(own).rank, ties, np.cbrt(ties))
