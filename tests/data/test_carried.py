"""Columns that are left out of the audit with a reason are looked at all the same."""

from __future__ import annotations

import base64
import hashlib
import hmac

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import permaudit
from permaudit.census_like import census_like
from permaudit.data.standing import how_it_stands_for

RNG = np.random.default_rng(3)
PEOPLE = pd.DataFrame(census_like(600, seed=1)).drop(columns="POTHVAL")
MASKED = PEOPLE + RNG.normal(0, 2 * PEOPLE.std().to_numpy(), PEOPLE.shape)
NUMBERS = pd.Series(RNG.choice(900_000, 600, replace=False) * 97 + 10_000_000)
RULES = [{"rule": "threshold", "metric": "CM2", "min": 0.05}]


def found(rule, extra, *, linkage="row", original=PEOPLE, release=MASKED, identifiers=None):  # noqa: PLR0913
    names = list(extra)
    if identifiers is None:
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


NAMES = pd.Series([f"Ann{place} O'Hara-{RNG.integers(10**6)}" for place in RNG.permutation(600)])
CODES = pd.Series([f"P-{number}-k" for number in NUMBERS])


@pytest.mark.parametrize(
    ("write", "how"),
    [
        (lambda code: code.lower().replace("-", "."), "in another spelling"),
        (lambda code: code[::-1], "turned round"),
        (lambda code: code[2:-2], "holds values"),
        (lambda code: f"7{code}", "with something added"),
        (lambda code: code[:-3], "cut off"),
        (lambda code: hashlib.md5(code.encode(), usedforsecurity=False).hexdigest(), "hashed with MD5"),
        (lambda code: hashlib.sha1(code.encode(), usedforsecurity=False).hexdigest().upper(), "hashed with SHA-1"),
        (lambda code: hashlib.sha256(code.lower().encode()).hexdigest()[:16], "hashed with SHA-256"),
        (lambda code: base64.b64encode(hashlib.sha256(code.encode()).digest()).decode(), "hashed with SHA-256"),
        (lambda code: base64.b64encode(code.encode()).decode(), "in base 64"),
        (lambda code: code.encode().hex(), "in hexadecimal"),
    ],
    ids=["signs", "reversed", "digits", "added", "cut", "md5", "sha1", "sha256", "base64 digest", "base64", "hex"],
)
def test_an_identifier_in_another_spelling_is_found_in_any_order(write, how):
    cells = pa.chunked_array([pa.array([write(code) for code in CODES.sample(frac=1, random_state=1)])])
    said = how_it_stands_for(cells, pa.chunked_array([pa.array(CODES)]), None)
    assert said is not None
    assert how in said


def test_a_pseudonym_is_found_by_what_it_stands_beside():
    original = PEOPLE.assign(SSN=NUMBERS)
    households = PEOPLE.assign(SSN=np.repeat(NUMBERS[:200].to_numpy(), 3))
    keyed = [hmac.new(b"secret", str(number).encode(), "sha256").hexdigest() for number in NUMBERS]
    for people, values in ((original, keyed), (households, np.repeat(keyed[:200], 3)), (original, NUMBERS + 10**9)):
        _, finding = found("no-identifiers", {"SERIAL": values}, original=people)
        assert finding.outcome == "review", finding.message
        assert "SERIAL" in finding.message


def test_other_numbers_are_no_identifiers():
    original = PEOPLE.assign(SSN=NUMBERS)
    assert found("no-identifiers", {"SERIAL": RNG.integers(18, 90, 600)}, original=original)[1].outcome == "pass"
    fresh = RNG.integers(10**8, 10**9, 600)
    assert found("no-identifiers", {"SERIAL": fresh}, original=original, linkage="none")[1].outcome == "pass"


@pytest.mark.parametrize("linkage", ["row", "none"])
def test_counting_the_rows_of_a_file_says_nothing(linkage):
    original = PEOPLE.assign(SSN=NUMBERS)
    for numbers in (np.arange(600) + 1, [f"R{place:05}" for place in range(600)]):
        candidate, finding = found("no-identifiers", {"RECORD": numbers}, original=original, linkage=linkage)
        assert finding.outcome == "pass"
        assert not [one for one in candidate.rules if one.rule == "no-unaudited-columns" and one.outcome != "pass"]


def test_counting_the_rows_as_the_original_does_is_an_identifier():
    original = PEOPLE.assign(PERSON=[f"P{place:04}" for place in range(600)])
    _, finding = found("no-identifiers", {"RECORD": np.arange(600)}, original=original)
    assert "RECORD holds values of PERSON" in finding.message


# --------------------------------------------------------------------------- people told apart


PLACES = pd.DataFrame(
    {"TOWN": RNG.integers(0, 25, 600), "BORN": RNG.integers(1940, 2005, 600), "SEX": RNG.integers(0, 2, 600)}
)
"""Few people share all three, and many share any one of them."""
SHUFFLED = RNG.permutation(600)


def told(extra, own, *, linkage="row"):
    """Release columns beside an original that has columns of its own, none of them declared as identifiers."""
    original = PEOPLE.assign(**own)
    return found("no-unaudited-columns", extra, original=original, linkage=linkage, identifiers=())[1]


@pytest.mark.parametrize("linkage", ["row", "none"])
@pytest.mark.parametrize(
    ("name", "write"),
    [("NAME", str), ("LABEL", str), ("LABEL", str.upper), ("LABEL", lambda name: name[::-1])],
    ids=["same name", "other name", "other case", "reversed"],
)
def test_a_column_that_tells_people_apart_needs_a_person(linkage, name, write):
    names = NAMES.map(write).to_numpy()
    finding = told({name: names if linkage == "row" else names[SHUFFLED]}, {"NAME": NAMES}, linkage=linkage)
    assert finding.outcome == "review"
    assert name in finding.attributes


@pytest.mark.parametrize("linkage", ["row", "none"])
def test_columns_that_tell_people_apart_together_need_a_person(linkage):
    rows = np.arange(600) if linkage == "row" else SHUFFLED
    finding = told(dict(PLACES.iloc[rows].reset_index(drop=True)), dict(PLACES), linkage=linkage)
    assert finding.outcome == "review"
    assert {"TOWN", "BORN"} <= {*finding.attributes}


@pytest.mark.parametrize("column", list(PLACES))
@pytest.mark.parametrize("linkage", ["row", "none"])
def test_one_public_attribute_tells_nobody_apart(linkage, column):
    rows = np.arange(600) if linkage == "row" else SHUFFLED
    assert told({column: PLACES[column][rows].to_numpy()}, dict(PLACES), linkage=linkage).outcome == "pass"


def test_strangers_of_the_same_towns_are_not_the_people_of_the_original():
    """Six hundred others meet people of the original by chance, however sparse the cells are."""
    for towns in (2, 8, 25, 100, 400):
        rng = np.random.default_rng(towns)
        ours, others = ({"TOWN": rng.integers(0, towns, 600), "BORN": rng.integers(1940, 2005, 600)} for _ in range(2))
        assert told(others, ours, linkage="none").outcome == "pass", towns


def test_a_number_that_the_original_counts_its_rows_by_is_found_where_records_are_linked():
    numbers = np.arange(600) + 1
    assert told({"ID": numbers}, {"ID": numbers}).outcome == "review"
    assert told({"ID": numbers}, {"ID": numbers}, linkage="none").outcome == "pass"


def test_an_identifier_in_the_place_of_an_audited_value_is_found_and_numbers_that_are_alike_are_not():
    original = PEOPLE.assign(SSN=NUMBERS.map("{:_}".format).str.replace("_", "-"))
    for release in (MASKED.assign(FICA=NUMBERS), MASKED.assign(FICA=NUMBERS.sample(frac=1, random_state=1).to_numpy())):
        candidate, finding = found("no-identifiers", {}, original=original, release=release)
        assert finding.message == "identifiers under another name: FICA holds values of SSN"
        assert candidate.verdict in {"review", "block"}
    counted = PEOPLE.assign(FICA=range(1, 601), SSN=range(1, 601))
    swapped = MASKED.assign(FICA=RNG.permutation(np.arange(1, 601)))
    _, finding = found("no-identifiers", {}, original=counted, release=swapped)
    assert finding.outcome == "pass"
