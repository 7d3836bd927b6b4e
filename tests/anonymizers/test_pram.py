"""Post-randomization of categories."""

from __future__ import annotations

from collections import Counter

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

CATEGORICAL = ["EDUCATION", "JOB", "MARRIED"]
COLOUR = {"C": Attribute(name="C", type="nominal")}


def colours(*values, **options):
    return original(pa.table({"C": pa.array(values, **options)}), COLOUR)


def released(given, **params):
    return made("pram", given, **params).table["C"].to_pylist()


def changed_share(before, after):
    return np.mean([one != two for one, two in zip(before, after, strict=True)])


def test_with_probability_one_every_category_becomes_another():
    given = original(people())
    release = made("pram", given, p=1).table
    for name in CATEGORICAL:
        assert changed_share(given.table[name].to_pylist(), release[name].to_pylist()) == 1


def test_with_probability_zero_nothing_changes():
    assert made("pram", original(people()), p=0).table.equals(people())


def test_other_types_pass_unchanged_and_the_result_says_so():
    release = made("pram", original(people()), p=0.5)
    assert all(release.table[name].equals(people()[name]) for name in people().column_names if name not in CATEGORICAL)
    assert release.notes == ("not categorical, and released as they are: AGE, BORN, SEEN, INCOME",)


@pytest.mark.parametrize("p", [0.1, 0.5, 0.9])
def test_categories_change_with_the_probability_that_was_asked_for(p):
    values = ["a"] * 6000 + ["b"] * 3000 + ["c"] * 1000
    share = changed_share(values, released(colours(*values), p=p))
    assert share == pytest.approx(p, abs=5 * np.sqrt(p * (1 - p) / 10_000))


def test_a_changed_category_is_drawn_by_the_shares_of_the_others():
    values = ["a"] * 6000 + ["b"] * 3000 + ["c"] * 1000
    release = Counter(released(colours(*values), p=1)[:6000])
    assert release["b"] / 6000 == pytest.approx(3 / 4, abs=5 * np.sqrt(3 / 16 / 6000))
    release = Counter(released(colours(*values), p=1)[6000:9000])
    assert release["a"] / 3000 == pytest.approx(6 / 7, abs=5 * np.sqrt(6 / 49 / 3000))


@pytest.mark.parametrize("p", [0.3, 1.0])
def test_the_invariant_form_keeps_the_expected_shares_and_the_other_does_not(p):
    values = ["a"] * 8000 + ["b"] * 1500 + ["c"] * 500
    kept = Counter(released(colours(*values), p=p, invariant=True))
    for name, count in Counter(values).items():
        assert kept[name] == pytest.approx(count, abs=5 * np.sqrt(10_000 * 0.16))
    moved = Counter(released(colours(*values), p=p))
    assert moved["a"] < 8000 - 1500 * p


def test_an_attribute_may_have_a_probability_of_its_own():
    given = original(people())
    release = made("pram", given, p=0, attributes={"JOB": 1}).table
    changed = {name: changed_share(given.table[name].to_pylist(), release[name].to_pylist()) for name in CATEGORICAL}
    assert changed == {"EDUCATION": 0, "JOB": 1, "MARRIED": 0}


@settings(deadline=None, max_examples=60)
@given(
    values=st.lists(st.sampled_from(["a", "b", "c", "", None]), min_size=1, max_size=30),
    p=st.floats(0, 1),
    invariant=st.booleans(),
    seed=st.integers(0, 9),
)
def test_only_categories_that_occur_are_released(values, p, invariant, seed):
    release = released(colours(*values, type=pa.string()), seed=seed, p=p, invariant=invariant)
    assert len(release) == len(values)
    assert set(release) <= set(values)


def test_a_missing_value_is_a_category_that_changes_too():
    values = [None] * 500 + [""] * 500 + ["a"] * 1000
    release = released(colours(*values), p=1)
    assert set(release[:1000]) == {"a"}
    assert set(release[1000:]) == {None, ""}
    kept = released(colours(*values), p=0.5, invariant=True)
    assert sum(not value for value in kept) == pytest.approx(1000, abs=120)


@pytest.mark.parametrize(
    "column",
    [
        pa.array(["x", "y", "x", None], pa.string()),
        pa.array(["x", "y", "x", None], pa.large_string()),
        pa.array(["x", "y", "x", None]).dictionary_encode(),
        pa.array([1, 2, 1, None], pa.int8()),
        pa.array([1.0, 2.0, float("nan"), None]),
        pa.array([True, False, True, None]),
    ],
    ids=str,
)
def test_a_column_keeps_its_type(column):
    release = made("pram", original(pa.table({"C": column}), COLOUR), p=0.5).table
    assert release.schema.field("C").type == column.type


def test_two_spellings_of_true_are_one_category():
    given = original(pa.table({"C": ["true", "TRUE", "1", "false"]}), {"C": Attribute(name="C", type="boolean")})
    assert made("pram", given, p=1).table["C"].to_pylist()[:3] == ["false"] * 3


def test_an_attribute_with_one_category_stays_and_the_result_says_so():
    release = made("pram", colours("a", "a"), p=1)
    assert release.table["C"].to_pylist() == ["a", "a"]
    assert release.notes == ("attribute 'C' has a single category: there is nothing to change it into",)


# --------------------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({}, "params needs the key 'p'"),
        ({"p": -0.1}, "params.p must be at least 0.0, not -0.1"),
        ({"p": 1.5}, "params.p must be at most 1.0, not 1.5"),
        ({"p": 0.5, "attributes": {"JOB": 2}}, "params.attributes.JOB must be at most 1.0, not 2"),
        ({"p": "0.5"}, "params.p must be a number"),
        ({"p": 0.5, "invariant": 1}, "params.invariant must be true or false"),
        ({"p": 0.5, "invarient": True}, "did you mean 'invariant'?"),
    ],
)
def test_a_wrong_parameter_is_named_with_the_reason(params, message):
    found = parameter_mistakes("pram", **params)
    assert len(found) == 1
    assert message in found[0]


def test_all_wrong_names_are_told_at_once_with_the_nearest_one():
    assert data_mistakes("pram", original(people()), p=0.1, attributes={"AGE": 0.2, "JOBS": 0.2, "BORN": 0.1}) == [
        "attributes: 'AGE' is numeric, and only ordinal, nominal or boolean attributes can be changed here",
        "attributes: 'JOBS' is not an audited attribute; did you mean 'JOB'?",
        "attributes: 'BORN' is date, and only ordinal, nominal or boolean attributes can be changed here",
    ]


def test_data_without_categories_are_refused():
    assert data_mistakes("pram", numbers(A=[1, 2]), p=0.5) == [
        "post-randomization is for ordinal, nominal and boolean attributes, and there is none"
    ]


@pytest.mark.parametrize(
    ("declared", "values", "message"),
    [
        ({"type": "ordinal", "order": ("a", "b")}, ["a", "x", "x"], "has 2 values that are not in the declared order"),
        ({"type": "boolean"}, ["true", "no"], "has 1 value that is neither true nor false (first in record 2)"),
        ({"type": "nominal"}, [0.5, 1.0], "has fractions, which are not categories"),
        ({"type": "nominal"}, [b"x", b"y"], "is not categorical"),
    ],
)
def test_values_that_are_no_categories_are_refused(declared, values, message):
    given = original(pa.table({"C": values}), {"C": Attribute(name="C", **declared)})
    (found,) = data_mistakes("pram", given, p=0.5)
    assert message in found


# --------------------------------------------------------------------------- whole audits


@pytest.mark.parametrize(("strong", "invariant"), [(0.95, True), (0.5, False)])
def test_a_whole_audit_of_categories_alone_gives_a_verdict_on_their_change(strong, invariant):
    table = people().select(CATEGORICAL)
    values = [check_audit("pram", table, p=p, invariant=invariant).metrics["CM2"].value for p in (0.05, strong)]
    assert values[0] < 0.1
    assert values[1] > 0.4


def test_two_categories_that_always_change_places_are_seen_to_be_unprotected():
    table = people().select(CATEGORICAL)
    assert check_audit("pram", table, p=0.9, attributes={"MARRIED": 1}).metrics["CM1"].value == pytest.approx(
        0, abs=1e-9
    )


def test_a_whole_audit_of_mixed_types_names_what_was_not_changed():
    candidate = check_audit("pram", people(), p=0.3)
    (finding,) = [finding for finding in candidate.rules if finding.rule == "no-unprotected-attribute"]
    assert finding.evidence["attributes"] == ["AGE", "BORN", "SEEN", "INCOME"]


@pytest.mark.parametrize("missing", ["lowest", "highest", "drop-records"])
def test_a_whole_audit_of_data_with_gaps(missing):
    table = with_gaps(people(), 0.05)
    read_back(original(table), made("pram", original(table), p=0.3).table)
    check_audit("pram", table, missing=missing, p=0.3)


def test_a_study_seed_repeats_a_release_and_another_does_not():
    given = original(people())
    first, again, other = [studied("pram", given, seed, p=0.3) for seed in (4, 4, 5)]
    assert first.equals(again)
    assert not first.equals(other)
