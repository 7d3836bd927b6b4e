"""How firm the ground is on which numbers stand."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from permaudit.permutation import pair_moments, rank_columns, wilks_null_mean
from permaudit.permutation.ground import ground_of


def ground(*columns):
    ranked = rank_columns([np.asarray(column) for column in columns])
    return ground_of(pair_moments([f"A{number}" for number in range(len(columns))], ranked, ranked))


@pytest.mark.parametrize("seed", range(5))
def test_the_share_of_ties_is_what_scipy_corrects_for(seed):
    rng = np.random.default_rng(seed)
    column = rng.integers(0, rng.integers(2, 40), 90)
    found = ground(column, rng.normal(size=90)).original
    assert found.ties == pytest.approx([1 - stats.tiecorrect(stats.rankdata(column)), 0], abs=1e-12)


@pytest.mark.parametrize("share", [0.98, 0.99, 0.995, 0.999])
def test_the_share_of_the_commonest_value_is_told_where_it_is_nearly_all(share):
    column = np.arange(10_000) >= share * 10_000
    split = np.where(column, np.arange(10_000), -1)
    found = ground(column.astype(int), split).release
    assert found.commonest == pytest.approx([share, share], abs=1e-5)


def test_constant_and_repeated_columns_are_counted():
    column = np.random.default_rng(1).normal(size=50)
    found = ground(column, 2 * column, np.zeros(50))
    assert (found.original.varying, found.original.rank) == (2, 1)
    assert found.original.ties == pytest.approx([0, 0, 1])
    assert found.null == wilks_null_mean(1, 1, 50)


def test_nothing_is_told_of_moments_that_are_not_finite():
    ranked = rank_columns([np.arange(9.0)])
    moments = pair_moments(["A"], ranked, ranked)
    moments.release[0, 0] = np.nan
    assert ground_of(moments) is None
