"""Whole audits on mutated files: a verdict or a clear error, whatever the bytes; and nothing bare is ever released."""

from __future__ import annotations

from datetime import timedelta

import numpy as np
import pandas as pd
import pytest
import yaml
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

RECORDS = 24
LEVELS = ["low", "middle", "high"]
SETTINGS = settings(
    deadline=timedelta(seconds=10),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def table(seed: int) -> pd.DataFrame:
    """Return a small table of several types."""
    rng = np.random.default_rng(seed)
    days = pd.Timestamp("1990-01-01") + pd.to_timedelta(rng.integers(0, 9000, RECORDS), unit="D")
    return pd.DataFrame(
        {
            "ID": np.arange(RECORDS),
            "INCOME": rng.normal(1000, 300, RECORDS).round(2),
            "LEVEL": rng.choice(LEVELS, RECORDS),
            "SMOKES": rng.choice(["true", "false"], RECORDS),
            "BORN": days.strftime("%Y-%m-%d"),
        }
    )


AUDIT = """\
permaudit: 1
title: A fuzzed audit
original: original.csv
attributes:
  INCOME: {type: numeric, star: any}
  LEVEL: {type: ordinal, order: [low, middle, high]}
  SMOKES: boolean
  BORN: date
not-audited: {ID: a number without meaning}
missing: error
candidates:
  given: {path: release.csv, kind: masked, linkage: row}
rules:
  - {rule: threshold, metric: CM2, min: 0.05}
  - {rule: threshold, metric: CM3, min: 0.05}
seed: 1
"""
TABLES = {name: table(seed).to_csv(index=False) for seed, name in enumerate(("original.csv", "release.csv"))}
WORDS = st.sampled_from(
    [
        *("masked", "synthetic", "row", "none", "{key: ID}", "numeric", "boolean", "date", "ordinal", "drop-records"),
        *(
            "lowest",
            "highest",
            "null",
            "0",
            "-1",
            "1e-3",
            "true",
            "[]",
            "{}",
            "CM1",
            "UM",
            "COPIES",
            "ID",
            "BORN",
            "&a",
        ),
        *("*a", "!!x", "\n", ": ", "- ", "'", '"', "#", "original.csv", "/dev/null", "..", "\0", "\t", "é", "9" * 40),
    ]
)
CELLS = st.sampled_from(
    [
        *("", "0", "-0.0", "1e308", "5e-324", "9007199254740993", "1" * 40, "NaN", "inf", "NA", "*", "20-29", ">=65"),
        *(
            "{18,19}",
            "{low,high}",
            "true",
            "1",
            "high",
            "2020-01-01",
            "2020-02-30",
            "1990-1999",
            "nobody",
            " 7 ",
            "1;5",
        ),
        *('"', '""', "\0", "\u202e", "é", "x" * 500, "=1+1", "0x1F", "٣", ",", "\n", "\r", ",,,"),
    ]
)
AUDIT_CHANGES = st.lists(st.tuples(st.integers(0, len(AUDIT)), st.integers(0, 12), WORDS), max_size=3)
CELL_CHANGES = st.lists(
    st.tuples(st.sampled_from(sorted(TABLES)), st.integers(0, RECORDS), st.integers(0, 4), CELLS), max_size=4
)
BYTE_CHANGES = st.lists(
    st.tuples(st.sampled_from(sorted(TABLES)), st.integers(0, 400), st.integers(0, 9), st.binary(max_size=3)),
    max_size=2,
)


@pytest.fixture
def handled(permaudit, tmp_path):
    """Return a function that audits these files and holds what must be true of every run; it returns the exit code."""

    def audit(files: dict[str, bytes]) -> int:
        for name, content in files.items():
            (tmp_path / name).write_bytes(content)
        ran = permaudit("run", tmp_path / "audit.yaml", "--out", tmp_path / "out", "--no-cache", "--jobs", "1")
        assert ran.code in {0, 1, 2, 3}, ran.log
        assert ran.log == ""
        assert "Traceback" not in ran.out + ran.err
        assert (ran.err == "") == (ran.code != 2)
        assert ran.err.replace("\n", "").isprintable()
        return ran.code

    return audit


def spliced(content: bytes, place: int, removed: int, added: bytes) -> bytes:
    """Replace some bytes."""
    return content[:place] + added + content[place + removed :]


@settings(SETTINGS, max_examples=120)
@given(AUDIT_CHANGES, CELL_CHANGES, BYTE_CHANGES)
@example([], [], [])
def test_any_audit_of_any_data_ends_in_a_verdict_or_a_clear_error(handled, audit_changes, cell_changes, byte_changes):
    audit = AUDIT.encode()
    for place, removed, word in audit_changes:
        audit = spliced(audit, place, removed, word.encode())
    rows = {name: [line.split(",") for line in text.splitlines()] for name, text in TABLES.items()}
    for name, record, column, cell in cell_changes:
        rows[name][record][column] = cell
    files = {name: "\n".join(map(",".join, lines)).encode() for name, lines in rows.items()}
    for name, place, removed, added in byte_changes:
        files[name] = spliced(files[name], place, removed, added)
    handled({"audit.yaml": audit, **files})


# --------------------------------------------------------------------------- a wrong audit never releases

NUMBERS = ["INCOME", "WEALTH", "AGE"]


def numbers(seed: int = 0) -> pd.DataFrame:
    """Return three correlated columns of numbers without ties."""
    rng = np.random.default_rng(seed)
    mixing = np.array([[1, 0.6, 0.3], [0, 1, 0.5], [0, 0, 1]])
    return pd.DataFrame(rng.normal(size=(60, 3)) @ mixing, columns=NUMBERS)


ORIGINAL = numbers()
UNRELATED = numbers(1)
BARE = {
    "verbatim": ORIGINAL,
    "in other units": ORIGINAL * 1000 + 7,
    "shuffled": ORIGINAL.sample(frac=1, random_state=1),
    "sorted by a column": ORIGINAL.sort_values("AGE"),
    "one column bare": UNRELATED.assign(AGE=ORIGINAL["AGE"]),
    "reversed": -ORIGINAL,
    "one column reversed": UNRELATED.assign(AGE=-ORIGINAL["AGE"]),
    "columns renamed in turn": ORIGINAL[["WEALTH", "AGE", "INCOME"]].set_axis(NUMBERS, axis=1),
    "a bare column added": UNRELATED.assign(MORE=ORIGINAL["AGE"]),
    "the name added": UNRELATED.assign(NAME=ORIGINAL["AGE"]),
}
LIMITS = [{"rule": "threshold", "metric": name, "min": 0.01} for name in ("UM", "CM1", "CM2", "CM3")]
SETUPS = st.fixed_dictionaries(
    {},
    optional={
        "metrics": st.lists(st.sampled_from(["UM", "CM1", "CM2", "CM3"]), min_size=1, unique=True),
        "missing": st.sampled_from(["drop-records", "lowest", "highest"]),
        "seed": st.integers(0, 9),
        "attributes": st.sampled_from(
            [{name: {"type": "numeric", "decimals": 12} for name in NUMBERS}, dict.fromkeys(NUMBERS[::-1], "numeric")]
        ),
        "rules": st.lists(st.sampled_from(LIMITS), max_size=4),
        "holdout": st.just("holdout.csv"),
    },
)


@pytest.mark.parametrize("bare", BARE)
@settings(SETTINGS, max_examples=12)
@given(setup=SETUPS, candidate=st.sampled_from(["row", "none", "synthetic"]))
def test_no_audit_file_gets_a_bare_release_through(handled, bare, setup, candidate):
    """Whatever is limited to nothing, left out or declared otherwise: what nobody protected is not released."""
    audit = {
        "permaudit": 1,
        "title": "An audit that demands nothing",
        "original": "original.csv",
        "attributes": dict.fromkeys(NUMBERS, "numeric"),
        "identifiers": ["NAME"],
        "candidates": {
            "bare": {
                "path": "release.csv",
                "kind": "synthetic" if candidate == "synthetic" else "masked",
                "linkage": "row" if candidate == "row" else "none",
            }
        },
        "rules": LIMITS,
        **setup,
    }
    if audit["rules"] is not LIMITS and "metrics" in audit:
        audit["metrics"] = sorted({*audit["metrics"], *(rule["metric"] for rule in audit["rules"])})
    files = {
        "original.csv": ORIGINAL.assign(NAME=range(len(ORIGINAL))),
        "release.csv": BARE[bare],
        "holdout.csv": numbers(2),
    }
    written = {name: frame.to_csv(index=False).encode() for name, frame in files.items()}
    assert handled({"audit.yaml": yaml.safe_dump(audit).encode(), **written}) in {1, 2, 3}


def test_the_same_audit_releases_what_is_protected(handled):
    """Or the test above would say nothing."""
    audit = {
        "permaudit": 1,
        "title": "An audit that demands nothing",
        "original": "original.csv",
        "attributes": dict.fromkeys(NUMBERS, "numeric"),
        "identifiers": ["NAME"],
        "candidates": {"good": {"path": "release.csv", "kind": "masked", "linkage": "row"}},
        "rules": LIMITS,
    }
    release = ORIGINAL + np.random.default_rng(5).normal(0, 1, ORIGINAL.shape)
    files = {"original.csv": ORIGINAL.assign(NAME=range(len(ORIGINAL))), "release.csv": release}
    written = {name: frame.to_csv(index=False).encode() for name, frame in files.items()}
    assert handled({"audit.yaml": yaml.safe_dump(audit).encode(), **written}) == 0
