from __future__ import annotations

import hypothesis.extra.numpy as hnp
import hypothesis.strategies as st
import numpy as np
import pytest
import scipy.stats
from hypothesis import given

from permaudit.permutation import reverse_map

VALUES = st.integers(-20, 20).map(float)


@st.composite
def columns(draw):
    n = draw(st.integers(1, 30))
    return tuple(draw(hnp.arrays(np.float64, n, elements=VALUES)) for _ in range(2))


def test_the_value_with_the_rank_of_the_release_by_hand():
    x, y = np.array([10.0, 20.0, 30.0, 40.0]), np.array([12.0, 33.0, 19.0, 50.0])
    permuted, residual = reverse_map(x, y)
    np.testing.assert_array_equal(permuted, [10.0, 30.0, 20.0, 40.0])
    np.testing.assert_array_equal(residual, [2.0, 3.0, -1.0, 10.0])


@given(columns())
def test_the_original_is_rearranged_and_the_noise_changes_no_rank(pair):
    x, y = pair
    permuted, residual = reverse_map(x, y)
    np.testing.assert_array_equal(np.sort(permuted), np.sort(x))
    np.testing.assert_allclose(permuted + residual, y)
    for i in range(y.size):
        assert (permuted[y < y[i]] <= permuted[i]).all()


@given(columns())
def test_without_ties_the_ranks_of_the_release_are_kept(pair):
    x, y = (column + np.linspace(0, 0.5, column.size) for column in pair)
    permuted, _ = reverse_map(x, y)
    np.testing.assert_array_equal(scipy.stats.rankdata(permuted), scipy.stats.rankdata(y))


def test_a_release_that_only_ties_is_not_taken_for_a_permutation():
    x = np.array([3.0, 1.0, 2.0, 5.0])
    permuted, _ = reverse_map(x, np.array([2.0, 2.0, 2.0, 7.0]))
    np.testing.assert_array_equal(permuted, x)


def test_integers_beyond_53_bits_are_rearranged_exactly():
    x = np.array([2**60 + 1, 2**60])
    np.testing.assert_array_equal(reverse_map(x, np.array([1, 2])).permuted, [2**60, 2**60 + 1])


def test_columns_that_cannot_be_compared_are_refused():
    with pytest.raises(ValueError, match="equal length"):
        reverse_map(np.zeros(2), np.zeros(3))
    with pytest.raises(ValueError, match="released column has missing values"):
        reverse_map(np.zeros(2), np.array([1.0, np.nan]))
