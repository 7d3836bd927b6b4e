"""Top and bottom coding."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from permaudit import Attribute

from .mixed import (
    check_audit,
    data_mistakes,
    made,
    numbers,
    original,
    parameter_mistakes,
    people,
    read_back,
    studied,
    with_gaps,
)

VALUES = st.lists(st.integers(-(10**6), 10**6), min_size=2, max_size=60)


def coded(given, **params):
    return made("top-bottom-coding", given, **params).table.to_pydict()


def test_values_beyond_a_threshold_become_the_threshold():
    given = numbers(A=[1, 5, 9, 12], B=[1.5, 2.5, 3.5, 4.5])
    assert coded(given, top={"A": 9, "B": 3.25}, bottom={"A": 3}) == {"A": [3, 5, 9, 9], "B": [1.5, 2.5, 3.25, 3.25]}


def test_values_beyond_a_threshold_become_their_mean():
    given = numbers(A=[1, 5, 9, 12, 13], B=[1, 2, 4, 6, 8])
    assert coded(given, top={"A": 8}, to="mean") == {"A": [1, 5, 34 / 3, 34 / 3, 34 / 3], "B": [1, 2, 4, 6, 8]}


def test_whole_numbers_stay_whole_where_the_threshold_is():
    release = made("top-bottom-coding", numbers(A=[1, 5, 9]), top={"A": 5.0}).table
    assert release.schema.field("A").type == pa.int64()
    release = made("top-bottom-coding", numbers(A=[1, 5, 9]), top={"A": 5.5}).table
    assert release["A"].to_pylist() == [1, 5, 5.5]


@settings(deadline=None, max_examples=60)
@given(values=VALUES, top=st.floats(0.05, 0.45), bottom=st.floats(0.05, 0.45))
def test_a_share_codes_at_most_that_share_and_keeps_the_order(values, top, bottom):
    size = len(values)
    counts = int(top * size), int(bottom * size)
    ordered = sorted(values)
    if min(counts) < 1 or ordered[size - 1 - counts[0]] <= ordered[counts[1]]:
        with pytest.raises(Exception, match=r"less than one|would become constant"):
            coded(numbers(A=values), top=top, bottom=bottom)
        return
    release = coded(numbers(A=values), top=top, bottom=bottom)["A"]
    changed = [(old, new) for old, new in zip(values, release, strict=True) if old != new]
    assert sum(old > new for old, new in changed) <= counts[0]
    assert sum(old < new for old, new in changed) <= counts[1]
    assert max(release) == ordered[size - 1 - counts[0]]
    assert min(release) == ordered[counts[1]]
    pairs = sorted(zip(values, release, strict=True))
    assert all(one[1] <= two[1] for one, two in pairwise(pairs))


@settings(deadline=None, max_examples=40)
@given(values=VALUES, threshold=st.integers(-(10**6), 10**6))
def test_coding_to_the_mean_keeps_the_total(values, threshold):
    if sum(value > threshold for value in values) == 1:
        assert (
            "would be its own mean"
            in data_mistakes("top-bottom-coding", numbers(A=values), top={"A": threshold}, to="mean")[0]
        )
        return
    release = coded(numbers(A=values), top={"A": threshold}, to="mean")["A"]
    assert sum(release) == pytest.approx(sum(values), abs=1e-6)


def test_numbers_that_no_float_holds_are_compared_exactly():
    big = 2**60
    given = numbers(A=[big - 1, big, big + 1, big + 2])
    assert coded(given, top={"A": float(big)})["A"] == [big - 1, big, big, big]
    unsigned = numbers(A=pa.array([1, 2**63 + 1, 2**63 + 3], pa.uint64()))
    assert coded(unsigned, top=0.4)["A"] == [1, 2**63 + 1, 2**63 + 1]


def test_extreme_floats_have_a_mean():
    assert coded(numbers(A=[0.0, 1.7e308, 1.7e308]), top={"A": 1.0}, to="mean")["A"] == [0.0, 1.7e308, 1.7e308]


def test_missing_values_stay_missing_and_are_not_counted():
    given = numbers(A=pa.array([None, 1.0, 2.0, 3.0, 4.0, float("nan")]))
    assert coded(given, top=0.25)["A"] == [None, 1.0, 2.0, 3.0, 3.0, None]


def test_missing_values_do_not_enter_a_mean():
    assert coded(numbers(A=[None, 4, 6, 9]), bottom={"A": 7}, to="mean")["A"] == [None, 5, 5, 9]


def test_attributes_that_are_not_numeric_pass_unchanged():
    given = original(people())
    release = made("top-bottom-coding", given, top=0.05).table
    assert release.column_names == given.table.column_names
    changed = [name for name in release.column_names if not release[name].equals(given.table[name])]
    assert changed == ["AGE", "INCOME"]


def test_where_nothing_lies_beyond_the_result_says_so():
    release = made("top-bottom-coding", numbers(A=[1, 2, 2, 2], B=[1, 2, 3, 4]), top=0.3)
    assert release.notes == ("no value lies beyond the thresholds of A: nothing was coded there",)


# --------------------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({}, "say top, bottom or both"),
        ({"top": 0}, "params.top must be greater than 0"),
        ({"bottom": 1.5}, "params.bottom must be less than 1"),
        ({"top": 0.6, "bottom": 0.4}, "must stay below 1 together"),
        ({"top": {}}, "params.top must not be empty"),
        ({"top": {"A": "5"}}, "params.top.A must be a number, not the text '5'; remove the quotes"),
        ({"top": "0.1"}, "params.top must be a number"),
        ({"top": {"A": 1}, "bottom": {"A": 1}}, "the bottom of 'A' is not below its top"),
        ({"top": 0.1, "to": "median"}, "params.to must be 'threshold' or 'mean'"),
    ],
)
def test_a_wrong_parameter_is_named_with_the_reason(params, message):
    found = parameter_mistakes("top-bottom-coding", **params)
    assert len(found) == 1
    assert message in found[0]


def test_all_wrong_names_are_told_at_once_with_the_nearest_one():
    params = {"top": {"INCOM": 1, "EDUCATION": 2}, "bottom": {"XYZ": 1}}
    assert data_mistakes("top-bottom-coding", original(people()), **params) == [
        "top: 'INCOM' is not an audited attribute; did you mean 'INCOME'?",
        "top: 'EDUCATION' is ordinal, and only numeric attributes can be changed here",
        "bottom: 'XYZ' is not an audited attribute",
    ]


def test_a_share_that_is_no_record_is_refused():
    assert data_mistakes("top-bottom-coding", numbers(A=[1, 2, 3]), top=0.1) == [
        "column 'A' has 3 values, and top: 0.1 of these is less than one"
    ]


def test_a_share_that_meets_a_threshold_is_refused():
    found = data_mistakes("top-bottom-coding", numbers(A=[1, 2, 3, 4]), top=0.25, bottom={"A": 3})
    assert found == ["column 'A' would become constant: its bottom threshold is not below its top threshold"]


def test_text_in_a_numeric_attribute_is_refused():
    given = numbers(A=["1", "x"])
    assert data_mistakes("top-bottom-coding", given, top={"A": 1}) == ["column 'A' is not numeric"]


def test_data_without_numbers_are_refused():
    given = original(pa.table({"A": [True, False]}), {"A": Attribute(name="A", type="boolean")})
    assert data_mistakes("top-bottom-coding", given, top=0.5) == [
        "top and bottom coding is for numeric attributes, and there is none"
    ]


def test_infinite_values_are_refused():
    assert data_mistakes("top-bottom-coding", numbers(A=[1.0, np.inf]), top={"A": 1}) == [
        "column 'A' has infinite values"
    ]


# --------------------------------------------------------------------------- whole audits


@pytest.mark.parametrize("params", [{"top": 0.05, "bottom": 0.05}, {"top": {"INCOME": 30000}, "to": "mean"}])
def test_a_whole_audit_reads_the_release_and_names_what_kept_its_ranks(params):
    candidate = check_audit("top-bottom-coding", people(), **params)
    (finding,) = [finding for finding in candidate.rules if finding.rule == "no-unprotected-attribute"]
    assert finding.outcome == "fail"
    assert "INCOME" not in finding.evidence["attributes"]
    assert "JOB" in finding.evidence["attributes"]


def test_a_whole_audit_of_data_with_gaps():
    table = with_gaps(people())
    read_back(original(table), made("top-bottom-coding", original(table), top=0.1).table)
    check_audit("top-bottom-coding", table, missing="lowest", top=0.1)


def test_nothing_is_drawn_so_that_every_run_is_the_same():
    given = original(people())
    assert studied("top-bottom-coding", given, None, top=0.1).equals(studied("top-bottom-coding", given, 4, top=0.1))
