"""Unrelated files: the null level of CM2, and the published figures that need no anonymizer."""

from __future__ import annotations

import numpy as np
import pytest

from permaudit.permutation import wilks_null_mean

from .files import four, gaussian


def test_the_null_of_the_published_setting_is_985_and_not_9913():
    assert wilks_null_mean(4, 4, 1080) == pytest.approx(0.985, abs=5e-4)
    assert wilks_null_mean(4, 4, 1080) == pytest.approx(1 - 16 / 1079, abs=1e-4)


def test_the_null_falls_to_7_percent_for_50_attributes_and_1000_records():
    assert wilks_null_mean(50, 50, 1000) == pytest.approx(0.07, abs=0.005)


def test_one_attribute_has_the_mean_of_a_squared_correlation():
    assert wilks_null_mean(1, 1, 101) == pytest.approx(1 - 1 / 100)


@pytest.mark.parametrize(("p", "q"), [(2, 5), (3, 4), (1, 7)])
def test_the_null_does_not_care_which_file_is_the_original(p, q):
    assert wilks_null_mean(p, q, 40) == pytest.approx(wilks_null_mean(q, p, 40), rel=1e-12)


def test_the_null_is_defined_where_records_are_too_few():
    assert wilks_null_mean(3, 3, 6) == 0
    assert wilks_null_mean(0, 3, 10) == 1
    assert wilks_null_mean(3, 3, 7) > 0


@pytest.mark.parametrize(("n", "m"), [(60, 2), (100, 5), (200, 10)])
def test_independent_files_have_cm2_at_its_null(n, m):
    rng = np.random.default_rng(n)
    values = np.array([four(rng.standard_normal((n, m)), rng.standard_normal((n, m))).cm2 for _ in range(300)])
    error = values.std() / np.sqrt(values.size)
    assert values.mean() == pytest.approx(wilks_null_mean(m, m, n), abs=4 * error)


@pytest.fixture(scope="module")
def independent_draws():
    """All correlations .99, 1080 records, 4 attributes: 200 originals beside 200 independent draws."""
    rng = np.random.default_rng(20)
    return [four(gaussian(rng, 1080, 4, 0.99), gaussian(rng, 1080, 4, 0.99)) for _ in range(200)]


def test_the_published_figures_of_simulated_data(independent_draws):
    def mean(values, published, rounding):
        values = np.array(values)
        assert values.mean() == pytest.approx(published, abs=4 * values.std() / np.sqrt(values.size) + rounding)

    mean([draw.um for draw in independent_draws], 1.0000, 5e-5)
    mean([draw.cm1 for draw in independent_draws], 0.9914, 5e-5)
    # The paper prints .9913 here; the exact mean and every run are .985: recorded, not tuned to.
    mean([draw.cm2 for draw in independent_draws], wilks_null_mean(4, 4, 1080), 0)


def test_cm3_of_strongly_correlated_independent_draws_is_the_published_one(independent_draws):
    values = np.array([draw.cm3.min() for draw in independent_draws])
    assert values.mean() == pytest.approx(0.0277, abs=0.0010)


@pytest.mark.parametrize(
    ("correlation", "expected", "tolerance"), [(0.0, 0.98, 0.01), (0.5, 0.84, 0.02), (0.99, 0.028, 0.002)]
)
def test_cm3_of_other_people_measures_the_correlation_structure(correlation, expected, tolerance):
    rng = np.random.default_rng(int(100 * correlation))
    draws = (four(gaussian(rng, 1080, 4, correlation), gaussian(rng, 1080, 4, correlation)) for _ in range(50))
    assert np.mean([draw.cm3.min() for draw in draws]) == pytest.approx(expected, abs=tolerance)
