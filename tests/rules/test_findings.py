"""Every finding says what was found, why it matters, on what evidence, and what would fix it."""

from __future__ import annotations

import pytest

import permaudit as pa
from permaudit import Records
from permaudit.model import Displaced, OwnValues
from permaudit.verdict import judge

from .cases import CATALOGUE, case_of, finding_of, full, measured, use_of

LOW = {"CM1": full(0.01), "CM2": full(0.01)}
TRIVIAL = measured(0.0, details={"trivial_permutation": True})
RANKS = {"rank_original": 2, "rank_release": 2}
AT_AN_END = OwnValues(("FICA",), "the lower end is the own value", 90, 100, 10.0, 3.0)
AGAINST = {
    "threshold": (case_of(LOW), {"metric": "CM2", "min": 0.5}),
    "at-least-one-of": (case_of(LOW), {"of": [{"metric": "CM1", "min": 0.5}, {"metric": "CM2", "min": 0.5}]}),
    "distance-to-null": (case_of(LOW), {"metric": "CM2", "min": 0.5}),
    "attributes-in-scope": (case_of({}), {"attributes": ["AGE"]}),
    "cm3-for-synthetic": (case_of({"CM3": full(0.9)}, linked=False), {}),
    "linked-metric-for-masked": (case_of({"CM1": full(0.0), "CM2": full(0.0)}), {}),
    "declared-linkage": (
        case_of({"CM2": measured(1e-9, "advisory", details=RANKS), "CM3": full(0.9)}, linked=False),
        {},
    ),
    "no-trivial-permutation": (case_of({"CM3": TRIVIAL}), {}),
    "no-unprotected-attribute": (case_of({}, unchanged=("FICA",)), {}),
    "no-own-values": (case_of({}, linked=False, own_values=(AT_AN_END,)), {}),
    "no-identifiers": (case_of({}, identifiers=frozenset({"NAME"}), released_columns=("FICA", " name")), {}),
    "no-unaudited-columns": (case_of({}, released_columns=("FICA", "SECRET")), {}),
    "records-accounted": (case_of({}, records=Records(original=200, released=210, compared=200, added=10)), {}),
}
FOR_A_PERSON = {
    "threshold": (case_of({"CM2": measured(None, "not-applicable")}), {"metric": "CM2", "min": 0.5}),
    "at-least-one-of": (
        case_of({"CM1": full(0.01), "CM2": measured(None, "not-applicable")}),
        {"of": [{"metric": "CM1", "min": 0.5}, {"metric": "CM2", "min": 0.5}]},
    ),
    "distance-to-null": (case_of({"CM2": measured(0.5)}), {"metric": "CM2", "min": 0.5}),
    "attributes-in-scope": (case_of({"CM2": measured(0.5)}), {"attributes": ["FICA"], "max-explained": 0.5}),
    "linked-metric-for-masked": (case_of({"CM1": full(), "CM2": full()}, limited=frozenset({"CM3"})), {}),
    "declared-linkage": (
        case_of({"CM2": measured(0.3, details=RANKS), "CM3": full(0.9)}, displaced=Displaced(2, 44)),
        {},
    ),
    "no-trivial-permutation": (case_of({"CM3": measured(None, "not-applicable")}), {}),
    "no-own-values": (case_of({}, own_values=(AT_AN_END,)), {}),
    "declared-missing": (case_of({}, blanked={"FICA": "a token could be a value"}), {}),
    "no-identifiers": (case_of({}, key=("ID",), released_columns=("FICA", "ID")), {}),
}


def complete(finding, outcome):
    """Assert that nothing is left to guess."""
    assert finding.outcome == outcome
    assert finding.message
    assert finding.why
    assert finding.evidence
    assert finding.fix
    assert not finding.message.endswith(".")


@pytest.mark.parametrize("rule", AGAINST)
def test_what_speaks_against_a_release_is_said_in_full(rule):
    case, params = AGAINST[rule]
    complete(finding_of(rule, case, **params), "fail")


@pytest.mark.parametrize("rule", FOR_A_PERSON)
def test_what_a_person_must_decide_is_said_in_full(rule):
    case, params = FOR_A_PERSON[rule]
    complete(finding_of(rule, case, **params), "review")


def test_copies_are_said_in_full(people):
    """A synthetic file that is the original in another order."""
    shuffled = people.sample(frac=1, random_state=1)
    rules = [{"rule": "threshold", "metric": "CM3", "min": 0.1}]
    (candidate,) = pa.audit(people, shuffled, kind="synthetic", rules=rules).candidates
    (found,) = [finding for finding in candidate.rules if finding.rule == "no-copied-records"]
    complete(found, "fail")


def test_a_loss_against_an_earlier_version_is_said_in_full(people, masked, others):
    rules = [{"rule": "threshold", "metric": "CM2", "min": 0.05}]
    then = pa.audit(people, masked, kind="masked", rules=rules)
    worse = case_of({"CM2": full(0.01)}, name="release", earlier={"then.json": then})
    complete(finding_of("not-below", worse, baseline="then.json", metrics=["CM2"]), "fail")
    several = pa.audit(people, others, kind="synthetic", rules=rules)
    unclear = case_of({"CM2": full(0.5)}, earlier={"then.json": several})
    complete(finding_of("not-below", unclear, baseline="then.json"), "review")


def test_every_rule_is_in_the_tests_above():
    looked_at = {*AGAINST, "no-copied-records", "not-below", "declared-missing"}
    assert set(CATALOGUE.rules) == looked_at


def test_a_rule_that_cannot_judge_says_which_metric_is_missing():
    finding, by_limit = judge(
        case_of({"CM2": measured(None, "error")}), [use_of("threshold", metric="CM2", min=0.5)], CATALOGUE
    )
    complete(finding, "error")
    assert finding.evidence == {"metrics": ["CM2"]}
    complete(by_limit, "review")


def test_the_fix_names_the_attribute_and_both_ways_out():
    finding = finding_of("no-unprotected-attribute", case_of({}, unchanged=("FEDTAX",)))
    assert finding.message == "FEDTAX keeps its rank order"
    assert finding.fix == "mask FEDTAX, or list what is public anyway under not-audited"
