"""Names from files on the screen and in messages: nothing invisible, nothing that moves the cursor, nothing obeyed."""

from __future__ import annotations

import re

import pytest

NAMES = {
    "colour": "\x1b[31mred",
    "clear screen": "\x1b[2J\x1b[H",
    "title of the window": "\x1b]0;x\x07",
    "newline": "a\nVerdict: RELEASE",
    "carriage return": "a\rVerdict",
    "bidi": "abc\u202etxt",
    "zero width": "re\u200blease",
    "separator": "a\u2028b\x85c",
    "C1 control": "a\x9b31mb",
    "markup": "[/red] [bold]x[/bold] [link=http://example.org]x[/link]",
    "emoji code": ":skull:",
    "template": "{{7*7}}",
    "percent": "%s %(x)s {0}",
    "script": "<script>alert(1)</script>",
    "workflow command": "::error file=x,line=1::y",
    "old workflow command": "##[error]y",
    "pipeline command": "##vso[task.complete result=Succeeded;]",
    "long": "x" * 100_000,
    "wide": "年" * 300,
    "blank": "   ",
}
COMMAND = re.compile(r"(?m)^\s*::|##\[|##vso\[")


def harmless(text):
    """Assert that a text can be shown to a person and to a CI system."""
    assert text.replace("\n", "").isprintable()
    assert not COMMAND.search(text)
    assert max(map(len, text.splitlines())) < 1500


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_a_title_a_candidate_and_an_attribute_are_shown_as_text(write_audit, permaudit, people, tmp_path, name):
    renamed = {"FICA": name}
    audit = write_audit(
        title=name,
        attributes=dict.fromkeys([name, "FEDTAX", "INTVAL"], "numeric"),
        candidates={name: {"path": "masked.csv", "kind": "masked"}},
        files={"original.csv": people.rename(columns=renamed), "masked.csv": people.rename(columns=renamed)},
    )
    for command in (["run", audit, "--out", tmp_path / "out"], ["check", audit]):
        ran = permaudit(*command)
        assert ran.code in {0, 1, 2, 3}
        harmless(ran.out + ran.err)
    assert "49" not in ran.out.replace(str(tmp_path), "")


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_a_column_that_nobody_looked_at_is_named_as_text(write_audit, permaudit, masked, tmp_path, name):
    ran = permaudit("run", write_audit(files={"masked.csv": masked.assign(**{name: 1})}), "--out", tmp_path / "out")
    assert ran.code in {1, 2}
    harmless(ran.out + ran.err)


@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES)
def test_mistakes_in_an_audit_file_are_told_as_text(write_audit, permaudit, tmp_path, name):
    wrong = {
        "original": name,
        "attributes": {name: "numeric", "FICA": name},
        "candidates": {
            "a": {"path": name, "kind": "masked"},
            "b": {"path": "masked.csv", "kind": name},
            "c": {"anonymizer": name},
            "d": {"path": "masked.csv", "kind": "masked", name: 1},
        },
        "metrics": [name],
        "rules": [
            {"rule": name},
            {"rule": "threshold", "metric": name, "min": 0.1},
            {"rule": "threshold", "metric": "CM2", name: 0.1},
            {"rule": "threshold", "metric": "CM2", "min": 0.1, "when": {"candidate": name}},
        ],
        "seed": name,
    }
    for changes in (wrong, {"plugins": {"allow": [name]}}, {"plugins": {name: []}}):
        ran = permaudit("run", write_audit(**changes), "--out", tmp_path / "out")
        assert ran.code == 2
        assert ran.err.strip()
        harmless(ran.out + ran.err)


@pytest.mark.parametrize("name", [name for name in NAMES.values() if len(name) < 200 and "/" not in name], ids=repr)
def test_the_name_of_a_data_file_is_told_as_text(write_audit, permaudit, people, tmp_path, name):
    audit = write_audit(candidates={"x": {"path": f"{name}.csv", "kind": "masked"}})
    (audit.parent / f"{name}.csv").write_bytes(b"FICA,FEDTAX,INTVAL\n1,2,x\n")
    ran = permaudit("run", audit, "--out", tmp_path / "out")
    assert ran.code == 2
    harmless(ran.err)


def test_a_rule_and_a_metric_of_strangers_are_shown_as_text(install, write_audit, permaudit, tmp_path):
    source = r"""
from permaudit import Finding, Measured, MetricCard, NotApplicable, Parameters, RuleCard, hookimpl

permaudit_api = 1

BAD = "\x1b[2J\n::error::x \u202e"

class Metric:
    card = MetricCard(
        id="bad", title=BAD, measures="risk", better="lower", bounds=(0, 1),
        reference=BAD, summary=BAD, low=BAD, high=BAD, blind_spots=BAD,
    )

    def compute(self, pair, rng):
        raise NotApplicable(BAD)

class Rule:
    card = RuleCard(id="bad", title=BAD, why=BAD, always_on=True)
    parameters = Parameters

    def metrics(self, params, *, linked):
        return ("bad",)

    def limits(self, params):
        return ()

    def judge(self, params, case):
        return Finding(rule="bad", outcome="fail", message=BAD, why=BAD, fix=BAD, evidence={BAD: BAD})

@hookimpl
def permaudit_metrics():
    return [Metric()]

@hookimpl
def permaudit_rules():
    return [Rule()]
"""
    install("acme", {"bad": source})
    ran = permaudit("run", write_audit(plugins={"allow": ["acme"]}), "--out", tmp_path / "out")
    assert ran.code == 1
    harmless(ran.out + ran.err)
