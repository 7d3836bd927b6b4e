"""What is done to a made release at the end: `post: {round, clip}`."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from permaudit.finish import finished
from permaudit.model import Original
from permaudit.plan import Attribute


def done(source, release, *, to_decimals=False, to_bounds=False, **keys):
    """Finish a release of one column."""
    original = Original(pa.table({"A": source}), {"A": Attribute(name="A", **keys)}, study=False)
    table, notes = finished(pa.table({"A": release}), original, to_decimals=to_decimals, to_bounds=to_bounds)
    return table["A"], notes


def test_nothing_is_done_unless_asked_for():
    column, notes = done([1, 2], [1.26, None])
    assert (column.to_pylist(), notes) == ([1.26, None], ())


def test_whole_numbers_become_whole_again():
    column, notes = done([1, 2, 30], [1.26, -2.51, None], to_decimals=True)
    assert column.type == pa.int64()
    assert column.to_pylist() == [1, -3, None]
    assert notes == ("1 column was rounded to the decimals of the original",)


def test_decimals_are_those_of_the_original():
    column, _ = done([0.5, 1.25, 3.0], [1.23456, 7.0, float("nan")], to_decimals=True)
    assert column.to_pylist() == [1.23, 7.0, None]


def test_values_are_cut_off_at_the_bounds_and_counted():
    column, notes = done([1.5, 20.0], [-3.0, 10.25, 99.0, None], bounds=(0, 50), to_bounds=True)
    assert column.to_pylist() == [0, 10.25, 50, None]
    assert notes == ("2 values were cut off at the bounds of their attribute",)


def test_without_bounds_the_range_of_the_original_counts():
    column, notes = done([1.5, None, 20.0], [-3.0, 10.0, 20.0], to_bounds=True)
    assert column.to_pylist() == [1.5, 10.0, 20.0]
    assert notes == ("1 value was cut off at the bounds of their attribute",)


def test_rounding_leads_out_of_no_bounds():
    column, _ = done([1, 2], [-9.0, 0.2, 99.0], bounds=(0.5, 10.7), to_decimals=True, to_bounds=True)
    assert column.to_pylist() == [1, 1, 10]


def test_whole_numbers_beyond_double_precision_are_not_touched():
    large = 2**62 + 1
    column, _ = done([large, large - 5], [large, large - 3], to_decimals=True, to_bounds=True)
    assert column.to_pylist() == [large, large - 3]
    column, _ = done([large, large - 5], [large + 9, large - 7], to_bounds=True)
    assert column.to_pylist() == [large, large - 5]


def test_floats_too_large_for_whole_numbers_stay_floats():
    column, _ = done([1, 2], [1e300, 2.5], to_decimals=True)
    assert column.to_pylist() == [1e300, 2.0]


def test_text_and_other_types_are_left_alone():
    column, notes = done(["a", "b"], ["b", "a"], type="nominal", to_decimals=True, to_bounds=True)
    assert column.to_pylist() == ["b", "a"]
    assert notes[0] == "0 columns were rounded to the decimals of the original"
    assert done([20, 30], ["[20,30]", "20"], to_decimals=True)[0].to_pylist() == ["[20,30]", "20"]


NUMBERS = st.floats(-1e6, 1e6)


@given(st.lists(NUMBERS.map(lambda number: round(number, 2)), min_size=1), st.lists(st.none() | NUMBERS, min_size=1))
def test_the_result_has_the_originals_decimals_lies_in_its_range_and_misses_what_was_missing(source, release):
    column, _ = done(pa.array(source, pa.float64()), pa.array(release, pa.float64()), to_decimals=True, to_bounds=True)
    values = column.to_pylist()
    assert [value is None for value in values] == [value is None for value in release]
    for value in (value for value in values if value is not None):
        assert min(source) <= value <= max(source)
        assert round(value, 2) == pytest.approx(value, abs=1e-9)


def test_a_candidate_is_finished_before_it_is_audited_and_the_result_says_so(write_audit, permaudit, tmp_path):
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"A": rng.integers(0, 50, 200), "B": np.round(rng.normal(10, 3, 200), 1)})
    post = {"round": True, "clip": True}
    audit = write_audit(
        files={"original.csv": frame},
        attributes={"A": {"type": "numeric", "bounds": [0, 60]}, "B": "numeric"},
        candidates={"c": {"anonymizer": "additive-noise", "params": {"alpha": 1}, "post": post}},
    )
    target = tmp_path / "release.csv"
    permaudit("run", audit, "--out", tmp_path / "run")
    permaudit("anonymize", audit, "c", "-o", target, "--out", tmp_path / "made")
    for folder in ("run", "made"):
        [candidate] = json.loads((tmp_path / folder / "audit.json").read_bytes())["candidates"]
        assert candidate["warnings"][0] == "2 columns were rounded to the decimals of the original"
        assert candidate["warnings"][1].endswith("values were cut off at the bounds of their attribute")
    made = pd.read_csv(target)
    assert made["A"].dtype == np.int64
    assert made["A"].between(0, 60).all()
    assert (made["A"] > frame["A"].max()).any()  # the declared bounds count, not the range
    assert made["B"].between(frame["B"].min(), frame["B"].max()).all()
    assert (made["B"].round(1) == made["B"]).all()
