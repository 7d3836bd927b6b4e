from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from permaudit.permutation import canonical_correlations, cm1, least_protected, squared_multiple_correlations

from . import textbook
from .files import file_pairs, gaussian, moments


def test_the_part_explained_is_that_of_a_regression_on_all_released_attributes():
    rng = np.random.default_rng(1)
    x = gaussian(rng, 300, 3, 0.3)
    y = x + rng.standard_normal(x.shape) * [2.0, 0.5, 1.0]
    rank_x, rank_y = textbook.ranks(x), textbook.ranks(y)
    design = np.column_stack([np.ones(300), rank_y])
    residuals = rank_x - design @ np.linalg.lstsq(design, rank_x)[0]
    expected = 1 - residuals.var(axis=0) / rank_x.var(axis=0)
    pair = moments(x, y)
    np.testing.assert_allclose(squared_multiple_correlations(pair), expected, atol=1e-9)
    assert least_protected(pair) == 1


@pytest.mark.parametrize("column", range(4))
@pytest.mark.parametrize("near_duplicate", [False, True])
def test_the_unchanged_attribute_is_named(column, near_duplicate):
    rng = np.random.default_rng(2)
    x = gaussian(rng, 500, 4, 0.2)
    if near_duplicate:  # so close that the numerical rank takes both for one
        x[:, (column + 1) % 4] = x[:, column] + 1e-5 * rng.standard_normal(500)
    y = rng.standard_normal(x.shape)
    y[:, column] = np.sinh(x[:, column])
    assert least_protected(moments(x, y)) == column


@given(file_pairs(least=1))
def test_no_attribute_is_explained_better_than_the_best_combination(pair):
    full = moments(*pair)
    explained = squared_multiple_correlations(full)
    best = 1 - cm1(canonical_correlations(full.original, full.release, full.cross))
    assert ((explained >= 0) & (explained <= 1)).all()
    assert explained.max() <= best + 1e-9
    assert 0 <= least_protected(full) < len(full.attributes)
