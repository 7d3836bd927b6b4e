"""What the README shows is what happens."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from permaudit import Comparison
from permaudit.demo import write_demo

README = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    write_demo(tmp_path)
    (tmp_path / "audit.yaml").write_text(blocks("yaml")[0], encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_audit_file_of_the_quick_start_has_no_mistake_and_gets_a_verdict(folder, permaudit):
    assert permaudit("check", "audit.yaml").code == 0
    assert permaudit("run", "audit.yaml").code == 0
    outcome = json.loads((folder / "permaudit-out" / "audit.json").read_bytes())
    assert [candidate["name"] for candidate in outcome["candidates"]] == ["vendor-file", "synthetic", "swapped"]


def test_the_python_call_of_the_quick_start_works(folder, capsys):
    exec(blocks("python")[0], {})
    verdict, value = capsys.readouterr().out.split()
    assert verdict == "release"
    assert 0.05 <= float(value) < 1


def test_the_plugin_of_the_readme_keeps_its_declaration():
    from permaudit.permutation import pair_moments, rank_columns  # noqa: PLC0415

    names: dict[str, Any] = {}
    exec(blocks("python")[1], names)
    [metric] = names["permaudit_metrics"]()
    rng = np.random.default_rng(0)
    varied, tied = rng.random(50), np.repeat([1.0, 2.0], 25)
    moments = pair_moments(("A",), rank_columns([varied]), rank_columns([tied]))
    value = metric.compute(Comparison("masked", linked=True, moments=moments), rng).value
    assert 0.7 < value < 0.8  # two equal halves have three quarters of the rank variance


def test_every_command_that_the_readme_names_exists():
    from permaudit.cli.main import _COMMANDS  # noqa: PLC0415

    named = set(re.findall(r"permaudit ([a-z]+)", " ".join(blocks("console"))))
    assert named <= set(_COMMANDS)
    listed = set(re.findall(r"^\| `permaudit ([a-z]+)", README, re.MULTILINE))
    assert listed == set(_COMMANDS)


def test_every_page_of_the_docs_can_be_reached_from_the_readme():
    docs = Path(__file__).parent.parent / "docs"
    found: set[str] = set()
    ahead = set(re.findall(r"\]\(docs/([\w-]+\.md)\)", README))
    while ahead:
        found |= ahead
        texts = [(docs / name).read_text(encoding="utf-8") for name in ahead if (docs / name).exists()]
        ahead = {name for text in texts for name in re.findall(r"\]\(([\w-]+\.md)[)#]", text)} - found
    assert {path.name for path in docs.glob("*.md")} <= found


def test_every_page_that_the_readme_links_to_exists():
    links = re.findall(r"\]\(([^)#:]+)\)", README)
    assert links
    missing = [link for link in links if not (Path(__file__).parent.parent / link).exists()]
    assert not missing
