"""The page about types tells the truth: every number in its tables is computed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from permaudit.data.scales import nested_taxonomy, read_taxonomy, scale_of
from permaudit.plan import Attribute, FileSource

from .columns import codes, column

PAGE = Path(__file__).parents[2] / "docs" / "types.md"
if not PAGE.exists():
    pytest.skip("the source distribution has no docs", allow_module_level=True)
SECTIONS = {part.split("\n", 1)[0]: part for part in re.split(r"^## ", PAGE.read_text("utf-8"), flags=re.MULTILINE)[1:]}


def attribute_of(section: str) -> Attribute:
    """Build the attribute that the section declares."""
    declared, *others = re.findall(r"```yaml\n(.*?)```", section, re.DOTALL)
    ((name, keys),) = yaml.safe_load(declared).items()
    if "taxonomy" in keys:
        keys["taxonomy"] = nested_taxonomy(yaml.safe_load(others[0]))
    return Attribute(name=name, **{**keys, "order": tuple(keys.get("order", ()))})


@pytest.mark.parametrize("name", [name for name in SECTIONS if name.islower()])  # as types are written
def test_the_tables_of_the_page_about_types_are_right(name):
    section = SECTIONS[name]
    (sentence,) = re.findall(r"^An original with .* gives:$", section, re.MULTILINE)
    rows = re.findall(r"^\| `(.*)` \| (\S+) \|$", section, re.MULTILINE)
    scale = scale_of(attribute_of(section), column(*re.findall(r"`([^`]*)`", sentence)))

    assert len(rows) > 2
    found = [codes(scale.encode(column(text)))[0] for text, _ in rows]
    digits = 3 if name == "nominal" else 1
    assert [round(number, digits) for number in found] == [
        float(number) if "." in number else int(number) for _, number in rows
    ]


def test_the_two_files_of_the_page_are_one_tree(tmp_path):
    nested = re.findall(r"```yaml\n(# .*?)```", SECTIONS["nominal"], re.DOTALL)[0]
    table = re.findall(r"```csv\n(.*?)```", SECTIONS["nominal"], re.DOTALL)[0]
    trees = []
    for name, content in (("a.yaml", nested), ("a.csv", table)):
        (tmp_path / name).write_text(content, "utf-8")
        trees.append(read_taxonomy(FileSource(path=tmp_path / name, shown=name)))

    assert trees[0] == trees[1]
