"""What unrelated files read: closed forms, Bartlett's test and simulations, each held against plain simulation of ranks."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.stats

import permaudit as pa
from permaudit.permutation import bartlett_p_value, cm1_null_mean, links_by_chance, wilks_null_mean
from permaudit.permutation.null import _chi_square_tail

from . import textbook
from .files import four

DRAWS = 200


def unrelated(n, m, draws=DRAWS, seed=0, digits=None):
    """CM1 and CM2 of many pairs of files that have nothing to do with each other, by the textbook's formulas."""
    rng = np.random.default_rng([seed, n, m])
    found = []
    for _ in range(draws):
        x, y = rng.standard_normal((2, n, m))
        if digits is not None:
            x, y = x.round(digits), y.round(digits)
        squares = textbook.squared_canonical_correlations(*textbook.covariances(textbook.ranks(x), textbook.ranks(y)))
        found.append((1 - squares[0], np.prod(1 - squares)))
    return np.array(found).T


@pytest.fixture(scope="module", params=[(30, 2), (60, 5), (300, 3)], ids=["n=30, m=2", "n=60, m=5", "n=300, m=3"])
def files(request):
    n, m = request.param
    return n, m, *unrelated(n, m)


def within(values, expected, sigmas=4):
    return np.mean(values) == pytest.approx(expected, abs=sigmas * np.std(values) / np.sqrt(len(values)))


def test_the_null_of_cm1_and_cm2_is_what_unrelated_ranks_read(files):
    n, m, cm1, cm2 = files
    assert within(cm1, cm1_null_mean(m, m, n))
    assert within(cm2, wilks_null_mean(m, m, n))


def test_ties_change_the_null_by_little():
    """Rounded to whole numbers, a normal column has about seven values: the nulls, exact for normal data, still serve."""
    cm1, cm2 = unrelated(100, 3, digits=0)
    assert within(cm1, cm1_null_mean(3, 3, 100))
    assert within(cm2, wilks_null_mean(3, 3, 100))


def test_above_20_attributes_an_approximation_gives_the_null_of_cm1():
    """Johnstone's, within the 1 % that its docstring states for n of at least 3 (p + q)."""
    rng = np.random.default_rng(1)
    values = [four(*rng.standard_normal((2, 200, 25))).cm1 for _ in range(60)]
    assert np.mean(values) == pytest.approx(cm1_null_mean(25, 25, 200), rel=0.01)


@pytest.mark.parametrize(("p", "q", "n"), [(2, 5, 50), (5, 2, 50), (1, 1, 20), (25, 30, 400)])
def test_the_null_of_cm1_does_not_care_which_file_is_the_original(p, q, n):
    assert cm1_null_mean(p, q, n) == pytest.approx(cm1_null_mean(q, p, n), rel=1e-12)


def test_one_attribute_has_one_null():
    """With one attribute on each side CM1 is CM2."""
    assert cm1_null_mean(1, 1, 101) == pytest.approx(wilks_null_mean(1, 1, 101), abs=2e-3)


def test_the_null_is_the_same_in_every_audit():
    assert cm1_null_mean(4, 4, 1080) == cm1_null_mean(4, 4, 1080)
    assert cm1_null_mean(4, 4, 1080) == pytest.approx(0.9906, abs=1e-3)  # beside the paper's .9904 for 100 replications


# --------------------------------------------------------------------------- the test


def test_the_probability_of_chance_links_is_uniform_for_unrelated_files(files):
    """Whatever way it is found, for few records by simulation and for many by Bartlett's approximation."""
    n, m, _, cm2 = files
    found = [links_by_chance(value, m, m, n) for value in cm2]
    assert {one.test for one in found} == {"simulation" if n < 100 else "Bartlett's approximation"}
    assert scipy.stats.kstest([one.p_value for one in found], "uniform").pvalue > 0.001


@pytest.mark.parametrize(("p", "q", "n"), [(2, 2, 150), (4, 4, 300), (3, 6, 400)])
def test_bartletts_approximation_agrees_with_the_exact_distribution(p, q, n):
    """Lambda is a product of betas; its quantiles, by a million draws, beside the approximate probabilities."""
    rng = np.random.default_rng(2)
    exact = rng.beta((n - q - np.arange(1, p + 1)) / 2, q / 2, (1_000_000, p)).prod(axis=1)
    for probability in (0.001, 0.01, 0.05, 0.5, 0.95):
        found = bartlett_p_value(float(np.quantile(exact, probability)), p, q, n)
        assert found == pytest.approx(probability, rel=0.06)


@pytest.mark.parametrize("freedom", [1, 2, 3, 4, 9, 16, 100, 2500])
@pytest.mark.parametrize("x", [0.0, 1e-9, 0.5, 3.0, 30.0, 300.0, 3000.0])
def test_the_tail_of_chi_square_is_that_of_scipy(freedom, x):
    assert _chi_square_tail(x, freedom) == pytest.approx(scipy.stats.chi2.sf(x, freedom), rel=1e-9, abs=1e-300)


def test_links_that_are_there_are_found():
    rng = np.random.default_rng(3)
    for n in (40, 400):
        x = rng.standard_normal((n, 3))
        value = four(x, x + rng.standard_normal(x.shape)).cm2
        assert links_by_chance(value, 3, 3, n).p_value < 0.01


# --------------------------------------------------------------------------- calibrated values


def audited(x, y, **options):
    import pandas as pd  # noqa: PLC0415

    names = [f"A{number}" for number in range(x.shape[1])]
    frames = [pd.DataFrame(file, columns=names) for file in (x, y)]
    return pa.audit(*frames, kind="masked", **options).candidates[0].metrics


@pytest.mark.parametrize("m", [1, 2, 6])
def test_identical_files_are_0_on_the_calibrated_scale(m):
    x = np.random.default_rng(m).standard_normal((80, m))
    metrics = audited(x, x)
    for name in ("CM1", "CM2"):
        assert metrics[name].calibrated == 0


@pytest.mark.parametrize(("n", "m"), [(60, 6), (400, 4)])
def test_unrelated_files_are_about_1_on_the_calibrated_scale_whatever_their_size(n, m):
    """With 60 records and 6 attributes bare CM2 reads about 0.5; calibrated it is cut off at 1, so the mean is a bit below."""
    rng = np.random.default_rng(n)
    found = [audited(*rng.standard_normal((2, n, m)), metrics=["CM1", "CM2"]) for _ in range(12)]
    for name in ("CM1", "CM2"):
        calibrated = np.array([metrics[name].calibrated for metrics in found])
        bare = np.array([metrics[name].value / metrics[name].null for metrics in found])
        assert bare.mean() == pytest.approx(1, abs=4 * bare.std() / np.sqrt(12))
        np.testing.assert_allclose(calibrated, np.minimum(bare, 1))
    assert found[0]["CM2"].null == wilks_null_mean(m, m, n)


def test_the_calibrated_value_is_the_part_of_the_way_from_identical_to_unrelated():
    rng = np.random.default_rng(9)
    x = rng.standard_normal((100, 3))
    metrics = audited(x, x + rng.standard_normal(x.shape))
    for name in ("CM1", "CM2"):
        one = metrics[name]
        assert one.calibrated == pytest.approx(one.value / one.null)
        assert 0 < one.calibrated < 1


def test_the_null_counts_what_varies_and_not_what_repeats_itself():
    """A duplicated column adds no rank, so it adds nothing to what chance can link."""
    rng = np.random.default_rng(10)
    x = rng.standard_normal((100, 2))
    twice = np.column_stack([x, x[:, 0]])
    y = rng.standard_normal((100, 3))
    assert audited(twice, y)["CM2"].null == wilks_null_mean(2, 3, 100)
