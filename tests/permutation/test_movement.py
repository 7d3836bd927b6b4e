from __future__ import annotations

import hypothesis.extra.numpy as hnp
import hypothesis.strategies as st
import numpy as np
import pytest
import scipy.stats
from hypothesis import given

from permaudit.permutation import movements, reverse_map
from permaudit.permutation.movement import CLASSES


@st.composite
def files(draw):
    shape = draw(st.integers(1, 40)), draw(st.integers(1, 3))
    return tuple(draw(hnp.arrays(np.float64, shape, elements=st.integers(-9, 9).map(float))) for _ in range(2))


@given(files())
def test_movements_are_those_of_the_textbook(pair):
    x, y = pair
    size = len(x)
    for place, found in enumerate(movements(list(x.T), list(y.T))):
        one, other = (scipy.stats.rankdata(side[:, place]) for side in pair)
        permuted, residual = reverse_map(x[:, place], y[:, place])
        places = scipy.stats.rankdata(permuted)
        assert found.moved == np.mean(one != places)
        assert found.distance == pytest.approx(np.abs(one - places).mean() / size)
        density = np.zeros((CLASSES, CLASSES))
        for before, after in zip(one, other, strict=True):
            density[tuple(int((rank - 0.5) * CLASSES // size) for rank in (before, after))] += 1 / size
        np.testing.assert_allclose(found.density, density)
        parts = np.abs(permuted - x[:, place]).sum(), np.abs(residual).sum()
        assert found.permutation == (pytest.approx(parts[0] / sum(parts)) if any(parts) else None)


def test_what_only_moves_is_all_permutation_and_what_only_shifts_is_none():
    column = np.random.default_rng(0).standard_normal(50)
    swapped, shifted = movements([column, column], [column[::-1], column + 1])
    assert swapped.permutation == 1
    assert (shifted.moved, shifted.distance, shifted.permutation) == (0, 0, 0)


def test_values_too_large_for_a_mean_have_no_share():
    huge = np.array([1.7e308, -1.7e308, 1e308])
    (found,) = movements([huge], [-huge])
    assert found.permutation is None


def test_threads_change_no_movement():
    rng = np.random.default_rng(1)
    x, y = list(rng.standard_normal((4, 500))), list(rng.integers(0, 9, (4, 500)))
    assert movements(x, y, threads=1) == movements(x, y, threads=3)
