"""What is installed, what is pinned and what is shipped."""

from __future__ import annotations

import ast
import importlib
import os
import re
import shutil
import subprocess
import sysconfig
import tarfile
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
RUNTIME = [Requirement(line).name for line in PROJECT["project"]["dependencies"]]
DEVELOPMENT = [Requirement(line).name for line in PROJECT["dependency-groups"]["dev"]]
ENTRY_POINTS = [
    target
    for group in [PROJECT["project"]["scripts"], *PROJECT["project"]["entry-points"].values()]
    for target in group.values()
]
CONSTRAINTS = sorted((ROOT / "constraints").glob("*.txt"))
PACKAGES = ["permaudit", "permaudit_plugins", "permaudit_templates"]
SOURCES = [
    path for folder in ["permaudit", "plugins", "templates", "tests"] for path in sorted((ROOT / folder).rglob("*.py"))
]

needs_dist = pytest.mark.skipif(
    "PERMAUDIT_DIST" not in os.environ, reason="only `make wheel-test` builds wheel and sdist"
)


def pins(path):
    """Return the requirements of a constraints file, each on one line with its hashes."""
    text = path.read_text(encoding="utf-8").replace("\\\n", " ")
    return [line for line in text.splitlines() if line.strip() and not line.startswith("#")]


def pinned_names(path):
    return {canonicalize_name(pin.split("==")[0]) for pin in pins(path)}


# --------------------------------------------------------------------------- constraints


@pytest.mark.parametrize("path", CONSTRAINTS, ids=lambda path: path.name)
def test_every_pin_has_one_version_and_hashes(path):
    pin = re.compile(r"[a-z0-9-]+==[^\s;]+( +; [^\\]+?)?(\s+--hash=sha256:[0-9a-f]{64})+\s*")
    assert [line for line in pins(path) if not pin.fullmatch(line)] == []


@pytest.mark.parametrize("path", CONSTRAINTS, ids=lambda path: path.name)
def test_constraints_name_no_index_no_address_and_no_path(path):
    text = path.read_text(encoding="utf-8")
    assert re.findall(r"(?m)^.*(?:://|index|find-links|@|/).*$", text) == []
    assert re.findall(r"(?m)^-", text) == []


def test_every_dependency_is_pinned():
    assert {canonicalize_name(name) for name in RUNTIME} <= pinned_names(ROOT / "constraints" / "run.txt")
    assert {canonicalize_name(name) for name in RUNTIME + DEVELOPMENT} <= pinned_names(ROOT / "constraints" / "dev.txt")


@pytest.mark.parametrize("name", ["run.txt", "build.txt"])
def test_the_smaller_constraints_agree_with_those_of_development(name):
    assert set(pins(ROOT / "constraints" / name)) <= set(pins(ROOT / "constraints" / "dev.txt"))


def test_each_dependency_has_a_line_of_reason_and_no_line_is_left_over():
    text = (ROOT / "docs" / "decisions" / "0002-dependencies.md").read_text(encoding="utf-8")
    reasons = dict(re.findall(r"(?m)^\| `([^`]+)` \| (.+) \|$", text))
    assert sorted(reasons) == sorted(RUNTIME + DEVELOPMENT)
    assert all(reason.strip() for reason in reasons.values())


# --------------------------------------------------------------------------- entry points and imports


@pytest.mark.parametrize("target", ENTRY_POINTS)
def test_each_entry_point_leads_to_something(target):
    module, _, attribute = target.partition(":")
    found = importlib.import_module(module)
    assert not attribute or callable(getattr(found, attribute))


def test_nobody_imports_the_folders_that_only_hold_packages():
    """`import plugins` works by accident in an editable install, and nowhere else."""
    folders = {"plugins", "templates"}
    found = []
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = []
            if isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.level == 0:
                names = [node.module or ""]
            found += [f"{path.relative_to(ROOT)}:{node.lineno}" for name in names if name.split(".")[0] in folders]
    assert found == []


# --------------------------------------------------------------------------- wheel and sdist


def test_the_wheel_holds_every_package_and_the_sdist_what_builds_and_tests_it():
    targets = PROJECT["tool"]["hatch"]["build"]["targets"]
    wheel = targets["wheel"]["packages"]
    assert sorted(Path(package).name for package in wheel) == PACKAGES
    included = targets["sdist"]["only-include"]
    assert {Path(package).parts[0] for package in wheel} <= set(included)
    assert {"tests", PROJECT["project"]["readme"], *PROJECT["project"]["license-files"]} <= set(included)
    assert [name for name in included if not (ROOT / name).exists()] == []


@needs_dist
@pytest.mark.parametrize("package", PACKAGES)
def test_the_tests_run_against_the_installed_wheel(package):
    place = Path(importlib.import_module(package).__file__).resolve()
    assert place.is_relative_to(Path(sysconfig.get_path("purelib")).resolve())


@needs_dist
def test_the_sdist_holds_nothing_that_git_does_not_know():
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.skip("git says which files belong to the project, and this is no git checkout")
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True)
    (sdist,) = Path(os.environ["PERMAUDIT_DIST"]).glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        shipped = {name.partition("/")[2] for name in archive.getnames()}
    assert shipped - set(listed.stdout.split("\0")) == {"PKG-INFO"}
    assert {"pyproject.toml", "LICENSE", "tests/test_packaging.py"} <= shipped
