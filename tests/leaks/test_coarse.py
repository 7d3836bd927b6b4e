"""Numbers and texts for outsiders."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from permaudit.report.coarse import SMALLEST, Coarse, parameters, parts, tens

NAMES = frozenset({"INCOME", "income 2019", "CM2", "7"})


@given(st.integers(0, 10**6))
def test_no_rounded_count_is_below_ten(count):
    assert tens(count) == 0 or tens(count) >= SMALLEST
    assert abs(tens(count) - count) <= SMALLEST / 2


@given(st.integers(1, 10**7), st.floats(0, 1))
def test_no_share_tells_fewer_than_ten_records(records, share):
    coarse = Coarse(records)
    step = 10.0**-coarse.decimals
    assert step * records >= SMALLEST or coarse.decimals == 0
    assert coarse.share(share) == round(share, coarse.decimals)


@given(st.integers(0, 9), st.sampled_from(["{} records were left out", "has {} missing values", "row {}", "of ({})"]))
def test_small_counts_in_texts_become_fewer_than_ten(count, form):
    told = Coarse(1000).text(form.format(count))
    assert "fewer than 10" in told
    assert not re.search(r"\b\d\b", told)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("1,234 of 5,678 records", "1230 of 5680 records"),
        ("0.123456 is below 0.05", "0.12 is below 0.05"),
        ("3.7 % of the records", "4 % of the records"),
        ("INCOME and income 2019 and CM2", "INCOME and income 2019 and CM2"),
        ("7 records", "fewer than 10 records"),  # a column may be called 7; a count stays a count
        ("read from /home/anna/x.csv and C:\\Users\\x", "read from withheld and withheld"),
        ("the file data/in.csv of anna", "the file withheld of withheld"),
        ("annals and anna", "annals and withheld"),
    ],
)
def test_texts_are_told_coarsely(given, told):
    coarse = Coarse(1000, frozenset({"data/in.csv"}), frozenset({"anna"}), NAMES)
    assert coarse.text(given, frozenset({"0.05"})) == told


def test_numbers_of_texts_that_are_nobodys_data_stay():
    assert Coarse(10, frozenset({"a/b.csv"})).cleared("Wave 2024, 0.05 instead of 0.3, a/b.csv:7") == (
        "Wave 2024, 0.05 instead of 0.3, withheld:7"
    )


def test_of_details_only_shares_and_known_names_are_told():
    details = {
        "share": 0.123456,
        "few": 3,
        "many": 1234,
        "value": 987.5,
        "least_protected": "INCOME",
        "text": "Aloysius",
        "yes": True,
        "by_key": {"INCOME": 0.5, "Aloysius": 0.25},
        "list": ["INCOME", "Aloysius", 0.25, 99.5],
        "not an identifier": 1,
    }
    assert parts(details, NAMES, frozenset(), 2) == {
        "share": 0.12,
        "many": 1230,
        "least_protected": "INCOME",
        "yes": True,
        "by_key": {"INCOME": 0.5},
        "list": ["INCOME", 0.25],
    }


def test_of_parameters_only_numbers_and_options_are_told():
    given = {
        "k": 10,
        "scale": "range",
        "keep": ["Aloysius"],
        "domain": {"INCOME": [0, 987654]},
        "path": "/x",
        "none": None,
    }
    told = {"k": 10, "scale": "range", "keep": "withheld", "domain": "withheld", "path": "withheld", "none": None}
    assert parameters(given) == told
