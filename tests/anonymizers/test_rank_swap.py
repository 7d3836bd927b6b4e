"""Rank swapping: how far values move, what stays, and that no file order shows."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import rankdata

from permaudit_plugins.anonymizers.rank_swap import RankSwap, RankSwapParameters

from .originals import numbers, original, skewed


def swapped(x, p, seed=1):
    return numbers(RankSwap().anonymize(original(x), RankSwapParameters(p=p), np.random.default_rng(seed)).table)


@pytest.mark.parametrize("p", [0.01, 1, 5, 30, 100])
@pytest.mark.parametrize("records", [2, 5, 101, 2000])
def test_every_value_moves_at_most_the_window_in_rank_and_all_values_are_kept(records, p):
    x = skewed(1, records, 2)
    y = swapped(x, p)
    np.testing.assert_array_equal(np.sort(y, axis=0), np.sort(x, axis=0))
    moved = np.abs(rankdata(x, axis=0) - rankdata(y, axis=0))
    assert moved.max() <= max(1, int(records * p / 100))


def test_values_swap_in_pairs_and_hardly_any_stays():
    x = np.arange(5000.0)[:, None]
    y = swapped(x, 2)[:, 0].astype(int)
    np.testing.assert_array_equal(y[y], np.arange(5000))
    assert (y == np.arange(5000)).mean() < 0.01


def test_the_whole_window_is_used():
    distance = np.abs(swapped(np.arange(20_000.0)[:, None], 5) - np.arange(20_000.0)[:, None])
    assert distance.max() > 0.98 * 1000
    assert 250 < distance.mean() < 750


def test_the_attributes_are_swapped_independently():
    x = np.repeat(np.arange(3000.0)[:, None], 2, axis=1)
    y = swapped(x, 10) - x
    assert np.corrcoef(y.T)[0, 1] == pytest.approx(0, abs=4 / np.sqrt(3000))


def test_a_partner_is_any_free_one_in_the_window_with_equal_chance():
    """The first of four values may go with each of the other three."""
    rng = np.random.default_rng(2)
    given = original(np.arange(4.0)[:, None])
    runs = [RankSwap().anonymize(given, RankSwapParameters(p=75), rng).table["a0"][0].as_py() for _ in range(3000)]
    assert np.bincount(np.array(runs, int), minlength=4) / 3000 == pytest.approx([0, 1 / 3, 1 / 3, 1 / 3], abs=0.035)


def test_tied_values_do_not_keep_the_order_of_the_file():
    """With half of the values tied, record 0 would else always swap with its neighbour in the file."""
    x = np.repeat([0.0, 1.0], 50)[:, None]
    received = {swapped(x, 50, seed)[0, 0] for seed in range(20)}
    assert received == {0.0, 1.0}


def test_a_constant_attribute_stays_as_it_is():
    assert (swapped(np.full((40, 1), 3.0), 20) == 3).all()


def test_a_wide_window_over_many_records_takes_no_more_than_a_few_draws_each():
    """With a scan of the window for each record this would take hours."""
    x = np.arange(300_000.0)[:, None]
    np.testing.assert_array_equal(np.sort(swapped(x, 100), axis=0), x)
