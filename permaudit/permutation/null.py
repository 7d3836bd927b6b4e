"""What to expect of unrelated files."""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import NDArray


def wilks_null_mean(p: int, q: int, n: int) -> float:
    """Return the mean of Wilks' lambda, hence of CM2, for n records of two unrelated files of p and q attributes.

    Lambda is distributed as a product of independent beta variables with parameters (n - q - i) / 2 and q / 2, for i from
    1 to p (Anderson, An Introduction to Multivariate Statistical Analysis, section 8.4), so its mean is the product of
    (n - q - i) / (n - i): 1 - m^2 / (n - 1) to first order. Exact for normal data, close for ranks. 0 where n <= p + q:
    there canonical correlations of 1 are forced.
    """
    if min(p, q) < 1:
        return 1.0
    if n <= p + q:
        return 0.0
    return math.prod((n - q - i) / (n - i) for i in range(1, p + 1))


class Chance(NamedTuple):
    """How probable links are for unrelated files."""

    p_value: float
    test: str
    """How that was found."""


def links_by_chance(wilks: float, p: int, q: int, n: int) -> Chance:
    """Return how probable a Wilks' lambda this small or smaller is for n records of two unrelated files.

    By Bartlett's approximation where it is close enough: the next term of the expansion is p q (p^2 + q^2 - 5) / 48 over the
    squared multiplier of the statistic (Box 1949, Biometrika 36, 317-346). By simulation for few records or many attributes.
    """
    if min(p, q) < 1:
        return Chance(1.0, "nothing varies")
    error = p * q * (p**2 + q**2 - 5) / 48 / _multiplier(p, q, n) ** 2 if n > p + q else math.inf
    if n >= _MANY_RECORDS and error <= _SMALL_ERROR:
        return Chance(bartlett_p_value(wilks, p, q, n), "Bartlett's approximation")
    sample = _wilks_null_sample(p, q, n)
    below = int(np.searchsorted(sample, wilks, side="right"))
    return Chance((below + 1) / (sample.size + 1), "simulation")


def links_beyond_chance(wilks: float, p: int, q: int, n: int) -> float:
    """Return by how many standard deviations the logarithm of Wilks' lambda lies below its mean for unrelated files.

    For links that are so strong that their probability says no more than that it is tiny.
    """
    if min(p, q) < 1 or n <= p + q:
        return 0.0
    logs = np.log(_wilks_null_sample(p, q, n))
    return float((logs.mean() - math.log(max(wilks, _TINY))) / logs.std())


def bartlett_p_value(wilks: float, p: int, q: int, n: int) -> float:
    """Return how probable a Wilks' lambda this small or smaller is for unrelated files.

    -(n - 1 - (p + q + 1) / 2) ln(lambda) is about chi-square with pq degrees of freedom (Bartlett 1938, Mathematical
    Proceedings of the Cambridge Philosophical Society 34, 33-40).
    """
    if wilks <= 0:
        return 0.0
    statistic = -_multiplier(p, q, n) * math.log(wilks)
    return _chi_square_tail(max(statistic, 0.0), p * q)


def _chi_square_tail(x: float, freedom: int) -> float:
    """Return the probability that a chi-square variable exceeds x.

    Integration by parts gives a finite sum (Abramowitz and Stegun 26.4.4 and 26.4.5): with h = x / 2, exp(-h) times the sum of
    h^k / k! for even degrees of freedom; erfc(sqrt(h)) plus exp(-h) times the sum of h^(k - 1/2) / Gamma(k + 1/2) for odd.
    """
    half = x / 2
    if half == 0:
        return 1.0
    odd = freedom % 2
    powers = np.arange(1, (freedom - 1) // 2 + 1) - 0.5 if odd else np.arange(freedom // 2)
    terms = [math.exp(power * math.log(half) - half - math.lgamma(power + 1)) for power in powers.tolist()]
    return min(1.0, (math.erfc(math.sqrt(half)) if odd else 0.0) + math.fsum(terms))


def cm1_null_mean(p: int, q: int, n: int) -> float:
    """Return the mean of CM1 for n records of two unrelated files of p and q attributes.

    By simulation; for more than 20 attributes by Johnstone's approximation (2008, Annals of Statistics 36, 2638-2716): the
    logit of the largest squared canonical correlation is about mu + sigma times a Tracy-Widom variable. It is within 1 % for
    n of at least 3 (p + q), and within 10 % (too low) where n is hardly above p + q.
    """
    if min(p, q) < 1:
        return 1.0
    if n <= p + q:
        return 0.0
    if min(p, q) <= _MOST_SIMULATED:
        return float(_cm1_null_sample(p, q, n).mean())
    total = n - 2
    gamma = 2 * math.asin(math.sqrt((min(p, q) - 0.5) / total))
    phi = 2 * math.asin(math.sqrt((max(p, q) - 0.5) / total))
    mu = 2 * math.log(math.tan((phi + gamma) / 2))
    sigma = (16 / total**2 / (math.sin(phi + gamma) ** 2 * math.sin(phi) * math.sin(gamma))) ** (1 / 3)
    return 1 / (1 + math.exp(mu + sigma * _TRACY_WIDOM_MEAN))


# --------------------------------------------------------------------------- simulated files

_TINY = 1e-300
_MANY_RECORDS = 100
_SMALL_ERROR = 0.1
"""Up to here Bartlett's approximation errs by less than a tenth of four degrees of freedom."""
_SIMULATIONS = 2000
_MOST_SIMULATED = 20
"""Above so many attributes an approximation serves as well and costs nothing."""
_MANY_ATTRIBUTES = 10
"""Above, a quarter of the simulations will do: the strongest link varies less."""
_TRACY_WIDOM_MEAN = -1.2065335745820
"""Of the Tracy-Widom distribution of order 1 (Bornemann 2010, Mathematics of Computation 79, 871-915)."""
_SEED = 20_101_938
"""Fixed: the null level is a property of p, q and n, and must not change from audit to audit."""


@cache
def _wilks_null_sample(p: int, q: int, n: int) -> NDArray[np.float64]:
    """Draw Wilks' lambda of n records of two unrelated normal files, as products of beta variables, in ascending order."""
    if n <= p + q:
        return np.zeros(1)
    if p > q:
        p, q = q, p
    rng = np.random.default_rng([_SEED, p, q, n])
    parts = rng.beta((n - q - np.arange(1, p + 1)) / 2, q / 2, (_SIMULATIONS, p))
    return np.sort(parts.prod(axis=1))


@cache
def _cm1_null_sample(p: int, q: int, n: int) -> NDArray[np.float64]:
    """Draw CM1 of n records of two unrelated normal files.

    The squared canonical correlations are the eigenvalues of (A + B)^-1 A with independent Wishart matrices A of q and B of
    n - 1 - q degrees of freedom. Both come from Bartlett's decomposition (triangular, chi and normal entries), so that the
    cost does not depend on n.
    """
    if p > q:
        p, q = q, p
    rng = np.random.default_rng([_SEED, p, q, n])
    many = _SIMULATIONS if p <= _MANY_ATTRIBUTES else _SIMULATIONS // 4
    linked, rest = _wishart(many, p, q, rng), _wishart(many, p, n - 1 - q, rng)
    factor = np.linalg.cholesky(linked + rest)
    half = np.linalg.solve(factor, linked)
    strongest: NDArray[np.float64] = np.linalg.eigvalsh(np.linalg.solve(factor, half.mT))[:, -1]
    return 1 - np.clip(strongest, 0.0, 1.0)


def _wishart(many: int, size: int, freedom: int, rng: Generator) -> NDArray[np.float64]:
    """Draw Wishart matrices of identity scale."""
    lower = np.tril(rng.standard_normal((many, size, size)), -1)
    diagonal = np.arange(size)
    lower[:, diagonal, diagonal] = np.sqrt(rng.chisquare(freedom - diagonal, (many, size)))
    product: NDArray[np.float64] = lower @ lower.mT
    return product


def _multiplier(p: int, q: int, n: int) -> float:
    """Return the factor of Bartlett's statistic."""
    return n - 1 - (p + q + 1) / 2
