"""The page about rules names every rule with every parameter, and its examples are valid."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import get_args

import pytest
import yaml

from permaudit.model import HOST_RULES
from permaudit_plugins.rules._limit import Scale

from .cases import CATALOGUE

PAGE = Path(__file__).parents[2] / "docs" / "rules.md"
if not PAGE.exists():
    pytest.skip("the source distribution has no docs", allow_module_level=True)
TEXT = PAGE.read_text("utf-8")
EXAMPLES = dict(re.findall(r"### `([\w-]+)`\n.*?```yaml\n(.*?)```", TEXT, re.DOTALL))


def test_every_rule_that_is_always_on_has_a_line_and_every_other_one_a_section():
    always = {name for name, rule in CATALOGUE.rules.items() if rule.card.always_on}
    lines = set(re.findall(r"^\| `([\w-]+)` \|", TEXT.split("## On demand")[0], re.MULTILINE))
    assert lines == always
    assert set(EXAMPLES) == set(CATALOGUE.rules) - always
    assert all(f"`{name}`" in TEXT for name in HOST_RULES)


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_parameter_of_a_rule_is_shown(name):
    section = TEXT.split(f"### `{name}`")[1].split("\n### ")[0]
    fields = CATALOGUE.rules[name].parameters.model_fields
    for field, about in fields.items():
        assert re.search(rf"\b{about.alias or field}\b", section), field
    if "on" in fields:
        assert set(re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)) - {"on"} == set(get_args(Scale))


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_examples_are_valid_and_judge(name, write_audit, permaudit, tmp_path):
    candidates = {"vendor-file": {"path": "masked.csv", "kind": "masked"}}
    audit = write_audit(candidates=candidates)
    assert permaudit("run", audit, "--out", audit.parent / "last").code == 0
    audit = write_audit(rules=None, candidates=candidates)
    audit.write_text(audit.read_text("utf-8") + f"rules:\n{EXAMPLES[name]}", "utf-8")
    assert permaudit("run", audit, "--out", tmp_path / "out").code in {0, 1, 3}
    (candidate,) = json.loads((tmp_path / "out" / "audit.json").read_bytes())["candidates"]
    found = [finding["outcome"] for finding in candidate["rules"] if finding["rule"] == name]
    written = sum(rule.get("when", {}).get("kind") != "synthetic" for rule in yaml.safe_load(EXAMPLES[name]))
    assert len(found) == written
    assert set(found) <= {"pass", "fail"}
