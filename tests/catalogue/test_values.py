"""Rows 57 to 72: cells and columns that break naive code, and releases that protect nothing."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from .conftest import SYNTHETIC, values, with_cell

RNG = np.random.default_rng(11)


def shuffled(frame):
    """Return whole records in another order."""
    return frame.sample(frac=1, random_state=3).reset_index(drop=True)


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
