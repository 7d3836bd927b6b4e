from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from permaudit.permutation import utility

from .files import file_pairs, gaussian, moments


def test_the_formula_by_hand():
    own_x = np.diag([5.0, 3.0, 2.0])
    own_y = np.array([[2.0, 0.7, 0.0], [0.7, 1.0, 0.1], [0.0, 0.1, 1.0]])
    # l = (.5, .3, .2), u = (.5, .25, .25): sum (l - u)^2 = .005, sum (l - 1/3)^2 = .14 / 3
    result = utility(own_x, own_y, 10_000)
    np.testing.assert_allclose(result.original, [0.5, 0.3, 0.2])
    np.testing.assert_allclose(result.release, [0.5, 0.25, 0.25])
    assert result.value == pytest.approx(1 - 0.005 / (0.14 / 3))
    assert result.informative
    assert result.reason is None


def test_an_uncorrelated_release_of_a_correlated_original_has_no_utility():
    own_x = np.full((4, 4), 0.8) + 0.2 * np.eye(4)
    assert utility(own_x, np.eye(4), 1000).value == pytest.approx(0, abs=1e-12)


def test_scaling_the_release_as_a_whole_changes_nothing():
    own_x, own_y = np.diag([3.0, 1.0]), np.array([[2.0, 0.5], [0.5, 1.5]])
    assert utility(own_x, 7 * own_y, 100).value == pytest.approx(utility(own_x, own_y, 100).value, abs=1e-15)


def test_all_eigenvalues_equal_in_both_is_one_and_says_nothing():
    result = utility(2.0 * np.eye(3), 5.0 * np.eye(3), 1000)
    assert result.value == 1
    assert not result.informative
    assert result.reason


def test_all_eigenvalues_equal_in_the_original_only_reads_as_one_and_is_flagged():
    # every basis is an eigenbasis: in the even one the release looks even too
    result = utility(np.eye(2), np.array([[1.0, 0.9], [0.9, 1.0]]), 1000)
    assert result.value == 1
    assert result.stability == (0.0, 1.0)
    assert not result.informative


def rotated(angle, own_x):
    turn = np.eye(3)
    turn[1:, 1:] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
    vectors = np.linalg.eigh(own_x)[1][:, ::-1]
    return vectors @ turn


@pytest.mark.parametrize("seed", range(5))
def test_the_range_holds_um_under_every_rotation_of_equal_eigenvectors(seed):
    rng = np.random.default_rng(seed)
    own_x = np.full((3, 3), 0.5) + 0.5 * np.eye(3)  # eigenvalues 2, .5, .5
    a = rng.standard_normal((50, 3))
    own_y = 0.1 * np.cov(a, rowvar=False) + own_x
    result = utility(own_x, own_y, 2000)
    l = np.array([2 / 3, 1 / 6, 1 / 6])  # noqa: E741 - the paper's letter
    values = []
    for angle in np.linspace(0, np.pi, 2001):
        basis = rotated(angle, own_x)
        u = np.diag(basis.T @ own_y @ basis) / np.trace(own_y)
        values.append(1 - min(1, ((l - u) ** 2).sum() / ((l - 1 / 3) ** 2).sum()))
    low, high = result.stability
    assert low == pytest.approx(min(values), abs=1e-6)
    assert high == pytest.approx(max(values), abs=1e-6)
    assert result.value == pytest.approx(max(values), abs=1e-6)  # even spread


def test_the_range_is_narrow_where_eigenvalues_are_far_apart():
    own_x = np.diag([8.0, 4.0, 1.0])
    own_y = np.diag([7.0, 4.0, 1.5])
    result = utility(own_x, own_y, 1000)
    assert result.stability == (result.value, result.value)


def test_eigenvalues_are_near_equal_up_to_twice_their_sampling_error():
    own_y = np.array([[4.0, 0.0, 0.0], [0.0, 1.0, 0.5], [0.0, 0.5, 1.0]])
    gap = 2 * np.sqrt(2 / 999)
    near, apart = (utility(np.diag([4, 1 + c * gap / 2, 1 - c * gap / 2]), own_y, 1000) for c in (0.99, 1.01))
    assert near.stability[0] < near.stability[1]
    assert apart.stability[0] == apart.stability[1] == apart.value


@given(file_pairs())
def test_the_range_contains_the_value(pair):
    full = moments(*pair)
    result = utility(full.original, full.release, full.records)
    low, high = result.stability
    assert 0 <= low <= result.value <= high <= 1
    assert np.isfinite(result.original).all()
    assert np.isfinite(result.release).all()


@pytest.mark.parametrize("seed", range(10))
def test_the_order_of_the_columns_changes_nothing_beyond_rounding(seed):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((200, 5)) @ rng.standard_normal((5, 5))
    y = x + rng.standard_normal((200, 5))
    turn = rng.permutation(5)
    before, after = moments(x, y), moments(x[:, turn], y[:, turn])
    one, other = (utility(m.original, m.release, m.records) for m in (before, after))
    assert one.value == pytest.approx(other.value, abs=1e-12)
    np.testing.assert_allclose(one.stability, other.stability, rtol=0, atol=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_with_equal_eigenvalues_the_order_of_the_columns_changes_nothing_either(seed):
    rng = np.random.default_rng(seed)
    own_x = np.full((4, 4), 0.6) + 0.4 * np.eye(4)
    own_y = np.cov(rng.standard_normal((30, 4)), rowvar=False)
    turn = np.ix_(*[rng.permutation(4)] * 2)
    one, other = utility(own_x, own_y, 500), utility(own_x, own_y[turn], 500)
    assert one.value == pytest.approx(other.value, abs=1e-12)


def test_independent_attributes_are_flagged_and_correlated_ones_are_not():
    rng = np.random.default_rng(3)
    flagged = []
    for _ in range(100):
        full = moments(gaussian(rng, 500, 5, 0.0), gaussian(rng, 500, 5, 0.0))
        flagged.append(not utility(full.original, full.release, 500).informative)
    assert sum(flagged) >= 95  # mean + 3 sd of a chi-square with 10 degrees of freedom is exceeded in 0.8 %
    full = moments(gaussian(rng, 500, 5, 0.4), gaussian(rng, 500, 5, 0.4))
    assert utility(full.original, full.release, 500).informative


def test_an_original_without_variation_has_no_utility_to_keep():
    result = utility(np.zeros((2, 2)), np.eye(2), 100)
    assert result.value == 0
    assert not result.informative
