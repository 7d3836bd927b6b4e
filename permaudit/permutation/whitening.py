"""Whiten a correlation matrix, leaving out the directions that numbers of 53 bits cannot tell from nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

SMALLEST = 5e-6
"""Directions with less than this part of the largest eigenvalue of the correlation matrix count as nothing."""


@dataclass(frozen=True, slots=True, eq=False)
class Whitening:
    """The numerical rank of a file's correlation matrix and the directions that make it up."""

    basis: NDArray[np.float64]
    """m x r: W with W' R W = I, for the correlation matrix R of rank r; rows of constant attributes are 0."""
    loadings: NDArray[np.float64]
    """m x r: R W, the correlations of the attributes with the whitened directions."""
    condition: float
    """The largest eigenvalue kept over the smallest one kept; 1 if nothing is kept."""

    @property
    def rank(self) -> int:
        """Return the numerical rank."""
        return int(self.basis.shape[1])


def scales(own: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return 1 / standard deviation for each attribute, 0 for a constant one: it correlates with nothing.

    As `correlations`, also for several matrices along the first axis.
    """
    variances = np.diagonal(own, axis1=-2, axis2=-1)
    return np.divide(1.0, np.sqrt(variances), out=np.zeros(variances.shape), where=variances > 0)


def correlations(own: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the correlation matrix that belongs to a covariance matrix; rows of constant attributes are 0."""
    scale = scales(own)
    result = own * scale[..., :, None] * scale[..., None, :]
    places = np.arange(own.shape[-1])
    result[..., places, places] = scale > 0
    return np.asarray(result)


def whiten(own: NDArray[np.float64]) -> Whitening:
    """Factorize the correlation matrix and reveal its rank.

    R = U diag(l) U', W = U_r diag(l_r)^(-1/2) for the eigenvalues above `SMALLEST` times the largest one; eigenvalues of the
    correlation matrix do not depend on the order of the attributes or on their scales. Rounding moves a squared canonical
    correlation by a few eps * l_max / l_min: measured at the limit of 5e-6 up to 4e-10, so that identical files give 0 to
    1e-9 (at 1e-6 it was 1.4e-9). The price: of two attributes whose rank correlation exceeds 1 - 5e-6 l_max (.99999 for a
    pair) only what they share is seen; if one of them is released unchanged, CM1 may read up to 5e-6 l_max instead of 0.
    """
    values, vectors = np.linalg.eigh(correlations(own))
    kept = values > SMALLEST * max(values[-1], 0.0)
    if not kept.any():
        nothing = np.zeros((own.shape[0], 0))
        return Whitening(nothing, nothing, 1.0)
    roots = np.sqrt(values[kept])
    return Whitening(vectors[:, kept] / roots, vectors[:, kept] * roots, float(values[-1] / values[kept][0]))
