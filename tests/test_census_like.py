"""The made-up income records look like the Census data set where it matters for ranks."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import spearmanr

from permaudit.census_like import census_like

NAMES = ["FICA", "FEDTAX", "INTVAL", "POTHVAL"]
RANK_CORRELATIONS = {
    ("FICA", "FEDTAX"): 0.72,
    ("FICA", "INTVAL"): 0.22,
    ("FICA", "POTHVAL"): -0.08,
    ("FEDTAX", "INTVAL"): 0.39,
    ("FEDTAX", "POTHVAL"): 0.17,
    ("INTVAL", "POTHVAL"): 0.44,
}
# Of the Census data set, n = 1080: how many distinct values, and how many records share the commonest one.
DISTINCT = {"FICA": 375, "FEDTAX": 1080, "INTVAL": 444, "POTHVAL": 948}
LARGEST_TIE = {"FICA": 32, "FEDTAX": 1, "INTVAL": 28, "POTHVAL": 8}

CENSUS = Path(__file__).resolve().parent.parent.parent / "shared" / "data" / "census.csv"


@pytest.fixture(scope="module")
def people():
    return census_like()


@pytest.fixture(scope="module")
def census():
    if not CENSUS.is_file():
        pytest.skip("the Census data set is not part of the project and is not beside this checkout")
    table = np.genfromtxt(CENSUS, delimiter=",", names=True)
    return {name: table[name] for name in NAMES}


def rank_correlation(columns, pair):
    return spearmanr(columns[pair[0]], columns[pair[1]]).statistic


@pytest.mark.parametrize("pair", RANK_CORRELATIONS, ids="-".join)
def test_the_default_records_have_the_rank_correlations_of_the_census(people, pair):
    assert rank_correlation(people, pair) == pytest.approx(RANK_CORRELATIONS[pair], abs=0.03)


@pytest.mark.parametrize("pair", RANK_CORRELATIONS, ids="-".join)
def test_many_records_come_closer_to_the_rank_correlations(pair):
    assert rank_correlation(census_like(200_000), pair) == pytest.approx(RANK_CORRELATIONS[pair], abs=0.01)


@pytest.mark.parametrize("name", NAMES)
def test_the_default_records_are_tied_about_as_much_as_the_census(people, name):
    counts = np.unique_counts(people[name]).counts
    assert counts.size == pytest.approx(DISTINCT[name], rel=0.05)
    assert counts.max() == pytest.approx(LARGEST_TIE[name], rel=0.25, abs=2)


def test_the_stated_ties_are_those_of_the_census(census):
    for name in NAMES:
        counts = np.unique_counts(census[name]).counts
        assert (counts.size, counts.max()) == (DISTINCT[name], LARGEST_TIE[name])


def test_the_stated_rank_correlations_are_those_of_the_census(census):
    for pair, value in RANK_CORRELATIONS.items():
        assert rank_correlation(census, pair) == pytest.approx(value, abs=0.005)


@pytest.mark.parametrize("name", NAMES)
def test_the_margins_are_within_half_as_much_again_of_the_census(people, census, name):
    levels = [0.05, 0.10, 0.25, 0.50, 0.75, 0.90, 0.95, 0.99]
    ratios = np.quantile(people[name], levels) / np.quantile(census[name], levels)
    assert (ratios > 1 / 1.5).all()
    assert (ratios < 1.5).all()


def test_no_record_of_the_census_is_among_them(people, census):
    made_up = set(zip(*(people[name].tolist() for name in NAMES), strict=True))
    surveyed = set(zip(*(census[name].tolist() for name in NAMES), strict=True))
    assert not made_up & surveyed


def test_the_columns_hold_positive_integers_that_cannot_be_confused(people):
    assert list(people) == NAMES
    for column in people.values():
        assert column.dtype == np.int64
        assert column.shape == (1080,)
        assert column.min() >= 1


def test_the_default_records_never_change():
    """The data of the demonstration, and every figure printed of it, hang on these bytes."""
    content = b"".join(column.astype("<i8").tobytes() for column in census_like().values())
    assert hashlib.sha256(content).hexdigest() == "02ce41f8c7c6e95471748f601d023b620f949daaa8b6d2aef3b98d7cea600b9a"


def test_another_seed_draws_other_people(people):
    others = census_like(seed=1996)
    assert all((others[name] != people[name]).mean() > 0.9 for name in NAMES)
    for pair, value in RANK_CORRELATIONS.items():
        assert rank_correlation(others, pair) == pytest.approx(value, abs=0.1)


@pytest.mark.parametrize("records", [1, 2, 17, 1080])
def test_fewer_records_are_the_first_ones_of_more(records):
    more = census_like(1500)
    for name, column in census_like(records).items():
        assert column.tolist() == more[name][:records].tolist()


@pytest.mark.parametrize("seed", range(20))
def test_amounts_stay_non_negative_for_any_seed(seed):
    assert all(column.min() >= 0 for column in census_like(2000, seed).values())


@pytest.mark.parametrize("records", [0, -1])
def test_no_records_are_an_error(records):
    with pytest.raises(ValueError, match="at least 1"):
        census_like(records)


def test_the_module_imports_neither_pandas_nor_scipy():
    code = "import sys, permaudit.census_like; print(sorted({'pandas', 'scipy'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
