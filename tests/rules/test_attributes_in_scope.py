"""The attributes that must be protected: by name, none may slip out, and others do not matter."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import permaudit as pa

from .cases import case_of, finding_of, full

SCOPE = {"rule": "attributes-in-scope", "attributes": ["FICA", "FEDTAX"]}
CM2 = {"rule": "threshold", "metric": "CM2", "min": 0.05}
IN_SCOPE = frozenset({"FICA", "FEDTAX"})


def judged(case, **params):
    return finding_of("attributes-in-scope", case, **({"attributes": ["FICA", "FEDTAX"]} | params))


def outcomes(candidate):
    return {found.rule: found.outcome for found in candidate.rules}


# --------------------------------------------------------------------------- how an attribute escapes


def test_attributes_that_were_compared_and_changed_are_protected():
    found = judged(case_of({}, scope=IN_SCOPE))
    assert (found.outcome, found.message) == ("pass", "audited, and not in the original order: FICA, FEDTAX")


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ({"declared_attributes": ("FEDTAX",), "compared": ("FEDTAX",)}, "FICA is not audited"),
        ({"not_audited": {"FICA": "public"}, "compared": ("FEDTAX",)}, "FICA is listed under not-audited"),
        ({"compared": ("FEDTAX",)}, "FICA entered no metric"),
        ({"unchanged": ("FICA",)}, "FICA keeps its rank order"),
    ],
)
def test_an_attribute_that_escaped_fails_and_is_named(parts, said):
    found = judged(case_of({}, scope=IN_SCOPE, **parts))
    assert (found.outcome, found.message) == ("fail", said)
    assert found.attributes == ["FICA"]
    assert "FICA" in found.fix


def test_how_much_of_an_order_can_be_told_may_be_limited_for_all_or_for_each():
    case = case_of({"CM2": full(0.4)}, scope=IN_SCOPE)  # 60 % of FICA, 10 % of FEDTAX
    for most, outcome in ((0.7, "pass"), (0.5, "fail"), ({"FEDTAX": 0.2}, "pass"), ({"FICA": 0.5}, "fail")):
        found = judged(case, **{"max-explained": most})
        assert found.outcome == outcome
    assert found.message == "FICA can be told too well: 60% of its order, more than 50%"
    assert found.attributes == ["FICA"]


@pytest.mark.parametrize("result", [full(0.4, details={}), full(0.4, "not-applicable")])
def test_an_order_of_which_nothing_is_known_is_for_a_person_to_decide(result):
    assert judged(case_of({"CM2": result}, scope=IN_SCOPE), **{"max-explained": 0.5}).outcome == "review"


def test_where_records_are_not_linked_no_order_can_be_told_and_that_is_said():
    found = judged(case_of({}, linked=False, scope=IN_SCOPE), **{"max-explained": 0.5})
    assert found.outcome == "pass"
    assert "this one is not linked" in found.message


def test_an_attribute_that_the_policy_leaves_out_is_not_protected_by_naming_it_here():
    found = judged(case_of({}, scope=frozenset({"FEDTAX"}), compared=("FEDTAX",)))
    assert found.outcome == "fail"
    assert "naming FICA here has no effect on what is compared" in found.message


# --------------------------------------------------------------------------- what it does to an audit


def test_a_public_attribute_left_as_it_is_blocks_unless_others_are_named(people, masked):
    release = masked.assign(INTVAL=people["INTVAL"])
    (blocked,) = pa.audit(people, release, kind="masked", rules=[CM2]).candidates
    assert blocked.verdict == "block"
    (candidate,) = pa.audit(people, release, kind="masked", rules=[CM2, SCOPE]).candidates
    assert candidate.attributes == ["FICA", "FEDTAX"]
    assert [left.attribute for left in candidate.excluded] == ["INTVAL"]
    assert outcomes(candidate)["no-unprotected-attribute"] == "pass"


def test_a_public_attribute_with_few_values_passes_where_others_are_named(people, masked):
    few = people.assign(INTVAL=people["INTVAL"].rank(pct=True).mul(5).round())
    (candidate,) = pa.audit(few, masked.assign(INTVAL=few["INTVAL"]), kind="masked", rules=[CM2, SCOPE]).candidates
    assert candidate.verdict == "release"
    assert outcomes(candidate)["no-unaudited-columns"] == "pass"


@pytest.mark.parametrize("linked", [True, False])
@pytest.mark.parametrize("jitter", [0.0, 1e-3])
def test_attributes_that_the_audit_takes_out_of_its_own_reach_and_that_tell_people_apart_need_a_person(linked, jitter):
    rng = np.random.default_rng(3)
    people = pd.DataFrame(rng.normal(size=(400, 5)), columns=list("ABCDE"))
    release = people.assign(A=rng.normal(size=400), B=rng.normal(size=400))
    release[["C", "D", "E"]] += rng.normal(size=(400, 3)) * jitter
    kind, limit = ("masked", CM2) if linked else ("synthetic", {"rule": "threshold", "metric": "CM3", "min": 0.5})
    rules = [limit, {**SCOPE, "attributes": ["A", "B"]}]
    release = release if linked else release.sample(frac=1, random_state=1)
    (candidate,) = pa.audit(people, release, kind=kind, rules=rules).candidates
    (found,) = (one for one in candidate.rules if one.rule == "no-unaudited-columns")
    assert (candidate.verdict, found.outcome) == ("review", "review")
    assert "is not in scope, and tells" in found.message
    assert set(found.attributes) <= {"C", "D", "E"}


def test_other_people_outside_of_the_scope_tell_nobody_apart():
    rng = np.random.default_rng(4)
    people, others = (pd.DataFrame(rng.normal(size=(400, 5)), columns=list("ABCDE")) for _ in range(2))
    rules = [{"rule": "threshold", "metric": "CM3", "min": 0.5}, {**SCOPE, "attributes": ["A", "B"]}]
    assert pa.audit(people, others, kind="synthetic", rules=rules).verdict == "release"


def test_an_attribute_in_scope_left_as_it_is_blocks(people, masked):
    release = masked.assign(FICA=people["FICA"])
    (candidate,) = pa.audit(people, release, kind="masked", rules=[CM2, SCOPE]).candidates
    assert outcomes(candidate)["attributes-in-scope"] == "fail"
    assert outcomes(candidate)["no-unprotected-attribute"] == "fail"
    assert candidate.verdict == "block"


def test_naming_attributes_judges_nothing_by_itself(people, masked):
    assert pa.audit(people, masked, kind="masked", rules=[SCOPE]).verdict == "review"


def test_several_rules_name_attributes_together(people, masked):
    rules = [CM2, SCOPE, {"rule": "attributes-in-scope", "attributes": ["INTVAL"]}]
    (candidate,) = pa.audit(people, masked, kind="masked", rules=rules).candidates
    assert candidate.attributes == ["FICA", "FEDTAX", "INTVAL"]
    assert candidate.verdict == "release"


def test_how_well_an_order_can_be_told_is_limited_at_the_points_of_a_sweep_too(permaudit, write_audit, tmp_path):
    rules = [{"rule": "attributes-in-scope", "attributes": ["FICA"], "max-explained": 0.9}]
    sweeps = {"noise": {"anonymizer": "additive-noise", "params": {"alpha": [0.01, 1.0]}}}
    permaudit(
        "run", write_audit(candidates=None, sweeps=sweeps, rules=rules), "--out", tmp_path / "out", "--study-seed", 1
    )
    result = json.loads((tmp_path / "out" / "audit.json").read_text("utf-8"))
    said = [
        found["outcome"]
        for one in result["candidates"]
        for found in one["rules"]
        if found["rule"] == "attributes-in-scope"
    ]
    assert said == ["fail", "pass"]


def test_under_a_policy_the_audit_file_confines_nothing_and_is_told_so(
    permaudit, write_audit, people, masked, tmp_path
):
    release = masked.assign(INTVAL=people["INTVAL"])
    path = write_audit(files={"masked.csv": release}, rules=[SCOPE], policy="board.yaml")
    board = {"permaudit-policy": 1, "title": "The board's", "rules": [CM2]}
    (path.parent / "board.yaml").write_text(json.dumps(board), "utf-8")
    assert permaudit("run", path, "--out", tmp_path / "out").code == 1
    (candidate,) = json.loads((tmp_path / "out" / "audit.json").read_text("utf-8"))["candidates"]
    found = {one["rule"]: one for one in candidate["rules"]}
    assert candidate["attributes"] == ["FICA", "FEDTAX", "INTVAL"]
    assert found["no-unprotected-attribute"]["outcome"] == "fail"
    assert "has no effect on what is compared" in found["attributes-in-scope"]["message"]


def test_under_a_policy_the_board_names_the_attributes(permaudit, write_audit, people, masked, tmp_path):
    release = masked.assign(INTVAL=people["INTVAL"])
    path = write_audit(files={"masked.csv": release}, rules=[{**SCOPE, "attributes": ["FICA"]}], policy="board.yaml")
    board = {"permaudit-policy": 1, "title": "The board's", "rules": [CM2, SCOPE]}
    (path.parent / "board.yaml").write_text(json.dumps(board), "utf-8")
    assert permaudit("run", path, "--out", tmp_path / "out").code == 0
    (candidate,) = json.loads((tmp_path / "out" / "audit.json").read_text("utf-8"))["candidates"]
    assert candidate["attributes"] == ["FICA", "FEDTAX"]
    own = [one for one in candidate["rules"] if one["rule"] == "attributes-in-scope" and one["origin"] == "audit file"]
    assert "in scope are also FEDTAX, as other rules say" in own[0]["message"]


# --------------------------------------------------------------------------- mistakes


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"attributes": []}, "rules[0].attributes"),
        ({"attributes": ["FICA", "FICA"]}, "an attribute is named twice"),
        ({"attributes": ["FICA"], "max-explained": 1.5}, "rules[0].max-explained"),
        ({"attributes": ["FICA"], "max-explained": {"FEDTAX": 0.5}}, "not among attributes"),
    ],
)
def test_mistakes_are_shown_where_they_stand(people, masked, params, words):
    with pytest.raises(pa.AuditFileError) as error:
        pa.audit(people, masked, kind="masked", rules=[{"rule": "attributes-in-scope", **params}])
    assert words in str(error.value)
