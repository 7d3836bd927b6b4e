from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

import permaudit.permutation.bykey
import permaudit.permutation.exact
import permaudit.permutation.ties
from permaudit.permutation import cross_moments, cross_moments_by_key, own_moments, pair_moments, rank_columns
from permaudit.permutation.reversal import opposite_moments_by_key
from permaudit.permutation.ties import tied_places

from . import textbook
from .files import CASES, case, file_pairs, moments


@pytest.mark.parametrize("name", CASES)
def test_moments_are_the_covariances_of_average_ranks(name):
    x, y = case(name, seed=1)
    pair = moments(x, y)
    rank_x, rank_y = textbook.ranks(x), textbook.ranks(y)
    c_xx, c_yy, c_xy = textbook.covariances(rank_x, rank_y)
    np.testing.assert_allclose(pair.original, c_xx, atol=1e-9)
    np.testing.assert_allclose(pair.release, c_yy, atol=1e-9)
    np.testing.assert_allclose(pair.cross, c_xy, atol=1e-9)
    for key in range(x.shape[1]):
        np.testing.assert_allclose(pair.cross_by_key[key], textbook.cross_by_key(rank_x, rank_y, key), atol=1e-9)


@pytest.mark.parametrize("seed", range(6))
def test_tied_keys_give_the_mean_over_all_tie_breakings(seed):
    rng = np.random.default_rng(seed)
    x, y = rng.integers(0, 3, (6, 3)).astype(float), rng.integers(0, 4, (6, 3)).astype(float)
    x[:, 2] = rng.permutation(6)
    rank_x, rank_y = textbook.ranks(x), textbook.ranks(y)
    pair = moments(x, y)
    for key in range(3):
        expected = textbook.mean_cross_over_all_tie_breakings(rank_x, rank_y, key)
        np.testing.assert_allclose(pair.cross_by_key[key], expected, atol=1e-12)


def scaled(pair):
    """Covariances of ranks relative to the variance of n untied ranks."""
    unit = pair.records * (pair.records + 1) / 12
    return [matrix / unit for matrix in (pair.original, pair.release, pair.cross, pair.cross_by_key)]


def large(seed, n=9000):
    """More records than one block holds, with untied keys, keys tied on one side, on both, here and there, and mostly."""
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((n, 7)) @ rng.standard_normal((7, 7))
    y = x + rng.standard_normal((n, 7))
    x[:, 1], y[:, 2] = np.round(x[:, 1], 1), np.round(y[:, 2])
    x[:, 3], y[:, 3] = np.round(x[:, 3], 3), np.round(y[:, 3], 2)
    x[:, 4], y[:, 4] = x[:, 4] > 0, y[:, 4] > 1
    x[:, 5], y[:, 5] = np.round(x[:, 5], 5), np.round(y[:, 5], 4)
    x[: n // 9, 5] = x[0, 5]
    x[:, 6], y[:, 6] = np.round(x[:, 6], 4), np.where(y[:, 6] > 0, y[:, 6], 0)
    return x, y


def test_blocks_that_cut_through_tie_groups_give_the_textbook_moments():
    x, y = large(5)
    rank_x, rank_y = textbook.ranks(x), textbook.ranks(y)
    pair = moments(x, y)
    for key in range(7):
        np.testing.assert_allclose(
            pair.cross_by_key[key], textbook.cross_by_key(rank_x, rank_y, key), rtol=1e-9, atol=1e-3
        )


@pytest.fixture(autouse=True)
def _groups_are_soon_many(monkeypatch):
    """Let also files of a size to test with have more groups than are taken at once."""
    monkeypatch.setattr(permaudit.permutation.ties, "_ALWAYS_FEW", 100)


def test_the_cases_of_ties_are_all_there():
    ranked = [rank_columns(list(side.T)) for side in large(5)]
    shares = [tied_places(*ranked, key).many / 9000 for key in range(7)]
    assert shares[0] == 0
    assert 0 < shares[5] < 1 / 4
    assert shares[6] == 1
    groups = [np.count_nonzero(tied_places(*ranked, 6).begins_x), np.count_nonzero(tied_places(*ranked, 6).begins_y)]
    assert min(groups) > 9000 / 8  # block by block
    assert np.count_nonzero(tied_places(*ranked, 1).begins_x) < 9000 / 8


def test_sorting_in_opposite_directions_is_comparing_with_the_file_upside_down():
    x, y = large(11)
    ranked_x, ranked_y = rank_columns(list(x.T)), rank_columns(list(y.T))
    found = opposite_moments_by_key(ranked_x, ranked_y)
    expected = cross_moments_by_key(ranked_x, rank_columns(list(-y.T)))
    unit = 9000 * 9001 / 12
    np.testing.assert_allclose(found / unit, expected / unit, rtol=0, atol=1e-12)


def test_threads_change_no_bit():
    x, y = large(6)
    one, three = moments(x, y, threads=1), moments(x, y, threads=3)
    for a, b in zip(scaled(one), scaled(three), strict=True):
        np.testing.assert_array_equal(a, b)


def test_block_sizes_change_nothing_beyond_rounding(monkeypatch):
    x, y = large(7)
    whole = moments(x, y)
    monkeypatch.setattr(permaudit.permutation.bykey, "_PARTNERS", 20_000)
    monkeypatch.setattr(permaudit.permutation.ties, "_BLOCK", 59)
    monkeypatch.setattr(permaudit.permutation.bykey, "_NUMBERS", 300)
    monkeypatch.setattr(permaudit.permutation.bykey, "_PRODUCTS", 30)
    monkeypatch.setattr(permaudit.permutation.exact, "_NUMBERS", 310)
    cut = moments(x, y)
    np.testing.assert_array_equal(whole.original, cut.original)
    np.testing.assert_array_equal(whole.cross, cut.cross)
    np.testing.assert_array_equal(whole.cross_by_key[0], cut.cross_by_key[0])  # an untied key
    for a, b in zip(scaled(whole), scaled(cut), strict=True):
        np.testing.assert_allclose(a, b, rtol=0, atol=1e-12)


@settings(max_examples=40)
@given(file_pairs())
def test_shuffling_linked_records_together_changes_no_bit_of_the_own_and_cross_moments(pair):
    x, y = pair
    order = np.random.default_rng(0).permutation(x.shape[0])
    before, after = moments(x, y), moments(x[order], y[order])
    np.testing.assert_array_equal(before.original, after.original)
    np.testing.assert_array_equal(before.release, after.release)
    np.testing.assert_array_equal(before.cross, after.cross)
    np.testing.assert_array_equal(before.cross_by_key, after.cross_by_key)


@settings(max_examples=40)
@given(file_pairs())
def test_shuffling_one_file_changes_no_bit_of_the_moments_by_key(pair):
    x, y = pair
    rng = np.random.default_rng(0)
    before, after = moments(x, y), moments(rng.permutation(x), rng.permutation(y))
    np.testing.assert_array_equal(before.cross_by_key, after.cross_by_key)


def test_a_large_file_is_summed_exactly():
    n = 10_001
    ranked = rank_columns([np.random.default_rng(0).permutation(n)])
    assert own_moments(ranked)[0, 0] == n * (n + 1) / 12  # the variance of 1..n


def test_own_moments_that_are_known_are_used():
    x, y = case("continuous", seed=2)
    ranked_x, ranked_y = rank_columns(list(x.T)), rank_columns(list(y.T))
    known = own_moments(ranked_x)
    pair = pair_moments(list("abcd"), ranked_x, ranked_y, original_own=known)
    assert pair.original is known
    assert pair.attributes == ("a", "b", "c", "d")
    assert pair.records == x.shape[0]
    np.testing.assert_array_equal(pair.cross, cross_moments(ranked_x, ranked_y))


def test_files_of_different_size_are_refused():
    one, other = rank_columns([np.arange(3.0)] * 2), rank_columns([np.arange(4.0)] * 2)
    with pytest.raises(ValueError, match="3 records and the release 4"):
        cross_moments(one, other)
    with pytest.raises(ValueError, match="2 attributes and the release 1"):
        cross_moments_by_key(one, rank_columns([np.arange(3.0)]))
    with pytest.raises(ValueError, match="at least 2 records"):
        own_moments(rank_columns([np.zeros(1)]))
