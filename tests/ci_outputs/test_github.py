"""`annotations.txt`, read as the runner of GitHub Actions reads a log."""

from __future__ import annotations

from dataclasses import replace

import pytest

from permaudit import shown
from permaudit.outcome import Place
from permaudit.report.github import to_github

from .hostile import HOSTILE, named


def unescaped(text, pairs):
    """Undo the escapes of the runner, the percent sign last."""
    for code, character in pairs:
        text = text.replace(code, character)
    return text


DATA = [("%0D", "\r"), ("%0A", "\n"), ("%25", "%")]
PROPERTY = [("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")]


def command(line):
    """Read a line as the runner does (ActionCommand.TryParseV2): `::name key=value,...::data`."""
    assert line.lstrip() == line
    assert line.startswith("::")
    end = line.index("::", 2)
    head, data = line[2:end], line[end + 2 :]
    name, _, rest = head.partition(" ")
    properties = dict(pair.strip().split("=", 1) for pair in rest.split(",") if "=" in pair)
    return name, {key: unescaped(value, PROPERTY) for key, value in properties.items()}, unescaped(data, DATA)


def commands(outcome):
    """Return the commands; a runner ends lines at every kind of line end."""
    text = to_github(outcome).decode()
    assert text.endswith("\n")
    assert text.replace("\n", "").isprintable()
    return [command(line) for line in text.splitlines()]


def judged(outcome, said, place):
    (candidate,) = outcome.candidates
    rule = replace(candidate.rules[0], outcome=said, place=place, message="50 %, so: no", fix="do\nthis")
    return replace(outcome, verdict="block", candidates=[replace(candidate, rules=[rule])])


def test_a_release_says_nothing(outcome):
    assert to_github(outcome) == b""


@pytest.mark.parametrize(("said", "name"), [("fail", "error"), ("review", "warning"), ("waived", "warning")])
def test_a_finding_is_shown_at_its_line(outcome, said, name):
    place = Place(file="audits/a,b: c%.yaml", line=12, column=5)
    verdict, (found, properties, data) = commands(judged(outcome, said, place))
    assert verdict[0] == "error"
    assert found == name
    assert (properties["file"], properties["line"], properties["col"]) == ("audits/a,b: c%.yaml", "12", "5")
    assert properties["title"] == f"permaudit: release: {outcome.candidates[0].rules[0].rule}"
    assert data == f"{said}: 50 %, so: no\nto fix: do\\nthis"


def test_a_study_is_an_error(outcome):
    ((name, _, data),) = commands(replace(outcome, provenance=replace(outcome.provenance, study=True)))
    assert name == "error"
    assert "must not be released" in data


@pytest.mark.parametrize("name", HOSTILE.values(), ids=HOSTILE)
def test_no_name_becomes_a_command(outcome, name):
    found = commands(named(outcome, name))
    assert [kind for kind, _, _ in found] == ["warning", "error", "error", "warning", "warning", "error"]
    for _, properties, data in found:
        assert set(properties) == {"file", "line", "col", "title"}
        assert (properties["file"], properties["line"]) == (shown(name, 1000).strip(), "3") or properties["line"] == "1"
        assert all(not line.startswith(("::", "##[")) for line in data.split("\n"))
        assert len(data) < 6000
