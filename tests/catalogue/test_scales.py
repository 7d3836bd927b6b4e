"""Rows 73 to 88: numbers, times and categories that break naive code, and what rounding must not do."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from .conftest import CANARY, values, with_cell


@pytest.fixture
def parquet_audit(write_audit):
    """Return a function that writes an audit of two Arrow tables."""

    def write(original: pa.Table, release: pa.Table, **changes):
        audit = write_audit(
            **{
                "original": "original.parquet",
                "candidates": {"noisy": {"path": "masked.parquet", "kind": "masked"}},
                "attributes": dict.fromkeys(original.column_names, "numeric"),
                **changes,
            }
        )
        pq.write_table(original, audit.parent / "original.parquet")
        pq.write_table(release, audit.parent / "masked.parquet")
        return audit

    return write


# --------------------------------------------------------------------------- numbers


@pytest.mark.parametrize("factor", [1e300, 1e-300, 1e-318])
def test_row_73_huge_tiny_and_subnormal_numbers_are_ranked_like_any_other(audit_of, run, factor):
    rng = np.random.default_rng(6)
    first, second = (pd.DataFrame(rng.integers(1, 90, (200, 3)), columns=list("ABC")) for _ in range(2))
    plain = run(audit_of(first, second))
    scaled = run(audit_of(first * factor, second * factor))
    assert plain.numbers == scaled.numbers


def test_row_74_numbers_whose_squares_overflow_do_not_disturb_the_utility(audit_of, run, people, masked):
    ran = run(audit_of(people * 1e200, masked * 1e200))
    assert ran.code == 0
    assert ran.numbers["UM"] == run(audit_of(people, masked)).numbers["UM"]


def test_row_75_whole_numbers_beyond_2_to_the_53_do_not_tie(parquet_audit, run):
    base = 2**53
    order = np.random.default_rng(1).permutation(100)
    other = np.random.default_rng(2).permutation(100)
    kinds = {
        "int64": lambda places: pa.array((base + places).astype(np.int64)),
        "uint64": lambda places: pa.array(places.astype(np.uint64) + np.uint64(2**63)),
        "decimal": lambda places: pa.array([Decimal(f"1234567890123456789.{place:03}") for place in places]),
        "text": lambda places: pa.array([f"1234567890123456789{place:03}" for place in places]),
    }
    original = pa.table({name: make(order) for name, make in kinds.items()} | {"B": pa.array(other)})
    release = pa.table({name: make(other) for name, make in kinds.items()} | {"B": pa.array(order)})
    ran = run(parquet_audit(original, release))
    # four columns of the same order: all of them have the rank of one, and none has ties
    assert ran.details("CM2")["rank_original"] == 2
    assert all("equal values" not in ran.statements(name) for name in original.column_names)


def test_row_76_floats_of_other_width_are_told(parquet_audit, run, people, masked):
    wide = pa.table({name: pa.array(people[name], pa.float64()) for name in people})
    narrow = pa.table({name: pa.array(masked[name], pa.float32()) for name in people})
    ran = run(parquet_audit(wide, narrow))
    for name in people.columns:
        assert "the original holds 64-bit and this file 32-bit floats" in ran.statements(name)


def test_row_76_the_same_data_in_narrow_floats_are_blocked(parquet_audit, run):
    values_ = np.random.default_rng(1).normal(size=(100, 3))
    wide = pa.table({name: pa.array(values_[:, i], pa.float64()) for i, name in enumerate("ABC")})
    narrow = pa.table({name: pa.array(values_[:, i], pa.float32()) for i, name in enumerate("ABC")})
    run(parquet_audit(wide, narrow)).blocked("no-trivial-permutation")


def test_row_77_minus_zero_is_zero(audit_of, run):
    rng = np.random.default_rng(8)
    original = pd.DataFrame({"A": rng.integers(-1, 2, 100).astype(float), "B": rng.normal(size=100)})
    release = original.assign(A=np.where(original["A"] == 0, -0.0, original["A"]))
    assert run(audit_of(original, release)).blocked("no-trivial-permutation")


def test_row_77_the_last_digit_counts_unless_rounding_is_declared(audit_of, run):
    rng = np.random.default_rng(8)
    column = rng.permutation(np.repeat([0.1, 0.2, 0.3, 0.4], 25))
    original = pd.DataFrame({"A": column, "B": rng.normal(size=100)})
    release = original.assign(A=np.where((column == 0.3) & (rng.random(100) < 0.5), 0.1 + 0.2, column))
    sharp = run(audit_of(original, release))
    assert sharp.rule("no-unprotected-attribute")["evidence"] == {"attributes": ["B"]}
    attributes = {"A": {"type": "numeric", "decimals": 6}, "B": "numeric"}
    rounded = run(audit_of(original, release, attributes=attributes))
    assert rounded.rule("no-unprotected-attribute")["evidence"] == {"attributes": ["A", "B"]}


def test_row_78_numbers_in_text_are_compared_as_numbers(parquet_audit, run, people, masked):
    whole = masked.round()
    texts = [pa.table({name: frame[name].astype(int).astype(str) for name in frame}) for frame in (people, whole)]
    numbers = [pa.table({name: frame[name].astype(int) for name in frame}) for frame in (people, whole)]
    assert run(parquet_audit(*texts)).numbers == run(parquet_audit(*numbers)).numbers


def test_row_78_text_that_is_no_number_is_refused_by_the_declared_type(parquet_audit, run, people, masked):
    table = pa.Table.from_pandas(people, preserve_index=False)
    text = table.set_column(0, "FICA", pa.array([CANARY] * len(people)))
    run(parquet_audit(table, text)).refused("column 'FICA' has 200 values that are not numbers (first in record 1)")


@pytest.mark.parametrize("side", ["original", "masked"])
def test_row_79_text_among_numbers_is_refused_with_the_record_and_not_the_cell(audit_of, run, people, masked, side):
    frames = {"original": people, "masked": masked}
    frames[side] = with_cell(with_cell(frames[side], CANARY), "n/a-4711", record=11)
    run(audit_of(*frames.values())).refused(
        f"{side}.csv: column 'FICA' has 2 values that are not numbers (first in record 7)"
    )


def test_row_80_truth_values_and_times_are_handled(audit_of, run, people, masked):
    def more(frame, seed):
        rng = np.random.default_rng(seed)
        days = pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, len(frame)), unit="D")
        times = pd.Timestamp("2020-01-01T00:00:00Z") + pd.to_timedelta(rng.integers(0, 10**8, len(frame)), unit="s")
        return frame.assign(
            SMOKES=np.where(rng.random(len(frame)) < 0.5, "true", "FALSE"),
            BORN=days.strftime("%Y-%m-%d"),
            SEEN=times.strftime("%Y-%m-%dT%H:%M:%SZ"),
        )

    types = {**dict.fromkeys(people.columns, "numeric"), "SMOKES": "boolean", "BORN": "date", "SEEN": "datetime"}
    ran = run(audit_of(more(people, 1), more(masked, 2), attributes=types))
    assert ran.code == 0
    assert len(ran.candidate["attributes"]) == 6


@pytest.mark.parametrize(
    ("side", "message"),
    [
        ("original", "original.csv: column 'SEEN' has times in 2 time zones; write all of them in UTC"),
        ("masked", "masked.csv: column 'SEEN' has times with no time zone, and the original has one"),
        ("mixed", "masked.csv: column 'SEEN' has 100 values without a time zone among others with one"),
    ],
)
def test_row_80_a_mixture_of_time_zones_is_refused(audit_of, run, people, masked, side, message):  # noqa: PLR0913, PLR0917 - what is varied
    moments = [datetime(2020, 1, 1, tzinfo=UTC) + timedelta(hours=number) for number in range(len(people))]
    zoned = [moment.isoformat().replace("+00:00", "Z") for moment in moments]
    east = [moment.astimezone(timezone(timedelta(hours=2))).isoformat() for moment in moments]
    local = [moment.replace(tzinfo=None).isoformat() for moment in moments]
    first, second = {
        "original": (zoned[:100] + east[100:], zoned),
        "masked": (zoned, local),
        "mixed": (zoned, zoned[:100] + local[100:]),
    }[side]
    types = {**dict.fromkeys(people.columns, "numeric"), "SEEN": "datetime"}
    run(audit_of(people.assign(SEEN=first), masked.assign(SEEN=second), attributes=types)).refused(message)


@pytest.mark.parametrize(
    ("cells", "kind"),
    [([[1, 2]] * 200, "list"), ([{CANARY: 1}] * 200, "struct"), ([b"\x01"] * 200, "binary")],
    ids=["lists", "dictionaries", "bytes"],
)
@pytest.mark.parametrize("type_", ["numeric", "boolean", "date"])
def test_row_81_cells_that_are_no_single_values_are_refused(parquet_audit, run, people, cells, kind, type_):  # noqa: PLR0913, PLR0917 - what is varied
    table = pa.Table.from_pandas(people, preserve_index=False)
    nested = table.set_column(0, "FICA", pa.array(cells))
    types = {**dict.fromkeys(people.columns, "numeric"), "FICA": type_}
    run(parquet_audit(nested, nested, attributes=types)).refused(f"original.parquet: column 'FICA' is of type {kind}")


def test_row_81_complex_numbers_are_refused(audit_of, run, people, masked):
    run(audit_of(people, with_cell(masked, "1+2j"))).refused(
        "masked.csv: column 'FICA' has 1 value that is not a number"
    )


# --------------------------------------------------------------------------- categories


ORDER = ["none", "primary", "secondary", "tertiary"]


def educated(frame, seed, levels=ORDER):
    """Add a column of levels of education."""
    return frame.assign(EDUCATION=np.random.default_rng(seed).choice(levels, len(frame)))


def education(people, **entry):
    return {**dict.fromkeys(people.columns, "numeric"), "EDUCATION": entry}


@pytest.mark.parametrize("entry", ["ordinal", {"type": "ordinal"}, {"type": "ordinal", "order": []}], ids=str)
def test_row_82_an_ordinal_attribute_without_an_order_is_refused(audit_of, run, people, masked, entry):
    types = {**dict.fromkeys(people.columns, "numeric"), "EDUCATION": entry}
    run(audit_of(educated(people, 1), educated(masked, 2), attributes=types)).refused("attributes.EDUCATION", "order")


def test_row_82_the_declared_order_counts_and_not_the_alphabet(audit_of, run, people):
    order = ["none", "tertiary", "primary", "secondary"]
    original = educated(people, 1)
    codes = original["EDUCATION"].map(order.index)
    declared = run(audit_of(original, original, attributes=education(people, type="ordinal", order=order)))
    numbers = run(audit_of(original.assign(EDUCATION=codes), original.assign(EDUCATION=codes)))
    assert declared.details("UM")["original_spectrum"] == numbers.details("UM")["original_spectrum"]


def test_row_83_a_released_category_that_the_order_does_not_have_is_refused_by_its_count(audit_of, run, people, masked):
    release = with_cell(educated(masked, 2), CANARY, column="EDUCATION")
    audit = audit_of(educated(people, 1), release, attributes=education(people, type="ordinal", order=ORDER))
    run(audit).refused("masked.csv: column 'EDUCATION' has 1 ", "(first in record 7)")


def test_row_84_a_nominal_attribute_without_a_taxonomy_is_refused(audit_of, run, people, masked):
    audit = audit_of(educated(people, 1), educated(masked, 2), attributes=education(people, type="nominal"))
    run(audit).refused("attributes.EDUCATION needs the key 'taxonomy'")


def test_row_84_a_nominal_attribute_that_is_left_out_is_not_released_unseen(audit_of, run, people, masked):
    numeric = dict.fromkeys(people.columns, "numeric")
    audit = audit_of(educated(people, 1), educated(masked, 2), attributes=numeric)
    run(audit).blocked("no-unaudited-columns")


@pytest.mark.parametrize("side", ["original", "masked"])
def test_row_85_a_missing_category_is_not_the_lowest_one(audit_of, run, people, masked, side):
    frames = {"original": educated(people, 1), "masked": educated(masked, 2)}
    frames[side] = with_cell(frames[side], None, column="EDUCATION")
    types = education(people, type="ordinal", order=ORDER)
    run(audit_of(*frames.values(), attributes=types)).refused(
        f"{side}.csv: column 'EDUCATION' has 1 missing value (first in record 7)"
    )
    kept = run(audit_of(*frames.values(), attributes=types, missing="highest"))
    assert kept.code == 0


# --------------------------------------------------------------------------- rounding


def test_row_86_uncorrelated_attributes_have_the_paper_s_utility_and_a_flag(audit_of, run):
    """All combinations of 10 by 10 values: the rank covariances are exactly 0, the variances exactly equal."""
    grid = pd.DataFrame([(first, second) for first in range(10) for second in range(10)], columns=["A", "B"])
    turned = grid.assign(A=grid["B"], B=(grid["A"] + 5) % 10)
    ran = run(audit_of(grid, turned))
    assert ran.numbers["UM"] == 1
    assert ran.details("UM")["informative"] is False
    assert "divides by noise" in ran.details("UM")["uninformative_because"]


@pytest.mark.parametrize("attributes", [1, 2, 5, 20])
def test_row_87_values_stay_between_0_and_1_at_the_least_number_of_records(audit_of, run, attributes):
    for seed in range(3):
        rng = np.random.default_rng(seed)
        names = [f"A{number}" for number in range(attributes)]
        first, second = (pd.DataFrame(rng.normal(size=(2 * attributes + 2, attributes)), columns=names) for _ in "xy")
        ran = run(audit_of(first, second))
        assert all(value is None or 0 <= value <= 1 for value in values(ran))
        assert ran.numbers["CM2"] <= ran.numbers["CM1"] + 1e-12


@pytest.mark.parametrize("error", [1e-12, 1e-6], ids=["rounding", "more than rounding"])
def test_row_87_only_rounding_is_clipped_and_everything_else_is_an_error(
    audit_of, permaudit, people, monkeypatch, error
):
    from permaudit_plugins.engines.memory import MemoryEngine  # noqa: PLC0415

    moments = MemoryEngine.moments

    def inexact(self, original, release, **wanted):
        found = moments(self, original, release, **wanted)
        return replace(found, cross=found.cross * (1 + error), unchanged=(False,) * 3, trivial_permutation=False)

    monkeypatch.setattr(MemoryEngine, "moments", inexact)
    audit = audit_of(people, people)
    ran = permaudit("run", audit, "--out", audit.parent / "out", "--json")
    assert ran.code == 1
    metrics = json.loads(ran.out)["candidates"][0]["metrics"]
    if error < 1e-9:
        assert (metrics["CM1"]["value"], metrics["CM2"]["value"]) == (0, 0)
    else:
        assert metrics["CM1"]["reason"] == metrics["CM2"]["reason"] == "the metric raised ArithmeticError"


def test_row_88_correlations_are_real_and_between_0_and_1_also_where_matrices_are_nearly_singular(audit_of, run):
    rng = np.random.default_rng(3)
    base = rng.normal(size=(120, 2))
    wide = pd.DataFrame(base @ rng.normal(size=(2, 6)) + 1e-3 * rng.normal(size=(120, 6)), columns=list("ABCDEF"))
    for release in (
        wide + 1e-3 * rng.normal(size=wide.shape),
        pd.DataFrame(rng.normal(size=wide.shape), columns=wide.columns),
    ):
        ran = run(audit_of(wide, release))
        rho = ran.details("CM1")["canonical_correlations"]
        assert all(isinstance(value, float) and 0 <= value <= 1 for value in rho)
        assert rho == sorted(rho, reverse=True)
        assert ran.numbers["CM1"] == pytest.approx(1 - rho[0] ** 2, abs=1e-12)
        assert ran.numbers["CM2"] == pytest.approx(np.prod([1 - value**2 for value in rho]), rel=1e-9)
