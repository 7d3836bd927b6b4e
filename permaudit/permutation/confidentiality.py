"""The confidentiality metrics CM1, CM2 and CM3."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import numpy as np

from permaudit.permutation.canonical import bounded, canonical_correlations
from permaudit.permutation.finite import check_finite
from permaudit.permutation.whitening import correlations, scales, whiten

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from permaudit.model import Moments
    from permaudit.permutation.canonical import Canonical

_FEWEST = 2


def cm1(canonical: Canonical) -> float:
    """Return CM1 = 1 - rho_1^2, the protection of the strongest link."""
    # Squared as an array, as in CM2: a single number is squared with another last digit, and CM2 could be above CM1.
    return float((1 - canonical.rho**2)[0])


def cm2(canonical: Canonical) -> float:
    """Return CM2 = prod_i (1 - rho_i^2), the protection of all links together: Wilks' lambda."""
    return float(_wilks(canonical.rho**2))


def cm3(moments: Moments) -> NDArray[np.float64]:
    """Return CM2 by key; CM3, what an intruder without a mapping faces, is the smallest of them.

    The j-th value is CM2 of the files sorted by attribute j, without that attribute. All are 0 by definition if the two
    files hold the same rank records. Needs two attributes.
    """
    size = moments.original.shape[0]
    if size < _FEWEST:
        raise ValueError(
            f"CM3 sorts by one attribute and compares the others; it needs {_FEWEST} attributes, not {size}"
        )
    if moments.trivial_permutation:
        return np.zeros(size)
    check_finite(moments.original, moments.release, moments.cross_by_key)
    left, right = whiten(moments.original), whiten(moments.release)
    if left.rank == right.rank == size:
        return _regular(moments)
    rest = [np.delete(np.arange(size), key) for key in range(size)]
    return np.array([_singular(moments, key, np.ix_(others, others)) for key, others in enumerate(rest)])


def _wilks(squares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Multiply 1 - rho^2 along the last axis; the product is 0 only if a factor is, not because it underflows."""
    factors = 1 - squares
    return np.where(factors.min(axis=-1) > 0, np.maximum(factors.prod(axis=-1), sys.float_info.min), 0.0)


def _singular(moments: Moments, key: int, rest: tuple[NDArray[np.intp], ...]) -> float:
    """Return CM2 for one key where the rank of what is left must be found out."""
    return cm2(canonical_correlations(moments.original[rest], moments.release[rest], moments.cross_by_key[key][rest]))


def _regular(moments: Moments) -> NDArray[np.float64]:
    """Return CM2 for all keys at once where both correlation matrices have full rank.

    By Cauchy's interlacing theorem no matrix without one row and column is worse conditioned than the whole, so plain
    Cholesky factors L serve for all of them: rho^2 are the eigenvalues of K K' with K = L_x^-1 R_xy L_y^-T.
    """
    size = moments.original.shape[0]
    places = np.arange(size - 1) + (np.arange(size - 1) >= np.arange(size)[:, None])  # row j: all but j
    rows, columns = places[:, :, None], places[:, None, :]
    factor_x = np.linalg.cholesky(correlations(moments.original)[rows, columns])
    factor_y = np.linalg.cholesky(correlations(moments.release)[rows, columns])
    linked = moments.cross_by_key * scales(moments.original)[:, None] * scales(moments.release)
    linked = linked[np.arange(size)[:, None, None], rows, columns]
    half = np.linalg.solve(factor_x, linked)
    k = np.linalg.solve(factor_y, half.mT)
    return _wilks(bounded(np.asarray(np.linalg.eigvalsh(k @ k.mT), np.float64)))
