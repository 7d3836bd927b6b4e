"""Columns that are left out of the audit with a reason are looked at all the same."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import permaudit
from permaudit.census_like import census_like

RNG = np.random.default_rng(3)
PEOPLE = pd.DataFrame(census_like(600, seed=1)).drop(columns="POTHVAL")
MASKED = PEOPLE + RNG.normal(0, 2 * PEOPLE.std().to_numpy(), PEOPLE.shape)
NUMBERS = pd.Series(RNG.permutation(90_000_000)[:600] + 10_000_000)
RULES = [{"rule": "threshold", "metric": "CM2", "min": 0.05}]


def found(rule, extra, *, linkage="row", original=PEOPLE, release=MASKED):
    names = list(extra)
    identifiers = [name for name in original if name not in {*PEOPLE, "ID"}]
    candidate = permaudit.audit(
        original,
        release.assign(**extra),
        kind="masked",
        linkage=linkage,
        rules=RULES,
        attributes=dict.fromkeys(PEOPLE, "numeric"),
        identifiers=identifiers,
        not_audited=dict.fromkeys(names, "a reason"),
    ).candidates[0]
    (finding,) = [one for one in candidate.rules if one.rule == rule]
    return candidate, finding


@pytest.mark.parametrize(
    "values",
    [
        RNG.normal(size=600),
        RNG.integers(0, 5, 600),
        ["north", "south"] * 300,
        np.ones(600),
        [None] * 600,
        pd.Series(pd.date_range("2020-01-01", periods=600)).sample(frac=1, random_state=0).to_numpy(),
    ],
    ids=["noise", "few", "text", "constant", "nothing", "days"],
)
def test_columns_that_have_nothing_to_do_with_the_original_may_be_left_out(values):
    candidate, finding = found("no-unaudited-columns", {"EXTRA": values})
    assert finding.outcome == "pass"
    assert candidate.verdict == "release"


@pytest.mark.parametrize(
    "change",
    [lambda values: values, lambda values: values * -1.3 + 5, lambda values: np.log1p(values - values.min())],
    ids=["verbatim", "other units", "another scale"],
)
def test_an_attribute_under_another_name_needs_a_person(change):
    candidate, finding = found("no-unaudited-columns", {"WEIGHT": change(PEOPLE["FICA"])})
    assert finding.outcome == "review"
    assert "WEIGHT" in finding.message
    assert "FICA" in finding.message
    assert candidate.verdict == "review"


def test_flags_that_tell_an_order_together_need_a_person():
    ranks = PEOPLE["FEDTAX"].rank(method="first").astype(int)
    _, finding = found("no-unaudited-columns", {f"FLAG{bit}": (ranks // 2**bit) % 2 for bit in range(10)})
    assert finding.outcome == "review"
    assert "FEDTAX" in finding.message


def test_values_of_an_attribute_are_found_in_another_order_too():
    _, finding = found("no-unaudited-columns", {"WEIGHT": RNG.permutation(PEOPLE["FEDTAX"])})
    assert finding.outcome == "review"
    assert "WEIGHT holds the original's values of FEDTAX" in finding.message


def test_rows_are_compared_by_key_where_there_is_one():
    original = PEOPLE.assign(ID=[f"p{place}" for place in range(600)])
    release = MASKED.assign(ID=original["ID"], WEIGHT=PEOPLE["FICA"] * 2).sample(frac=0.8, random_state=4)
    extra = {"ID": release["ID"], "WEIGHT": release["WEIGHT"]}
    _, finding = found("no-unaudited-columns", extra, linkage={"key": "ID"}, original=original, release=release)
    assert "WEIGHT tells 100%" in finding.message


@pytest.mark.parametrize(
    "write",
    [
        lambda numbers: numbers,
        lambda numbers: numbers.astype(float),
        lambda numbers: numbers.astype(str),
        lambda numbers: "case " + numbers.astype(str) + "/b",
    ],
    ids=["number", "float", "text", "inside a text"],
)
def test_an_identifier_under_another_name_needs_a_person(write):
    original = PEOPLE.assign(SSN=NUMBERS)
    serial = write(NUMBERS).sample(frac=1, random_state=1).to_numpy()
    candidate, finding = found("no-identifiers", {"SERIAL": serial}, original=original)
    assert finding.outcome == "review"
    assert finding.message == "identifiers under another name: SERIAL holds values of SSN"
    assert candidate.verdict == "review"


def test_other_numbers_are_no_identifiers():
    original = PEOPLE.assign(SSN=NUMBERS)
    for values in (NUMBERS + 1_000_000_000, RNG.integers(18, 90, 600)):
        assert found("no-identifiers", {"SERIAL": values}, original=original)[1].outcome == "pass"
