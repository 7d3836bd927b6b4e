"""Numbers and texts for outsiders."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from permaudit.report.audience import for_audience
from permaudit.report.coarse import SMALLEST, Coarse, parameters, parts, tens
from tests.report.scenes import scene

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
        ("0.123456 is below 0.051", "0.12 is below 0.05"),
        ("about 3 of 17 cells", "fewer than 10 of 20 cells"),
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
    assert coarse.text(given) == told


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (
            "none of 3 limits holds: CM2 is 0.1234, not at least 0.125",
            "none of 3 limits holds: CM2 is 0.12, not at least 0.125",
        ),
        (
            (
                "123 records are few for 12 attributes: taken together, the links of unrelated files would leave 0.31 where 1 stands "
                "for no link at all; compare with the null level"
            ),
            (
                "120 records are few for 12 attributes: taken together, the links of unrelated files would leave 0.31 where 1 stands "
                "for no link at all; compare with the null level"
            ),
        ),
        (
            "17 of 1080 released records equal an original one; chance would give about 3",
            "20 of 1080 released records equal an original one; chance would give fewer than 10",
        ),
        (
            "CM2 is 0.1234, which is 0.1345 on a scale from identical (0) to unrelated files (1), as demanded: between 0.1 and 1",
            "CM2 is 0.12, which is 0.13 on a scale from identical (0) to unrelated files (1), as demanded: between 0.1 and 1",
        ),
        (
            "CM2 is 0.1234, and its 95 % interval reaches to 0.1, not at least 5",
            "CM2 is 0.12, and its 95 % interval reaches to 0.10, not at least 5",
        ),
        ("CM1 is 0: the original order of INCOME, or of a mixture with it, can be told from the release",) * 2,
        ("INCOME, income 2019 and 3 more keep their rank order",) * 2,
        ("not applied: it holds for more than the 365 days of the policy",) * 2,
    ],
)
def test_of_a_known_sentence_only_what_tells_of_people_is_made_coarse(given, told):
    """Numbers of attributes, limits and the ends of scales are nobody's: rounded, they would be wrong."""
    assert Coarse(500, names=NAMES).text(given, 2) == told


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
        "nothing": [],
    }
    told = {
        "k": 10,
        "scale": "range",
        "keep": "withheld",
        "domain": "withheld",
        "path": "withheld",
        "none": None,
        "nothing": [],
    }
    assert parameters(given) == told


def test_what_became_of_waivers_is_told_in_whole_sentences():
    """The states of waivers stand in a list, as names of columns do, and are none."""
    outcome = for_audience(scene("board"), "external")
    [told] = {rule.message for one in outcome.candidates for rule in one.rules if "waivers that" in rule.message}
    assert told == "waivers that were not applied: threshold: not applied: it expired on 2001-12-31"
