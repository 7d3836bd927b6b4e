"""A holdout that consists of the original's records under slight noise is refused, and one of strangers is not."""

from __future__ import annotations

import numpy as np
import pytest

from permaudit import DataError
from permaudit.census_like import census_like
from permaudit.nearness import refuse_nearly_the_same


def people(seed, records=600):
    return {name: np.asarray(values, np.float64) for name, values in census_like(records, seed=seed).items()}


def noisy(columns, alpha, seed=5):
    rng = np.random.default_rng(seed)
    return {name: values + rng.normal(0, alpha * values.std(), values.size) for name, values in columns.items()}


@pytest.mark.parametrize("alpha", [0.001, 0.01, 0.05])
def test_the_same_people_under_slight_noise_are_no_strangers(alpha):
    with pytest.raises(DataError, match=r"holdout\.csv: .*not the same under noise"):
        refuse_nearly_the_same("holdout.csv", noisy(people(1), alpha), people(1))


def test_a_third_of_them_among_strangers_is_seen():
    near, others = noisy(people(1), 0.01), people(2)
    mixed = {name: np.concatenate([near[name][:200], others[name][:400]]) for name in near}
    with pytest.raises(DataError):
        refuse_nearly_the_same("holdout.csv", mixed, people(1))


@pytest.mark.parametrize("seed", range(4))
def test_strangers_may_come_from_anywhere_in_the_population(seed):
    original, others = people(seed), people(seed + 100, records=2400)
    refuse_nearly_the_same("holdout.csv", others, original)
    rich = others["FICA"] > np.quantile(others["FICA"], 0.75)
    refuse_nearly_the_same("holdout.csv", {name: values[rich] for name, values in others.items()}, original)


@pytest.mark.parametrize("attributes", [1, 2, 3, 5])
@pytest.mark.parametrize("records", [5, 60, 300])
def test_strangers_of_any_number_and_with_any_number_of_attributes_are_strangers(attributes, records):
    rng = np.random.default_rng(attributes)
    for _ in range(20):
        original, holdout = ({name: rng.normal(size=records) for name in "ABCDE"[:attributes]} for _ in range(2))
        refuse_nearly_the_same("holdout.csv", holdout, original)


@pytest.mark.parametrize("values", [1, 2, 12])
def test_few_different_records_tell_nothing(values):
    rng = np.random.default_rng(values)
    original, holdout = ({name: rng.integers(values, size=size) for name in "ABC"} for size in (400, 150))
    refuse_nearly_the_same("holdout.csv", holdout, original)
