from __future__ import annotations

from fractions import Fraction

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

from permaudit.permutation.exact import ExactSum, Products

LARGEST = 2**53 - 1


@given(
    st.lists(st.tuples(st.integers(-LARGEST, LARGEST), st.sampled_from([0, 16, 32])), max_size=30),
    st.integers(1, 2**40),
)
def test_sums_beyond_64_bits_are_exact_and_rounded_once(parts, divisor):
    sums, whole = ExactSum((1,)), 0
    for part, shift in parts:
        sums.add(np.array([float(part)]), shift)
        whole += part << shift
    assert sums.divided(divisor)[0] == float(Fraction(whole, divisor))


def test_a_sum_that_overflows_a_plain_int64_is_exact():
    sums = ExactSum((2,))
    for _ in range(5000):
        sums.add(np.array([LARGEST, -LARGEST], float))
    assert 5000 * LARGEST > 2**63
    np.testing.assert_array_equal(
        sums.divided(3), [float(Fraction(5000 * LARGEST, 3)), float(Fraction(-5000 * LARGEST, 3))]
    )


def test_merged_sums_are_the_sum_of_both():
    one, other = ExactSum((1,)), ExactSum((1,))
    for _ in range(1500):
        one.add(np.array([float(LARGEST)]))
        other.add(np.array([-7.0]), shift=32)
    one.merge(other)
    assert one.divided(1)[0] == float(1500 * (LARGEST - 7 * 2**32))


@pytest.mark.parametrize("bound", [2**10, 2**20, 3 * 10**6, 2**24, 2**27, 2**31 - 1])
@pytest.mark.parametrize("longest", [3, 4096])
@pytest.mark.parametrize("beside", [list, lambda ys: [np.hstack(ys)]], ids=["one by one", "side by side"])
def test_products_of_integers_of_any_allowed_size_are_exact(bound, longest, beside):
    rng = np.random.default_rng(bound)
    x, y = rng.integers(1 - bound, bound, (2, 700, 3))
    x[:400, 0] = y[:400, 0] = bound - 1  # the largest sums there can be
    sums = Products((2, 3, 3), bound, longest)
    for block in sums.blocks(700):
        sums.add(x[block].astype(float), beside([y[block].astype(float), -y[block].astype(float)]))
    exact = x.astype(object).T @ y.astype(object)
    expected = np.array([[float(Fraction(v, 7)) for v in row] for row in exact])
    np.testing.assert_array_equal(sums.total.divided(7), [expected, -expected])


def test_blocks_cover_all_records_once():
    sums = Products((1, 2, 2), 100, 7)
    assert [i for block in sums.blocks(30) for i in range(block.start, block.stop)] == list(range(30))


def test_no_partial_sum_of_a_block_can_leave_the_exact_integers():
    for records, largest in ((2, 1), (1000, 999), (10**6, 10**6 - 1), (11 * 10**6, 2**16), (2**31 - 2, 2**16)):
        longest = max(block.stop - block.start for block in Products((1, 2, 2), records).blocks(min(records, 10**6)))
        assert longest * (records - 1) * largest < 2**53  # of numbers above 16 bits, either part on its own
