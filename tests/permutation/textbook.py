"""The metrics as a textbook would write them: slow, naive, and independent of the package."""

from __future__ import annotations

import itertools

import numpy as np
import scipy.linalg
import scipy.stats

RANK_TOLERANCE = 5e-6


def ranks(data):
    """Average ranks, column by column."""
    return np.column_stack([scipy.stats.rankdata(column, method="average") for column in data.T])


def covariances(x, y):
    """Return C_XX, C_YY, C_XY of two rank matrices."""
    m = x.shape[1]
    joint = np.cov(np.hstack([x, y]), rowvar=False, ddof=1).reshape(2 * m, 2 * m)
    return joint[:m, :m], joint[m:, m:], joint[:m, m:]


def inverse(c):
    """The inverse of a covariance matrix, or its pseudo-inverse on the numerical rank of the correlation matrix."""
    d = np.sqrt(np.diag(c))
    d = np.where(d > 0, d, np.inf)
    r = c / np.outer(d, d)
    if np.all(np.isfinite(d)) and np.linalg.cond(r) < 1 / RANK_TOLERANCE:
        return scipy.linalg.inv(c)
    return np.linalg.pinv(r, rcond=RANK_TOLERANCE, hermitian=True) / np.outer(d, d)


def squared_canonical_correlations(c_xx, c_yy, c_xy):
    """The eigenvalues of C_XX^-1 C_XY C_YY^-1 C_YX."""
    values = scipy.linalg.eig(inverse(c_xx) @ c_xy @ inverse(c_yy) @ c_xy.T, right=False)
    return np.clip(np.sort(values.real)[::-1], 0, 1)


def cm1(x, y):
    return 1 - squared_canonical_correlations(*covariances(ranks(x), ranks(y)))[0]


def cm2(x, y):
    return np.prod(1 - squared_canonical_correlations(*covariances(ranks(x), ranks(y))))


def averaged(rank_matrix, key):
    """Sort by the key and give each record the mean of its tie group, in every column."""
    order = np.argsort(rank_matrix[:, key], kind="stable")
    result = rank_matrix[order].astype(float)
    arranged = rank_matrix[order, key]
    for value in np.unique(arranged):
        group = arranged == value
        result[group] = result[group].mean(axis=0)
    return result


def cross_by_key(x, y, key):
    """C_XY of the two rank matrices sorted by a key, tie groups replaced by their means."""
    return covariances(averaged(x, key), averaged(y, key))[2]


def same_records(x, y):
    return sorted(map(tuple, x.tolist())) == sorted(map(tuple, y.tolist()))


def cm3_by_key(x, y):
    x, y = ranks(x), ranks(y)
    m = x.shape[1]
    if same_records(x, y):
        return np.zeros(m)
    c_xx, c_yy, _ = covariances(x, y)
    values = []
    for key in range(m):
        rest = [c for c in range(m) if c != key]
        cut = np.ix_(rest, rest)
        squares = squared_canonical_correlations(c_xx[cut], c_yy[cut], cross_by_key(x, y, key)[cut])
        values.append(np.prod(1 - squares))
    return np.array(values)


def tie_breakings(column):
    """Yield every order of the records that sorts the column."""
    groups = [np.flatnonzero(column == value) for value in np.unique(column)]
    for arrangement in itertools.product(*(itertools.permutations(group) for group in groups)):
        yield [record for group in arrangement for record in group]


def mean_cross_over_all_tie_breakings(x, y, key):
    """Sort by the key in every possible way on both sides, and average the cross-covariances."""
    orders_x, orders_y = list(tie_breakings(x[:, key])), list(tie_breakings(y[:, key]))
    total = sum(covariances(x[a], y[b])[2] for a in orders_x for b in orders_y)
    return total / (len(orders_x) * len(orders_y))


def um(x, y):
    """UM for originals whose eigenvalues are all different."""
    c_xx, c_yy, _ = covariances(ranks(x), ranks(y))
    m = c_xx.shape[0]
    values, vectors = scipy.linalg.eigh(c_xx)
    mu = np.array([v @ c_yy @ v for v in vectors.T])
    if mu.sum() == 0:
        return 0.0
    lam_hat, mu_hat = values / values.sum(), mu / mu.sum()
    if np.allclose(lam_hat, 1 / m, rtol=0, atol=1e-12) and np.allclose(mu_hat, 1 / m, rtol=0, atol=1e-12):
        return 1.0
    return 1 - min(1, np.sum((lam_hat - mu_hat) ** 2) / np.sum((lam_hat - 1 / m) ** 2))
