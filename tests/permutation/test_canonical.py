from __future__ import annotations

import numpy as np
import pytest
from sklearn.cross_decomposition import CCA
from statsmodels.multivariate.cancorr import CanCorr

from permaudit.permutation import canonical_correlations

from . import textbook
from .files import CASES, case, gaussian, moments


def canonical(x, y):
    pair = moments(x, y)
    return canonical_correlations(pair.original, pair.release, pair.cross)


@pytest.mark.parametrize("seed", range(5))
def test_statsmodels_finds_the_same_canonical_correlations(seed):
    x, y = case("continuous", seed)
    peer = CanCorr(textbook.ranks(y), textbook.ranks(x))
    np.testing.assert_allclose(canonical(x, y).rho, peer.cancorr, atol=1e-9)


def test_statsmodels_finds_the_same_canonical_correlations_of_heavily_tied_files():
    x, y = case("tied", 3)
    peer = CanCorr(textbook.ranks(y), textbook.ranks(x))
    np.testing.assert_allclose(canonical(x, y).rho, peer.cancorr, atol=1e-9)


def test_scikit_learn_finds_the_same_first_correlation_and_loadings():
    x, y = case("continuous", 4)
    rank_x, rank_y = textbook.ranks(x), textbook.ranks(y)
    peer = CCA(n_components=1, max_iter=100_000, tol=1e-15).fit(rank_x, rank_y)
    scores_x, scores_y = (scores[:, 0] for scores in peer.transform(rank_x, rank_y))
    ours = canonical(x, y)
    np.testing.assert_allclose(ours.rho[0], np.corrcoef(scores_x, scores_y)[0, 1], atol=1e-6)
    for loadings, ranks, scores in ((ours.loadings_x, rank_x, scores_x), (ours.loadings_y, rank_y, scores_y)):
        peers = [np.corrcoef(column, scores)[0, 1] for column in ranks.T]
        np.testing.assert_allclose(np.abs(loadings), np.abs(peers), atol=1e-4)


@pytest.mark.parametrize("name", CASES)
def test_as_many_correlations_as_the_smaller_rank_sorted_within_bounds(name):
    x, y = case(name, 5)
    result = canonical(x, y)
    assert result.rho.size == min(result.rank_x, result.rank_y)
    assert (np.diff(result.rho) <= 0).all()
    assert result.rho[0] <= 1
    assert result.rho[-1] >= 0
    assert result.condition_x >= 1
    assert result.condition_y >= 1


@pytest.mark.parametrize(
    ("name", "ranks"), [("continuous", (4, 4)), ("duplicated", (3, 3)), ("collinear", (3, 3)), ("constant", (4, 3))]
)
def test_the_numerical_rank_is_found(name, ranks):
    x, y = case(name, 6)
    result = canonical(x, y)
    assert (result.rank_x, result.rank_y) == ranks


@pytest.mark.parametrize("size", [2, 4, 10, 50])
@pytest.mark.parametrize("noise", [0.0, 0.001, 0.003, 0.01, 0.1])
def test_identical_files_have_canonical_correlations_of_one_however_close_their_attributes(size, noise):
    rng = np.random.default_rng(8)
    base = rng.standard_normal((400, size // 2)) @ rng.standard_normal((size // 2, size // 2))
    x = np.hstack([base, base + noise * base.std(axis=0) * rng.standard_normal(base.shape)])
    np.testing.assert_array_equal(canonical(x, x).rho, 1.0)


@pytest.mark.parametrize("size", [2, 10, 50])
def test_rounding_at_the_limit_of_the_numerical_rank_stays_below_the_tolerance(size):
    rng = np.random.default_rng(9)
    for _ in range(50):
        turn, _ = np.linalg.qr(rng.standard_normal((size, size)))
        spectrum = np.where(np.arange(size) < rng.integers(1, size), 1.0, 5.5e-6)
        own = (turn * spectrum) @ turn.T
        own = (own + own.T) / 2
        np.testing.assert_array_equal(canonical_correlations(own, own, own).rho, 1.0)  # would raise beyond 1e-9


def test_one_attribute_left_in_order_gives_a_correlation_of_one_and_loads_on_it():
    rng = np.random.default_rng(10)
    x = gaussian(rng, 300, 3, 0.5)
    y = rng.standard_normal((300, 3))
    y[:, 1] = np.exp(x[:, 1])
    result = canonical(x, y)
    assert result.rho[0] == 1
    assert np.argmax(np.abs(result.loadings_x)) == np.argmax(np.abs(result.loadings_y)) == 1
    assert result.loadings_x[1] == pytest.approx(1, abs=1e-9)


def test_moments_that_do_not_belong_together_are_an_internal_error():
    own = np.eye(2)
    with pytest.raises(ArithmeticError):
        canonical_correlations(own, own, np.array([[1.1, 0.0], [0.0, 0.0]]))


@pytest.mark.parametrize("side", [0, 1])
def test_a_side_that_does_not_vary_correlates_with_nothing(side):
    own = [np.eye(3), np.eye(3)]
    own[side] = np.zeros((3, 3))
    result = canonical_correlations(*own, np.zeros((3, 3)))
    np.testing.assert_array_equal(result.rho, 0.0)
    assert (result.rank_x, result.rank_y)[side] == 0
