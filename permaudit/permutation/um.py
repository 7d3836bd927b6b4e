"""The utility metric UM: how much of the original's covariance structure the release keeps."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from permaudit.permutation.finite import check_finite

if TYPE_CHECKING:
    from numpy.typing import NDArray

EVEN = 1e-12
"""Scaled eigenvalues this close to 1 / m are 1 / m."""
SAME = 1e-8
"""Eigenvalues closer than this part of their mean are one: rounding alone rotates their eigenvectors."""
NOISE_SIGMAS = 3
"""A denominator up to so many standard deviations above its mean under independence is noise."""


@dataclass(frozen=True, slots=True, eq=False)
class Utility:
    """UM with what is needed to read it."""

    value: float
    original: NDArray[np.float64]
    """The eigenvalues of C_XX, non-increasing, scaled to sum 1."""
    release: NDArray[np.float64]
    """The variances of the release along the original's eigenvectors, scaled to sum 1; 0 if nothing varies."""
    stability: tuple[float, float]
    """The lowest and highest UM over rotations of the eigenvectors that sampling cannot tell apart."""
    informative: bool
    reason: str | None
    """Why the value says little, if it does."""


def utility(own_x: NDArray[np.float64], own_y: NDArray[np.float64], records: int) -> Utility:
    """Return UM = 1 - min(1, sum (l_j - u_j)^2 / sum (l_j - 1/m)^2).

    l_j: the eigenvalues of C_XX; u_j = v_j' C_YY v_j along its eigenvectors; each family scaled to sum 1. UM is 1 if all of
    both equal 1/m (to 1e-12). Where eigenvalues of C_XX agree to rounding (1e-8 of their mean) the eigenvectors are
    arbitrary; there the u_j are spread evenly, the upper end of what they could be, so that the value does not depend on
    the arbitrary choice. If all of them agree this makes UM 1 whatever the release, with a range that may reach 0, and
    uninformative.
    A release without any variation has UM 0, also for a single attribute.
    """
    check_finite(own_x, own_y)
    size = own_x.shape[0]
    spectrum, vectors = np.linalg.eigh(own_x)
    spectrum, vectors = np.maximum(spectrum[::-1], 0.0), vectors[:, ::-1]
    nothing = np.zeros(size)
    if not spectrum.any():
        return Utility(0.0, nothing, nothing, (0.0, 0.0), informative=False, reason="no original attribute varies")
    original = spectrum / spectrum.sum()
    reason = _why_uninformative(original, records)
    spread = float(np.trace(own_y))
    if spread <= 0:
        return Utility(0.0, original, nothing, (0.0, 0.0), informative=reason is None, reason=reason)
    turned = vectors.T @ (own_y / spread) @ vectors
    release = _even(np.diagonal(turned), _groups(original, SAME / size))
    value = _um(original, release)
    near = _groups(original, _sampling_gaps(original, records))
    low = _um(original, _opposed(turned, near))
    high = _um(original, _even(release, near))
    stability = (min(value, low), max(value, high))
    return Utility(value, original, release, stability, informative=reason is None, reason=reason)


def _um(original: NDArray[np.float64], release: NDArray[np.float64]) -> float:
    """Evaluate the formula of UM for two scaled families."""
    even = 1 / original.size
    if np.abs(original - even).max() <= EVEN:
        return float(np.abs(release - even).max() <= EVEN)
    lost = ((original - release) ** 2).sum() / ((original - even) ** 2).sum()
    return float(1 - min(1.0, lost))


def _sampling_gaps(original: NDArray[np.float64], records: int) -> NDArray[np.float64]:
    """Return how far apart neighbouring eigenvalues must be for their sampling intervals not to overlap.

    The interval is l +- l sqrt(2 / (n - 1)) (North et al. 1982, Monthly Weather Review 110, 699-706).
    """
    return (original[:-1] + original[1:]) * math.sqrt(2 / (records - 1))


def _groups(original: NDArray[np.float64], gaps: NDArray[np.float64] | float) -> list[slice]:
    """Chain neighbours (in non-increasing order) whose distance is no more than the gap."""
    breaks = np.flatnonzero(original[:-1] - original[1:] > gaps) + 1
    edges = [0, *breaks.tolist(), original.size]
    return [slice(start, stop) for start, stop in pairwise(edges)]


def _even(release: NDArray[np.float64], groups: list[slice]) -> NDArray[np.float64]:
    """Spread the release's variance evenly within each group of eigenvectors: the best of the rotations."""
    result = release.copy()
    for group in groups:
        result[group] = release[group].mean()
    return result


def _opposed(turned: NDArray[np.float64], groups: list[slice]) -> NDArray[np.float64]:
    """Rotate each group of eigenvectors to the release's own, the largest variance where the original's is smallest.

    The reachable diagonals are a permutohedron (Schur-Horn), and the largest distance to it is at a corner.
    """
    result = np.diagonal(turned).copy()
    for group in groups:
        result[group] = np.linalg.eigvalsh(turned[group, group])
    return result


def _why_uninformative(original: NDArray[np.float64], records: int) -> str | None:
    """Return why UM says little for this original, or nothing.

    For uncorrelated attributes of equal variance sum (l_j - 1/m)^2 is distributed as 2 / (m^2 (n - 1)) times chi-square with
    m (m - 1) / 2 degrees of freedom: the denominator must exceed its mean by three standard deviations.
    """
    size = original.size
    if size == 1:
        return "UM compares how variance is spread over attributes; there is only one"
    freedom = size * (size - 1) / 2
    noise = 2 / (size**2 * (records - 1)) * (freedom + NOISE_SIGMAS * math.sqrt(2 * freedom))
    if ((original - 1 / size) ** 2).sum() <= noise:
        return "the original's attributes are so little correlated that UM divides by noise"
    return None
