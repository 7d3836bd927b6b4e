"""`permaudit plugins new`: what it writes is installed and tested for real, and takes part in an audit."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib

import pytest
import yaml

from permaudit.hookspecs import API
from permaudit.scaffold import KINDS

FILES = {"pyproject.toml", "README.md", ".gitignore", ".github/workflows/test.yml"}


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """Write one plugin of each kind, and install them all into one folder."""
    folder = tmp_path_factory.mktemp("plugins")
    site = folder / "site"
    for kind in KINDS:
        command = [sys.executable, "-m", "permaudit", "plugins", "new", f"acme-{kind}", "--kind", kind]
        subprocess.run([*command, "--into", str(folder)], check=True, capture_output=True)
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
    sources = [str(folder / f"acme-{kind}") for kind in KINDS]
    subprocess.run([*pip, "--no-build-isolation", "--target", str(site), *sources], check=True, capture_output=True)
    return folder


def path_of(installed):
    return os.pathsep.join(filter(None, [str(installed / "site"), os.environ.get("PYTHONPATH")]))


@pytest.mark.parametrize("kind", KINDS)
def test_its_tests_pass_as_it_was_written(installed, child, kind):
    folder = installed / f"acme-{kind}"
    ran = child(
        "-q", python=("-m", "pytest", "-p", "no:cacheprovider"), cwd=folder, env={"PYTHONPATH": path_of(installed)}
    )
    assert ran.returncode == 0, ran.stdout
    assert " passed" in ran.stdout


@pytest.mark.parametrize("kind", KINDS)
def test_it_is_complete(installed, kind):
    folder = installed / f"acme-{kind}"
    written = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    own = {f"src/acme_{kind}/__init__.py", f"src/acme_{kind}/py.typed", f"tests/test_{kind}.py"}
    assert {path for path in written if "__pycache__" not in path} == FILES | own
    project = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["entry-points"] == {"permaudit": {f"acme-{kind}": f"acme_{kind}"}}
    steps = yaml.safe_load((folder / ".github/workflows/test.yml").read_text(encoding="utf-8"))["jobs"]["test"]["steps"]
    assert [step["run"] for step in steps if "run" in step] == ['python -m pip install ".[test]"', "python -m pytest"]
    assert f"permaudit_api = {API}\n" in (folder / f"src/acme_{kind}/__init__.py").read_text(encoding="utf-8")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("command", [("format", "--check"), ("check",)])
def test_it_is_well_formed(installed, child, kind, command):
    options = ("--isolated", "--line-length", "120", "--no-cache")
    ran = child(*command, *options, python=("-m", "ruff"), cwd=installed / f"acme-{kind}")
    assert ran.returncode == 0, ran.stdout


def test_all_of_them_take_part_in_one_audit(installed, child, tmp_path, people):
    lines = [json.dumps(record) for record in people.to_dict("records")]
    (tmp_path / "people.records").write_text("\n".join(lines), encoding="utf-8")
    rules = [
        {"rule": "threshold", "metric": "CM2", "min": 0.05},
        {"rule": "threshold", "metric": "ACME-METRIC", "min": 0.05},
        {"rule": "acme-rule", "min": 100},
    ]
    audit = {
        "permaudit": 1,
        "title": "Plugins of every kind",
        "original": "people.records",
        "attributes": dict.fromkeys(people.columns, "numeric"),
        "candidates": {"noisy": {"anonymizer": "acme-anonymizer", "params": {"share": 6}}},
        "rules": rules,
        "plugins": {"allow": [f"acme-{kind}>=0.1" for kind in KINDS]},
    }
    (tmp_path / "audit.yaml").write_text(yaml.safe_dump(audit), encoding="utf-8")
    ran = child("run", "audit.yaml", cwd=tmp_path, env={"PYTHONPATH": path_of(installed)})
    assert ran.returncode == 0, ran.stdout + ran.stderr
    [candidate] = json.loads((tmp_path / "permaudit-out" / "audit.json").read_bytes())["candidates"]
    assert candidate["metrics"]["ACME-METRIC"]["status"] == "ok"
    assert {finding["rule"]: finding["outcome"] for finding in candidate["rules"]}["acme-rule"] == "pass"
    assert candidate["records"]["released"] == len(people)


# --------------------------------------------------------------------------- names and places


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("", "is no name of a distribution"),
        ("-acme", "No such option"),
        ("../acme", "'../acme' is no name of a distribution"),
        ("acme metrics", "is no name of a distribution"),
        ("9lives", "is no name of a distribution"),
        ("json", "'json' is a name of Python itself; take another one, such as 'acme-json'"),
        ("Class", "'class' is a name of Python itself"),
        ("permaudit", "'permaudit' is permaudit itself"),
        ("Permaudit.Plugins", "'permaudit_plugins' is permaudit itself"),
        ("cm3", "metric id 'CM3' is reserved for permaudit itself"),
    ],
)
def test_a_name_that_cannot_be_used_is_refused(permaudit, tmp_path, name, words):
    ran = permaudit("plugins", "new", name, "--into", tmp_path / "into")
    assert ran.code == 2
    assert words in ran.err
    assert not (tmp_path / "into").exists()


def test_an_id_of_permaudit_itself_is_refused_for_its_kind(permaudit, tmp_path):
    ran = permaudit("plugins", "new", "Threshold", "--kind", "rule", "--into", tmp_path)
    assert (ran.code, ran.err) == (2, "rule id 'threshold' is reserved for permaudit itself; take another name\n")
    assert permaudit("plugins", "new", "Threshold", "--kind", "metric", "--into", tmp_path).code == 0


def test_a_folder_that_exists_is_left_alone(permaudit, tmp_path):
    (tmp_path / "acme-metrics").mkdir()
    ran = permaudit("plugins", "new", "acme-metrics", "--into", tmp_path)
    assert ran.code == 2
    assert "acme-metrics exists already; remove it, or take another name" in ran.err
    assert list((tmp_path / "acme-metrics").iterdir()) == []


def test_a_place_that_cannot_be_written_is_named(permaudit, tmp_path):
    (tmp_path / "file").write_text("", encoding="utf-8")
    ran = permaudit("plugins", "new", "acme-metrics", "--into", tmp_path / "file" / "below")
    assert ran.code == 2
    assert "acme-metrics: cannot be written: Not a directory" in ran.err


def test_what_was_written_is_listed_and_names_are_made_from_one(permaudit, tmp_path):
    ran = permaudit("plugins", "new", "Acme.Rank_Gap", "--into", tmp_path)
    assert ran.code == 0
    assert str(tmp_path / "acme-rank-gap" / "src" / "acme_rank_gap" / "__init__.py") in ran.out
    source = (tmp_path / "acme-rank-gap" / "src" / "acme_rank_gap" / "__init__.py").read_text(encoding="utf-8")
    assert 'id="ACME-RANK-GAP"' in source
    assert "class AcmeRankGap:" in source
