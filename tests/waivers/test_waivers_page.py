"""The page about waivers tells the truth."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pandas as pd
import pytest

from permaudit.config.shape import WaiverShape
from permaudit.demo import write_demo
from permaudit.outcome import WaiverState

PAGE = Path(__file__).parents[2] / "docs" / "waivers.md"
if not PAGE.exists():
    pytest.skip("the source distribution has no docs", allow_module_level=True)
TEXT = PAGE.read_text("utf-8")


def test_the_example_ends_in_review_and_begins_with_the_waiver(tmp_path, permaudit):
    write_demo(tmp_path)
    original, noisy = (pd.read_csv(tmp_path / name) for name in ("income.csv", "noisy.csv"))
    noisy.assign(FICA=original["FICA"]).to_csv(tmp_path / "release.csv", index=False)
    [content] = re.findall(r"```yaml\n(.*?)```", TEXT, re.DOTALL)
    (tmp_path / "audit.yaml").write_text(content, "utf-8")
    ran = permaudit("run", tmp_path / "audit.yaml", "--out", tmp_path / "out")
    assert ran.code == 3
    assert "Waiver: " in ran.out.splitlines()[2]
    (tmp_path / "audit.yaml").write_text(content.partition("waivers:")[0], "utf-8")
    assert permaudit("run", tmp_path / "audit.yaml", "--out", tmp_path / "out").code == 1


def test_the_tables_name_every_key_and_every_state():
    keys = {field.alias or name for name, field in WaiverShape.model_fields.items()}
    rows = set(re.findall(r"^\| `([\w-]+)` \|", TEXT, re.MULTILINE))
    assert rows == keys | set(get_args(WaiverState))
