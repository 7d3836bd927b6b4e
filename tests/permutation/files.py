"""Files to test with, and the way from columns to metrics."""

from __future__ import annotations

from typing import NamedTuple

import hypothesis.strategies as st
import numpy as np

from permaudit.permutation import canonical_correlations, cm1, cm2, cm3, pair_moments, rank_columns, utility


class Four(NamedTuple):
    um: float
    cm1: float
    cm2: float
    cm3: np.ndarray


def moments(x, y, threads=None):
    names = [f"a{i}" for i in range(x.shape[1])]
    return pair_moments(names, rank_columns(list(x.T), threads), rank_columns(list(y.T), threads), threads)


def four(x, y, threads=None):
    """All metrics of two files, CM3 by key."""
    pair = moments(x, y, threads)
    canonical = canonical_correlations(pair.original, pair.release, pair.cross)
    by_key = cm3(pair) if x.shape[1] > 1 else np.ones(0)
    return Four(utility(pair.original, pair.release, pair.records).value, cm1(canonical), cm2(canonical), by_key)


def gaussian(rng, n, m, correlation):
    """Normal data in which all attributes correlate alike."""
    c = np.full((m, m), float(correlation))
    np.fill_diagonal(c, 1.0)
    return rng.standard_normal((n, m)) @ np.linalg.cholesky(c).T


CASES = ("continuous", "tied", "tied release", "tied key", "duplicated", "constant", "collinear")


def case(name, seed, n=120, m=4):
    """An original and a release of a certain kind."""
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((n, m)) @ rng.standard_normal((m, m))
    y = x + rng.standard_normal((n, m)) * rng.choice([0.1, 1.0, 10.0])
    match name:
        case "tied":
            x, y = np.round(x), np.round(y)
        case "tied release":
            y = np.round(y)
        case "tied key":
            x[:, 0], y[:, 1] = np.round(x[:, 0], 1), np.round(y[:, 1])
        case "duplicated":
            x[:, 1], y[:, -1] = x[:, 0], y[:, 0]
        case "constant":
            y[:, 0] = 7.0
        case "collinear":
            # rank vectors that are linearly dependent without being equal: r3 = n + 1 - r1
            x[:, -1], y[:, 1] = -x[:, 0], -np.exp(y[:, 0])
    return x, y


@st.composite
def file_pairs(draw, *, least=2, most=5):
    """Two small files of any kind: continuous or tied, with duplicated and constant columns, related or not."""
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    n, m = draw(st.integers(2 * most + 2, 60)), draw(st.integers(least, most))
    turn, _ = np.linalg.qr(rng.standard_normal((m, m)))
    x = rng.standard_normal((n, m)) * rng.uniform(0.5, 2.0, m) @ turn  # correlated, but far from collinear
    noise = draw(st.sampled_from([0.0, 0.01, 0.3, 3.0]))
    y = x + noise * rng.standard_normal((n, m)) if draw(st.booleans()) else rng.standard_normal((n, m))
    for data in (x, y):
        for column in range(m):
            kind = draw(st.sampled_from(["as it is", "as it is", "rounded", "binary", "duplicate", "opposite"]))
            if kind == "rounded":
                data[:, column] = np.round(2 * data[:, column])
            elif kind == "binary":
                data[:, column] = data[:, column] > np.median(data[:, column])
            elif kind == "duplicate":
                data[:, column] = data[:, 0]
            elif kind == "opposite":
                data[:, column] = -data[:, 0]
    if draw(st.integers(0, 5)) == 0:
        y[:, draw(st.integers(0, m - 1))] = 1.0
    return x, y
