"""Rows 57 to 88: cells, columns and numbers that break naive code."""

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

from .conftest import CANARY, SYNTHETIC

METRICS = ("CM1", "CM2", "CM3", "UM")
RNG = np.random.default_rng(11)


def with_cell(frame, value, record=6, column="FICA"):
    """Return the frame with one cell replaced."""
    changed = frame.astype(object)
    changed.iloc[record, changed.columns.get_loc(column)] = value
    return changed


def shuffled(frame):
    """Return whole records in another order."""
    return frame.sample(frac=1, random_state=3).reset_index(drop=True)


def values(ran, *names):
    return [ran.numbers[name] for name in names or METRICS]


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


# --------------------------------------------------------------------------- missing and infinite values


@pytest.mark.parametrize("cell", [None, "", "NaN", "nan"], ids=repr)
@pytest.mark.parametrize("side", ["original", "masked"])
def test_row_57_a_missing_value_is_refused_with_column_and_record(audit_of, run, people, masked, side, cell):  # noqa: PLR0913, PLR0917 - what is varied
    frames = {"original": people, "masked": masked}
    frames[side] = with_cell(frames[side], cell)
    run(audit_of(*frames.values())).refused(f"{side}.csv: column 'FICA' has 1 missing value (first in record 7)")


@pytest.mark.parametrize("policy", ["drop-records", "lowest", "highest"])
@pytest.mark.parametrize("side", ["original", "masked"])
def test_row_57_with_a_declared_policy_missing_values_are_counted(audit_of, run, people, masked, side, policy):  # noqa: PLR0913, PLR0917 - what is varied
    frames = {"original": people, "masked": masked}
    frames[side] = with_cell(with_cell(frames[side], None), None, record=9)
    ran = run(audit_of(*frames.values(), missing=policy))
    assert ran.code == 0
    (note,) = [note for note in ran.candidate["columns"] if note["attribute"] == "FICA"]
    assert note["missing_policy"] == policy
    assert (note["missing_original"], note["missing_released"]) == ((2, 0) if side == "original" else (0, 2))
    if policy == "drop-records":
        assert ran.candidate["records"]["dropped"] == 2
        assert "2 of 200 pairs of records with missing values were left out" in ran.warnings
        bound = ran.details("CM2")["missing"]
        assert ran.numbers["CM2"] == pytest.approx(min(bound.values()))


def test_row_57_records_that_are_left_out_for_one_gap_do_not_hide_that_they_are_copies(audit_of, run, people, masked):
    release = masked.copy()
    release.iloc[:3] = people.iloc[:3]
    release = release.astype(object)
    release.iloc[:3, 0] = None
    ran = run(audit_of(people, release, missing="drop-records"))
    assert ran.code == 3
    assert "3 of 200 released records (1.50%) equal their own original" in " ".join(ran.out.split())


@pytest.mark.parametrize("cell", ["inf", "-inf", "Infinity", "1e999"])
@pytest.mark.parametrize("side", ["original", "masked"])
def test_row_58_an_infinite_value_is_refused_with_column_and_record(audit_of, run, people, masked, side, cell):  # noqa: PLR0913, PLR0917 - what is varied
    frames = {"original": people, "masked": masked}
    frames[side] = with_cell(frames[side], cell)
    run(audit_of(*frames.values())).refused(f"{side}.csv: column 'FICA' has 1 infinite value (first in record 7)")


# --------------------------------------------------------------------------- columns that do not vary


def test_row_59_a_constant_column_of_the_original_is_left_out_and_named(audit_of, run, people, masked):
    ran = run(audit_of(people.assign(SAME=7), masked.assign(SAME=RNG.normal(size=len(masked)))))
    assert [left["attribute"] for left in ran.candidate["excluded"]] == ["SAME"]
    assert "left out: SAME: constant in the original" in ran.out
    assert values(ran) == values(run(audit_of(people, masked)))


def test_row_60_a_release_of_constants_tells_nothing_and_is_of_no_use(audit_of, run, people):
    ran = run(audit_of(people, people * 0))
    assert values(ran) == [1, 1, 1, 0]
    for name in people.columns:
        assert f"'{name}' is constant in the release" in ran.warnings


def test_row_61_a_column_that_is_constant_in_the_release_only_is_named(audit_of, run, people, masked):
    ran = run(audit_of(people, masked.assign(FICA=1)))
    assert ran.code == 0
    assert ran.warnings == "attribute 'FICA' is constant in the release: it counts as linked to nothing"
    assert ran.candidate["excluded"] == []


# --------------------------------------------------------------------------- columns that repeat each other


@pytest.mark.parametrize(
    "copied", [lambda column: column, np.cbrt, lambda column: -column], ids=["same", "root", "minus"]
)
def test_row_62_a_column_that_is_there_twice_is_told_with_the_rank(audit_of, run, people, masked, copied):
    ran = run(audit_of(people.assign(TWIN=copied(people["FICA"])), masked.assign(TWIN=copied(masked["FICA"]))))
    assert ran.code == 0
    for side in ("original", "release"):
        assert f"the 4 attributes that vary in the {side} have rank 3" in ran.warnings
    assert (ran.details("CM2")["rank_original"], ran.details("CM2")["rank_release"]) == (3, 3)
    once = run(audit_of(people, masked))
    assert values(ran, "CM1", "CM2") == pytest.approx(values(once, "CM1", "CM2"))


def test_row_62_only_the_side_with_the_repetition_is_told(audit_of, run, people, masked):
    ran = run(audit_of(people.assign(TWIN=people["FICA"]), masked.assign(TWIN=RNG.normal(size=len(masked)))))
    assert "vary in the original have rank 3" in ran.warnings
    assert "vary in the release" not in ran.warnings


def test_row_63_a_set_of_indicators_that_sum_to_one_is_told_with_the_rank(audit_of, run, people, masked):
    def with_indicators(frame, seed):
        group = np.random.default_rng(seed).integers(0, 3, len(frame))
        return frame.assign(**{f"G{number}": (group == number).astype(int) for number in range(3)})

    ran = run(audit_of(with_indicators(people, 1), with_indicators(masked, 2)))
    assert "the 6 attributes that vary in the original have rank 5" in ran.warnings
    assert "the 6 attributes that vary in the release have rank 5" in ran.warnings
    assert all(metric["status"] == "ok" for metric in ran.candidate["metrics"].values())


def near_twins(seed, records=100):
    """Return two columns that differ by one swap over two places, and a third one."""
    rng = np.random.default_rng(seed)
    column = rng.permutation(records)
    twin = column.copy()
    first, second = np.flatnonzero(np.isin(column, (50, 52)))
    twin[[first, second]] = twin[[second, first]]
    return pd.DataFrame({"A": column, "TWIN": twin, "B": rng.permutation(records)})


def test_row_64_columns_that_differ_by_one_swap_are_handled_and_the_condition_is_shown(audit_of, run):
    ran = run(audit_of(near_twins(1), near_twins(2)))
    assert ran.code == 3  # each twin tells the other: the structure is kept, and no row goes with its original
    assert all(0 <= value <= 1 for value in values(ran))
    details = ran.details("CM2")
    assert (details["rank_original"], details["rank_release"]) == (3, 3)
    # Spearman's 1 - r is 6 * (2^2 + 2^2) / (n^3 - n), and the eigenvalues of the pair are 1 + r and 1 - r
    apart = 48 / (100**3 - 100)
    assert details["condition_original"] == pytest.approx((2 - apart) / apart, rel=0.2)
    assert details["condition_release"] == pytest.approx((2 - apart) / apart, rel=0.2)


# --------------------------------------------------------------------------- releases that protect nothing


def test_row_65_the_original_itself_has_no_protection_exactly(audit_of, run, people):
    ran = run(audit_of(people, people))
    ran.blocked("no-trivial-permutation")
    assert values(ran, "CM1", "CM2", "CM3") == [0, 0, 0]


@pytest.mark.parametrize("options", [{}, SYNTHETIC], ids=["masked", "synthetic"])
def test_row_66_whole_records_in_another_order_are_blocked(audit_of, run, options):
    original = pd.DataFrame(np.random.default_rng(1).normal(size=(150, 3)), columns=list("ABC"))
    ran = run(audit_of(original, shuffled(original), **options))
    ran.blocked("no-trivial-permutation")
    assert ran.numbers["CM3"] == 0
    assert ran.details("CM3")["trivial_permutation"] is True


@pytest.mark.parametrize("options", [{}, SYNTHETIC], ids=["masked", "synthetic"])
@pytest.mark.parametrize("levels", [2, 3, 5])
def test_row_67_whole_records_of_few_values_in_another_order_are_blocked(audit_of, run, options, levels):
    original = pd.DataFrame(np.random.default_rng(2).integers(0, levels, (150, 3)), columns=list("ABC"))
    ran = run(audit_of(original, shuffled(original), **options))
    ran.blocked("no-trivial-permutation")
    assert ran.numbers["CM3"] == 0


def test_row_68_reversed_columns_are_seen_by_the_metrics_of_links(audit_of, run, people):
    ran = run(audit_of(people, -people))
    ran.blocked("threshold")
    assert values(ran, "CM1", "CM2") == [0, 0]
    assert "Reversed keys are not tried: see MIRROR" in ran.result["glossary"]["CM3"]["blind_spots"]


@pytest.mark.parametrize("metric", ["CM3", "CM1", "UM"])
def test_row_68_reversed_columns_are_never_released_whatever_is_limited(audit_of, run, people, metric):
    ran = run(audit_of(people, -people, rules=[{"rule": "threshold", "metric": metric, "min": 0.0}]))
    ran.blocked("linked-metric-for-masked")


def test_row_68_the_variant_that_sorts_in_both_directions_reads_zero_of_reversed_and_shuffled_records(
    audit_of, run, people
):
    """CM3 reads what it reads of strangers; MIRROR is at its least, and a limit on it blocks."""
    reversed_elsewhere = -people.sample(frac=1, random_state=3)
    limits = [{"rule": "threshold", "metric": metric, "min": 0.05} for metric in ("CM3", "MIRROR")]
    ran = run(audit_of(people, reversed_elsewhere, **{**SYNTHETIC, "rules": limits}, metrics=["CM3", "MIRROR"]))
    assert ran.code == 1
    assert ran.numbers["CM3"] > 0.5
    assert ran.numbers["MIRROR"] == 0
    assert ran.details("MIRROR")["mirrored_permutation"] is True
    failed = {rule["rule"]: rule["message"] for rule in ran.candidate["rules"] if rule["outcome"] == "fail"}
    assert set(failed) == {"no-copied-records", "no-trivial-permutation", "threshold"}
    assert failed["threshold"].startswith("MIRROR is 0.0000")


@pytest.mark.parametrize("bare", ["FICA", "FEDTAX", "INTVAL"])
def test_row_69_one_bare_column_blocks_and_is_named(audit_of, run, people, masked, bare):
    ran = run(audit_of(people, masked.assign(**{bare: people[bare]})))
    assert ran.blocked("no-unprotected-attribute")["evidence"] == {"attributes": [bare]}
    assert ran.numbers["CM1"] == 0
    assert ran.details("CM1")["least_protected"] == bare
    assert f"{bare} keeps its rank order" in ran.out


def test_row_70_an_unrelated_release_reads_about_its_null_level(audit_of, run):
    first, second = (
        pd.DataFrame(np.random.default_rng(seed).normal(size=(1000, 4)), columns=list("ABCD")) for seed in (1, 2)
    )
    ran = run(audit_of(first, second))
    assert ran.code == 0
    metric = ran.candidate["metrics"]["CM2"]
    assert metric["null"] == pytest.approx(1 - 16 / 999, abs=1e-3)
    assert metric["value"] == pytest.approx(metric["null"], abs=0.02)


# --------------------------------------------------------------------------- ties


def test_row_71_binary_columns_are_handled_and_their_ties_shown(audit_of, run):
    first, second = (
        pd.DataFrame(np.random.default_rng(seed).permuted(np.tile([0, 1], (3, 200)), axis=1).T, columns=list("ABC"))
        for seed in (1, 2)
    )
    ran = run(audit_of(first, second))
    assert ran.code == 0
    for name in "ABC":  # two halves: 2 (n/2)^3 of n^3
        expected = "equal values take away 25.0% of the variance of ranks in the original, 25.0% in the release"
        assert ran.statements(name) == expected


def test_row_71_columns_without_ties_say_nothing(audit_of, run):
    first, second = (
        pd.DataFrame(np.random.default_rng(seed).normal(size=(100, 2)), columns=["A", "B"]) for seed in (1, 2)
    )
    ran = run(audit_of(first, second))
    assert ran.statements("A") == ran.statements("B") == ""


@pytest.mark.parametrize(("different", "told"), [(1, True), (10, True), (11, False)])
@pytest.mark.parametrize("side", ["original", "release"])
def test_row_72_a_column_of_nearly_one_value_is_told(audit_of, run, side, different, told):
    rng = np.random.default_rng(4)
    frames = {name: pd.DataFrame(rng.normal(size=(1000, 3)), columns=list("ABC")) for name in ("original", "release")}
    frames[side]["RARE"] = rng.permutation(np.arange(1000) < different).astype(int)
    other = "release" if side == "original" else "original"
    frames[other]["RARE"] = rng.normal(size=1000)
    ran = run(audit_of(frames["original"], frames["release"]))
    assert (f"attribute 'RARE': 99 % or more of the records of the {side}" in ran.warnings) is told
    assert f"records of the {other}" not in ran.warnings


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
