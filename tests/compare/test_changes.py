"""What changed between two outcomes, in words."""

from __future__ import annotations

from dataclasses import asdict, replace

import pytest

import permaudit as pa
from permaudit.changes import changes
from permaudit.outcome import InputFile, Place, PolicyRecord, WaiverResult
from permaudit.verdict import verdict_of


@pytest.fixture(scope="module")
def outcome(people, masked):
    return pa.audit(people, masked, kind="masked", rules=[{"rule": "threshold", "metric": "CM2", "min": 0.05}])


def with_metric(outcome, name="CM2", **changed):
    (candidate,) = outcome.candidates
    metrics = {**candidate.metrics, name: replace(candidate.metrics[name], **changed)}
    return replace(outcome, candidates=[replace(candidate, metrics=metrics)])


def with_rule(outcome, rule="threshold", /, **changed):
    (candidate,) = outcome.candidates
    rules = [replace(one, **changed) if one.rule == rule else one for one in candidate.rules]
    verdict = verdict_of(rules)
    return replace(outcome, verdict=verdict, candidates=[replace(candidate, rules=rules, verdict=verdict)])


def metric(before, after, name="CM2"):
    """Return what became of one metric of the only candidate."""
    (candidate,) = changes(before, after).candidates
    (found,) = [one for one in candidate.metrics if one.metric == name]
    return found


def rules(before, after):
    """Return the rules that say something else."""
    (candidate,) = changes(before, after).candidates
    return {one.rule: one for one in candidate.rules if one.words}


# --------------------------------------------------------------------------- nothing


def test_an_audit_has_not_changed_from_itself(outcome):
    found = changes(outcome, outcome)
    assert (found.change, found.surroundings) == ("same", [])
    assert all(candidate.is_same for candidate in found.candidates)


def test_last_digits_of_another_processor_are_no_change(outcome):
    value = outcome.candidates[0].metrics["CM2"].value
    found = metric(outcome, with_metric(outcome, value=value + 1e-13))
    assert (found.change, found.words) == ("same", "")


# --------------------------------------------------------------------------- metrics


@pytest.mark.parametrize(("name", "better"), [("CM2", 1), ("UM", 1), ("COPIES", -1)])
def test_better_and_worse_are_the_metrics_own_words(outcome, name, better):
    low, high = (with_metric(outcome, name, value=value, interval=None) for value in (0.25, 0.75))
    up, down = metric(low, high, name), metric(high, low, name)
    assert (up.change, down.change) == (("better", "worse") if better > 0 else ("worse", "better"))
    assert up.words == f"{up.change} by 0.5000"


@pytest.mark.parametrize(
    ("before", "after", "beyond"),
    [
        ((0.3, 0.5), (0.4, 0.6), False),
        ((0.39, 0.41), (0.49, 0.51), True),
        ((0.39, 0.41), (0.3, 0.7), False),
        ((0.3, 0.7), None, False),
        ((0.39, 0.41), None, True),
        (None, (0.49, 0.51), True),
        (None, None, None),
    ],
)
def test_a_change_is_beyond_the_interval_where_neither_value_lies_in_the_others(outcome, before, after, beyond):
    found = metric(with_metric(outcome, value=0.4, interval=before), with_metric(outcome, value=0.5, interval=after))
    assert found.beyond is beyond
    words = {True: ", beyond the interval", False: ", within the interval", None: ""}[beyond]
    assert found.words == f"better by 0.1000{words}"


def test_a_small_change_is_not_written_as_none(outcome):
    found = metric(with_metric(outcome, value=0.4), with_metric(outcome, value=0.400001))
    assert "by 1.0e-06" in found.words


def test_a_metric_that_decides_no_more_is_worse_and_one_that_does_again_is_better(outcome):
    gone = with_metric(outcome, status="error", value=None, reason="it raised ValueError")
    lost, back = metric(outcome, gone), metric(gone, outcome)
    assert (lost.change, lost.words) == ("worse", "was ok, is error (it raised ValueError)")
    assert (back.change, back.words) == ("better", "was error (it raised ValueError), is ok")


def test_an_advisory_value_is_compared_and_said_not_to_decide(outcome):
    before, after = (with_metric(outcome, status="advisory", value=value, interval=None) for value in (0.4, 0.5))
    assert metric(before, after).words == "better by 0.1000 (advisory: does not decide)"


def test_metrics_that_are_only_on_one_side_are_named(outcome):
    (candidate,) = outcome.candidates
    fewer = {name: one for name, one in candidate.metrics.items() if name != "CM2"}
    without = replace(outcome, candidates=[replace(candidate, metrics=fewer)])
    assert (metric(outcome, without).change, metric(without, outcome).change) == ("removed", "added")


# --------------------------------------------------------------------------- rules


@pytest.mark.parametrize(
    ("before", "after", "change"),
    [
        ("pass", "fail", "worse"),
        ("pass", "review", "worse"),
        ("review", "error", "worse"),
        ("fail", "waived", "better"),
        ("fail", "pass", "better"),
        ("pass", "not-applicable", "other"),
        ("review", "waived", "other"),
    ],
)
def test_a_rule_is_worse_where_it_leads_to_a_worse_verdict(outcome, before, after, change):
    found = rules(with_rule(outcome, outcome=before), with_rule(outcome, outcome=after, message="so it is"))[
        "threshold"
    ]
    assert (found.change, found.words) == (change, f"was {before}, is {after}: so it is")


@pytest.mark.parametrize(
    ("evidence", "words"),
    [
        ({"min": 0.01}, "the limit is looser: min was 0.05, is 0.01"),
        ({"min": 0.5}, "the limit is tighter: min was 0.05, is 0.5"),
    ],
)
def test_a_limit_that_moved_is_told_also_where_its_rule_says_the_same(outcome, evidence, words):
    (old,) = [one.evidence for one in outcome.candidates[0].rules if one.rule == "threshold"]
    found = rules(outcome, with_rule(outcome, evidence=old | evidence))["threshold"]
    assert (found.change, found.words) == ("other", words)


def test_an_upper_limit_is_looser_the_other_way_round(outcome):
    low, high = (with_rule(outcome, evidence={"max": value}) for value in (0.1, 0.2))
    assert "looser" in rules(low, high)["threshold"].words
    assert "tighter" in rules(high, low)["threshold"].words


def test_a_rule_that_is_not_asked_for_any_more_is_named(outcome):
    (candidate,) = outcome.candidates
    fewer = [one for one in candidate.rules if one.rule != "threshold"]
    without = replace(outcome, candidates=[replace(candidate, rules=fewer)])
    assert rules(outcome, without)["threshold"].change == "removed"
    assert rules(without, outcome)["threshold"].words.startswith("asked for now: pass")


def test_several_uses_of_a_rule_are_told_apart_by_their_metric(outcome):
    (candidate,) = outcome.candidates
    (use,) = [one for one in candidate.rules if one.rule == "threshold"]
    other = replace(use, evidence={"metric": "CM1"}, outcome="fail")
    before, after = (
        replace(outcome, candidates=[replace(candidate, rules=one)]) for one in ([use, other], [other, use])
    )
    assert rules(before, after) == {}


# --------------------------------------------------------------------------- candidates and verdict


def test_verdicts_are_compared(outcome):
    blocked, doubtful = (with_rule(outcome, outcome=said) for said in ("fail", "review"))
    assert changes(outcome, blocked).change == "worse"
    assert changes(blocked, doubtful).change == "better"
    assert (changes(outcome, blocked).before, changes(outcome, blocked).after) == ("release", "block")


def test_candidates_are_matched_by_name(outcome):
    (candidate,) = outcome.candidates
    renamed = replace(outcome, candidates=[replace(candidate, name="new")])
    found = {one.candidate: one for one in changes(outcome, renamed).candidates}
    assert {name: one.change for name, one in found.items()} == {"release": "removed", "new": "added"}
    assert not any(one.is_same for one in found.values())


def test_another_release_and_other_attributes_are_told(outcome):
    (candidate,) = outcome.candidates
    changed = replace(
        candidate,
        sha256="0" * 64,
        attributes=candidate.attributes[:2],
        params={"k": 5},
        records=replace(candidate.records, released=100),
    )
    notes = changes(outcome, replace(outcome, candidates=[changed])).candidates[0].notes
    assert notes[0] == "another release: its content is not the same"
    assert "parameters: was none, is k=5" in notes
    assert "released records: was 200, is 100" in notes
    assert any(note.startswith("attributes: was FICA") for note in notes)


# --------------------------------------------------------------------------- what they were made from


def provenance(outcome, **changed):
    return replace(outcome, provenance=replace(outcome.provenance, **changed))


WAIVER = WaiverResult(
    rule="threshold",
    candidate="release",
    attribute="AGE",
    reason="x",
    approved_by=["a", "b"],
    expires="2027-01-31",
    sha256=None,
    state="applied",
    message="x",
)
POLICY = PolicyRecord(path="p.yaml", sha256="1" * 64, title="Board", pinned=True)

SURROUNDINGS = {
    "title: was 'Audit of a data frame', is 'x'": lambda one: replace(one, title="x"),
    "seed: was 0, is 7": lambda one: provenance(one, seed=7),
    "engine: was memory, is other": lambda one: provenance(one, engine="other"),
    "a study now, with a known seed": lambda one: provenance(one, study=True),
    f"policy: there was none, now it is Board (sha256 {'1' * 16}...)": lambda one: replace(one, policy=POLICY),
    "waiver of threshold for release (AGE): was none, is applied": lambda one: replace(one, waivers=[WAIVER]),
    "data.csv: is read now": lambda one: provenance(one, inputs=[InputFile(path="data.csv", sha256="2" * 64)]),
    "numpy: was {numpy}, is 9.9": lambda one: provenance(one, packages={**one.provenance.packages, "numpy": "9.9"}),
    "permaudit {permaudit}: the same version, but other files": lambda one: provenance(
        one, plugins=[replace(plugin, sha256="3" * 64) for plugin in one.provenance.plugins]
    ),
    "plugins of acme: was none, is 2.0": lambda one: provenance(
        one,
        plugins=[*one.provenance.plugins, replace(one.provenance.plugins[0], distribution="acme", version="2.0")],
    ),
}


@pytest.mark.parametrize(
    ("words", "change"), SURROUNDINGS.items(), ids=lambda value: value if isinstance(value, str) else ""
)
def test_what_an_audit_was_made_from_and_with_is_compared(outcome, words, change):
    assert changes(outcome, change(outcome)).surroundings == [words.format(**outcome.provenance.packages)]


def test_the_audit_file_may_stand_elsewhere_and_its_lines_are_counted(outcome):
    def beside(folder, text):
        path = f"{folder}/audit.yaml"
        return provenance(
            outcome,
            places={"release": Place(file=path, line=3, column=1)},
            inputs=[InputFile(path=path, sha256=str(hash(text)))],
            documents={path: text},
        )

    first, moved = beside("a", "x: 1\ny: 2\n"), beside("b", "x: 1\ny: 2\n")
    assert changes(first, moved).surroundings == []
    found = changes(first, beside("b", "x: 1\ny: 3\nz: 4\n")).surroundings
    assert found == ["the audit file: another content (lines: 2 new, 1 gone)"]


def test_files_and_policies_that_changed_are_told(outcome):
    files = [provenance(outcome, inputs=[InputFile(path="a.csv", sha256=digest * 64)]) for digest in ("1", "2")]
    assert changes(*files).surroundings == ["a.csv: another content"]
    assert changes(files[0], outcome).surroundings == ["a.csv: was read, is not any more"]
    policies = [replace(outcome, policy=replace(POLICY, sha256=digest * 64)) for digest in ("1", "2")]
    (found,) = changes(*policies).surroundings
    assert found.startswith("policy: another content")


def test_changes_are_plain_data(outcome):
    content = asdict(changes(outcome, with_rule(outcome, outcome="fail")))
    assert content["schema"] == "permaudit/changes/1"
    assert content["candidates"][0]["rules"]
