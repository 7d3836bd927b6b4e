"""Synthetic records from a Gaussian copula."""

from __future__ import annotations

import datetime as dt

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from permaudit import Attribute
from permaudit_plugins.anonymizers._latent import normal_correlations, rank_correlations
from permaudit_plugins.anonymizers._margins import _between

from .mixed import (
    ATTRIBUTES,
    ORDER,
    TREE,
    check_audit,
    data_mistakes,
    made,
    numbers,
    original,
    parameter_mistakes,
    people,
    read_back,
    studied,
    with_gaps,
)

MANY = 20_000


def drawn(given, **params):
    return made("gaussian-copula", given, **params).table


def codes(given, table):
    return {name: column.codes for name, column in read_back(given, table).items()}


def spearman(columns):
    return stats.spearmanr(np.column_stack(list(columns.values()))).statistic


# --------------------------------------------------------------------------- what is kept


def test_rank_correlations_are_those_of_the_original_whatever_the_types():
    given = original(people(1500).drop_columns(["JOB"]))
    before, after = spearman(codes(given, given.table)), spearman(codes(given, drawn(given, records=MANY)))
    assert np.abs(before - after).max() < 5 / np.sqrt(MANY)


def test_what_goes_with_a_nominal_attribute_still_does():
    given = original(people(1500))
    release = drawn(given, records=MANY)
    for name in ("INCOME", "AGE"):
        before, after = [table.to_pandas().groupby("JOB")[name].mean() for table in (given.table, release)]
        assert np.corrcoef(before, after[before.index])[0, 1] > 0.95
        assert after.std() > 0.7 * before.std()


def test_margins_are_those_of_the_original():
    given = original(people(1500))
    before, after = codes(given, given.table), codes(given, drawn(given, records=MANY))
    for name in before:
        assert stats.ks_2samp(before[name], after[name], method="asymp").statistic < 2 / np.sqrt(MANY) + 1 / 1500, name


def test_values_that_many_share_keep_their_share():
    values = np.where(np.arange(1000) < 400, 0.0, np.random.default_rng(1).exponential(1000, 1000))
    release = drawn(numbers(A=values, B=np.arange(1000)), records=MANY)["A"].to_numpy()
    assert np.mean(release == 0) == pytest.approx(0.4, abs=0.02)


@pytest.mark.parametrize("r", [-0.9, -0.3, 0.0, 0.5, 0.95])
def test_the_correlation_behind_two_cut_scores_is_found_again(r):
    scores = np.random.default_rng(3).multivariate_normal([0, 0], [[1, r], [r, 1]], 200_000)
    columns = [np.digitize(scores[:, 0], [0.6]), np.digitize(scores[:, 1], [-0.4, 1.0])]
    assert normal_correlations(rank_correlations(columns), columns)[0, 1] == pytest.approx(r, abs=0.02)


@pytest.mark.parametrize("rho", [-0.95, -0.4, 0.1, 0.8])
def test_without_ties_the_correlation_is_the_one_known_in_closed_form(rho):
    columns = [np.arange(3000), np.arange(3000)]
    found = normal_correlations(np.array([[1.0, rho], [rho, 1.0]]), columns)
    assert found[0, 1] == pytest.approx(2 * np.sin(np.pi * rho / 6), abs=1e-4)


def test_rank_correlations_are_those_of_another_implementation():
    rng = np.random.default_rng(5)
    columns = [rng.integers(0, 4, 200), rng.integers(0, 300, 200), rng.integers(0, 2, 200)]
    columns[1] += 50 * columns[0]
    expected = stats.spearmanr(np.column_stack(columns)).statistic
    np.fill_diagonal(expected, 1)
    assert rank_correlations(columns) == pytest.approx(expected, abs=3 / 2 / 200)  # what half a record can add


# --------------------------------------------------------------------------- values and types


def test_no_value_that_a_single_record_has_is_copied():
    values = np.random.default_rng(1).normal(size=500)
    assert not set(values) & set(drawn(numbers(A=values, B=values**3), records=5000)["A"].to_pylist())


def test_without_smoothing_every_value_is_one_of_the_originals():
    given = original(people())
    release = drawn(given, smooth=False)
    for name in release.column_names:
        assert set(release[name].to_pylist()) <= set(given.table[name].to_pylist())


@pytest.mark.parametrize("smooth", [True, False])
def test_values_stay_between_the_least_and_the_greatest(smooth):
    given = original(people())
    before, after = codes(given, given.table), codes(given, drawn(given, records=5000, smooth=smooth))
    for name in before:
        assert before[name].min() <= after[name].min()
        assert after[name].max() <= before[name].max()


@pytest.mark.parametrize("size", [1, 50, 1000])
def test_as_many_records_are_drawn_as_were_asked_for(size):
    assert drawn(original(people()), records=size).num_rows == size


def test_by_default_there_are_as_many_records_as_in_the_original():
    release = drawn(original(people()))
    assert release.num_rows == people().num_rows
    assert release.schema.equals(people().schema)


DAY = dt.date(2001, 5, 4)
NOON = dt.datetime(2001, 5, 4, 12, 30)  # noqa: DTZ001


@pytest.mark.parametrize(
    ("kind", "column"),
    [
        ("numeric", pa.array([1, 2, 5], pa.int64())),
        ("numeric", pa.array([1, 2, 5], pa.int8())),
        ("numeric", pa.array([1, 2, 2**64 - 1], pa.uint64())),
        ("numeric", pa.array([-(2**63), 2, 2**63 - 1], pa.int64())),
        ("numeric", pa.array([-1.7e308, 2, 1.7e308])),
        ("numeric", pa.array([1.5, 2, 5], pa.float32())),
        ("numeric", pa.nulls(3)),
        ("date", pa.array(["2001-01-31", "1950-03-01", "2010-05-05"])),
        ("date", pa.array(["2001-01-31", "1950-03-01", "2010-05-05"], pa.large_string())),
        ("date", pa.array([DAY, DAY, None])),
        ("date", pa.array([DAY, DAY, None], pa.date64())),
        ("date", pa.array([NOON, NOON, None], pa.timestamp("ns")).cast(pa.date32()).cast(pa.timestamp("ns"))),
        ("datetime", pa.array(["2001-01-31T10:00", "1950-03-01T10:01", ""])),
        ("datetime", pa.array(["2001-01-31T10:00Z", "1950-03-01T10:01:07.25Z", None])),
        ("datetime", pa.array(["2001-01-31", "1950-03-01", None])),
        ("datetime", pa.array([NOON, NOON, None], pa.timestamp("ms", "UTC"))),
        ("datetime", pa.array([DAY, DAY, None])),
        ("boolean", pa.array([True, False, None])),
        ("boolean", pa.array(["true", "FALSE", "1"])),
        ("nominal", pa.array(["a", "b", "a"]).dictionary_encode()),
        ("nominal", pa.array([1.0, 2.0, float("nan")])),
        ("nominal", pa.nulls(3)),
    ],
    ids=lambda item: item if isinstance(item, str) else str(item.type),
)
@pytest.mark.parametrize("smooth", [True, False])
def test_a_column_keeps_its_type_and_is_readable(kind, column, smooth):
    tree = TREE if kind != "nominal" else None
    given = original(pa.table({"A": column, "B": [1, 2, 3]}), {"A": Attribute(name="A", type=kind, taxonomy=tree)})
    release = drawn(given, records=50, smooth=smooth)
    assert release.schema.equals(given.table.schema)
    if kind != "nominal" and column.null_count < len(column):
        read_back(given, release)


def test_whole_numbers_stay_whole_also_where_they_are_held_as_floats():
    release = drawn(numbers(A=[1.0, 100.0, 1000.0, 5.0], B=[1, 2, 3, 4]), records=200)["A"].to_numpy()
    assert (release == np.rint(release)).all()
    assert len(set(release.tolist())) > 20


def test_times_are_as_fine_as_those_of_the_original():
    minutes = [dt.datetime(2024, 1, 1) + dt.timedelta(minutes=17 * n) for n in range(50)]  # noqa: DTZ001
    given = original(
        pa.table({"A": pa.array(minutes, pa.timestamp("ns"))}), {"A": Attribute(name="A", type="datetime")}
    )
    release = drawn(given, records=300)["A"].to_pylist()
    assert all(moment.second == 0 and moment.microsecond == 0 for moment in release)
    assert len(set(release) - set(minutes)) > 100


def test_large_whole_numbers_are_drawn_between_their_neighbours():
    values = [2**62 + 3 * number for number in range(100)]
    release = drawn(numbers(A=values, B=list(range(100))), records=500)["A"].to_pylist()
    assert min(values) <= min(release) <= max(release) <= max(values)
    assert set(release) - set(values)


def test_between_equal_values_there_is_nothing_else():
    same = np.full(1000, 0.1)
    assert (_between(same, same, np.random.default_rng(1).random(1000)) == same).all()


@pytest.mark.parametrize("kind", [np.int64, np.uint64])
def test_the_end_of_a_wide_range_is_reached_and_not_left(kind):
    limits = np.iinfo(kind)
    low, high = np.array([0, limits.max - 1, limits.min], kind), np.array([2**63 - 1, limits.max, limits.max], kind)
    assert _between(low, high, np.ones(3)).tolist()[:2] == high.tolist()[:2]
    assert _between(low, high, np.zeros(3)).tolist() == low.tolist()
    halfway = _between(low, high, np.full(3, 0.5))
    assert (low <= halfway).all()
    assert (halfway <= high).all()


# --------------------------------------------------------------------------- the order of the file


def test_the_order_of_the_file_does_not_matter():
    rows = np.random.default_rng(2).permutation(people().num_rows)
    first, second = drawn(original(people())), drawn(original(people().take(rows)))
    for name in first.column_names:
        if name == "INCOME":
            assert np.allclose(first[name].to_numpy(), second[name].to_numpy())
        else:
            assert first[name].equals(second[name])


def test_a_study_seed_repeats_a_release_and_another_does_not():
    given = original(people())
    first, again, other = [studied("gaussian-copula", given, seed) for seed in (4, 4, 5)]
    assert first.equals(again)
    assert not first.equals(other)


# --------------------------------------------------------------------------- hard cases


def test_a_duplicated_column_stays_one_and_the_result_says_that_correlations_were_changed():
    values = np.random.default_rng(1).normal(size=300)
    release = made("gaussian-copula", numbers(A=values, B=values, C=-values), records=5000)
    (note,) = release.notes
    assert note.endswith("correlations of scores were changed by at most 1e-06")
    ranks = spearman(release.table.to_pydict())
    assert np.abs(ranks) == pytest.approx(np.ones((3, 3)), abs=1e-4)
    assert ranks[0, 2] < 0


def test_a_constant_column_stays_constant():
    release = drawn(numbers(A=[7, 7, 7, 7], B=[1, 2, 3, 4]), records=30)
    assert set(release["A"].to_pylist()) == {7}


@pytest.mark.parametrize("size", [2, 3])
def test_a_few_records_are_enough_to_draw_from(size):
    assert drawn(original(people().slice(0, size)), records=20).num_rows == 20


columns_of = st.integers(2, 25).flatmap(
    lambda size: st.tuples(
        st.lists(st.one_of(st.none(), st.integers(-(2**63), 2**63 - 1)), min_size=size, max_size=size),
        st.lists(st.one_of(st.none(), st.floats(allow_nan=True, allow_infinity=False)), min_size=size, max_size=size),
        st.lists(st.one_of(st.none(), st.sampled_from(ORDER)), min_size=size, max_size=size),
        st.lists(st.one_of(st.none(), st.text(max_size=2)), min_size=size, max_size=size),
        st.lists(st.one_of(st.none(), st.booleans()), min_size=size, max_size=size),
        st.lists(st.one_of(st.none(), st.dates()), min_size=size, max_size=size),
        st.lists(st.one_of(st.none(), st.datetimes()), min_size=size, max_size=size),
    )
)
KINDS = (pa.int64(), pa.float64(), pa.string(), pa.string(), pa.bool_(), pa.date32(), pa.timestamp("us"))
DECLARED = {
    "C": Attribute(name="C", type="ordinal", order=ORDER),
    "D": Attribute(name="D", type="nominal"),
    "E": Attribute(name="E", type="boolean"),
    "F": Attribute(name="F", type="date"),
    "G": Attribute(name="G", type="datetime"),
}


@settings(deadline=None, max_examples=30)
@given(columns=columns_of, smooth=st.booleans(), seed=st.integers(0, 5))
def test_any_mixture_of_values_and_gaps_can_be_drawn_from(columns, smooth, seed):
    table = pa.table(
        {name: pa.array(values, kind) for name, values, kind in zip("ABCDEFG", columns, KINDS, strict=True)}
    )
    release = drawn(original(table, DECLARED), seed=seed, records=10, smooth=smooth)
    assert release.schema.equals(table.schema)
    for name in "CDE":
        assert set(release[name].to_pylist()) <= {*table[name].to_pylist(), None}


# --------------------------------------------------------------------------- missing values


def test_missing_values_come_at_their_rate_and_with_what_they_go_with():
    rng = np.random.default_rng(4)
    age = rng.integers(20, 80, 3000)
    income = np.where(rng.random(3000) < (age - 20) / 80, np.nan, 1000.0 * age + rng.normal(0, 3000, 3000))
    release = drawn(numbers(AGE=age, INCOME=pa.array(income, from_pandas=True)), records=MANY).to_pandas()
    gone = release["INCOME"].isna()
    assert gone.mean() == pytest.approx(np.isnan(income).mean(), abs=0.02)
    assert release["AGE"][gone].mean() == pytest.approx(age[np.isnan(income)].mean(), abs=1)
    assert release["AGE"].corr(release["INCOME"], method="spearman") > 0.9


def test_rare_gaps_that_never_meet_do_not_exclude_each_other():
    age = np.random.default_rng(4).normal(size=300)
    gaps = [np.where(np.arange(300) % 30 == place, np.nan, age) for place in (0, 1)]
    columns = {name: pa.array(values, from_pandas=True) for name, values in zip("AB", gaps, strict=True)}
    release = made("gaussian-copula", numbers(C=age, **columns), records=MANY)
    both = np.mean(
        [one is None and two is None for one, two in zip(*release.table.select("AB").to_pydict().values(), strict=True)]
    )
    assert both == pytest.approx(1 / 900, abs=5 / 30 / np.sqrt(MANY))
    assert both > 0


@pytest.mark.parametrize("share", [0.01, 0.1, 0.4])
@pytest.mark.parametrize("records", [300, 1500])
def test_gaps_leave_the_correlations_of_values_as_they_are(share, records):
    given = original(with_gaps(people(records).drop_columns(["JOB"]), share))
    before, after = [
        pd.DataFrame(codes(given, table)).where(table.to_pandas().notna()).corr(method="spearman").to_numpy()
        for table in (given.table, drawn(given, records=MANY))
    ]
    assert np.abs(before - after).max() < 0.05


def test_gaps_in_every_column_keep_their_rates():
    given = original(with_gaps(people(1500), 0.2))
    release = drawn(given, records=MANY)
    for name in release.column_names:
        rate = given.table[name].null_count / 1500
        assert release[name].null_count / MANY == pytest.approx(rate, abs=5 * 0.4 / np.sqrt(MANY)), name


# --------------------------------------------------------------------------- refusals


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"records": 0}, "params.records must be at least 1, not 0"),
        ({"records": 2.5}, "params.records must be an integer"),
        ({"smooth": "yes"}, "params.smooth must be true or false"),
        ({"smoth": True}, "did you mean 'smooth'?"),
    ],
)
def test_a_wrong_parameter_is_named_with_the_reason(params, message):
    (found,) = parameter_mistakes("gaussian-copula", **params)
    assert message in found


def test_a_single_record_is_refused():
    assert data_mistakes("gaussian-copula", original(people().slice(0, 1))) == [
        "a model needs at least 2 records, and there are 1"
    ]


@pytest.mark.parametrize(
    ("declared", "values", "message"),
    [
        ({}, ["1", "x"], "column 'A' is not numeric"),
        ({}, [1.0, float("inf")], "column 'A' has infinite values"),
        ({"type": "date"}, ["2001-02-30", "x"], "column 'A' has values that are not dates (YYYY-MM-DD)"),
        ({"type": "ordinal", "order": ("a",)}, ["a", "b"], "column 'A' has 1 value that is not in the declared order"),
    ],
)
def test_values_of_another_type_are_refused(declared, values, message):
    given = original(pa.table({"A": values}), {"A": Attribute(name="A", **declared)})
    (found,) = data_mistakes("gaussian-copula", given)
    assert message in found


# --------------------------------------------------------------------------- whole audits


@pytest.mark.parametrize("params", [{}, {"smooth": False}, {"records": 150}, {"records": 500}])
def test_a_whole_audit_takes_it_for_synthetic_data_and_judges_it_by_cm3(params):
    candidate = check_audit("gaussian-copula", people(), **params)
    assert (candidate.kind, candidate.linkage) == ("synthetic", "none")
    assert candidate.metrics["CM3"].status == "ok"
    assert candidate.metrics["UM"].value > 0.9
    assert {finding.outcome for finding in candidate.rules} <= {"pass", "not-applicable", "fail", "review"}


@pytest.mark.parametrize("missing", ["lowest", "highest", "drop-records"])
def test_a_whole_audit_of_data_with_gaps(missing):
    check_audit("gaussian-copula", with_gaps(people(), 0.03), missing=missing)


def test_every_type_is_in_the_audited_data():
    assert {attribute.type for attribute in ATTRIBUTES.values()} == {
        "numeric",
        "ordinal",
        "nominal",
        "boolean",
        "date",
        "datetime",
    }
