"""No value of the data is written down, but for categories that many records share."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

CANARY = "c4n4ry"


def test_rare_categories_never_appear_and_are_counted(begin):
    size = 2000
    counts = {"common": 1970, f"{CANARY}-of-nine": 9, f"{CANARY}-of-one-percent": 19, f"{CANARY}-alone": 1, "": 1}
    texts = [text for text, count in counts.items() for _ in range(count)]
    begun = begin({"AMOUNT": np.arange(size) ** 0.5, "KIND": texts}, {"AMOUNT": np.arange(size) ** 0.5, "KIND": texts})
    assert CANARY not in begun.text
    assert "KIND is text with 4 different values" in begun.words
    assert "3 values are not listed here" in begun.words
    assert "order: [common]" in begun.text


@pytest.mark.parametrize(("records", "listed"), [(10, True), (9, False)])
def test_a_category_is_common_from_ten_records_on(begin, records, listed):
    texts = [CANARY] * records + ["x"] * (100 - records)
    assert (CANARY in begin({"AMOUNT": np.arange(100) ** 0.5, "KIND": texts}).text) == listed


@pytest.mark.parametrize(("records", "listed"), [(20, True), (19, False)])
def test_a_category_is_common_from_one_percent_on(begin, records, listed):
    texts = [CANARY] * records + ["x"] * (2000 - records)
    assert (CANARY in begin({"AMOUNT": np.arange(2000) ** 0.5, "KIND": texts}).text) == listed


def test_only_the_original_says_which_categories_are_common(begin):
    frame = {"AMOUNT": np.arange(100) ** 0.5, "KIND": ["x", "y"] * 50}
    assert CANARY not in begin(frame, frame | {"KIND": [CANARY] * 100}).text


def test_of_a_column_of_every_sort_no_value_is_written(permaudit, put, tmp_path, mixed):
    """Numbers, dates, names, addresses, codes; also in what is printed, and with a release that is odd."""
    rng = np.random.default_rng(1)
    original = mixed.assign(
        NOTE=[f"{CANARY} {place}" for place in range(len(mixed))], ODD=rng.choice([CANARY, "1.5"], len(mixed))
    )
    release = original.sample(n=200, random_state=1).assign(FICA=CANARY, RENT="*", NEW=CANARY)
    for number, files in enumerate(([original], [original, release])):
        paths = [put(f"{name}.csv", frame) for name, frame in zip(("original", "release"), files, strict=False)]
        target = tmp_path / f"audit-{number}.yaml"
        ran = permaudit("init", *paths, "-o", target)
        assert ran.code == 0
        text = target.read_text(encoding="utf-8")
        written = text + ran.out + ran.err + ran.log
        allowed = {"none", "primary", "secondary", "true", "false", *(f"{place:03d}" for place in range(9)), CANARY}
        values = {str(cell) for name in original for cell in original[name].unique()}
        long_enough = {cell for cell in values - allowed if len(cell) > 4}
        words = set(re.split(r"[\s,:\[\]{}\"'#()]+", written))
        assert words & long_enough == set()
        assert written.count(CANARY) == text.count(f'ODD: {{type: ordinal, order: ["1.5", {CANARY}]}}')


def test_an_error_quotes_no_cell(permaudit, put, tmp_path):
    ran = permaudit("init", put("original.csv", f"A,B\n1,2\n{CANARY}\n"), "-o", tmp_path / "audit.yaml")
    assert ran.code == 2
    assert CANARY not in ran.err + ran.out + ran.log


def test_extremes_of_an_amount_are_not_written(begin):
    amounts = np.random.default_rng(1).normal(500, 90, 300).round(3)
    amounts[17] = 987654.321
    text = begin(pd.DataFrame({"AMOUNT": amounts})).text
    assert not re.search(r"\d{3}\.\d", text)
