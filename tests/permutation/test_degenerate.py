"""What cannot be measured in the ordinary way: each case has a defined answer."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats

from permaudit.permutation import canonical_correlations, cm1, cm2, cm3, least_protected, utility

from .files import four, gaussian, moments


@pytest.fixture
def pair():
    rng = np.random.default_rng(21)
    x = gaussian(rng, 200, 4, 0.5)
    return x, x + rng.standard_normal(x.shape)


def test_a_constant_attribute_of_the_original_breaks_nothing_before_the_host_excludes_it(pair):
    x, y = pair
    x[:, 0] = 3.0
    full = moments(x, y)
    rest = canonical_correlations(full.original[1:, 1:], full.release, full.cross[1:])
    whole = canonical_correlations(full.original, full.release, full.cross)
    assert cm1(whole) == pytest.approx(cm1(rest), abs=1e-12)
    assert cm2(whole) == pytest.approx(cm2(rest), abs=1e-12)
    assert np.isfinite(cm3(full)).all()


def test_a_constant_attribute_of_the_release_contributes_a_correlation_of_zero(pair):
    x, y = pair
    y[:, 2] = -1.0
    full = moments(x, y)
    kept = [0, 1, 3]
    rest = canonical_correlations(full.original, full.release[np.ix_(kept, kept)], full.cross[:, kept])
    whole = canonical_correlations(full.original, full.release, full.cross)
    assert whole.rank_y == 3
    np.testing.assert_allclose(whole.rho, rest.rho, atol=1e-12)
    assert cm3(full)[2] == 1  # a constant key lines up nothing


def test_a_release_of_constants_protects_fully_and_is_of_no_use(pair):
    x, y = pair
    result = four(x, np.zeros_like(y))
    assert result.cm1 == result.cm2 == 1
    np.testing.assert_array_equal(result.cm3, 1.0)
    assert result.um == 0


@pytest.mark.parametrize("columns", [[0, 0, 1], [0, 0, 0], [0, 1, 0, 1]])
def test_duplicated_attributes_count_once(pair, columns):
    x, y = pair
    distinct = sorted(set(columns))
    result, plain = four(x[:, columns], y[:, columns]), four(x[:, distinct], y[:, distinct])
    assert result.cm1 == pytest.approx(plain.cm1, abs=1e-9)
    assert result.cm2 == pytest.approx(plain.cm2, abs=1e-9)
    assert np.isfinite(result.cm3).all()


def test_perfectly_collinear_ranks_count_once(pair):
    x, y = pair
    x[:, 3], y[:, 3] = -x[:, 0], y[:, 1]
    plain = four(x[:, :3], y[:, :3])
    assert four(x, y).cm2 == pytest.approx(plain.cm2, abs=1e-9)


def test_a_single_attribute_has_cm1_and_cm2_and_no_cm3(pair):
    x, y = pair
    full = moments(x[:, :1], y[:, :1])
    canonical = canonical_correlations(full.original, full.release, full.cross)
    rho = scipy.stats.spearmanr(x[:, 0], y[:, 0]).statistic
    assert cm1(canonical) == cm2(canonical) == pytest.approx(1 - rho**2, abs=1e-12)
    with pytest.raises(ValueError, match="2 attributes"):
        cm3(full)
    um = utility(full.original, full.release, full.records)
    assert um.value == 1
    assert not um.informative
    assert um.reason


@pytest.mark.parametrize("m", [1, 2, 5])
@pytest.mark.parametrize("n", [2, 3, 4, 6, 11])
@pytest.mark.parametrize("kind", ["continuous", "tied", "constant"])
def test_too_few_records_neither_crash_nor_give_nan(n, m, kind):
    rng = np.random.default_rng(n * m)
    x, y = rng.standard_normal((2, n, m))
    if kind == "tied":
        x, y = x > 0, y > 0
    elif kind == "constant":
        x, y = x * 0, y * 0
    result = four(x, y)
    values = np.concatenate([result[:3], result.cm3])
    assert ((values >= 0) & (values <= 1)).all()


def test_identical_files_give_zero(pair):
    x, _ = pair
    result = four(x, x)
    assert result.cm1 == pytest.approx(0, abs=1e-9)
    assert result.cm2 == pytest.approx(0, abs=1e-9)


def test_one_attribute_released_unchanged_makes_cm1_and_cm2_zero(pair):
    x, y = pair
    y[:, 2] = x[:, 2] ** 3
    result = four(x, y)
    assert result.cm1 == result.cm2 == 0


@pytest.mark.parametrize("where", ["original", "release", "cross", "cross_by_key"])
@pytest.mark.parametrize("what", [np.nan, np.inf])
def test_moments_that_are_no_numbers_never_make_a_release_look_safe(pair, where, what):
    broken = moments(*pair)
    getattr(broken, where)[0] = what
    if where == "cross_by_key":
        with pytest.raises(ArithmeticError):
            cm3(broken)
        return
    with pytest.raises(ArithmeticError):
        canonical_correlations(broken.original, broken.release, broken.cross)
    with pytest.raises(ArithmeticError):
        least_protected(broken)
    if where != "cross":
        with pytest.raises(ArithmeticError):
            utility(broken.original, broken.release, broken.records)
