"""The policies that are shipped: valid, printed by a command, and strict enough for what they were made for."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml

from permaudit.census_like import census_like
from permaudit.config.tree import POLICY, parse_tree
from permaudit.policies import NAMES, policy_text

PAGE = Path(__file__).parents[2] / "docs" / "policies.md"
FIGURES = Path(__file__).parents[2] / "benchmarks" / "results" / "policies.md"
needs_docs = pytest.mark.skipif(not PAGE.exists(), reason="the docs are not beside the tests")


@pytest.fixture(scope="module")
def census():
    """Return 600 people, as many others, and as many others again."""
    return [pd.DataFrame(census_like(600, seed=seed)).astype(float) for seed in (1, 2, 3)]


@pytest.mark.parametrize("name", NAMES)
def test_an_example_is_printed_and_written_and_has_no_mistakes(permaudit, tmp_path, name):
    assert permaudit("policy", name).out == policy_text(name)
    path = tmp_path / "board.yaml"
    assert permaudit("policy", name, "-o", path).code == 0
    assert path.read_text("utf-8") == policy_text(name)
    checked = permaudit("check", path)
    assert checked.code == 0
    assert "a policy with" in checked.out
    assert re.search(r"sha256 [0-9a-f]{64}", checked.out)


def test_the_command_lists_the_examples_with_their_titles(permaudit):
    ran = permaudit("policy")
    assert ran.code == 0
    assert [line.split()[0] for line in ran.out.splitlines()] == list(NAMES)


def test_an_existing_policy_is_never_overwritten(permaudit, tmp_path):
    path = tmp_path / "board.yaml"
    path.write_text("ours", "utf-8")
    assert permaudit("policy", "public-use", "-o", path).code == 2
    assert path.read_text("utf-8") == "ours"


def test_an_unknown_example_is_refused(permaudit):
    assert permaudit("policy", "no-use").code == 2


@pytest.fixture
def judged(tmp_path, permaudit, census):
    """Return a function that audits a release under an example, and returns the exit code."""

    def judge(name: str, release: pd.DataFrame, kind: str) -> int:
        files = {"original.csv": census[0], "release.csv": release, "holdout.csv": census[2]}
        for file, frame in files.items():
            frame.to_csv(tmp_path / file, index=False)
        (tmp_path / "board.yaml").write_text(policy_text(name), "utf-8")
        content = {
            "permaudit": 1,
            "title": "Under an example",
            "original": "original.csv",
            "attributes": dict.fromkeys(census[0].columns, "numeric"),
            "candidates": {"release": {"path": "release.csv", "kind": kind}},
            "policy": "board.yaml",
        }
        if "holdout:" in policy_text(name):
            content["holdout"] = "holdout.csv"
        (tmp_path / "audit.yaml").write_text(yaml.safe_dump(content), "utf-8")
        return permaudit("run", tmp_path / "audit.yaml", "--out", tmp_path / "out").code

    return judge


def noisy(original, parts):
    """Return the original under noise of so many standard deviations."""
    return original + np.random.default_rng(4).normal(0, parts * original.std().to_numpy(), original.shape)


def test_masked_files_pass_or_not_as_the_page_says(judged, census):
    """Noise of 0.1, 0.5 and 1 standard deviation: blocked for everybody, for researchers only, for everybody."""
    original = census[0]
    assert judged("public-use", noisy(original, 0.1), "masked") == 1
    assert judged("research-use", noisy(original, 0.1), "masked") == 1
    assert judged("public-use", noisy(original, 0.5), "masked") == 1
    assert judged("research-use", noisy(original, 0.5), "masked") == 0
    assert judged("public-use", noisy(original, 1.0), "masked") == 0


def test_synthetic_files_pass_or_not_as_the_page_says(judged, census):
    original, others, _ = census
    shuffled = original.sample(frac=1, random_state=1).reset_index(drop=True)
    half = pd.concat([shuffled[:300], others[300:]]).sample(frac=1, random_state=2)
    assert judged("synthetic-public", others, "synthetic") == 0
    assert judged("synthetic-public", shuffled, "synthetic") == 1
    assert judged("synthetic-public", -shuffled, "synthetic") == 1
    assert judged("synthetic-public", half, "synthetic") == 1


@pytest.mark.parametrize("name", NAMES)
def test_no_example_releases_a_file_of_the_other_kind(judged, census, name):
    """A good file, declared as what the policy says nothing about."""
    kind = "masked" if name == "synthetic-public" else "synthetic"
    release = noisy(census[0], 2.0) if kind == "masked" else census[1]
    assert judged(name, release, kind) in {1, 3}


# --------------------------------------------------------------------------- docs/policies.md


@needs_docs
@pytest.mark.parametrize("name", NAMES)
def test_the_page_justifies_every_limit_of_every_example(name):
    text = PAGE.read_text("utf-8")
    section = text.split(f"### `{name}`", 1)[1].split("\n### ", 1)[0]
    # By the reader of policies: to others the key `on` is a truth value.
    for rule in parse_tree(policy_text(name).encode(), PAGE, name, POLICY).value["rules"]:
        assert re.search(rf"\| `{rule['metric']}` {rule['on']} ≥ {rule['min']:g} \|", section), rule


@needs_docs
def test_the_figures_of_the_page_are_those_that_were_measured():
    """Every line of a table of figures stands in the recorded results, digit by digit."""
    measured = FIGURES.read_text("utf-8").splitlines()
    page = PAGE.read_text("utf-8")
    part = page.split("## Where the numbers come from", 1)[1]
    rows = [line for line in part.splitlines() if line.startswith("|")]
    assert len(rows) >= 20
    assert [row for row in rows if row not in measured] == []


@needs_docs
def test_the_audit_and_the_policy_of_the_page_work_together(permaudit, tmp_path, census):
    page = PAGE.read_text("utf-8")
    board, audit = re.findall(r"```yaml\n# (?:board|audit)\.yaml\n(.*?)```", page, re.DOTALL)
    (tmp_path / "board.yaml").write_text(board, "utf-8")
    digest = re.search(r"sha256 ([0-9a-f]{64})", permaudit("check", tmp_path / "board.yaml").out)[1]
    (tmp_path / "audit.yaml").write_text(re.sub(r"[0-9a-f]{64}", digest, audit), "utf-8")
    original = census[0].assign(WEIGHT=1.0)
    original.to_csv(tmp_path / "income.csv", index=False)
    noisy(census[0], 1.5).assign(WEIGHT=1.0).to_csv(tmp_path / "release.csv", index=False)
    ran = permaudit("run", tmp_path / "audit.yaml", "--out", tmp_path / "out")
    assert ran.code == 0
    told = json.loads((tmp_path / "out" / "audit.json").read_bytes())["policy"]["differences"]
    assert any("more than the policy's min" in text for text in told)
    assert any("WEIGHT" in text for text in told)
