from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from permaudit.permutation import Canonical, cm1, cm2, cm3, confidentiality

from . import textbook
from .files import CASES, case, file_pairs, four, gaussian, moments


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("name", CASES)
def test_the_textbook_gives_the_same_metrics(name, seed):
    x, y = case(name, seed)
    ours = four(x, y)
    assert ours.cm1 == pytest.approx(textbook.cm1(x, y), abs=1e-9)
    assert ours.cm2 == pytest.approx(textbook.cm2(x, y), abs=1e-9)
    np.testing.assert_allclose(ours.cm3, textbook.cm3_by_key(x, y), rtol=0, atol=1e-9)
    assert ours.um == pytest.approx(textbook.um(x, y), abs=1e-9)


@pytest.mark.parametrize("noise", [1e-3, 0.02, 0.1, 3.0], ids=["next to nothing", "hardly any", "some", "much"])
def test_the_textbook_agrees_where_keys_line_up_everything_nearly_or_not_at_all_whatever_is_worked_on_at_once(
    noise, monkeypatch
):
    rng = np.random.default_rng(7)
    x = gaussian(rng, 400, 12, 0.99)
    y = x + noise * rng.normal(size=x.shape)
    expected = textbook.cm3_by_key(x, y)
    for at_once in (1, 3 * 12**2, 2**16):
        monkeypatch.setattr(confidentiality, "_AT_ONCE", at_once)
        np.testing.assert_allclose(four(x, y).cm3, expected, rtol=1e-6, atol=1e-10)


def test_cm2_is_wilks_lambda_the_ratio_of_determinants():
    x, y = case("continuous", 11)
    c_xx, c_yy, c_xy = textbook.covariances(textbook.ranks(x), textbook.ranks(y))
    joint = np.block([[c_xx, c_xy], [c_xy.T, c_yy]])
    expected = np.exp(np.linalg.slogdet(joint)[1] - np.linalg.slogdet(c_xx)[1] - np.linalg.slogdet(c_yy)[1])
    assert four(x, y).cm2 == pytest.approx(expected, rel=1e-9)


@given(file_pairs())
def test_bounds_and_order_hold(pair):
    result = four(*pair)
    assert 0 <= result.cm2 <= result.cm1 <= 1
    assert (result.cm2 == 0) == (result.cm1 == 0)
    assert ((result.cm3 >= 0) & (result.cm3 <= 1)).all()
    assert 0 <= result.um <= 1


@given(file_pairs())
def test_strictly_increasing_transforms_of_any_column_change_nothing(pair):
    x, y = pair
    before = four(x, y)
    after = four(np.exp(x), np.column_stack([np.arctan(y[:, :1]), 3 * y[:, 1:] - 5]))
    np.testing.assert_array_equal(before.cm3, after.cm3)
    assert before[:3] == after[:3]


@given(file_pairs())
def test_the_order_of_the_columns_changes_nothing_beyond_rounding(pair):
    x, y = pair
    turn = np.random.default_rng(1).permutation(x.shape[1])
    before, after = four(x, y), four(x[:, turn], y[:, turn])
    assert after.cm1 == pytest.approx(before.cm1, abs=1e-12)
    assert after.cm2 == pytest.approx(before.cm2, abs=1e-12)
    np.testing.assert_allclose(after.cm3, before.cm3[turn], rtol=0, atol=1e-12)


@given(file_pairs())
def test_shuffling_linked_records_together_changes_nothing(pair):
    x, y = pair
    order = np.random.default_rng(2).permutation(x.shape[0])
    before, after = four(x, y), four(x[order], y[order])
    assert before[:3] == after[:3]
    np.testing.assert_array_equal(before.cm3, after.cm3)


@given(file_pairs())
def test_shuffling_either_file_leaves_cm3_and_um_alone(pair):
    x, y = pair
    rng = np.random.default_rng(3)
    before, after = four(x, y), four(rng.permutation(x), rng.permutation(y))
    np.testing.assert_array_equal(before.cm3, after.cm3)
    assert before.um == after.um


@given(file_pairs())
def test_cm1_cm2_and_cm3_see_original_and_release_alike(pair):
    x, y = pair
    there, back = four(x, y), four(y, x)
    assert there.cm1 == pytest.approx(back.cm1, abs=1e-12)
    assert there.cm2 == pytest.approx(back.cm2, abs=1e-12)
    np.testing.assert_allclose(there.cm3, back.cm3, rtol=0, atol=1e-12)


@given(file_pairs(least=1))
def test_a_verbatim_release_is_not_protected_at_all(pair):
    x, _ = pair
    result = four(x, x)
    if x.std(axis=0).any():
        assert result.cm1 == result.cm2 == 0
        assert result.um == 1
    assert (result.cm3 == 0).all()


@given(file_pairs())
def test_shuffling_whole_records_is_seen_by_cm3_also_with_ties(pair):
    x, _ = pair
    assert (four(x, np.random.default_rng(4).permutation(x)).cm3 == 0).all()


def test_shuffling_whole_records_is_not_seen_by_cm1_and_cm2():
    x = gaussian(np.random.default_rng(5), 2000, 3, 0.6)
    result = four(x, np.random.default_rng(6).permutation(x))
    assert result.cm1 > 0.98
    assert result.cm2 > 0.98
    assert (result.cm3 == 0).all()


def test_a_near_copy_of_all_records_is_seen_by_cm3_although_it_is_no_trivial_permutation():
    rng = np.random.default_rng(7)
    x = gaussian(rng, 1000, 3, 0.3)
    y = rng.permutation(x)
    y[0, 0] += 10.0
    pair = moments(x, y)
    assert not pair.trivial_permutation
    assert cm3(pair).min() < 0.01


def test_cm3_of_many_attributes_agrees_whether_or_not_a_column_is_duplicated():
    rng = np.random.default_rng(8)
    x, y = gaussian(rng, 300, 12, 0.4), gaussian(rng, 300, 12, 0.4)
    regular = four(x, y).cm3
    singular = four(np.column_stack([x, x[:, 0]]), np.column_stack([y, y[:, 0]])).cm3
    np.testing.assert_allclose(singular[1:12], regular[1:], rtol=0, atol=1e-9)


def test_cm2_does_not_underflow_to_zero_where_cm1_is_positive():
    rho = np.full(60, np.sqrt(1 - 1e-8))
    canonical = Canonical(rho, 60, 60, 1.0, 1.0, np.zeros(60), np.zeros(60))
    assert 0 < cm2(canonical) <= cm1(canonical)
