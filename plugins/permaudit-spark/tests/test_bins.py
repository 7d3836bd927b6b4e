"""Moments by key from some places of the order: as near as is stated, and nearer with more places."""

from __future__ import annotations

import numpy as np
import pytest
from engine_files.files import noisy, people

from permaudit.permutation import cm3, mirror, pair_moments, rank_columns
from permaudit.permutation.whitening import scales, whiten
from permaudit_spark.bins import Bins
from permaudit_spark.engine import SparkEngine

N = 20_000
ORIGINAL = people(N, 3)
RELEASE = noisy(ORIGINAL)


@pytest.fixture(scope="module")
def exact():
    return pair_moments(
        list(ORIGINAL), *(rank_columns(list(side.values())) for side in (ORIGINAL, RELEASE)), mirrored=True
    )


def off(found, exact):
    """Return how far off the moments of each key are, as correlations of whitened ranks."""
    left, right = (scales(own)[:, None] * whiten(own).basis for own in (exact.original, exact.release))
    return np.linalg.norm(left.T @ (found - exact.cross_by_key) @ right, axis=(1, 2))


def test_the_error_is_within_what_is_stated_and_the_metrics_are_on_the_safe_side(exact, shelf):
    engine = SparkEngine(cells=15_000, bins=4000, seed=3)
    found = engine.moments(*(engine.prepare(shelf.keep(side.items())) for side in (ORIGINAL, RELEASE)), mirrored=True)
    wrong = off(found.cross_by_key, exact)
    assert (wrong > 0).all()
    assert wrong.max() < found.by_key_error < 1
    for metric in (cm3, mirror):
        assert (metric(found) < metric(exact)).all()
    np.testing.assert_array_equal(found.cross, exact.cross)


def test_attributes_that_determine_others_are_compared_exactly(shelf):
    original = {name: ORIGINAL[name][:300] for name in ("a0", "a1")}
    original["twice"] = 2 * original["a0"]
    engine = SparkEngine(bins=10)
    found = engine.moments(*(engine.prepare(shelf.keep(original.items())) for _ in range(2)))
    assert found.by_key_error is None
    assert found.trivial_permutation


@pytest.mark.parametrize(("records", "wanted"), [(2, 1), (3, 8), (1000, 64), (1001, 64), (1001, 5000), (7, 7)])
def test_each_bin_has_one_place_and_they_look_the_same_from_both_ends(records, wanted):
    bins = Bins.of(records, wanted, seed=1)
    assert bins.weights.sum() == bins.records == records
    assert (np.diff(bins.places) > 0).all()
    np.testing.assert_array_equal(bins.places, records - 1 - bins.places[::-1])
    ends = np.cumsum(bins.weights)
    assert ((ends - bins.weights <= bins.places) & (bins.places < ends)).all()
    assert (bins.widest == 1) == (wanted >= records - 1)


def test_other_seeds_draw_other_places():
    one, other = (Bins.of(1000, 100, seed).places for seed in (1, 2))
    assert (one != other).any()


@pytest.mark.parametrize("records", [400, 401])
def test_the_estimate_is_right_on_average(records):
    """Over many seeds, sums over the drawn places are those over all, as exactly as chance allows."""
    values = np.random.default_rng(0).normal(size=records)
    found = [
        (values[bins.places] * bins.weights).sum() for bins in (Bins.of(records, 40, seed) for seed in range(3000))
    ]
    assert abs(np.mean(found) - values.sum()) < 4 * np.std(found) / np.sqrt(3000)
