"""Every example of docs/writing-plugins.md is installed and run."""

from __future__ import annotations

import importlib
import json
import re
import tomllib
from pathlib import Path

import pytest
import yaml

from permaudit.testing import (
    ConformanceError,
    check_anonymizer,
    check_metric,
    check_reader,
    check_rule,
    original_of,
)

PAGE = Path(__file__).parents[2] / "docs" / "writing-plugins.md"
if not PAGE.exists():
    pytest.skip("the docs are not beside the tests: this is the built wheel", allow_module_level=True)

SECTIONS = dict(re.findall(r"(?ms)^## (.+?)\n(.*?)(?=^## |\Z)", PAGE.read_text(encoding="utf-8")))
KINDS = [
    "A metric",
    "An anonymizer",
    "A rule",
    "A reader",
    "An engine",
    "A template set",
    "A section of the report",
]
MOST_LINES = 25


def blocks(section: str, language: str) -> list[str]:
    return re.findall(rf"(?s)```{language}\n(.*?)```", SECTIONS[section])


def module_of(section: str) -> str:
    return "acme_" + re.sub(r"\W+", "_", section).lower()


@pytest.fixture
def audited(distribution, child, write_audit, people):
    """Return a function that installs an example, adds its lines to an audit file, and runs the audit."""

    def run(section: str, *options: str):
        folder = distribution("acme-plugins", {module_of(section): blocks(section, "python")[0]})
        for css in blocks(section, "css"):
            style = folder / re.match(r"/\* (\S+) \*/", css)[1]
            style.parent.mkdir(parents=True)
            style.write_text(css, encoding="utf-8")
        lines = {name: value for text in blocks(section, "yaml") for name, value in yaml.safe_load(text).items()}
        path = write_audit(plugins={"allow": ["acme-plugins"]}, **lines)
        (path.parent / "people.table").write_text(json.dumps(people.to_dict("list")), encoding="utf-8")
        ran = child("run", path, "--out", path.parent / "out", *options, env={"PYTHONPATH": str(folder)})
        assert ran.returncode == 0, ran.stdout + ran.stderr
        return json.loads((path.parent / "out" / "audit.json").read_bytes()), path.parent / "out"

    return run


@pytest.fixture
def example(install):
    """Return a function that imports an example."""

    def load(section: str):
        install("acme-plugins", {module_of(section): blocks(section, "python")[0]})
        return importlib.import_module(module_of(section))

    return load


@pytest.mark.parametrize("section", KINDS)
def test_an_example_has_fewer_lines_than_it_takes_to_lose_sight(section):
    [text] = blocks(section, "python")
    assert len(text.splitlines()) < MOST_LINES


def test_no_kind_of_object_is_left_out():
    from permaudit import hookspecs  # noqa: PLC0415 - the list that the page must cover

    hooks = {name for name in vars(hookspecs) if name.startswith("permaudit_")}
    shown = {name for section in KINDS for name in re.findall(r"def (permaudit_\w+)", blocks(section, "python")[0])}
    assert shown == hooks


# --------------------------------------------------------------------------- each in an audit


def test_the_metric_judges_a_release(audited):
    outcome, _ = audited("A metric")
    [candidate] = outcome["candidates"]
    assert 0.2 <= candidate["metrics"]["ACME-ORDER"]["value"] <= 1
    assert [rule["outcome"] for rule in candidate["rules"] if rule["rule"] == "threshold"] == ["pass", "pass"]


def test_the_anonymizer_makes_a_release(audited):
    outcome, _ = audited("An anonymizer")
    [candidate] = outcome["candidates"]
    assert (candidate["anonymizer"], candidate["params"]) == ("acme-noise", {"share": 2})


def test_the_rule_judges(audited):
    outcome, _ = audited("A rule")
    [finding] = [rule for rule in outcome["candidates"][0]["rules"] if rule["rule"] == "acme-enough"]
    assert (finding["outcome"], finding["message"]) == ("pass", "200 records are released; demanded are 100")


def test_the_reader_reads(audited):
    outcome, _ = audited("A reader")
    assert "people.table" in {file["path"] for file in outcome["provenance"]["inputs"]}
    assert outcome["candidates"][0]["records"]["original"] == 200


def test_the_engine_gives_the_numbers_of_the_built_in_one(audited, permaudit, write_audit, tmp_path):
    outcome, _ = audited("An engine", "--engine", "acme-plain")
    assert outcome["provenance"]["engine"] == "acme-plain"
    assert permaudit("run", write_audit(tmp_path / "built-in"), "--out", tmp_path / "own").code == 0
    own = json.loads((tmp_path / "own" / "audit.json").read_bytes())
    numbers, expected = (
        {name: result["value"] for name, result in one["candidates"][0]["metrics"].items()} for one in (outcome, own)
    )
    assert numbers == expected


def test_the_template_set_changes_the_report(audited):
    _, out = audited("A template set")
    assert "rebeccapurple" in (out / "report.html").read_text(encoding="utf-8")


def test_the_section_stands_in_the_report(audited):
    pytest.importorskip("matplotlib")
    _, out = audited("A section of the report")
    page = (out / "report.html").read_text(encoding="utf-8")
    assert "Where ranks are spread" in page
    assert "Ties take rank variance away." in page
    assert 'id="candidate-1-x0' in page  # the drawing


# --------------------------------------------------------------------------- each against the contract


def test_the_examples_keep_the_contract(example, tmp_path):
    check_metric(example("A metric").LostOrder())
    check_metric(example("A section of the report").Spread())
    check_anonymizer(example("An anonymizer").Noise(), refuses=[original_of({"JOB": ["smith", "baker"] * 30})])
    check_rule(example("A rule").EnoughRecords())
    path = tmp_path / "people.table"
    cells = {"NAME": ["Anna", "Bert"], "AGE": [31, 64]}
    path.write_text(json.dumps(cells), encoding="utf-8")
    check_reader(example("A reader").JsonTable(), path, expected=cells)


def test_the_check_of_the_page_runs(example):
    [text] = blocks("Does it keep the contract?", "python")
    exec(text, {"LostOrder": example("A metric").LostOrder})
    with pytest.raises(ConformanceError):
        exec(text, {"LostOrder": object})


def test_the_five_minutes_lead_to_a_report(child, tmp_path, people, masked):
    """With the source on the path and its entry point beside it, which is what an editable installation comes to."""
    [commands], [audit] = blocks("In five minutes", "console"), blocks("In five minutes", "yaml")
    new, cd, *_, test = [line.partition("#")[0].split() for line in commands.splitlines()]
    assert child(*new[1:], cwd=tmp_path).returncode == 0
    source = tmp_path / cd[1] / "src"
    ran = child(*test[1:], python=(), cwd=tmp_path / cd[1], env={"PYTHONPATH": str(source)})
    assert ran.returncode == 0, ran.stdout
    project = (source.parent / "pyproject.toml").read_text(encoding="utf-8")
    [lines] = blocks("In five minutes", "toml")
    assert lines in project
    info = source / "acme_distance-0.1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-distance\nVersion: 0.1.0\n", encoding="utf-8")
    points = tomllib.loads(lines)["project"]["entry-points"]["permaudit"]
    text = "".join(f"{name} = {module}\n" for name, module in points.items())
    (info / "entry_points.txt").write_text(f"[permaudit]\n{text}", encoding="utf-8")
    people.to_csv(tmp_path / "original.csv", index=False)
    masked.to_csv(tmp_path / "masked.csv", index=False)
    (tmp_path / "audit.yaml").write_text(audit, encoding="utf-8")
    ran = child("run", "audit.yaml", cwd=tmp_path, env={"PYTHONPATH": str(source)})
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "ACME-DISTANCE" in ran.stdout
    assert "ACME-DISTANCE" in (tmp_path / "permaudit-out" / "report.html").read_text(encoding="utf-8")
    ran = child(
        "plugins", "show", "ACME-DISTANCE", "--audit", "audit.yaml", cwd=tmp_path, env={"PYTHONPATH": str(source)}
    )
    assert ran.stdout.startswith("ACME-DISTANCE: Lost order"), ran.stderr
    ran = child("plugins", "show", "ACME-DISTANCE", cwd=tmp_path, env={"PYTHONPATH": str(source)})
    assert "shown with --audit and the audit file that allows it" in ran.stderr
