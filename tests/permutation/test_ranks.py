from __future__ import annotations

from itertools import pairwise

import hypothesis.extra.numpy as hnp
import hypothesis.strategies as st
import numpy as np
import pytest
import scipy.stats
from hypothesis import example, given, settings

import permaudit.permutation.order
from permaudit.permutation import rank_columns
from permaudit.permutation.keys import order_keys
from permaudit.permutation.order import sort_keys

FLOATS = st.floats(allow_nan=False, width=64, allow_subnormal=True)
NEAR = st.integers(-3, 3).map(lambda i: 1.0 + i * 2.0**-52)


def average_ranks(ranked, column=0):
    return (ranked.doubled[:, column] + ranked.records + 1) / 2


def integer_oracle(values):
    """Average ranks by comparing Python integers."""
    values = [int(v) for v in values]
    return np.array([sum(w < v for w in values) + (sum(w == v for w in values) + 1) / 2 for v in values])


def assert_consistent(ranked):
    """The order sorts each column, and `tied` tells the truth."""
    for column, order in enumerate(ranked.order):
        arranged = ranked.doubled[order, column]
        assert sorted(order.tolist()) == list(range(ranked.records))
        assert (np.diff(arranged) >= 0).all()
        assert ranked.tied[column] == (np.diff(arranged) == 0).any()
        assert int(ranked.doubled[:, column].sum(dtype=np.int64)) == 0


@given(
    hnp.arrays(np.float64, st.integers(1, 40), elements=FLOATS | NEAR | st.sampled_from([0.0, -0.0, 5e-324, -5e-324]))
)
@example(np.array([np.inf, -np.inf, 0.0, -0.0, 5e-324, -5e-324, 1.7e308]))
@example(np.array([1e300, 1.0, 1.0 + 2**-52, 1.0, 1.0 - 2**-53]))
def test_floats_are_ranked_as_scipy_ranks_them(values):
    ranked = rank_columns([values])
    np.testing.assert_array_equal(average_ranks(ranked), scipy.stats.rankdata(values, method="average"))
    assert_consistent(ranked)


@given(hnp.arrays(np.float32, st.integers(1, 40), elements=st.floats(allow_nan=False, width=32)))
def test_single_precision_floats_are_ranked_as_scipy_ranks_them(values):
    ranked = rank_columns([values])
    np.testing.assert_array_equal(average_ranks(ranked), scipy.stats.rankdata(values, method="average"))


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"])
@settings(max_examples=40)
@given(data=st.data())
def test_integers_of_any_width_are_ranked_as_integers(dtype, data):
    info = np.iinfo(dtype)
    edges = st.sampled_from([info.min, info.max, info.min + 1, info.max - 1, 0, 1])
    values = data.draw(hnp.arrays(dtype, st.integers(1, 30), elements=st.integers(info.min, info.max) | edges))
    ranked = rank_columns([values])
    np.testing.assert_array_equal(average_ranks(ranked), integer_oracle(values))
    assert_consistent(ranked)


@pytest.mark.parametrize("dtype", ["int64", "uint64"])
def test_neighbours_above_two_to_the_53_do_not_tie(dtype):
    values = np.array([2**53 + 1, 2**53, 2**53 + 2, 2**62 + 1, 2**62], dtype)
    assert not rank_columns([values]).tied[0]
    np.testing.assert_array_equal(average_ranks(rank_columns([values])), [2, 1, 3, 5, 4])


def test_booleans_are_ranked_false_before_true():
    np.testing.assert_array_equal(average_ranks(rank_columns([np.array([True, False, True])])), [2.5, 1, 2.5])


def test_foreign_byte_order_strides_and_half_precision_make_no_difference():
    values = np.array([3.0, -1.0, 2.5, -1.0])
    for column in (values.astype(">f8"), values.repeat(3)[::3], values.astype(np.float16), (values * 2).astype(">i4")):
        np.testing.assert_array_equal(average_ranks(rank_columns([column])), [4, 1.5, 3, 1.5])


def test_ranking_leaves_its_input_alone():
    values = [np.array([3.0, -0.0, -1.0]), np.array([5, -7, 2]), np.array([5, 7, 2], np.uint64)]
    copies = [column.copy() for column in values]
    rank_columns(values)
    for column, copy in zip(values, copies, strict=True):
        assert column.tobytes() == copy.tobytes()


LEADING_BITS_AGREE = {
    "an outlier uses up the leading bits": lambda rng, n: np.append(1 + rng.random(n - 1) * 2.0**-40, 1e300),
    "few records are in doubt": lambda rng, n: np.append(rng.random(n - 8), 0.5 + np.arange(8)[::-1] * 2.0**-53),
    "ties with full mantissas": lambda rng, n: rng.random(n // 3)[rng.integers(0, n // 3, n)],
    "ties beside near ties": lambda rng, n: np.round(rng.random(n), 2) * (1 + 2.0**-50 * rng.integers(0, 2, n)),
    "wide integers": lambda rng, n: rng.integers(-(2**63), 2**63 - 1, n),
    "wide integers, neighbours": lambda rng, n: rng.integers(0, 50, n) * 2**57 + rng.integers(0, 3, n),
}


@pytest.mark.parametrize("large", [2**20, 1000])
@pytest.mark.parametrize("name", LEADING_BITS_AGREE)
def test_values_that_agree_in_their_leading_bits_are_told_apart(name, large, monkeypatch):
    monkeypatch.setattr(permaudit.permutation.order, "_LARGE", large)  # from here on keys are dealt into parts
    monkeypatch.setattr(permaudit.permutation.order, "_WORTHWHILE", 50)
    values = LEADING_BITS_AGREE[name](np.random.default_rng(7), 3000)
    distinct, inverse = np.unique(values, return_inverse=True)  # compares values, not bits
    ranked = rank_columns([values])
    np.testing.assert_array_equal(average_ranks(ranked), scipy.stats.rankdata(inverse))
    assert ranked.tied[0] == (distinct.size < values.size)
    assert_consistent(ranked)


UINT64 = st.integers(0, 2**64 - 1) | st.integers(0, 9).map(lambda i: i << 60) | st.integers(0, 9)


@pytest.mark.parametrize(("large", "worthwhile"), [(2**20, 2**15), (1, 1), (4, 7)])
def test_keys_are_sorted_and_equal_neighbours_found(large, worthwhile, monkeypatch):
    monkeypatch.setattr(permaudit.permutation.order, "_LARGE", large)
    monkeypatch.setattr(permaudit.permutation.order, "_WORTHWHILE", worthwhile)

    @given(hnp.arrays(np.uint64, st.integers(1, 50), elements=UINT64))
    def check(keys):
        order, equal = sort_keys(keys)
        arranged = [int(key) for key in keys[order]]
        assert arranged == sorted(int(key) for key in keys)
        assert equal.tolist() == [a == b for a, b in pairwise(arranged)]

    check()


@given(hnp.arrays(np.float64, st.integers(1, 20), elements=FLOATS))
def test_keys_keep_the_order_of_floats(values):
    keys = [int(key) for key in order_keys(values)]
    assert min(keys) == 0
    for a, ka in zip(values, keys, strict=True):
        for b, kb in zip(values, keys, strict=True):
            assert (a < b) == (ka < kb)


def test_threads_change_no_rank():
    rng = np.random.default_rng(3)
    columns = [rng.standard_normal(500), rng.integers(0, 9, 500), rng.random(500).astype(np.float32)] * 3
    one, three = rank_columns(columns, threads=1), rank_columns(columns, threads=3)
    np.testing.assert_array_equal(one.doubled, three.doubled)
    np.testing.assert_array_equal(one.tied, three.tied)


def test_ranks_are_32_bit_integers_row_by_row():
    ranked = rank_columns([np.arange(5.0), np.zeros(5)])
    assert ranked.doubled.dtype == ranked.order.dtype == np.int32
    assert ranked.doubled.shape == (5, 2)
    assert ranked.doubled.flags.c_contiguous
    assert ranked.order.shape == (2, 5)
    assert ranked.tied.tolist() == [False, True]


def test_nan_is_refused_with_the_position_of_its_column():
    with pytest.raises(ValueError, match="column 1 has missing values"):
        rank_columns([np.zeros(3), np.array([1.0, np.nan, 2.0])])


@pytest.mark.parametrize(
    "column", [np.array(["a", "b"]), np.array([1j, 2]), np.array([None, 1]), np.zeros(2, np.longdouble)]
)
def test_what_cannot_be_ranked_is_refused_with_the_position_of_its_column(column):
    with pytest.raises(TypeError, match="column 1 has dtype"):
        rank_columns([np.zeros(2), column])


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ([], "no column"),
        ([np.zeros(0)], "no record"),
        ([np.zeros(2), np.zeros(3)], "column 1 has 3 records, column 0 has 2"),
        ([np.zeros((2, 2))], "column 0 has 2 dimensions"),
    ],
)
def test_columns_that_make_no_file_are_refused(columns, message):
    with pytest.raises(ValueError, match=message):
        rank_columns(columns)


def test_more_records_than_32_bits_can_rank_are_refused():
    many = np.broadcast_to(np.zeros(1, np.int8), (2**31 - 1,))  # takes no memory
    with pytest.raises(ValueError, match="too many"):
        rank_columns([many])


def test_threads_must_be_a_positive_number():
    with pytest.raises(ValueError, match="threads"):
        rank_columns([np.zeros(3)], threads=0)
