"""The catalogue is covered."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROWS = range(1, 100)
NAME = re.compile(r"^def test_row_(\d\d)_\w+\(", re.MULTILINE)


def test_every_row_of_the_catalogue_has_a_test_that_is_named_after_it():
    files = Path(__file__).parent.glob("test_*.py")
    found = {int(number) for file in files for number in NAME.findall(file.read_text(encoding="utf-8"))}
    assert found == set(ROWS)


def test_the_page_lists_every_row_once_in_order():
    page = ROOT / "docs" / "hardening.md"
    if not page.exists():
        pytest.skip("the source distribution has no docs")
    text = page.read_text(encoding="utf-8")
    assert [int(number) for number in re.findall(r"^\| (\d+) \| ", text, re.MULTILINE)] == list(ROWS)
    for name in re.findall(r"`((?:tests|benchmarks)/[\w/]+\.py)`", text):
        assert (ROOT / name).exists()
