"""Rank correlations -> correlations of the normal scores behind them.

A column is a step function of a normal score: the score falls between two quantiles, and that is the value. With f and g
the mid-ranks of two columns as such functions, and r the correlation of their scores,

    cov(f, g) = sum over k of f_k g_k r^k,    f_k = E[f(Z) h_k(Z)]

where h_k are the normalized Hermite polynomials. For monotone functions the sum grows with r, so that the r that belongs
to a rank correlation is found by bisection. Without ties it is 2 sin(pi rho / 6); ties, as in categories, would otherwise
make the correlations of what is drawn too small (Cario and Nelson 1997, Modeling and generating random vectors with
arbitrary marginal distributions and correlation matrix).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from permaudit_plugins.anonymizers._normal import normal_scores

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Places = NDArray[np.intp]

_TERMS = 120
_HALVINGS = 50
_LEAST_SHARE = 0.01
"""Directions with less than this share of the largest eigenvalue are noise, and nothing is inferred from them."""
_LEAST_EIGENVALUE = 1e-6
"""What a correlation matrix has at least, so that scores can be drawn from it in spite of rounding."""


def mid_ranks(places: Places) -> Floats:
    """Return the mid-ranks of places without a missing one, as shares of the records."""
    counts = np.bincount(places)
    middles: Floats = (np.cumsum(counts) - counts / 2) / max(places.size, 1)
    return middles[places]


def rank_correlation(first: Places, second: Places) -> float:
    """Return Spearman's correlation over the records that have both values; 0 where one of them does not vary.

    It is brought towards 0 by what half a record can add to it, the less the stronger it is: two rare values that never
    meet, and would hardly meet by chance, are no evidence that they exclude each other.
    """
    both = (first >= 0) & (second >= 0)
    one, other = mid_ranks(first[both]) - 0.5, mid_ranks(second[both]) - 0.5
    spread = float(np.sqrt((one @ one) * (other @ other)))
    if spread == 0:
        return 0.0
    rho = float(np.clip(one @ other / spread, -1.0, 1.0))
    weight = 0.5 * (1.0 - rho**2) * float(np.abs(one).max() * np.abs(other).max()) / spread
    return float(np.sign(rho) * max(0.0, abs(rho) - weight))


def rank_correlations(columns: Sequence[Places]) -> Floats:
    """Return Spearman's correlations of all pairs of columns, in which -1 stands for a missing value."""
    matrix = np.eye(len(columns))
    for i, first in enumerate(columns):
        for j, second in enumerate(columns[:i]):
            matrix[i, j] = matrix[j, i] = rank_correlation(first, second)
    return matrix


def normal_correlations(ranks: Floats, columns: Sequence[Places]) -> Floats:
    """Return the correlations of normal scores that give these rank correlations to these columns."""
    terms = np.array([_terms(places[places >= 0]) for places in columns])
    matrix = np.eye(len(columns))
    for i in range(1, len(columns)):
        matrix[i, :i] = matrix[:i, i] = _solved(terms[:i] * terms[i], ranks[i, :i])
    return matrix


def completed(matrix: Floats, pairs: Sequence[tuple[int, int]], known: int) -> Floats:
    """Fill in the correlations that nobody can see: those of values with the fact that they are missing.

    Each becomes what the other ones of the first `known` columns imply: given these, the two are unrelated.
    """
    filled = matrix.copy()
    for value, gap in pairs:
        others = np.delete(np.arange(known), value)
        inverse = np.linalg.pinv(matrix[np.ix_(others, others)], rtol=_LEAST_SHARE, hermitian=True)
        implied = matrix[value, others] @ inverse @ matrix[others, gap]
        filled[value, gap] = filled[gap, value] = np.clip(implied, -1.0, 1.0)
    return filled


def drawable(matrix: Floats) -> tuple[Floats, float]:
    """Return the matrix as one that can be drawn from, and the largest change of a correlation.

    Eigenvalues that are not positive become so, and the diagonal is brought back to 1 (Rebonato and Jaeckel 1999, The most
    general methodology to create a valid correlation matrix).
    """
    values, vectors = np.linalg.eigh(matrix)
    if values[0] >= _LEAST_EIGENVALUE:
        return matrix, 0.0
    raised = (vectors * np.maximum(values, _LEAST_EIGENVALUE)) @ vectors.T
    scale = np.sqrt(np.diag(raised))
    raised /= np.outer(scale, scale)
    return raised, float(np.abs(raised - matrix).max())


def _terms(places: Places) -> Floats:
    """Return the Hermite coefficients of a column's mid-ranks, from the first on, in units of their spread.

    The integral of h_k over an interval is the difference of h_(k-1) times the normal density at its ends, divided by the
    root of k; summed by parts, only the steps between neighbouring values are left.
    """
    terms = np.zeros(_TERMS)
    counts = np.bincount(places)
    counts = counts[counts > 0]
    if counts.size < 2:  # noqa: PLR2004 - a constant correlates with nothing
        return terms
    total = np.cumsum(counts)
    middles = (total - counts / 2) / places.size
    spread = np.sqrt(np.average((middles - 0.5) ** 2, weights=counts))
    quantiles = normal_scores(total[:-1] / places.size)
    steps = np.diff(middles) * np.exp(-(quantiles**2) / 2) / np.sqrt(2 * np.pi) / spread
    before, now = np.zeros_like(quantiles), np.ones_like(quantiles)
    for k in range(1, _TERMS + 1):
        terms[k - 1] = (steps @ now) / np.sqrt(k)
        before, now = now, (quantiles * now - np.sqrt(k - 1) * before) / np.sqrt(k)
    return terms


def _solved(products: Floats, wanted: Floats) -> Floats:
    """Find for each row of products of coefficients the correlation at which their series has the wanted value."""
    low, high = np.full(wanted.size, -1.0), np.full(wanted.size, 1.0)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        value = np.zeros(wanted.size)
        for column in products.T[::-1]:
            value = (value + column) * middle
        above = value > wanted
        low, high = np.where(above, low, middle), np.where(above, middle, high)
    found: Floats = (low + high) / 2
    found[~products.any(axis=1)] = 0.0
    return found
