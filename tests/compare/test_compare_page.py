"""The page about comparing tells the truth: its command prints what it shows."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pandas as pd
import pytest

from permaudit.demo import write_demo

PAGE = Path(__file__).parents[2] / "docs" / "compare.md"
if not PAGE.exists():
    pytest.skip("the source distribution has no docs", allow_module_level=True)

AUDIT = """
permaudit: 1
title: Income microdata
original: income.csv
attributes: {FICA: numeric, FEDTAX: numeric, INTVAL: numeric, POTHVAL: numeric}
identifiers: [PERSON]
candidates:
  vendor-file: {path: noisy.csv, kind: masked}
rules:
  - {rule: threshold, metric: CM2, min: 0.05}
"""


def test_the_command_of_the_page_prints_what_it_shows(tmp_path, permaudit, monkeypatch):
    write_demo(tmp_path / "demo")
    monkeypatch.chdir(tmp_path / "demo")
    monkeypatch.setenv("COLUMNS", "100")
    Path("audit.yaml").write_text(AUDIT, "utf-8")
    assert permaudit("run", "audit.yaml", "--out", "last").code == 0
    original, noisy = (pd.read_csv(name) for name in ("income.csv", "noisy.csv"))
    nearer = original["FEDTAX"] + 0.2 * (noisy["FEDTAX"] - original["FEDTAX"])
    noisy.assign(FEDTAX=nearer.round(2)).to_csv("noisy.csv", index=False)
    assert permaudit("run", "audit.yaml", "--out", "result").code == 1
    [(command, shown)] = re.findall(r"```console\n\$ permaudit (.*?)\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    *lines, last = shown.splitlines()
    ran = permaudit(*shlex.split(command))
    printed = [line.rstrip() for line in ran.out.splitlines()]
    assert last == f"exit code {ran.code}"
    places = [printed.index(line) for line in lines if line != "..."]
    assert places == sorted(places)
