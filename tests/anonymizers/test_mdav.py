"""MDAV: the groups, the means, the scales, and what is refused."""

from __future__ import annotations

import sys

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings
from scipy.stats import rankdata

from permaudit_plugins.anonymizers import mdav
from permaudit_plugins.anonymizers._mdav_plain import plain_groups
from permaudit_plugins.anonymizers.mdav import Mdav, MdavParameters, group_means

from .originals import complaint, numbers, original, refusal, skewed
from .textbook_mdav import textbook_groups


def made(given, **params):
    return Mdav().anonymize(given, MdavParameters(**params), np.random.default_rng(1))


def groups_in(release):
    """The group of each record, known by its released values."""
    return np.unique(numbers(release.table), axis=0, return_inverse=True)[1]


def within(points, groups):
    """The sum of squared distances to the mean of the group."""
    means = np.column_stack([group_means(column, groups) for column in points.T])
    return ((points - means) ** 2).sum()


def same_partition(one, two):
    """Are the same records together?"""
    return len(set(zip(one, two, strict=True))) == len(set(one)) == len(set(two))


@st.composite
def files(draw, *, exact=False):
    """Small files: continuous, with whole records repeated, or on a coarse grid where most distances are tied.

    If `exact`, values have so few binary digits that no distance is rounded.
    """
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, m = draw(st.integers(2, 60)), draw(st.integers(1, 4))
    points = rng.integers(0, 2**12, (n, m)) / 2.0**12 if exact else np.exp(rng.standard_normal((n, m)))
    match draw(st.sampled_from(["continuous", "repeated", "grid", "constant"])):
        case "repeated":
            points = points[rng.integers(0, max(1, n // 3), n)]
        case "grid":
            points = rng.integers(0, 5, (n, m)) / 4.0
        case "constant":
            points = np.full((n, m), 0.5)
    return points, draw(st.integers(2, n))


# --------------------------------------------------------------------------- groups


@settings(deadline=None, max_examples=150)
@given(files(exact=True))
def test_the_groups_are_those_of_the_textbook_ties_and_repeated_records_included(file):
    """The textbook computes with fractions, so a tie is a tie; on these files it is one in floats too."""
    points, k = file
    groups = plain_groups(points, k)
    assert groups.tolist() == textbook_groups(points, k)


def test_the_groups_of_continuous_records_are_those_of_the_textbook():
    for seed in range(60):
        points = np.exp(np.random.default_rng(seed).standard_normal((40, 1 + seed % 4)))
        assert plain_groups(points, 2 + seed % 7).tolist() == textbook_groups(points, 2 + seed % 7)


@settings(deadline=None, max_examples=100)
@given(files())
def test_every_group_has_k_to_2k_minus_1_records(file):
    points, k = file
    sizes = np.bincount(plain_groups(points, k))
    assert sizes.min() >= k
    assert sizes.max() <= 2 * k - 1
    assert (sizes > k).sum() <= 1


@pytest.mark.parametrize("k", [2, 3, 7, 20])
def test_the_sum_of_squares_is_that_of_the_textbook_in_floats(k):
    points = skewed(1, 150, 3)
    points = (points - points.min(axis=0)) / np.ptp(points, axis=0)
    assert within(points, plain_groups(points, k)) == within(points, np.array(textbook_groups(points, k, float)))


def test_the_order_of_the_records_does_not_matter_where_nothing_is_tied():
    points = skewed(2, 300, 3)
    shuffle = np.random.default_rng(2).permutation(300)
    assert same_partition(plain_groups(points, 4)[shuffle], plain_groups(points[shuffle], 4))


# --------------------------------------------------------------------------- released values


def test_the_released_values_are_the_means_of_the_groups():
    x = skewed(3, 200, 3) * [1, 1000, 0.001]
    release = made(original(x), k=5)
    groups = groups_in(release)
    assert np.bincount(groups).min() >= 5
    means = np.array([x[groups == group].mean(axis=0) for group in range(groups.max() + 1)])
    np.testing.assert_allclose(numbers(release.table), means[groups], rtol=1e-12)
    assert release.notes == ()


def test_a_group_of_equal_values_keeps_its_value_and_groups_of_the_same_values_get_the_same_mean():
    assert (group_means(np.full(7, 0.1), np.array([0, 0, 0, 1, 1, 1, 1])) == 0.1).all()
    values = np.array([0.1, 0.2, 0.7, 0.7, 0.2, 0.1])
    assert len(set(group_means(values, np.array([0, 0, 0, 1, 1, 1])))) == 1


@pytest.mark.parametrize(
    ("scale", "points"),
    [
        ("range", lambda x: (x - x.min(axis=0)) / np.ptp(x, axis=0)),
        ("domain", lambda x: (x - [0, -50]) / [1.5 * x[:, 0].max(), 150]),
        ("std", lambda x: x / x.std(axis=0, ddof=1)),
        ("rank", lambda x: rankdata(x, axis=0)),
    ],
)
def test_distances_are_measured_on_the_scale_that_was_asked_for(scale, points):
    x = skewed(4, 120, 2) * [1.0, 3.0]
    release = made(original(x, bounds={"a1": (-50, 100)}), k=4, scale=scale)
    assert same_partition(groups_in(release), plain_groups(points(x), 4))


def test_the_scale_matters_and_is_the_range_unless_said_otherwise():
    given = original(skewed(5, 120, 2))
    releases = {scale: made(given, k=4, scale=scale).table for scale in ["range", "domain", "std", "rank"]}
    assert made(given, k=4).table == releases["range"]
    assert releases["range"] != releases["std"] != releases["rank"] != releases["range"]


@pytest.mark.parametrize("scale", ["range", "std", "rank"])
def test_a_constant_attribute_changes_no_group(scale):
    x = skewed(6, 60, 2)
    with_constant = made(original(np.column_stack([x, np.full(60, 0.1)])), k=3, scale=scale)
    assert same_partition(groups_in(with_constant), groups_in(made(original(x), k=3, scale=scale)))
    assert (numbers(with_constant.table)[:, 2] == 0.1).all()


def test_nothing_is_random():
    given = original(skewed(7, 90, 3))
    assert made(given, k=3).table == made(given, k=3).table


# --------------------------------------------------------------------------- one group, or none


def test_fewer_than_2k_records_make_one_group_and_the_result_says_so():
    release = made(original(skewed(8, 9, 2)), k=5)
    assert len(np.unique(numbers(release.table), axis=0)) == 1
    assert release.notes == ("fewer than 2k = 10 records make one group: every record is released as the mean of all",)


def test_more_than_there_are_records_is_refused_by_the_name_of_the_parameter():
    assert refusal(Mdav(), {"k": 10}, original(skewed(9, 9, 2))) == (
        "k is 10, but there are only 9 records to put into one group"
    )


@pytest.mark.parametrize("k", [1, 0, -3, 2.5, "many", None])
def test_a_bad_k_is_refused_by_name(k):
    assert set(complaint(Mdav(), {"k": k})) == {"k"}


def test_an_unknown_scale_is_refused_by_name():
    assert set(complaint(Mdav(), {"k": 3, "scale": "log"})) == {"scale"}


def test_a_domain_that_is_not_known_is_refused():
    given = original({"a": [-1.0, 2.0, 3.0]})
    assert "attribute 'a' has negative values and no bounds" in refusal(Mdav(), {"k": 2, "scale": "domain"}, given)


def test_missing_values_and_text_are_refused():
    given = original({"a": [1.0, None, 3.0], "b": ["x", "y", "z"]})
    assert refusal(Mdav(), {"k": 2}, given).splitlines() == [
        "attribute 'a' has 1 missing values; this anonymizer cannot work on gaps",
        "attribute 'b' is text; this anonymizer works on numeric attributes only",
    ]


# --------------------------------------------------------------------------- the tree


@pytest.fixture(scope="module")
def tree():
    """The fast version, or a reason to skip."""
    return pytest.importorskip("permaudit_plugins.anonymizers._mdav_tree", reason="needs the extra `fast`")


@settings(deadline=None, max_examples=300)
@given(file=files())
def test_the_tree_gives_the_groups_of_the_plain_version_on_small_files(tree, file):
    points, k = file
    assert tree.tree_groups(points, k).tolist() == plain_groups(points, k).tolist()


@pytest.mark.parametrize("k", [2, 3, 10, 300])
@pytest.mark.parametrize(
    "points",
    [
        pytest.param(skewed(11, 3000, 4), id="skewed"),
        pytest.param(np.random.default_rng(12).standard_normal((3001, 3)), id="round"),
        pytest.param(np.random.default_rng(13).random((2999, 9)), id="nine attributes"),
        pytest.param(np.random.default_rng(14).integers(0, 7, (3000, 3)) / 10, id="on a grid"),
        pytest.param(skewed(15, 700, 2)[np.random.default_rng(15).integers(0, 700, 3000)], id="repeated"),
        pytest.param(1e9 + np.random.default_rng(16).random((2000, 2)), id="far from zero"),
        pytest.param(np.round(skewed(17, 3000, 1), 2), id="one attribute"),
        pytest.param(np.stack([np.cos(np.arange(1000)), np.sin(np.arange(1000))], axis=1), id="on a circle"),
        pytest.param(np.repeat([[0.0, 1.0], [1.0, 0.0]], 700, axis=0), id="two points"),
    ],
)
def test_the_tree_gives_the_groups_of_the_plain_version_on_larger_files(tree, points, k):
    np.testing.assert_array_equal(tree.tree_groups(points, k), plain_groups(points, k))


def test_the_tree_takes_over_where_the_work_is_large_and_numba_is_there(tree, monkeypatch):
    points, used = skewed(18, 300, 2), []
    fast = tree.tree_groups
    monkeypatch.setattr(tree, "tree_groups", lambda *given: used.append(given) or fast(*given))
    small = mdav.groups_of(points, 3)
    assert not used
    monkeypatch.setattr(mdav, "WORK", 300**2 / 3)
    np.testing.assert_array_equal(mdav.groups_of(points, 3), small)
    assert used


def test_without_numba_the_plain_version_does_all_the_work(monkeypatch):
    points = skewed(19, 300, 2)
    monkeypatch.setattr(mdav, "WORK", 0)
    monkeypatch.setitem(sys.modules, "numba", None)
    monkeypatch.delitem(sys.modules, "permaudit_plugins.anonymizers._mdav_tree", raising=False)
    np.testing.assert_array_equal(mdav.groups_of(points, 3), plain_groups(points, 3))


def test_where_nothing_can_be_cached_the_functions_are_compiled_all_the_same(tree, monkeypatch):
    def njit(function=None, *, cache=False):
        if cache:
            raise RuntimeError("no locator available")
        return function

    monkeypatch.setattr(tree.numba, "njit", njit)
    assert tree.compiled(abs) is abs
