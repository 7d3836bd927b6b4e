"""`permaudit compare`: two results on one screen, and the exit code of the later one."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace

import pytest
import yaml

from permaudit.bundle import open_bundle
from permaudit.cli.loading import load_audit
from permaudit.cli.output import write_outcome
from permaudit.report import from_json, to_json
from permaudit.report.about import about
from permaudit.runner import run_audit


@pytest.fixture(scope="module")
def made(tmp_path_factory, people, masked):
    """Make the results of two audits: the second release is closer to the original."""
    folder = tmp_path_factory.mktemp("compared")
    people.to_csv(folder / "original.csv", index=False)
    for name, seed, release in (("a", 1, masked), ("b", 2, people + (masked - people) / 8)):
        release.to_csv(folder / "masked.csv", index=False)
        content = {
            "permaudit": 1,
            "title": "A small audit",
            "original": "original.csv",
            "attributes": dict.fromkeys(people.columns, "numeric"),
            "candidates": {"noisy": {"path": "masked.csv", "kind": "masked"}},
            "rules": [{"rule": "threshold", "metric": "CM2", "min": 0.05}],
            "seed": seed,
        }
        (folder / "audit.yaml").write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")
        audit, host = load_audit(folder / "audit.yaml")
        with open_bundle(folder / name) as bundle:
            write_outcome(bundle, run_audit(audit, host), ("json",), host.catalogue)
    return folder


@pytest.fixture
def results(made, tmp_path):
    """Return copies of the two results, which a test may harm."""
    return tuple(shutil.copytree(made / name, tmp_path / name) for name in "ab")


def test_it_says_in_words_what_changed(results, permaudit, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    before, after = results
    ran = permaudit("compare", before, after)
    assert ran.code == 1
    for part in (
        "seed: was 1, is 2",
        "masked.csv: another content",
        "the audit file: another content",
        "✔ RELEASE → ✖ BLOCK  worse",
        "beyond the interval",
        "threshold: was pass, is fail: CM2 is",
        "rules as before",
    ):
        assert part in ran.out
    assert max(map(len, ran.out.splitlines())) <= 80


def test_the_exit_code_is_the_verdict_of_the_later_audit(results, permaudit):
    before, after = results
    assert permaudit("compare", after, before, "--quiet").code == 0
    assert permaudit("compare", after, after).code == 1
    assert permaudit("compare", before, before).code == 0


def test_a_result_is_a_directory_or_a_file(results, permaudit):
    before, _ = results
    ran = permaudit("compare", before / "audit.json", before)
    assert ran.code == 0
    assert "= unchanged: noisy" in ran.out


def test_programs_get_json(results, permaudit):
    ran = permaudit("compare", *results, "--json")
    found = json.loads(ran.out)
    assert (found["before"], found["after"], found["change"]) == ("release", "block", "worse")
    (candidate,) = found["candidates"]
    assert {one["metric"]: one["change"] for one in candidate["metrics"]}["CM2"] == "worse"


def rewritten(directory, outcome):
    """Write an outcome into a new bundle."""
    with open_bundle(directory) as bundle:
        bundle.write({"audit.json": to_json(outcome)}, about(outcome))
    return directory


def test_a_study_lets_nothing_through(results, permaudit, tmp_path):
    before, _ = results
    outcome = from_json((before / "audit.json").read_bytes())
    study = rewritten(tmp_path / "study", replace(outcome, provenance=replace(outcome.provenance, study=True)))
    ran = permaudit("compare", before, study)
    assert (ran.code, "must not be released" in ran.out) == (1, True)


def test_what_is_no_result_or_was_touched_is_refused(results, permaudit, tmp_path):
    before, after = results
    (tmp_path / "empty").mkdir()
    (tmp_path / "text").write_bytes(b"CANARY-4711")
    outcome = from_json((after / "audit.json").read_bytes())
    forged = rewritten(tmp_path / "forged", replace(outcome, verdict="release"))
    path = after / "audit.json"
    path.write_bytes(path.read_bytes().replace(b'"block"', b'"release"'))
    for wrong in (tmp_path / "nowhere", tmp_path / "empty", tmp_path / "text", forged, after):
        for sides in ([before, wrong], [wrong, before]):
            ran = permaudit("compare", *sides)
            assert (ran.code, ran.out, ran.log) == (2, "", "")
            assert ran.err.strip()
            assert "4711" not in ran.err


@pytest.mark.parametrize("name", ["\x1b[2J", "a\n::error::x", "[/red]", "\u202etxt", "x" * 5000])
def test_hostile_names_are_shown_as_text(results, permaudit, tmp_path, name):
    before, _ = results
    outcome = from_json((before / "audit.json").read_bytes())
    (candidate,) = outcome.candidates
    other = replace(
        candidate,
        name=name,
        params={name: name},
        rules=[replace(one, message=name) for one in candidate.rules],
        metrics={key: replace(one, status="error", value=None, reason=name) for key, one in candidate.metrics.items()},
    )
    same = replace(other, metrics=candidate.metrics, attributes=[name])
    sides = [
        rewritten(tmp_path / str(number), replace(outcome, title=name, candidates=[one]))
        for number, one in enumerate((other, same))
    ]
    ran = permaudit("compare", *sides)
    assert ran.code == 0
    assert ran.out.replace("\n", "").isprintable()
    assert not any(line.lstrip().startswith(("::", "##[")) for line in ran.out.splitlines())
    assert len(ran.out) < 20_000
