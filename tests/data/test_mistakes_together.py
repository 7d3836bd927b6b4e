"""Mistakes of all files are told at once, and those of one file hide none of another."""

from __future__ import annotations

import pandas as pd
import pytest

from permaudit.data import memory


@pytest.fixture
def told(write_audit, permaudit):
    """Return a function that runs an audit which must be refused, and returns the lines of its message."""

    def lines(*options, **changes):
        ran = permaudit("run", write_audit(**changes), "--out", "nowhere", *options)
        assert ran.code == 2
        return ran.err.strip().splitlines()

    return lines


def spoilt(frame, **cells):
    """Return the frame with some cells of some columns, by record, replaced."""
    frame = frame.astype(object)
    for name, values in cells.items():
        for record, value in values.items():
            frame.loc[record - 1, name] = value
    return frame


def test_a_column_that_is_wrong_in_both_files_is_told_of_both(told, people, masked):
    files = {
        "original.csv": spoilt(people, FICA={3: "much", 9: "1,5"}, FEDTAX={2: "14,874.33"}, INTVAL={1: "inf"}),
        "masked.csv": spoilt(masked, FICA={4: "little", 5: "20-"}, FEDTAX={7: "x"}),
    }
    comma = "a comma stands in some: write a decimal point and no thousands separator"
    assert told(files=files) == [
        f"original.csv: column 'FICA' has 2 values that are not numbers (first in record 3); {comma}",
        f"original.csv: column 'FEDTAX' has 1 value that is not a number (first in record 2); {comma}",
        "original.csv: column 'INTVAL' has 1 infinite value (first in record 1)",
        "masked.csv: column 'FICA' has 2 values that are not numbers (first in record 4)",
        "masked.csv: column 'FEDTAX' has 1 value that is not a number (first in record 7)",
    ]


def test_what_a_release_may_hold_is_no_mistake_where_the_original_has_one(told, people, masked):
    files = {
        "original.csv": spoilt(people, FICA={3: "much"}),
        "masked.csv": spoilt(masked, FICA={4: "20-29", 5: "{1, 2}"}),
    }
    assert told(files=files) == [
        "original.csv: column 'FICA' has 1 value that is not a number (first in record 3)",
    ]


def test_every_type_is_looked_at_in_both_files(told, people, masked):
    kinds = {"DAY": "2024-01-02", "MOMENT": "2024-01-02T03:04:05", "YES": "true", "SIZE": "low", "JOB": "nurse"}
    attributes = {
        "DAY": "date",
        "MOMENT": "datetime",
        "YES": "boolean",
        "SIZE": {"type": "ordinal", "order": ["low", "high"]},
        "JOB": {"type": "nominal", "taxonomy": "jobs.csv"},
    }
    files = {
        "original.csv": spoilt(people.assign(**kinds), **{name: {2: "zzz"} for name in kinds}),
        "masked.csv": spoilt(masked.assign(**kinds), **{name: {5: "zzz"} for name in kinds}),
        "jobs.csv": pd.DataFrame({"child": ["nurse", "doctor", "health"], "parent": ["health", "health", ""]}),
    }
    lines = told(files=files, attributes=attributes)
    for name in kinds:
        assert sum(f"original.csv: column '{name}' " in line and "record 2" in line for line in lines) == 1
        assert sum(f"masked.csv: column '{name}' " in line and "record 5" in line for line in lines) == 1
    assert len(lines) == 2 * len(kinds)


def test_a_column_without_any_number_hides_nothing_else(told, people, masked):
    files = {
        "original.csv": people.assign(FICA="much"),
        "masked.csv": spoilt(masked.assign(FICA="little"), INTVAL={2: "x"}),
    }
    assert told(files=files) == [
        "original.csv: column 'FICA' has 200 values that are not numbers (first in record 1)",
        "masked.csv: column 'INTVAL' has 1 value that is not a number (first in record 2)",
    ]


def test_missing_values_wrong_ones_bounds_and_columns_that_are_not_there_come_together(told, people, masked):
    files = {
        "original.csv": spoilt(people, FICA={3: ""}, FEDTAX={4: -5}),
        "masked.csv": spoilt(masked, FICA={1: ""}, INTVAL={2: "x"}),
        "others.csv": people.drop(columns="INTVAL"),
    }
    attributes = {"FICA": "numeric", "FEDTAX": {"type": "numeric", "bounds": [0, 10**9]}, "INTVAL": "numeric"}
    hint = "say how to treat them with missing: or remove them"
    assert told(files=files, attributes=attributes, holdout="others.csv") == [
        "original.csv: column 'FEDTAX' has 1 value outside its bounds (first in record 4)",
        f"original.csv: column 'FICA' has 1 missing value (first in record 3); {hint}",
        "masked.csv: column 'INTVAL' has 1 value that is not a number (first in record 2)",
        "others.csv: has no column 'INTVAL'",
    ]


def test_an_original_that_cannot_be_read_does_not_hide_that_a_release_cannot_be_either(told, people, masked):
    files = {"original.csv": people.drop(columns="FICA"), "masked.csv": masked.drop(columns="FEDTAX")}
    assert told(files=files) == [
        "original.csv: has no column 'FICA'",
        "masked.csv: has no column 'FEDTAX'",
    ]


def test_what_does_not_fit_into_memory_is_told_alone(told, people, masked, monkeypatch):
    monkeypatch.setattr(memory, "available_memory", lambda: 10_000)
    files = {"original.csv": people.assign(FICA="much"), "masked.csv": masked}
    (line,) = told("--engine", "memory", files=files)
    assert "are too many" in line


def test_mistakes_are_told_in_the_order_of_the_attributes_whatever_the_number_of_threads(
    told, people, masked, monkeypatch
):
    """Files of so many records are encoded in threads where there are several processors."""
    people, masked = (pd.concat([frame] * 170, ignore_index=True) for frame in (people, masked))
    files = {
        "original.csv": spoilt(people, FICA={3: "much", 32_000: "1,5"}, INTVAL={1: "inf"}, FEDTAX={9: "x"}),
        "masked.csv": spoilt(masked, FICA={4: "little"}, FEDTAX={7: "x"}, INTVAL={31_000: "y"}),
    }
    monkeypatch.setenv("PERMAUDIT_THREADS", "1")
    alone = told(files=files)
    assert [line.partition("'")[2].partition("'")[0] for line in alone] == ["FICA", "FEDTAX", "INTVAL"] * 2
    monkeypatch.delenv("PERMAUDIT_THREADS")
    assert told(files=files) == alone
