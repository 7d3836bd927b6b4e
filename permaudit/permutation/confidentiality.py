"""The confidentiality metrics CM1, CM2 and CM3."""

from __future__ import annotations

import sys
from dataclasses import replace
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
_CLEAR = 1e-3
"""Where no pivot is below this, no canonical correlation is near 1."""
_AT_ONCE = 2**16
"""So many numbers of the matrices of several keys are worked on at once: few enough for the cache."""


def cm1(canonical: Canonical) -> float:
    """Return CM1 = 1 - rho_1^2, the protection of the strongest link."""
    # Squared as an array, as in CM2: a single number is squared with another last digit, and CM2 could be above CM1.
    return float((1 - canonical.rho**2)[0])


def cm2(canonical: Canonical) -> float:
    """Return CM2 = prod_i (1 - rho_i^2), the protection of all links together: Wilks' lambda."""
    return float(wilks(canonical.rho**2))


def cm3(moments: Moments) -> NDArray[np.float64]:
    """Return CM2 by key; CM3, what an intruder without a mapping faces, is the smallest of them.

    The j-th value is CM2 of the files sorted by attribute j, without that attribute. All are 0 by definition if the two
    files hold the same rank records. Where an engine approximated the moments, these are the least values that its error
    allows. Needs two attributes.
    """
    return _by_key(moments, moments.cross_by_key, same_records=moments.trivial_permutation)


def mirror(moments: Moments) -> NDArray[np.float64]:
    """Return CM2 by key with the release sorted in the opposite direction; all 0 if turned records are the same."""
    if moments.mirror_by_key is None:
        raise ValueError("the moments are not those of files sorted in opposite directions, too")
    return _by_key(moments, moments.mirror_by_key, same_records=moments.mirrored_permutation)


def least_wilks(rho: NDArray[np.float64], error: float) -> NDArray[np.float64]:
    """Return the least CM2, along the last axis, of canonical correlations of which all together may be off by an error.

    Singular values move, as a vector, by no more than the Frobenius norm of what is added to their matrix (Mirsky 1960,
    Quarterly Journal of Mathematics 11, 50-59). h(r) = -log(1 - r^2) and its first three derivatives grow with r, so that Taylor and
    Cauchy-Schwarz give sum h(r_i + t_i) <= sum h(r_i) + |t| |h'(r)| + |t|^2 / 2 h''(max r_i + |t|).
    """
    highest = rho.max(axis=-1) + error
    inside = np.where(highest < 1, highest, 0.0)  # any number, where it does not count
    with np.errstate(divide="ignore", invalid="ignore"):
        first = np.linalg.norm(2 * rho / (1 - rho**2), axis=-1)
        second = (2 + 2 * inside**2) / (1 - inside**2) ** 2
        least = np.exp(np.log1p(-(rho**2)).sum(axis=-1) - error * first - error**2 / 2 * second)
    return np.where(highest < 1, np.nan_to_num(least), 0.0)


def cm2_without_each(moments: Moments) -> NDArray[np.float64]:
    """Return CM2 without each attribute in turn, from the moments that are there. Needs two attributes."""
    size = moments.original.shape[0]
    exact = replace(moments, by_key_error=None)
    return _by_key(exact, np.broadcast_to(moments.cross, (size, size, size)), same_records=False)


def _by_key(moments: Moments, cross_by_key: NDArray[np.float64], *, same_records: bool) -> NDArray[np.float64]:
    size = moments.original.shape[0]
    if size < _FEWEST:
        raise ValueError(
            f"CM3 sorts by one attribute and compares the others; it needs {_FEWEST} attributes, not {size}"
        )
    if same_records:
        return np.zeros(size)
    check_finite(moments.original, moments.release, cross_by_key)
    left, right = whiten(moments.original), whiten(moments.release)
    if left.rank == right.rank == size:
        return _regular(moments, cross_by_key)
    if moments.by_key_error is not None:
        raise ValueError("moments by key may be approximate only where no attribute is a combination of others")
    rest = [np.delete(np.arange(size), key) for key in range(size)]
    return np.array([_singular(moments, cross_by_key[key], np.ix_(others, others)) for key, others in enumerate(rest)])


def wilks(squares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Multiply 1 - rho^2 along the last axis; the product is 0 only if a factor is, not because it underflows."""
    factors = 1 - squares
    return np.where(factors.min(axis=-1) > 0, np.maximum(factors.prod(axis=-1), sys.float_info.min), 0.0)


def _singular(moments: Moments, cross: NDArray[np.float64], rest: tuple[NDArray[np.intp], ...]) -> float:
    """Return CM2 for one key where the rank of what is left must be found out."""
    return cm2(canonical_correlations(moments.original[rest], moments.release[rest], cross[rest]))


def _regular(moments: Moments, cross_by_key: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return CM2 for all keys where both correlation matrices have full rank, so many keys at a time as the cache holds."""
    size = len(moments.original)
    many = max(1, _AT_ONCE // size**2)
    some = (np.arange(first, min(first + many, size)) for first in range(0, size, many))
    own = moments.original, moments.release
    return np.concatenate([cm2_by_key(*own, cross_by_key[keys], keys, moments.by_key_error) for keys in some])


def cm2_by_key(
    original: NDArray[np.float64],
    release: NDArray[np.float64],
    cross_by_key: NDArray[np.float64],
    keys: NDArray[np.intp],
    error: float | None = None,
) -> NDArray[np.float64]:
    """Return CM2 for some keys, of one pair of files or of several (along the first axis), from moments of full rank.

    rho^2 are the eigenvalues of K K' with K = W_x R_xy W_y', where W R W' = 1. One W serves for all keys: the inverse of R
    without attribute j is W' (1 - u u') W with u the j-th column of W over its length. So it is enough to take that
    direction out of K on either side. By Cauchy's interlacing theorem no matrix without one row and column is worse
    conditioned than the whole.
    """
    left, right = (np.linalg.inv(np.linalg.cholesky(correlations(own))) for own in (original, release))
    linked = cross_by_key * (scales(original)[..., None, :, None] * scales(release)[..., None, None, :])
    places = np.arange(len(keys))
    linked[..., places, keys, :] = linked[..., places, :, keys] = 0
    k = left[..., None, :, :] @ linked @ right.mT[..., None, :, :]
    u, v = (_directions(whitening, keys) for whitening in (left, right))
    k -= u @ (u.mT @ k)
    k -= (k @ v) @ v.mT
    squares = k @ k.mT
    if error is not None:
        return least_wilks(np.sqrt(bounded(np.asarray(np.linalg.eigvalsh(squares), np.float64))), error)
    try:
        factors = np.linalg.cholesky(np.eye(left.shape[-1]) - squares)
        pivots = np.diagonal(factors, axis1=-2, axis2=-1) ** 2
    except np.linalg.LinAlgError:
        pivots = np.zeros(1)
    if pivots.min() > _CLEAR:  # then det(1 - K K') is their product, at a quarter of the time that eigenvalues take
        return np.asarray(np.maximum(pivots.prod(axis=-1), sys.float_info.min))
    return wilks(bounded(np.asarray(np.linalg.eigvalsh(squares), np.float64)))


def _directions(whitening: NDArray[np.float64], keys: NDArray[np.intp]) -> NDArray[np.float64]:
    """Return the columns of some keys, each over its length, as matrices of one column."""
    return np.asarray((whitening / np.linalg.norm(whitening, axis=-2, keepdims=True)).mT[..., keys, :, None])
