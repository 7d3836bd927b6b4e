"""Canonical correlations of two files of ranks, from their moments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from permaudit.permutation.finite import check_finite
from permaudit.permutation.whitening import scales, whiten

if TYPE_CHECKING:
    from numpy.typing import NDArray

TOLERANCE = 1e-9
"""Squared canonical correlations are accurate to this; those closer to 1 are 1."""


@dataclass(frozen=True, slots=True, eq=False)
class Canonical:
    """How two files of ranks correlate, direction by direction."""

    rho: NDArray[np.float64]
    """The canonical correlations, non-increasing, as many as the smaller rank; a single 0 if that rank is 0."""
    rank_x: int
    rank_y: int
    condition_x: float
    """The condition number of the original's correlation matrix on the directions that are kept."""
    condition_y: float
    loadings_x: NDArray[np.float64]
    """The correlation of each original attribute with the first canonical variate of the original."""
    loadings_y: NDArray[np.float64]
    """The correlation of each released attribute with the first canonical variate of the release."""


def canonical_correlations(
    own_x: NDArray[np.float64], own_y: NDArray[np.float64], cross: NDArray[np.float64]
) -> Canonical:
    """Return the canonical correlations of X and Y (Hotelling 1936).

    They are the singular values of W_x' R_xy W_y, where W_x and W_y whiten the two correlation matrices on their numerical
    ranks. Constant attributes contribute nothing; duplicated and collinear ones contribute once.
    """
    check_finite(own_x, own_y, cross)
    left, right = whiten(own_x), whiten(own_y)
    if not left.rank or not right.rank:
        nothing = np.zeros(own_x.shape[0]), np.zeros(own_y.shape[0])
        return Canonical(np.zeros(1), left.rank, right.rank, left.condition, right.condition, *nothing)
    linked = cross * scales(own_x)[:, None] * scales(own_y)
    u, rho, vt = np.linalg.svd(left.basis.T @ linked @ right.basis, full_matrices=False)
    loadings_x, loadings_y = left.loadings @ u[:, 0], right.loadings @ vt[0]
    sign = np.sign(loadings_x[np.argmax(np.abs(loadings_x))])
    return Canonical(
        rho=np.sqrt(bounded(rho**2)),
        rank_x=left.rank,
        rank_y=right.rank,
        condition_x=left.condition,
        condition_y=right.condition,
        loadings_x=loadings_x * sign,
        loadings_y=loadings_y * sign,
    )


def bounded(squares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Put squared correlations between 0 and 1, and those at 1 up to rounding at 1.

    Raises `ArithmeticError` if one is out of bounds by more than rounding explains: the moments do not belong together.
    """
    if squares.max() > 1 + TOLERANCE or squares.min() < -TOLERANCE:
        raise ArithmeticError(
            "squared canonical correlations are out of bounds; the moments are not of one pair of files"
        )
    return np.where(squares >= 1 - TOLERANCE, 1.0, np.maximum(squares, 0.0))
