"""Releases whose verdict is known beforehand."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import permaudit
from permaudit.report import to_json

MASKED = {"kind": "masked", "rules": [{"rule": "threshold", "metric": "CM2", "min": 0.05}]}
SYNTHETIC = {"kind": "synthetic", "rules": [{"rule": "threshold", "metric": "CM3", "min": 0.2}]}
VALID_IDS = ("CM1", "CM2", "CM3", "UM")


def audited(original, release, **options):
    outcome = permaudit.audit(original, release, **options)
    json.loads(to_json(outcome), parse_constant=pytest.fail)
    (candidate,) = outcome.candidates
    assert outcome.verdict == candidate.verdict
    return candidate


def outcomes(candidate):
    return {finding.rule: finding.outcome for finding in candidate.rules}


def finding(candidate, rule):
    (found,) = [finding for finding in candidate.rules if finding.rule == rule]
    return found


def values(candidate):
    return [candidate.metrics[name].value for name in VALID_IDS]


def shuffled(frame, seed=3):
    return frame.sample(frac=1, random_state=seed).reset_index(drop=True)


# --------------------------------------------------------------------------- good ones


def test_a_masked_release_that_fulfils_everything_is_released(people, masked):
    candidate = audited(people, masked, **MASKED)
    assert candidate.verdict == "release"
    assert set(outcomes(candidate).values()) <= {"pass", "not-applicable"}
    assert candidate.attributes == list(people.columns)


def test_other_people_are_a_synthetic_release_that_is_judged_by_cm3(people, others):
    candidate = audited(people, others, **SYNTHETIC)
    assert candidate.verdict == "release"
    assert [candidate.metrics[name].status for name in VALID_IDS] == ["advisory", "advisory", "ok", "ok"]
    assert outcomes(candidate)["cm3-for-synthetic"] == "pass"


# --------------------------------------------------------------------------- thresholds


def test_without_any_threshold_a_person_must_decide(people, masked):
    candidate = audited(people, masked, kind="masked")
    assert candidate.verdict == "review"
    assert finding(candidate, "judged-by-a-threshold").outcome == "review"


def test_a_threshold_on_utility_alone_does_not_judge_confidentiality(people, masked):
    rules = [{"rule": "threshold", "metric": "UM", "min": 0.0}]
    candidate = audited(people, masked, kind="masked", rules=rules)
    assert outcomes(candidate)["threshold"] == "pass"
    assert candidate.verdict == "review"


def test_a_threshold_that_is_not_reached_blocks_and_says_both_numbers(people, masked):
    value = audited(people, masked, **MASKED).metrics["CM2"].value
    rules = [{"rule": "threshold", "metric": "CM2", "min": 0.99}]
    candidate = audited(people, masked, kind="masked", rules=rules)
    assert candidate.verdict == "block"
    assert finding(candidate, "threshold").message == f"CM2 is {value:.4f}, not at least 0.99"


def test_a_limit_holds_at_its_very_value(people, masked):
    value = audited(people, masked, **MASKED).metrics["CM2"].value
    for limits, verdict in (
        ({"min": value}, "release"),
        ({"max": value}, "review"),  # no demand: a worse release would pass it too
        ({"min": np.nextafter(value, 1)}, "block"),
        ({"max": np.nextafter(value, 0)}, "block"),
    ):
        rules = [{"rule": "threshold", "metric": "CM2", **limits}]
        assert audited(people, masked, kind="masked", rules=rules).verdict == verdict


def test_a_rule_for_another_kind_does_not_judge(people, masked):
    rules = [{"rule": "threshold", "metric": "CM2", "min": 0.05, "when": {"kind": "synthetic"}}]
    candidate = audited(people, masked, kind="masked", rules=rules)
    assert "threshold" not in outcomes(candidate)
    assert candidate.verdict == "review"


@pytest.mark.parametrize("metric", ["CM1", "CM2"])
def test_an_advisory_metric_never_decides(people, others, metric):
    rules = [{"rule": "threshold", "metric": metric, "min": 0.0}]
    candidate = audited(people, others, kind="synthetic", rules=rules)
    assert candidate.metrics[metric].status == "advisory"
    assert outcomes(candidate)["threshold"] == "not-applicable"
    assert outcomes(candidate)["judged-by-a-threshold"] == "review"
    assert candidate.verdict == "block"  # no threshold on CM3


def test_a_synthetic_release_without_a_threshold_on_cm3_blocks(people, others):
    candidate = audited(people, others, kind="synthetic")
    assert candidate.verdict == "block"
    assert (
        finding(candidate, "cm3-for-synthetic").message
        == "no rule that decides sets a limit on CM3 for this unlinked release"
    )


def test_a_masked_release_that_is_declared_unlinked_needs_cm3_too(people, masked):
    candidate = audited(people, masked, **MASKED, linkage="none")
    assert candidate.verdict == "block"
    assert outcomes(candidate)["cm3-for-synthetic"] == "fail"


# --------------------------------------------------------------------------- releases that protect nothing


@pytest.mark.parametrize("kind", [MASKED, SYNTHETIC], ids=["masked", "synthetic"])
def test_the_original_itself_is_blocked(people, kind):
    candidate = audited(people, people, **kind)
    assert candidate.verdict == "block"
    assert outcomes(candidate)["no-trivial-permutation"] == "fail"
    assert candidate.metrics["CM3"].value == 0
    if kind is MASKED:
        assert candidate.metrics["CM1"].value == pytest.approx(0, abs=1e-9)
        assert candidate.metrics["CM2"].value == pytest.approx(0, abs=1e-9)
        assert finding(candidate, "no-unprotected-attribute").evidence == {"attributes": list(people.columns)}


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda frame: frame * 1000 + 7, id="other units"),
        pytest.param(np.log1p, id="logarithms"),
        pytest.param(lambda frame: frame.rank(), id="ranks"),
    ],
)
def test_a_monotone_disguise_of_the_original_is_blocked(people, change):
    candidate = audited(people, change(people), **MASKED)
    assert candidate.verdict == "block"
    assert outcomes(candidate)["no-unprotected-attribute"] == "fail"
    assert outcomes(candidate)["no-trivial-permutation"] == "fail"


@pytest.mark.parametrize("kind", [MASKED, SYNTHETIC], ids=["masked", "synthetic"])
@pytest.mark.parametrize("levels", [None, 3, 2], ids=["amounts", "three levels", "binary"])
def test_a_shuffled_copy_is_seen_also_among_ties(people, kind, levels):
    original = people if levels is None else people.apply(lambda column: pd.qcut(column, levels, labels=False))
    candidate = audited(original, shuffled(original), **kind)
    assert candidate.verdict == "block"
    assert candidate.metrics["CM3"].value == 0
    assert candidate.metrics["CM3"].details["trivial_permutation"] is True
    assert outcomes(candidate)["no-trivial-permutation"] == "fail"


def test_cm1_and_cm2_take_a_shuffled_copy_for_protection(people):
    """The reason why the rule above is always on."""
    candidate = audited(people, shuffled(people), **MASKED)
    assert candidate.metrics["CM1"].value > 0.8
    assert outcomes(candidate)["threshold"] == "pass"


@pytest.mark.parametrize("bare", ["FICA", "FEDTAX", "INTVAL"])
def test_one_bare_column_blocks_and_is_named(people, masked, bare):
    candidate = audited(people, masked.assign(**{bare: people[bare]}), **MASKED)
    assert candidate.verdict == "block"
    assert finding(candidate, "no-unprotected-attribute").message == f"{bare} keeps its rank order"
    assert finding(candidate, "no-unprotected-attribute").evidence == {"attributes": [bare]}
    assert candidate.metrics["CM1"].value == pytest.approx(0, abs=1e-9)
    assert candidate.metrics["CM1"].details["least_protected"] == bare


# --------------------------------------------------------------------------- columns


@pytest.mark.parametrize("name", ["NAME", "name", " Name "])
def test_an_identifier_left_in_the_release_blocks_however_it_is_spelt(people, masked, name):
    release = masked.assign(**{name: range(len(masked))})
    candidate = audited(people.assign(NAME="x"), release, **MASKED, identifiers=["NAME"])
    assert candidate.verdict == "block"
    assert outcomes(candidate)["no-identifiers"] == "fail"


def test_an_identifier_in_the_original_only_is_no_fault(people, masked):
    assert audited(people.assign(NAME="x"), masked, **MASKED, identifiers=["NAME"]).verdict == "release"


def test_a_released_column_that_nobody_looked_at_blocks_and_is_named(people, masked):
    candidate = audited(people, masked.assign(SECRET=people["FICA"]), **MASKED)
    assert candidate.verdict == "block"
    assert finding(candidate, "no-unaudited-columns").evidence == {"columns": ["SECRET"]}


def test_a_column_left_out_for_a_stated_reason_is_no_fault(people, masked):
    release = masked.assign(WEIGHT=1)
    candidate = audited(people.assign(WEIGHT=1), release, **MASKED, not_audited={"WEIGHT": "public design weight"})
    assert candidate.verdict == "release"
    assert "WEIGHT" not in candidate.attributes


# --------------------------------------------------------------------------- degenerate data


def test_an_attribute_that_is_constant_in_the_original_is_left_out_and_listed(people, masked):
    original, release = people.assign(SAME=7), masked.assign(SAME=np.arange(len(masked)))
    candidate = audited(original, release, **MASKED)
    assert [left.attribute for left in candidate.excluded] == ["SAME"]
    assert "constant" in candidate.excluded[0].reason
    assert candidate.attributes == list(people.columns)
    assert values(candidate) == values(audited(people, masked, **MASKED))


def test_an_attribute_that_is_constant_in_the_release_only_is_named(people, masked):
    candidate = audited(people, masked.assign(FICA=0), **MASKED)
    assert any("'FICA' is constant in the release" in warning for warning in candidate.warnings)
    assert candidate.excluded == []


def test_a_release_of_constants_discloses_nothing_and_is_of_no_use(people):
    candidate = audited(people, people * 0, **MASKED)
    assert [candidate.metrics[name].value for name in VALID_IDS] == [1, 1, 1, 0]


def test_without_any_attribute_that_varies_nothing_is_released(people):
    candidate = audited(people * 0, people, **MASKED)
    assert {metric.status for metric in candidate.metrics.values()} == {"not-applicable"}
    assert candidate.verdict == "block"


@pytest.mark.parametrize("metric", ["CM2", "CM3"])
def test_with_one_attribute_cm3_is_not_applicable_and_a_person_must_decide(people, masked, metric):
    rules = [{"rule": "threshold", "metric": metric, "min": 0.05}]
    candidate = audited(people[["FICA"]], masked[["FICA"]], kind="masked", rules=rules)
    assert candidate.metrics["CM3"].status == "not-applicable"
    assert candidate.metrics["CM1"].value == pytest.approx(candidate.metrics["CM2"].value, abs=1e-9)
    assert outcomes(candidate)["no-trivial-permutation"] == "review"
    assert candidate.verdict == "review"


def test_one_synthetic_attribute_cannot_be_judged_and_blocks(people, others):
    candidate = audited(people[["FICA"]], others[["FICA"]], **SYNTHETIC)
    assert candidate.verdict == "block"
    assert "CM3 is not valid here" in finding(candidate, "cm3-for-synthetic").message


def test_duplicated_attributes_are_handled(people, masked):
    original, release = people.assign(TWIN=people["FICA"]), masked.assign(TWIN=masked["FICA"])
    candidate = audited(original, release, **MASKED)
    assert {metric.status for metric in candidate.metrics.values()} == {"ok"}
    assert candidate.metrics["CM2"].value == pytest.approx(audited(people, masked, **MASKED).metrics["CM2"].value)


@pytest.mark.parametrize("records", [1, 2, 7])
def test_too_few_records_are_an_error_and_no_verdict(people, masked, records):
    with pytest.raises(permaudit.DataError, match="too few"):
        permaudit.audit(people[:records], masked[:records], **MASKED)


def test_one_record_more_than_too_few_gives_a_verdict(people, masked):
    assert audited(people[:8], masked[:8], **MASKED).records.compared == 8


def test_a_linked_release_of_another_size_is_an_error(people, masked):
    with pytest.raises(permaudit.DataError, match="199 records"):
        permaudit.audit(people, masked[:199], **MASKED)


@pytest.mark.parametrize(("kept", "side"), [(120, "the original"), (200, "the release")])
def test_an_unlinked_release_of_another_size_is_drawn_down_and_says_so(people, others, kept, side):
    original = people if kept < 200 else people[:150]
    candidate = audited(original, others[:kept], **SYNTHETIC)
    assert candidate.records.compared == min(len(original), kept)
    assert any(warning.startswith(side) for warning in candidate.warnings)
    assert len(candidate.metrics["CM3"].replicates) > 1
    assert candidate.metrics["CM3"].std is not None


# --------------------------------------------------------------------------- the worst candidate counts


def test_the_audit_is_as_bad_as_its_worst_candidate(write_audit, permaudit, people, masked):
    candidates = {"good": {"path": "masked.csv", "kind": "masked"}, "bad": {"path": "copy.csv", "kind": "masked"}}
    audit = write_audit(candidates=candidates, files={"copy.csv": people})
    assert permaudit("run", audit, "--out", audit.parent.parent / "out").code == 1


def test_the_same_file_as_original_and_candidate_gets_a_verdict_and_no_error(write_audit, permaudit):
    audit = write_audit(candidates={"same": {"path": "original.csv", "kind": "masked"}})
    assert permaudit("run", audit, "--out", audit.parent.parent / "out").code == 1
