"""Sampling of records."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from .mixed import check_audit, data_mistakes, made, numbers, original, parameter_mistakes, people, studied, with_gaps


@pytest.mark.parametrize(
    ("params", "size"), [({"fraction": 0.25}, 75), ({"records": 12}, 12), ({"fraction": 0.999}, 299)]
)
def test_a_sample_has_the_size_that_was_asked_for(params, size):
    release = made("sample-records", original(people()), **params)
    assert release.table.num_rows == len(release.rows) == size


@settings(deadline=None, max_examples=30)
@given(records=st.integers(2, 60), share=st.floats(0.05, 0.95), seed=st.integers(0, 100))
def test_a_sample_holds_the_records_it_names_each_at_most_once(records, share, seed):
    size = max(1, min(records - 1, round(share * records)))
    given = numbers(A=np.arange(records), B=np.arange(records) ** 2)
    release = made("sample-records", given, seed, records=size)
    assert release.table.equals(given.table.take(release.rows))
    assert len(set(release.rows.tolist())) == size


def test_every_record_is_drawn_equally_often_and_the_order_is_random():
    given = numbers(A=np.arange(10))
    rows = np.array([made("sample-records", given, seed, records=5).rows for seed in range(400)])
    drawn = np.bincount(rows.ravel(), minlength=10)
    assert abs(drawn - 200).max() < 5 * np.sqrt(400 * 0.25)
    assert (np.diff(rows, axis=1) < 0).any(axis=1).mean() > 0.9


def test_missing_values_are_released_as_they_are():
    given = original(with_gaps(people()))
    release = made("sample-records", given, fraction=0.5)
    assert release.table.equals(given.table.take(release.rows))


def test_a_sample_that_leaves_nobody_out_is_refused():
    assert data_mistakes("sample-records", numbers(A=[1, 2, 3]), records=3) == [
        "records is 3, and the original has 3; a sample must leave some out"
    ]


def test_a_sample_without_a_record_is_refused():
    assert data_mistakes("sample-records", numbers(A=[1, 2, 3]), fraction=0.1) == [
        "fraction is 0.1, and of 3 records that is less than one"
    ]


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"fraction": 0}, "params.fraction must be greater than 0"),
        ({"fraction": 1.0}, "params.fraction must be less than 1"),
        ({"records": 0}, "params.records must be at least 1"),
        ({"records": 2.5}, "params.records must be an integer"),
        ({}, "say either fraction or records"),
        ({"fraction": 0.5, "records": 3}, "say either fraction or records"),
        ({"fractoin": 0.5}, "did you mean 'fraction'?"),
    ],
)
def test_a_wrong_parameter_is_named_with_the_reason(params, message):
    assert any(message in found for found in parameter_mistakes("sample-records", **params))


def test_a_whole_audit_compares_the_sample_with_its_own_records_and_blocks_it():
    candidate = check_audit("sample-records", people(), fraction=0.5)
    assert candidate.records.suppressed == candidate.records.compared == 150
    assert candidate.metrics["CM2"].value == pytest.approx(0, abs=1e-9)
    assert candidate.verdict == "block"  # nothing was changed


def test_a_study_seed_repeats_a_sample_and_another_does_not():
    given = original(people())
    first, again, other = [studied("sample-records", given, seed, fraction=0.5) for seed in (4, 4, 5)]
    assert first.equals(again)
    assert not first.equals(other)
