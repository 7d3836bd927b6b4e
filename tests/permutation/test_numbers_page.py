"""The page about numbers tells the truth."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import pytest

from permaudit.outcome import AttributeShare, Attribution
from permaudit.permutation import wilks_null_mean
from permaudit.plugins import load_plugins

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "numbers.md"
if not PAGE.exists():
    pytest.skip("the source distribution has no docs", allow_module_level=True)
TEXT = PAGE.read_text("utf-8")


def test_the_page_says_of_every_metric_what_it_counts_for():
    rows = {name: parts for name, *parts in re.findall(r"^\| `([A-Z\d]+)` \| (\w+) \| (\w+) \|$", TEXT, re.MULTILINE)}
    metrics = load_plugins().catalogue.metrics
    assert set(rows) == set(metrics)
    for name, metric in metrics.items():
        assert rows[name] == ["valid", "advisory" if metric.card.needs.linkage else "valid"]


def test_the_page_names_every_part_of_the_attribution():
    listed = set(re.findall(r"`(\w+)`", TEXT.split("## Which attribute")[1]))
    parts = {field.name for kind in (Attribution, AttributeShare) for field in fields(kind)}
    assert parts - {"attribute", "attributes"} <= listed


def test_the_nulls_of_the_first_lines_are_those_of_the_formula():
    assert wilks_null_mean(4, 4, 1080) == pytest.approx(0.985, abs=5e-4)
    assert wilks_null_mean(50, 50, 1000) == pytest.approx(0.07, abs=5e-3)


def test_the_coverage_on_the_page_is_the_one_that_was_simulated():
    measured = (ROOT / "benchmarks" / "results" / "interval_coverage.md").read_text("utf-8").splitlines()
    rows = [line for line in TEXT.splitlines() if line.startswith(("| linked,", "| synthetic,"))]
    assert len(rows) >= 15
    assert [row for row in rows if row not in measured] == []
