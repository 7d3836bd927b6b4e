"""k-anonymity from another environment: what comes back, and what becomes of an environment that is not there or lies."""

from __future__ import annotations

import itertools
import os
import stat
import sys
from collections import Counter

import numpy as np
import pytest

from permaudit import Attribute, DataError
from permaudit.testing import check_anonymizer, original_of
from permaudit_anjana.anonymize import KAnonymity
from permaudit_anjana.guest import VARIABLE
from permaudit_anjana.levels import levels_of

needs_anjana = pytest.mark.skipif(VARIABLE not in os.environ, reason=f"{VARIABLE} names no Python with anjana")


def people(records=120, **others):
    rng = np.random.default_rng(2)
    columns = {
        "AGE": rng.integers(18, 90, records),
        "CHILDREN": rng.integers(5, size=records),
        "WAGE": rng.integers(9999, size=records),
    }
    roles = {name: Attribute(name=name, role="quasi-identifier") for name in ("AGE", "CHILDREN")}
    return original_of(columns | others, attributes=roles)


def made(original, **params):
    return KAnonymity().anonymize(original, KAnonymity.parameters(**params), np.random.default_rng(0))


@needs_anjana
def test_it_keeps_the_contract():
    check_anonymizer(KAnonymity(), {"k": 5}, original=people(), refuses=[original_of({"JOB": ["smith", "baker"] * 30})])


@needs_anjana
@pytest.mark.parametrize("suppression", [0, 10])
def test_every_class_has_k_records_and_nothing_else_is_touched(suppression):
    original = people()
    release = made(original, k=5, suppression=suppression)
    classes = Counter(zip(release.table["AGE"].to_pylist(), release.table["CHILDREN"].to_pylist(), strict=True))
    assert min(classes.values()) >= 5
    assert release.table["WAGE"].equals(original.table["WAGE"].take(release.rows))
    assert 0 <= original.table.num_rows - len(release.rows) <= suppression / 100 * original.table.num_rows


@needs_anjana
def test_every_value_lies_in_its_interval():
    original = people()
    release = made(original, k=5)
    for name in ("AGE", "CHILDREN"):
        for value, cell in zip(
            original.table[name].take(release.rows).to_pylist(), release.table[name].to_pylist(), strict=True
        ):
            ends = [float(end) for end in cell.strip("[)").split(",")]
            assert ends[0] == value if len(ends) == 1 else ends[0] <= value < ends[1]


@pytest.mark.parametrize("values", [[0.5, 3, 99], [-7, 4], [1e6, 1e6 + 1], [5, 5, 5], [0, 1e-3]])
def test_levels_end_in_one_interval_for_all_and_each_is_wider_than_the_one_before(values):
    levels = levels_of(np.asarray(values, dtype=float))
    assert len(set(levels[-1])) == 1
    counts = [len(set(level)) for level in levels]
    assert counts == sorted(counts, reverse=True)
    for finer, wider in itertools.pairwise(levels):
        assert len(set(zip(finer, wider, strict=True))) == len(set(finer))  # nothing is parted again


# --------------------------------------------------------------------------- the other Python


def test_without_another_python_a_person_is_told_what_to_set(monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)
    with pytest.raises(DataError, match=f"set {VARIABLE} to the Python of one in which it is installed"):
        made(people(), k=5)


def test_a_python_without_anjana_is_an_error(monkeypatch):
    monkeypatch.setenv(VARIABLE, sys.executable)
    with pytest.raises(DataError, match="anjana raised ModuleNotFoundError"):
        made(people(), k=5)


LIAR = """#!{python}
import json, sys
question = json.load(open(sys.argv[3]))
cells = {{name: levels[0] for name, levels in question["levels"].items()}}
rows = list(range(len(next(iter(cells.values())))))
json.dump({{"rows": rows, "cells": cells, "k": 99, "version": "0"}}, open(sys.argv[4], "w"))
"""


@pytest.mark.parametrize(
    ("script", "words"),
    [
        (LIAR, "returned a class of 1 records, fewer than 5"),
        ("#!/bin/sh\nexit 3\n", "ended with code 3 and no answer"),
        ("#!/bin/sh\nexit 0\n", "ended with code 0 and no answer"),
        ("#!/bin/sh\nkill -9 $$\n", "ended with code -9 and no answer"),
    ],
)
def test_an_answer_that_is_none_is_never_a_release(monkeypatch, tmp_path, script, words):
    fake = tmp_path / "python"
    fake.write_text(script.format(python=sys.executable), encoding="utf-8")
    fake.chmod(fake.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv(VARIABLE, str(fake))
    with pytest.raises(DataError, match=words):
        made(people(), k=5)
