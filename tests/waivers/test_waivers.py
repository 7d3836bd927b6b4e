"""What becomes of a waiver, and that no waiver ever turns a rule into a passed one."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
from dataclasses import replace
from pathlib import Path

import hypothesis.strategies as st
import pytest
from hypothesis import given, settings

from permaudit.cli.loading import load_audit
from permaudit.outcome import CandidateResult, Finding, Records
from permaudit.plan import FileSource, Policy, Waiver
from permaudit.runner import run_audit
from permaudit.verdict import verdict_of
from permaudit.waivers import apply_waivers

TODAY = dt.date(2026, 11, 18)
SOON = dt.date(2027, 1, 31)


def waiver(rule="no-unprotected-attribute", **parts):
    """A waiver that holds for FICA of the candidate."""
    usual = {"candidate": "noisy", "attribute": "FICA", "reason": "public anyway", "expires": SOON}
    return Waiver(rule=rule, approved_by=("Ada", "Grace"), **(usual | parts))


def result_of(*findings: Finding, **parts) -> CandidateResult:
    """A candidate of which these things were found."""
    usual = {
        "name": "noisy",
        "kind": "masked",
        "linkage": "row",
        "records": Records(original=9, released=9, compared=9),
        "attributes": ["FICA", "AGE"],
        "metrics": {},
        "anonymizer": None,
        "params": {},
        "excluded": [],
        "columns": [],
        "coverage": {},
        "warnings": [],
        "sha256": "ab" * 32,
    }
    return CandidateResult(rules=list(findings), verdict=verdict_of(findings), **(usual | parts))


def applied(result, waivers, *, policy=None, limits=None, today=TODAY):
    """Apply waivers to one candidate; return it, what the host says of them, and their states."""
    metrics = {"noisy": limits if limits is not None else [() for _ in result.rules]}
    (done,), records = apply_waivers([result], waivers, policy, metrics, today)
    return done, done.rules[-1], [record.state for record in records]


BARE = Finding(
    rule="no-unprotected-attribute", outcome="fail", message="FICA keeps its rank order", attributes=["FICA"]
)
FINE = Finding(rule="no-identifiers", outcome="pass", message="no declared identifier is in the release")


def test_a_waived_rule_needs_a_person_and_says_what_it_found_who_waived_it_and_until_when():
    done, host, states = applied(result_of(BARE, FINE), [waiver()])
    found = done.rules[0]
    assert (found.outcome, found.message) == ("waived", BARE.message)
    assert (found.waived.outcome, found.waived.reason) == ("fail", "public anyway")
    assert (found.waived.approved_by, found.waived.expires) == (["Ada", "Grace"], "2027-01-31")
    assert states == ["applied"]
    assert host.outcome == "pass"
    assert done.verdict == "review"


@pytest.mark.parametrize(
    ("change", "state"),
    [
        ({"expires": TODAY - dt.timedelta(days=1)}, "expired"),
        ({"sha256": "cd" * 32}, "mismatched"),
        ({"attribute": None}, "refused"),
        ({"attribute": "AGE"}, "unused"),
        ({"rule": "no-identifiers"}, "unused"),
        ({"rule": "records-accounted"}, "unused"),
        ({"rule": "judged-by-a-threshold"}, "refused"),
    ],
    ids=["expired", "another content", "too broad", "another attribute", "not needed", "no such finding", "the host's"],
)
def test_a_waiver_that_does_not_hold_changes_nothing_and_is_itself_for_a_person_to_see(change, state):
    done, host, states = applied(result_of(BARE, FINE), [waiver(**change)])
    assert done.rules[:2] == [BARE, FINE]
    assert states == [state]
    assert (host.rule, host.outcome) == ("waivers-in-order", "review")
    assert done.verdict == "block"


def test_a_waiver_that_is_not_needed_any_more_keeps_a_good_release_from_going_out_unseen():
    done, host, states = applied(result_of(FINE), [waiver(rule="no-identifiers", attribute=None)])
    assert states == ["unused"]
    assert host.outcome == "review"
    assert done.verdict == "review"


@pytest.mark.parametrize(("today", "state"), [(SOON, "applied"), (SOON + dt.timedelta(days=1), "expired")])
def test_a_waiver_holds_to_the_end_of_its_last_day(today, state):
    assert applied(result_of(BARE), [waiver()], today=today)[2] == [state]


def test_a_waiver_that_is_bound_to_the_release_holds_for_that_content_only():
    assert applied(result_of(BARE), [waiver(sha256="ab" * 32)])[2] == ["applied"]
    assert applied(result_of(BARE, sha256=None), [waiver(sha256="ab" * 32)])[2] == ["mismatched"]


def test_every_attribute_that_a_rule_speaks_against_needs_a_waiver_of_its_own():
    both = replace(BARE, attributes=["FICA", "AGE"])
    done, _, states = applied(result_of(both), [waiver()])
    assert done.rules[0] == both
    assert states == ["unused"]
    done, _, states = applied(result_of(both), [waiver(), waiver(attribute="AGE", expires=TODAY)])
    assert done.rules[0].outcome == "waived"
    assert done.rules[0].waived.expires == TODAY.isoformat()
    assert states == ["applied", "applied"]


def test_a_limit_is_waived_by_its_metric_where_the_rule_speaks_against_several():
    low = [Finding(rule="threshold", outcome="fail", message=name) for name in ("CM1", "CM2")]
    limits = [("CM1",), ("CM2",)]
    done, _, states = applied(result_of(*low), [waiver(rule="threshold", attribute=None)], limits=limits)
    assert states == ["refused"]
    assert done.rules[:2] == low
    for name, outcomes in (("CM1", ["waived", "fail"]), ("CM2", ["fail", "waived"])):
        one = waiver(rule="threshold", attribute=None, metric=name)
        done, _, states = applied(result_of(*low), [one], limits=limits)
        assert states == ["applied"]
        assert [finding.outcome for finding in done.rules[:2]] == outcomes
        assert done.verdict == "block"


def test_what_could_not_be_judged_cannot_be_waived():
    broken = replace(BARE, outcome="error")
    done, host, states = applied(result_of(broken), [waiver()])
    assert done.rules[0] == broken
    assert states == ["refused"]
    assert done.verdict == "block"
    assert host.outcome == "review"


def test_a_policy_says_what_may_be_waived_and_for_how_long():
    board = Policy(title="b", file=FileSource(path=Path("b"), shown="b"), pinned=False)
    assert applied(result_of(BARE), [waiver()], policy=board)[2] == ["applied"]
    assert applied(result_of(BARE), [waiver()], policy=replace(board, waivable=()))[2] == ["refused"]
    assert applied(result_of(BARE), [waiver()], policy=replace(board, waivable=(BARE.rule,)))[2] == ["applied"]
    days = (SOON - TODAY).days
    assert applied(result_of(BARE), [waiver()], policy=replace(board, most_days=days))[2] == ["applied"]
    assert applied(result_of(BARE), [waiver()], policy=replace(board, most_days=days - 1))[2] == ["refused"]


def test_a_waiver_of_one_candidate_does_nothing_to_another():
    others = [result_of(BARE), result_of(BARE, name="other")]
    (one, other), records = apply_waivers(others, [waiver()], None, {"noisy": [()]}, TODAY)
    assert (one.rules[0].outcome, other) == ("waived", others[1])
    assert len(records) == 1


OUTCOMES = st.sampled_from(["pass", "fail", "review", "not-applicable", "error"])
RULES = st.sampled_from(["no-unprotected-attribute", "threshold", "no-identifiers", "records-accounted"])
NAMES = st.sampled_from(["FICA", "AGE"])
FINDINGS = st.lists(
    st.builds(
        lambda rule, outcome, names: Finding(rule=rule, outcome=outcome, message="made up", attributes=names),
        RULES,
        OUTCOMES,
        st.lists(NAMES, unique=True, max_size=2),
    ),
    min_size=1,
    max_size=6,
)
WAIVERS = st.lists(
    st.builds(
        lambda rule, name, metric, days, digest: waiver(
            rule, attribute=name, metric=metric, expires=TODAY + dt.timedelta(days=days), sha256=digest
        ),
        RULES,
        st.none() | NAMES,
        st.sampled_from([None, "CM1"]),
        st.integers(-2, 2),
        st.sampled_from([None, "ab" * 32, "cd" * 32]),
    ),
    min_size=1,
    max_size=6,
)


@settings(max_examples=500)
@given(FINDINGS, WAIVERS)
def test_no_waiver_ever_turns_anything_into_a_pass_or_a_release(findings, waivers):
    before = result_of(*findings)
    done, host, _ = applied(before, waivers, limits=[("CM1",) if one.rule == "threshold" else () for one in findings])
    for old, new in zip(before.rules, done.rules, strict=False):
        assert new == old or (new.outcome == "waived" and old.outcome in {"fail", "review"})
    assert done.verdict != "release" or (before.verdict == "release" and host.outcome == "pass")
    # One waiver at least was given: either it was applied, or the host asks for a person.
    assert done.verdict != "release"


# --------------------------------------------------------------------------- from the file to the outputs


@pytest.fixture
def bare(write_audit, people, masked):
    """Return a function that writes an audit of a release with one bare attribute, and of its waivers."""

    def write(*waivers, **changes):
        entries = [
            {
                "rule": "no-unprotected-attribute",
                "candidate": "noisy",
                "attribute": "FICA",
                "reason": "published anyway in the yearbook",
                "approved-by": ["Ada Byron", "Grace Hopper"],
                "expires": "2099-12-31",
            }
            | one
            for one in waivers
        ]
        rules = [{"rule": "threshold", "metric": "CM3", "min": 0.05}]
        files = {"masked.csv": masked.assign(FICA=people["FICA"])}
        return write_audit(files=files, **({"rules": rules, "waivers": entries} | changes))

    return write


def test_waivers_stand_before_every_verdict_in_every_output(bare, permaudit, tmp_path):
    ran = permaudit("run", bare({}), "--out", tmp_path / "out", "--format", "json,md,junit,sarif,github,html")
    assert ran.code in {1, 3}
    words = "published anyway in the yearbook"
    outputs = {"screen": ran.out} | {
        name: (tmp_path / "out" / name).read_text("utf-8")
        for name in ("audit.json", "summary.md", "junit.xml", "audit.sarif", "annotations.txt", "report.html")
    }
    for name, text in outputs.items():
        assert words in text, name
    for name in ("screen", "summary.md"):
        assert outputs[name].index(words) < outputs[name].index("CM3"), name
    assert list(json.loads(outputs["audit.json"])).index("waivers") < list(json.loads(outputs["audit.json"])).index(
        "candidates"
    )
    assert outputs["junit.xml"].index(words) < outputs["junit.xml"].index('name="noisy')
    assert words in outputs["annotations.txt"].splitlines()[0]


def test_a_waiver_is_bound_to_the_file_that_goes_out(bare, people, masked):
    path = bare({})
    digest = hashlib.sha256((path.parent / "masked.csv").read_bytes()).hexdigest()
    for text, state in ((digest, "applied"), (digest.upper(), "applied"), ("0" * 64, "mismatched")):
        audit, host = load_audit(bare({"sha256": text}))
        outcome = run_audit(audit, host, today=TODAY)
        assert [waiver.state for waiver in outcome.waivers] == [state]
        (found,) = [one for one in outcome.candidates[0].rules if one.rule == "no-unprotected-attribute"]
        assert found.outcome == ("waived" if state == "applied" else "fail")


def test_an_expired_waiver_is_told_before_the_audit_and_blocks_in_it(bare, permaudit, tmp_path):
    path = bare({"expires": "2020-01-01"})
    checked = permaudit("check", path)
    assert checked.code == 0
    assert "this waiver expired on 2020-01-01" in checked.out
    ran = permaudit("run", path, "--out", tmp_path / "out")
    assert ran.code == 1
    assert "not applied: it expired on 2020-01-01" in " ".join(ran.out.split())


def test_a_result_kept_from_an_earlier_run_does_not_keep_its_waivers(bare, permaudit, tmp_path):
    """What a sweep keeps for the next run must not know of waivers: they expire."""
    rule = [{"rule": "threshold", "metric": "CM2", "min": 0.99}]
    sweep = {"noise": {"anonymizer": "additive-noise", "params": {"alpha": [0.5]}}}
    given = {"rule": "threshold", "candidate": "noise alpha=0.5", "reason": "for now", "approved-by": ["Ada", "Grace"]}
    out = ("--out", tmp_path / "out", "--study-seed", 1)
    changes = {"candidates": None, "sweeps": sweep, "rules": rule}

    def outcome_of(expires):
        audit = bare(**changes | {"waivers": [given | {"expires": expires}]})
        permaudit("run", audit, *out)
        (candidate,) = json.loads((tmp_path / "out" / "audit.json").read_bytes())["candidates"]
        return [one["outcome"] for one in candidate["rules"] if one["rule"] == "threshold"]

    assert outcome_of("2099-01-01") == ["waived"]
    assert outcome_of("2020-01-01") == ["fail"]
