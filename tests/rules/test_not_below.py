"""No metric may be worse than in the version that was released last."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import replace

import numpy as np
import pytest

import permaudit as pa
from permaudit.report import to_json

from .cases import case_of, finding_of, full, measured

RULES = [{"rule": "threshold", "metric": "CM2", "min": 0.05}]


@pytest.fixture(scope="module")
def released(people, masked):
    """The outcome of an audit that ended in release."""
    outcome = pa.audit(people, masked, kind="masked", rules=RULES)
    assert outcome.verdict == "release"
    return outcome


def case_after(outcome, now, **parts):
    """A candidate of the next version, beside the earlier audit."""
    given = {"compared": ("FICA", "FEDTAX", "INTVAL"), "earlier": {"then.json": outcome}, "name": "release"} | parts
    return case_of(now, **given)


def judged(outcome, now, *, case=None, **params):
    return finding_of("not-below", case_after(outcome, now, **(case or {})), baseline="then.json", **params)


def values(outcome, *, plus=0.0):
    """The metrics as they were, all changed by a little."""
    metrics = outcome.candidates[0].metrics
    return {name: measured(result.value + plus) for name, result in metrics.items() if result.status == "ok"}


# --------------------------------------------------------------------------- better, as good, worse


def test_the_same_values_are_no_worse(released):
    found = judged(released, values(released))
    assert found.outcome == "pass"
    assert found.evidence["candidate"] == "release"
    assert set(found.evidence["changes"]) == set(values(released))


def test_one_metric_that_is_worse_is_enough_and_is_named(released):
    now = values(released)
    before = now["CM2"].value
    found = judged(released, now | {"CM2": measured(before - 0.01)})
    assert found.outcome == "fail"
    assert found.message == f"worse than in 'release' of then.json: CM2 was {before:.4f} and is {before - 0.01:.4f}"


def test_what_is_worse_depends_on_the_direction_of_the_metric(released):
    now = values(released)
    assert judged(released, now | {"COPIES": measured(now["COPIES"].value + 0.1)}).outcome == "fail"
    assert judged(released, now | {"CM2": measured(now["CM2"].value + 0.1)}).outcome == "pass"


def test_a_tolerance_is_the_loss_that_is_allowed(released):
    now = values(released)
    slightly = now | {"CM2": measured(now["CM2"].value - 0.01)}
    assert judged(released, slightly, tolerance=0.02).outcome == "pass"
    assert judged(released, slightly, tolerance=0.005).outcome == "fail"


def test_only_the_named_metrics_are_compared(released):
    now = values(released)
    worse = now | {"UM": measured(0.0)}
    assert judged(released, worse).outcome == "fail"
    assert judged(released, worse, metrics=["CM1", "CM2"]).outcome == "pass"


# --------------------------------------------------------------------------- what cannot be compared never passes


@pytest.mark.parametrize("status", ["advisory", "not-applicable"])
def test_a_metric_that_does_not_count_now_is_for_a_person_to_decide(released, status):
    now = values(released) | {"CM2": full(0.99, status)}
    assert judged(released, now).outcome == "review"
    assert judged(released, now, metrics=["CM2"]).outcome == "review"


def test_a_metric_that_did_not_count_then_is_for_a_person_to_decide(released):
    (candidate,) = released.candidates
    then = replace(candidate, metrics=candidate.metrics | {"CM2": full(0.01, "advisory")})
    assert judged(replace(released, candidates=[then]), values(released), metrics=["CM2"]).outcome == "review"


def test_a_metric_that_is_missing_on_either_side_is_for_a_person_to_decide(released):
    now = values(released)
    del now["UM"]
    found = judged(released, now)
    assert (found.outcome, "UM has no valid value now" in found.message) == ("review", True)
    (candidate,) = released.candidates
    without = {name: result for name, result in candidate.metrics.items() if name != "CM1"}
    then = replace(released, candidates=[replace(candidate, metrics=without)])
    found = judged(then, values(released), metrics=["CM1"])
    assert (found.outcome, "CM1 has no valid value then" in found.message) == ("review", True)


def test_a_named_metric_that_is_broken_or_not_computed_is_an_error(released):
    now = values(released)
    assert judged(released, now | {"CM2": measured(None, "error")}, metrics=["CM2"]).outcome == "error"
    del now["CM2"]
    assert judged(released, now, metrics=["CM2"]).outcome == "error"


def test_an_audit_without_any_valid_metric_is_no_yardstick(released):
    (candidate,) = released.candidates
    empty = replace(released, candidates=[replace(candidate, metrics={})])
    assert judged(empty, values(released)).outcome == "review"


@pytest.mark.parametrize("verdict", ["review", "block"])
def test_a_version_that_was_not_released_is_no_yardstick_and_that_is_said(released, verdict):
    (candidate,) = released.candidates
    then = replace(released, verdict=verdict, candidates=[replace(candidate, verdict=verdict)])
    found = judged(then, values(released))
    assert found.outcome == "review"
    assert f"its verdict was '{verdict}', not 'release'" in found.message


def test_a_study_is_no_yardstick(released):
    study = replace(released, provenance=replace(released.provenance, study=True))
    assert judged(study, values(released)).outcome == "review"


def test_other_attributes_make_other_numbers(released):
    found = judged(released, values(released), case={"compared": ("FICA", "FEDTAX")})
    assert found.outcome == "review"
    assert "not the same attributes were compared (INTVAL)" in found.message
    worse = values(released) | {"CM2": measured(0.0)}
    found = judged(released, worse, case={"compared": ("FICA", "FEDTAX")})
    assert found.outcome == "fail"
    assert "not the same attributes were compared (INTVAL)" in found.message


def test_an_unlinked_version_is_not_compared_with_a_linked_one(released):
    found = judged(released, values(released, plus=0.0), case={"linked": False, "kind": "masked"})
    assert found.outcome == "review"


# --------------------------------------------------------------------------- which candidate


def renamed(outcome, *names):
    (candidate,) = outcome.candidates
    return replace(outcome, candidates=[replace(candidate, name=name) for name in names])


def test_a_candidate_is_found_by_its_name_or_else_by_its_kind(released):
    now = values(released)
    assert judged(renamed(released, "other", "release"), now).evidence["candidate"] == "release"
    assert judged(renamed(released, "other"), now).evidence["candidate"] == "other"
    assert judged(renamed(released, "one", "other"), now, candidate="one").evidence["candidate"] == "one"


def test_which_candidate_is_meant_is_never_guessed(released):
    now = values(released)
    several = judged(renamed(released, "one", "other"), now)
    assert (several.outcome, "and several other masked ones" in several.message) == ("review", True)
    unknown = judged(released, now, candidate="nobody")
    assert (unknown.outcome, unknown.message) == ("review", "the earlier audit has no candidate 'nobody'")
    none = judged(released, now, case={"name": "new", "linked": False})
    assert (none.outcome, "and no other synthetic ones" in none.message) == ("review", True)


# --------------------------------------------------------------------------- whole audits


@pytest.fixture
def next_audit(write_audit, released, tmp_path):
    """Return a function that writes the earlier result beside the next audit file."""

    def write(content=None, **changes):
        path = write_audit(**({"rules": [*RULES, {"rule": "not-below", "baseline": "last/audit.json"}]} | changes))
        (path.parent / "last").mkdir(exist_ok=True)
        (path.parent / "last" / "audit.json").write_bytes(to_json(released) if content is None else content)
        return path

    return write


def findings(folder):
    result = json.loads((folder / "audit.json").read_text("utf-8"))
    return result, {found["rule"]: found for found in result["candidates"][0]["rules"]}


def test_the_next_version_is_released_if_it_is_as_good(permaudit, next_audit, tmp_path):
    path = next_audit()
    assert permaudit("run", path, "--out", tmp_path / "out").code == 0
    result, found = findings(tmp_path / "out")
    assert found["not-below"]["outcome"] == "pass"
    digest = hashlib.sha256((path.parent / "last" / "audit.json").read_bytes()).hexdigest()
    assert {"path": "last/audit.json", "sha256": digest} in result["provenance"]["inputs"]


def test_the_next_version_is_blocked_if_it_is_worse(permaudit, next_audit, people, tmp_path):
    rng = np.random.default_rng(8)
    weaker = people + rng.normal(0, people.std().to_numpy(), people.shape)
    assert permaudit("run", next_audit(files={"masked.csv": weaker}), "--out", tmp_path / "out").code == 1
    _, found = findings(tmp_path / "out")
    assert found["threshold"]["outcome"] == "pass"
    assert found["not-below"]["outcome"] == "fail"


def test_it_judges_nothing_by_itself(permaudit, next_audit, tmp_path):
    path = next_audit(rules=[{"rule": "not-below", "baseline": "last/audit.json"}])
    assert permaudit("run", path, "--out", tmp_path / "out").code == 3


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "not a result of permaudit"),
        (b"{}", "not a result of permaudit"),
        (b'{"schema": "permaudit/result/2"}', "not a result of permaudit"),
        (b"\xff\xfe\x00", "not a result of permaudit"),
        (b"[" * 100_000, "not a result of permaudit"),
        (b'{"schema": "permaudit/result/1", "verdict": "CANARY-4711"}', "not a result of permaudit"),
    ],
)
def test_what_is_no_result_stops_the_audit_with_a_clear_message(permaudit, next_audit, tmp_path, content, words):
    ran = permaudit("run", next_audit(content), "--out", tmp_path / "out")
    assert ran.code == 2
    assert f"last/audit.json: {words}" in ran.err
    assert "CANARY" not in ran.err
    assert not (tmp_path / "out" / "audit.json").exists()


def test_a_result_that_is_not_there_is_found_before_anything_is_read(permaudit, next_audit, tmp_path):
    path = next_audit(rules=[{"rule": "not-below", "baseline": "lost/audit.json"}])
    for command in ("check", "run"):
        ran = permaudit(command, path)
        assert ran.code == 2
        assert "rules[0].baseline does not exist: 'lost/audit.json'" in ran.err


def test_a_pipe_is_no_result_and_does_not_hang(permaudit, next_audit):
    path = next_audit(rules=[{"rule": "not-below", "baseline": "pipe"}])
    os.mkfifo(path.parent / "pipe")
    ran = permaudit("run", path)
    assert ran.code == 2
    assert "must be a regular file" in ran.err


def test_the_root_confines_earlier_results_too(permaudit, next_audit, released, tmp_path):
    (tmp_path / "outside.json").write_bytes(to_json(released))
    path = next_audit(rules=[*RULES, {"rule": "not-below", "baseline": "../outside.json"}])
    ran = permaudit("run", path, "--root", path.parent)
    assert ran.code == 2
    assert "leads out of the root directory" in ran.err


def test_the_python_call_reads_a_result_from_the_working_directory(people, masked, released, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "then.json").write_bytes(to_json(released))
    rules = [*RULES, {"rule": "not-below", "baseline": "then.json"}]
    outcome = pa.audit(people, masked, kind="masked", rules=rules)
    assert outcome.verdict == "release"
    with pytest.raises(pa.DataError, match=r"nowhere\.json"):
        pa.audit(people, masked, kind="masked", rules=[{"rule": "not-below", "baseline": "nowhere.json"}])


def test_a_cached_point_of_a_sweep_is_judged_again_when_the_earlier_result_changes(
    permaudit, next_audit, released, tmp_path
):
    sweeps = {"noise": {"anonymizer": "additive-noise", "params": {"alpha": [1.0]}}}
    rule = {"rule": "not-below", "baseline": "last/audit.json", "candidate": "release", "metrics": ["CM2"]}
    outcomes = []
    for value in (0.0, 1.0):
        (candidate,) = released.candidates
        cm2 = replace(candidate.metrics["CM2"], value=value)
        then = replace(released, candidates=[replace(candidate, metrics=candidate.metrics | {"CM2": cm2})])
        path = next_audit(to_json(then), candidates=None, sweeps=sweeps, rules=[*RULES, rule])
        permaudit("run", path, "--out", tmp_path / "out", "--study-seed", 3)
        outcomes.append(findings(tmp_path / "out")[1]["not-below"]["outcome"])
    assert outcomes == ["pass", "fail"]
