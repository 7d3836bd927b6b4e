"""Which metric counts for which release, why, and that no rule passes on one that does not."""

from __future__ import annotations

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

import permaudit as pa
from permaudit.report import from_json, to_json

from .cases import CATALOGUE, case_of, finding_of, full, judge, measured, use_of

LINKED_ONLY = {"CM1", "CM2"}
ALL = list(CATALOGUE.metrics)


@pytest.fixture(scope="module")
def results(people, masked, others):
    """Every metric on a masked and on a synthetic release, through the file that is written."""
    return {
        kind: from_json(to_json(pa.audit(people, release, kind=kind, metrics=ALL))).candidates[0].metrics
        for kind, release in (("masked", masked), ("synthetic", others))
    }


@pytest.mark.parametrize("metric", ALL)
@pytest.mark.parametrize("kind", ["masked", "synthetic"])
def test_every_metric_says_whether_it_counts_for_a_release_and_why(results, metric, kind):
    result = results[kind][metric]
    if result.validity.standing == "not-applicable":
        assert result.status in {"not-applicable", "error"}
        return
    advisory = kind == "synthetic" and metric in LINKED_ONLY
    assert (result.status, result.validity.standing) == (("advisory", "advisory") if advisory else ("ok", "valid"))
    assert result.validity.because.endswith(".")
    assert result.validity.because.count(". ") == 0, "one sentence"
    assert result.validity.section


@pytest.mark.parametrize("metric", ALL)
def test_every_built_in_metric_speaks_for_itself(metric):
    valid = CATALOGUE.metrics[metric].card.valid_for
    default = pa.ValidFor()
    assert valid.linked != default.linked
    assert valid.unlinked != default.unlinked
    assert valid.section


def test_cm1_and_cm2_of_an_unlinked_release_are_computed_all_the_same(results):
    for metric in LINKED_ONLY:
        assert results["synthetic"][metric].value is not None
        assert "not linked" in results["synthetic"][metric].reason


def test_a_metric_without_a_value_is_not_applicable_and_says_why(people, masked):
    outcome = pa.audit(people[["FICA"]], masked[["FICA"]], kind="masked")
    validity = outcome.candidates[0].metrics["CM3"].validity
    assert validity.standing == "not-applicable"
    assert validity.because == "There is no value: needs at least 2 attributes that vary; there is 1."


def test_a_masked_release_without_linkage_is_as_unlinked_as_a_synthetic_one(people, masked):
    (candidate,) = pa.audit(people, masked.sample(frac=1, random_state=1), kind="masked", linkage="none").candidates
    assert {name: candidate.metrics[name].status for name in LINKED_ONLY} == dict.fromkeys(LINKED_ONLY, "advisory")


# --------------------------------------------------------------------------- no rule passes on what does not count

SCALES = ("value", "calibrated", "lower", "relative")
limits = st.builds(
    lambda metric, number, scale, side: {"metric": metric, side: number, "on": scale},
    st.sampled_from(sorted(LINKED_ONLY)),
    st.floats(0, 1),
    st.sampled_from(SCALES),
    st.sampled_from(["min", "max"]),
)
distances = st.builds(
    lambda metric, least, p_value: {"metric": metric, "min": least} | ({"p-value": p_value} if p_value else {}),
    st.sampled_from(sorted(LINKED_ONLY)),
    st.floats(0.001, 1),
    st.none() | st.floats(0.001, 0.5),
)
demands = st.one_of(
    st.tuples(st.just("threshold"), limits),
    st.tuples(st.just("at-least-one-of"), st.lists(limits, min_size=2, max_size=4).map(lambda some: {"of": some})),
    st.tuples(st.just("distance-to-null"), distances),
    st.tuples(
        st.just("not-below"),
        st.lists(st.sampled_from(sorted(LINKED_ONLY)), min_size=1).map(
            lambda some: {"baseline": "then.json", "metrics": some, "tolerance": 1.0}
        ),
    ),
)
scales = st.floats(0, 1)
advisory = st.builds(
    lambda value, status, with_scales: full(value, status) if with_scales else measured(value, status),
    scales,
    st.sampled_from(["advisory", "not-applicable"]),
    st.booleans(),
)


@pytest.fixture(scope="module")
def synthetic(people, others):
    """An earlier audit of a synthetic release that was released."""
    rules = [{"rule": "threshold", "metric": "CM3", "min": 0.1}]
    return pa.audit(people, others, kind="synthetic", rules=rules)


@settings(max_examples=300, deadline=None)
@given(demand=demands, cm1=advisory, cm2=advisory)
def test_no_rule_passes_on_the_links_of_an_unlinked_release(synthetic, demand, cm1, cm2):
    rule, params = demand
    parts = {"earlier": {"then.json": synthetic}, "name": "release", "compared": ("FICA", "FEDTAX", "INTVAL")}
    case = case_of({"CM1": cm1, "CM2": cm2}, linked=False, **parts)
    assert finding_of(rule, case, **params).outcome in {"not-applicable", "review"}
    *_, by_threshold = judge(case, [use_of(rule, **params)], CATALOGUE)
    assert by_threshold.outcome == "review"


def test_every_rule_that_sets_limits_is_in_the_test_above():
    looked_at = {"threshold", "at-least-one-of", "distance-to-null", "not-below"}
    asked_for = {name for name, rule in CATALOGUE.rules.items() if not rule.card.always_on}
    assert asked_for - {"attributes-in-scope"} == looked_at


@pytest.mark.parametrize(
    "rule",
    [
        {"rule": "threshold", "metric": "CM2", "min": 0.01},
        {"rule": "threshold", "metric": "CM1", "min": 0.01, "on": "calibrated"},
        {"rule": "threshold", "metric": "CM2", "min": 0.01, "on": "lower"},
        {"rule": "distance-to-null", "metric": "CM2", "min": 0.1},
        {"rule": "at-least-one-of", "of": [{"metric": "CM1", "min": 0.01}, {"metric": "CM2", "min": 0.01}]},
    ],
)
def test_strangers_with_a_perfect_cm2_are_blocked_without_a_limit_on_cm3(people, others, rule):
    (candidate,) = pa.audit(people, others, kind="synthetic", rules=[rule]).candidates
    found = {finding.rule: finding.outcome for finding in candidate.rules}
    assert found[rule["rule"]] == "not-applicable"
    assert found["cm3-for-synthetic"] == "fail"
    assert candidate.verdict == "block"
