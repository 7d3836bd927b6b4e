"""The metrics of many pairs of files at once: values alone, as the intervals and baselines need them.

They are those of `canonical_correlations`, `cm3` and `utility` for each pair, which also do what is out of the ordinary here:
matrices that are singular, or have equal eigenvalues.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import numpy as np

from permaudit.permutation.canonical import bounded, canonical_correlations
from permaudit.permutation.confidentiality import cm2_by_key, cm3, mirror, wilks
from permaudit.permutation.finite import check_finite
from permaudit.permutation.um import EVEN, SAME, utility
from permaudit.permutation.whitening import SMALLEST, correlations, scales

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from permaudit.model import Moments, OwnMoments

    Floats = NDArray[np.float64]
    Mask = NDArray[np.bool_]
    Pair = TypeVar("Pair", Moments, Moments | OwnMoments)

_AT_ONCE = 2**18
"""So many numbers of the matrices of several pairs and keys are worked on at once."""


def cm1_values(pairs: Sequence[Moments]) -> Floats:
    """Return CM1 of each pair."""
    return np.array([float((1 - squares)[0]) for squares in _squares(pairs)])


def cm2_values(pairs: Sequence[Moments]) -> Floats:
    """Return CM2 of each pair."""
    return np.array([float(wilks(squares)) for squares in _squares(pairs)])


def cm3_values(pairs: Sequence[Moments]) -> Floats:
    """Return CM3 of each pair: the least value of any key."""
    same = [one.trivial_permutation for one in pairs]
    return _least_by_key(pairs, same, [one.cross_by_key for one in pairs], cm3)


def mirror_values(pairs: Sequence[Moments]) -> Floats:
    """Return MIRROR of each pair: the least value of any key, sorted in opposite directions."""
    same = [one.mirrored_permutation for one in pairs]
    by_key = [one.mirror_by_key for one in pairs if one.mirror_by_key is not None]
    return _least_by_key(pairs, same, by_key, mirror)


def um_values(pairs: Sequence[Moments | OwnMoments]) -> Floats:
    """Return UM of each pair."""
    original, release = _stacked(pairs, "original", "release")
    check_finite(original, release)
    size = original.shape[-1]
    spectra, vectors = np.linalg.eigh(original)
    spectra = np.maximum(spectra, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        first = spectra / spectra.sum(axis=1, keepdims=True)
        traces = np.trace(release, axis1=1, axis2=2)
        second = np.diagonal(vectors.mT @ (release / traces[:, None, None]) @ vectors, axis1=1, axis2=2)
        lost = ((first - second) ** 2).sum(axis=1) / ((first - 1 / size) ** 2).sum(axis=1)
        is_plain = np.isfinite(lost) & (traces > 0) & (np.abs(first - 1 / size).max(axis=1) > EVEN)
        is_plain &= (np.diff(first, axis=1) > SAME / size).all(axis=1)
    return _with_rest(
        pairs, 1 - np.minimum(lost, 1.0), is_plain, lambda one: utility(one.original, one.release, one.records).value
    )


def _squares(pairs: Sequence[Moments]) -> list[Floats]:
    """Return the squared canonical correlations of each pair, the greatest first."""
    original, release, cross = _stacked(pairs, "original", "release", "cross")
    check_finite(original, release, cross)
    (left, full_left), (right, full_right) = _whitened(original), _whitened(release)
    is_plain = full_left & full_right
    linked = cross * scales(original)[:, :, None] * scales(release)[:, None, :]
    whitened = left.mT @ np.where(is_plain[:, None, None], linked, 0.0) @ right
    rho = np.asarray(np.linalg.svd(whitened, compute_uv=False), np.float64)
    squares = np.sqrt(bounded(rho**2)) ** 2
    return [
        squares[number] if plain else canonical_correlations(one.original, one.release, one.cross).rho ** 2
        for number, (one, plain) in enumerate(zip(pairs, is_plain.tolist(), strict=True))
    ]


def _whitened(own: Floats) -> tuple[Floats, Mask]:
    """Return what whitens each correlation matrix of full rank, and which ones have it."""
    values, vectors = np.linalg.eigh(correlations(own))
    is_full = values[:, 0] > SMALLEST * np.maximum(values[:, -1], 0.0)
    roots = np.sqrt(np.where(is_full[:, None], values, 1.0))
    return vectors / roots[:, None, :], is_full


def _least_by_key(
    pairs: Sequence[Moments], same: Sequence[bool], by_key: Sequence[Floats], single: Callable[[Moments], Floats]
) -> Floats:
    """Return the least CM2 of any key: 0 for equal records."""
    own = _stacked(pairs, "original", "release")
    size = own[0].shape[-1]
    is_plain = np.logical_and(*(_whitened(side)[1] for side in own)) & ~np.array(same)
    is_plain &= (size > 1) & (len(by_key) == len(pairs)) & np.array([one.by_key_error is None for one in pairs])
    check_finite(*own, *by_key)
    found = np.zeros(len(pairs))
    plain, step = np.flatnonzero(is_plain), max(1, _AT_ONCE // size**3)
    for some in (plain[first : first + step] for first in range(0, plain.size, step)):
        cross = np.stack([by_key[number] for number in some.tolist()])
        found[some] = cm2_by_key(own[0][some], own[1][some], cross, np.arange(size)).min(axis=1)
    return _with_rest(pairs, found, is_plain, lambda one: float(single(one).min()))


def _stacked(pairs: Sequence[Moments | OwnMoments], *fields: str) -> list[Floats]:
    """Lay the matrices of all pairs upon each other, those of each field."""
    return [np.stack([getattr(one, name) for one in pairs]) for name in fields]


def _with_rest(pairs: Sequence[Pair], values: Floats, is_plain: Mask, single: Callable[[Pair], float]) -> Floats:
    """Compute one by one what is out of the ordinary."""
    rest = np.flatnonzero(~is_plain)
    values[rest] = [single(pairs[number]) for number in rest.tolist()]
    return values
