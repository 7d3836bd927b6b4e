"""The formats on the command line, and in the pipelines of docs/ci.md."""

from __future__ import annotations

import json
import os
import re
import stat
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from permaudit.report.formats import VIEWS

DOCS = Path(__file__).parents[2] / "docs"
FILES = {"audit.json", "summary.md", "junit.xml", "audit.sarif", "annotations.txt", "manifest.json"}
ALL = "json,md,junit,sarif,github"


@pytest.fixture
def blocked(write_audit, masked, people):
    """Return an audit file whose only candidate has an attribute as it was."""
    return write_audit(files={"masked.csv": masked.assign(FICA=people["FICA"])})


def test_every_format_is_written_beside_the_result(blocked, permaudit, tmp_path):
    ran = permaudit("run", blocked, "--out", tmp_path / "out", "--format", ALL)
    assert ran.code == 1
    written = {path.name for path in (tmp_path / "out").iterdir()} - {".lock"}
    assert written == FILES
    assert all(name in ran.out for name in written)


def test_a_result_in_sarif_points_at_the_very_line_of_its_rule(blocked, permaudit, tmp_path):
    permaudit("run", blocked, "--out", tmp_path / "out", "--format", "sarif", "--quiet")
    (run,) = json.loads((tmp_path / "out" / "audit.sarif").read_bytes())["runs"]
    lines = blocked.read_text(encoding="utf-8").splitlines()
    found = {}
    for result in run["results"]:
        region = result["locations"][0]["physicalLocation"]["region"]
        found[result["ruleId"]] = lines[region["startLine"] - 1][region["startColumn"] - 1 :]
    assert found["verdict"] == lines[0]
    assert found["threshold"].startswith("rule: threshold")
    assert found["no-unprotected-attribute"] == "noisy:"


def test_annotations_are_printed_where_they_were_asked_for_and_nowhere_else(blocked, permaudit, tmp_path):
    def commands(*options):
        ran = permaudit("run", blocked, "--out", tmp_path / "out", *options)
        return [line for line in ran.out.splitlines() if line.startswith("::")]

    printed = commands("--format", "github")
    assert "\n".join([*printed, ""]) == (tmp_path / "out" / "annotations.txt").read_text(encoding="utf-8")
    assert printed
    assert commands("--format", ALL.replace("github", "md")) == []
    assert commands("--format", "github", "--quiet") == []
    assert commands("--format", "github", "--json") == []


def test_nothing_magic_happens_on_a_runner(blocked, permaudit, tmp_path, monkeypatch):
    def run(name):
        ran = permaudit("run", blocked, "--out", tmp_path / name)
        files = {path.name: path.read_bytes() for path in (tmp_path / name).iterdir()}
        return ran.code, ran.out.replace(name, "out"), files

    plain = run("placid")  # as long as the other name, or lines would end elsewhere
    for variable in ("CI", "GITHUB_ACTIONS", "GITLAB_CI", "JENKINS_URL"):
        monkeypatch.setenv(variable, "true")
    summary = tmp_path / "step-summary"
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    assert run("runner") == plain
    assert not summary.exists()


def test_an_unknown_format_is_refused_with_those_that_there_are(blocked, permaudit, tmp_path):
    ran = permaudit("run", blocked, "--out", tmp_path / "out", "--format", "json,xml")
    assert ran.code == 2
    assert all(name in ran.err for name in VIEWS)
    assert not (tmp_path / "out").exists()


# --------------------------------------------------------------------------- docs/ci.md

needs_docs = pytest.mark.skipif(not DOCS.is_dir(), reason="the docs are not beside the tests: this is the built wheel")


def blocks(language):
    """Return the examples of the page in one language."""
    text = (DOCS / "ci.md").read_text(encoding="utf-8")
    return re.findall(rf"(?ms)^```{language}\n(.*?)^```", text)


def scripts():
    """Return the shell lines of the three pipelines, without installations and foreign actions."""
    github, gitlab = map(yaml.safe_load, blocks("yaml"))
    (jenkins,) = blocks("groovy")
    lines = [step["run"] for step in github["jobs"]["audit"]["steps"] if "run" in step]
    yield "GitHub Actions", lines
    yield "GitLab", [*gitlab["audit"]["script"], *gitlab["publish"]["script"]]
    yield "Jenkins", re.findall(r"sh '([^']+)'", jenkins)


@needs_docs
@pytest.mark.parametrize("verdict", ["release", "block"])
@pytest.mark.parametrize("system", ["GitHub Actions", "GitLab", "Jenkins"])
def test_the_pipelines_of_the_page_publish_what_is_released_and_nothing_else(  # noqa: PLR0913, PLR0917
    system, verdict, write_audit, masked, people, tmp_path, environment
):
    """Every step is run as its system runs it: the first that fails ends the job."""
    release = masked if verdict == "release" else masked.assign(FICA=people["FICA"])
    folder = tmp_path / "repository"
    candidates = {"vendor": {"path": "release.csv", "kind": "masked"}}
    write_audit(folder, candidates=candidates, files={"release.csv": release})
    publish = folder / "publish.sh"
    publish.write_text("#!/bin/sh\necho published > published\n", encoding="utf-8")
    publish.chmod(publish.stat().st_mode | stat.S_IXUSR)
    bin_folder = tmp_path / "bin"
    bin_folder.mkdir()
    command = bin_folder / "permaudit"
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m permaudit "$@"\n', encoding="utf-8")
    command.chmod(0o755)
    env = environment(
        PATH=f"{bin_folder}{os.pathsep}{os.environ['PATH']}", GITHUB_STEP_SUMMARY=str(tmp_path / "summary")
    )
    for line in dict(scripts())[system]:
        if "pip install" in line:
            continue
        ran = subprocess.run(
            ["bash", "-e", "-c", line], cwd=folder, env=env, capture_output=True, text=True, check=False
        )
        if ran.returncode:
            break
    assert (folder / "published").exists() == (verdict == "release"), ran.stdout + ran.stderr
    assert ran.returncode == (0 if verdict == "release" else 1)
    assert (folder / "result" / "junit.xml").exists()


@needs_docs
def test_the_page_names_every_format_and_its_file():
    text = (DOCS / "ci.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"(?m)^\| `(\w+)` \| `([\w.]+)` \|", text))
    assert rows == {name: view.file for name, view in VIEWS.items()}
