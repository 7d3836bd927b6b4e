"""Releases that look protected because most of them is: copies, and limits that demand nothing."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import permaudit
from permaudit.census_like import census_like

ORIGINAL = pd.DataFrame(census_like(4000, seed=11))
STRANGERS = pd.DataFrame(census_like(4000, seed=12))
CM2 = {"rule": "threshold", "metric": "CM2", "min": 0.05}
CM3 = {"rule": "threshold", "metric": "CM3", "min": 0.3}


def outcomes(release, kind, rules, original=ORIGINAL, **more):
    candidate = permaudit.audit(original, release, kind=kind, rules=rules, **more).candidates[0]
    return candidate, {finding.rule: finding.outcome for finding in candidate.rules}


@pytest.mark.parametrize("seed", range(5))
def test_a_small_verbatim_extract_is_looked_up_in_the_whole_original(seed):
    candidate, found = outcomes(ORIGINAL.sample(100, random_state=seed), "synthetic", [CM3], seed=seed)
    assert candidate.metrics["COPIES"].value == 1
    assert found["no-copied-records"] == "fail"
    assert candidate.verdict == "block"


def test_verbatim_records_among_masked_ones_need_a_person():
    rng = np.random.default_rng(1)
    release = ORIGINAL.apply(lambda column: rng.permutation(column.to_numpy()))
    assert outcomes(release, "masked", [CM2])[0].verdict == "release"
    release.iloc[:200] = ORIGINAL.iloc[:200]
    candidate, found = outcomes(release, "masked", [CM2])
    assert candidate.metrics["COPIES"].details["copied_records"] == 200
    assert found["no-copied-records"] == "review"
    assert candidate.verdict == "review"


def test_agreement_by_chance_is_no_copy_and_copies_beyond_it_are_found():
    rng = np.random.default_rng(2)

    def draw(size):
        return pd.DataFrame(
            {"A": rng.integers(0, 20, size), "B": rng.integers(0, 5, size), "C": rng.integers(0, 60, size)}
        )

    original, fresh = draw(2000), draw(2000)
    assert outcomes(fresh, "synthetic", [CM3], original)[1]["no-copied-records"] == "pass"
    fresh.iloc[:400] = original.iloc[:400]
    shuffled = fresh.sample(frac=1, random_state=3)
    assert outcomes(shuffled, "synthetic", [CM3], original)[1]["no-copied-records"] == "fail"


def test_a_holdout_says_how_often_strangers_agree():
    candidate, _ = outcomes(STRANGERS, "synthetic", [CM3], holdout=pd.DataFrame(census_like(1000, seed=13)))
    details = candidate.metrics["COPIES"].details
    assert details["baseline"] >= 0
    assert "original records, beside another one" not in details["baseline_is"]


def test_values_that_changed_places_meet_by_chance_and_are_no_copies():
    rng = np.random.default_rng(7)
    original = pd.DataFrame({"A": rng.normal(size=1000), "B": rng.integers(0, 3, 1000)})
    swapped = original.apply(lambda column: rng.permutation(column.to_numpy()))
    assert outcomes(swapped, "synthetic", [CM3], original)[1]["no-copied-records"] == "pass"


@pytest.mark.parametrize("columns", [list(ORIGINAL), ["FICA", "POTHVAL"], ["INTVAL"]])
def test_records_upside_down_and_in_another_order_are_not_released_as_synthetic(columns):
    release = ORIGINAL.assign(**{name: -ORIGINAL[name] for name in columns}).sample(frac=1, random_state=1)
    candidate, found = outcomes(release, "synthetic", [CM3])
    assert candidate.metrics["MIRROR"].details["mirrored_permutation"] is True
    assert found["no-trivial-permutation"] == "fail"
    assert found["no-copied-records"] == "fail"
    assert candidate.verdict == "block"


def test_near_copies_in_declared_tolerances_are_counted_in_the_units_of_each_type():
    rng = np.random.default_rng(9)
    born = np.datetime64("1980-01-01") + rng.integers(0, 9000, 800).astype("timedelta64[D]")
    original = pd.DataFrame(
        {"BORN": born.astype(str), "PAY": rng.normal(3e4, 8e3, 800).round(), "AGE": rng.integers(18, 90, 800)}
    )
    days = (born + rng.integers(-3, 4, 800).astype("timedelta64[D]")).astype(str)
    release = original.assign(BORN=days, PAY=original["PAY"] + rng.integers(-200, 201, 800)).sample(
        frac=1, random_state=2
    )
    attributes = {
        "BORN": {"type": "date", "tolerance": 3},
        "PAY": {"type": "numeric", "tolerance": 200},
        "AGE": {"type": "numeric", "tolerance": 0},
    }
    candidate, found = outcomes(release, "synthetic", [CM3], original, attributes=attributes)
    within = candidate.metrics["COPIES"].details["looks"]["within"]
    assert within["found"] == 800
    assert within["expected"] < 80
    assert found["no-copied-records"] == "fail"


@pytest.mark.parametrize("limit", [{"min": 0}, {"max": 1}, {"max": 0.5}])
def test_a_limit_that_every_bad_release_keeps_is_no_judgement(limit):
    rng = np.random.default_rng(4)
    release = ORIGINAL.apply(lambda column: rng.permutation(column.to_numpy()))
    rules = [{"rule": "threshold", "metric": "CM2", **limit}]
    candidate, found = outcomes(release, "masked", rules)
    assert found["judged-by-a-threshold"] == "review"
    assert candidate.verdict != "release"
    synthetic = outcomes(STRANGERS, "synthetic", [{"rule": "threshold", "metric": "CM3", **limit}])[1]
    assert synthetic["cm3-for-synthetic"] == "fail"


def test_a_linked_release_is_not_judged_by_the_intruders_view_alone():
    rng = np.random.default_rng(5)
    release = ORIGINAL + rng.normal(0, 1, ORIGINAL.shape) * ORIGINAL.std().to_numpy()
    assert outcomes(release, "masked", [CM3])[1]["linked-metric-for-masked"] == "review"
    assert outcomes(release, "masked", [CM3, CM2])[1]["linked-metric-for-masked"] == "pass"


def test_a_key_that_is_still_in_the_release_needs_a_person():
    rng = np.random.default_rng(6)
    release = ORIGINAL.apply(lambda column: rng.permutation(column.to_numpy())).assign(ID=ORIGINAL.index)
    candidate, found = outcomes(
        release,
        "masked",
        [CM2],
        ORIGINAL.assign(ID=ORIGINAL.index),
        linkage={"key": "ID"},
        not_audited={"ID": "random"},
    )
    assert found["no-identifiers"] == "review"
    assert candidate.verdict == "review"
