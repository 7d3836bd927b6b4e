"""What the copy detector searches with gives what comparing everything with everything gives."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

from permaudit.model import Rows
from permaudit_plugins.metrics import _nearest
from permaudit_plugins.metrics._ascending import Ascending
from permaudit_plugins.metrics._assignment import assigned
from permaudit_plugins.metrics._band import Band
from permaudit_plugins.metrics._cells import Cells
from permaudit_plugins.metrics._equal import Lookup, count_equal, count_equal_in_part
from permaudit_plugins.metrics._files import files_of
from permaudit_plugins.metrics._line import Line
from permaudit_plugins.metrics._nearest import Index
from permaudit_plugins.metrics._own_values import Holders, by_mixing, several
from permaudit_plugins.metrics._sighting import Chance, surprise

from .files import people, put_among

RNG = np.random.default_rng(20261118)


def _places(records, attributes, steps=None):
    places = RNG.random((records, attributes))
    return places if steps is None else np.round(places * steps) / steps


def _apart(first, second):
    return np.abs(first[:, None] - second[None]).max(axis=2)


@pytest.mark.parametrize("steps", [None, 6], ids=["continuous", "tied"])
@pytest.mark.parametrize(("records", "attributes"), [(3, 2), (400, 1), (600, 4), (300, 9)])
def test_the_nearest_and_the_next_record_are_those_of_all_pairs(records, attributes, steps):
    places, asked = _places(records, attributes, steps), _places(200, attributes)
    distinct = np.unique(places, axis=0)
    expected = np.sort(_apart(asked, distinct), axis=1)
    if len(distinct) > 1:
        found = Index(places).nearest(asked)
        np.testing.assert_array_equal(found.first, expected[:, 0])
        np.testing.assert_array_equal(found.second, expected[:, 1])


@pytest.mark.parametrize("small", [3_000, 10], ids=["band", "tree"])
def test_a_record_is_left_out_among_all_but_itself_by_band_and_by_tree(small, monkeypatch):
    monkeypatch.setattr(_nearest, "_SMALL", small)
    places = _places(500, 4)
    apart = _apart(places, places)
    np.fill_diagonal(apart, np.inf)
    found = Index(places).nearest(places, np.arange(500))
    np.testing.assert_array_equal(found.first, np.sort(apart, axis=1)[:, 0])
    np.testing.assert_array_equal(found.second, np.sort(apart, axis=1)[:, 1])


@pytest.mark.parametrize("kind", [Band, Cells], ids=["band", "cells"])
@pytest.mark.parametrize("attributes", [1, 3, 6])
@pytest.mark.parametrize("reach", [0.05, 0.4, 3.0])
def test_sums_of_the_kernel_are_those_over_all_pairs(reach, attributes, kind):
    places, asked = _places(700, attributes), _places(150, attributes) * 1.5 - 0.2
    places[:, 0] = places[:, 0].round(1)
    times = RNG.integers(1, 4, 700)
    kernel = np.maximum(0, 1 - np.abs(asked[:, None] - places[None]) / reach).prod(axis=2)
    found = kind(places).kernel_sums(asked, reach, times)
    np.testing.assert_allclose(found, kernel @ times, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("attributes", [7, 12, 24])
def test_in_many_dimensions_what_is_far_nearer_than_the_next_is_found_for_certain_and_nothing_nearer_than_it_is(
    attributes,
):
    places, rows = _places(5_000, attributes), np.arange(0, 5_000, 10)
    moved = places[rows] + RNG.uniform(-0.01, 0.01, (rows.size, attributes))
    index = Index(places)
    for asked, apart in ((moved, _apart(moved, places)), (places[rows], _apart(places[rows], places))):
        own = asked is not moved
        apart[np.arange(rows.size), rows] += np.inf if own else 0
        exact = np.sort(apart, axis=1)[:, :2]
        found = index.nearest(asked, rows if own else None)
        assert (found.first >= exact[:, 0]).all()
        assert (found.second >= found.first).all()
        clear = exact[:, 0] * (1 + max(2, attributes / 8)) < exact[:, 1]
        assert clear.all() or own
        np.testing.assert_array_equal(found.first[clear], exact[clear, 0])
        assert np.median(found.first / exact[:, 0]) < 1.5


@pytest.mark.parametrize("attributes", [4, 9, 20])
def test_what_is_nearest_depends_on_the_order_of_neither_records_nor_attributes(attributes):
    shared = RNG.normal(size=(5000, 1))
    places = (shared + RNG.normal(size=(5000, attributes))).argsort(axis=0).argsort(axis=0) / 5000
    asked = np.clip(places[:400] + RNG.normal(scale=0.05, size=(400, attributes)), 0, 1)
    found = Index(places).nearest(asked)
    rows, columns = RNG.permutation(5000), RNG.permutation(attributes)
    for other in (
        Index(places[rows]).nearest(asked),
        Index(np.ascontiguousarray(places[:, columns])).nearest(np.ascontiguousarray(asked[:, columns])),
    ):
        np.testing.assert_array_equal(other.first, found.first)
        np.testing.assert_array_equal(other.second, found.second)


@pytest.mark.parametrize("small", [3_000, 10], ids=["band", "tree"])
def test_what_is_nearest_is_the_same_whoever_tells_which_records_are_equal(small, monkeypatch):
    monkeypatch.setattr(_nearest, "_SMALL", small)
    values = {name: np.round(column) for name, column in people(600, 3, seed=5).items()}
    original = files_of(Rows(values, values)).original
    places, rows = original.ranks(), np.arange(600)
    lookup = Lookup(original)
    told, seen = Index(places, kinds=lookup.kinds()), Index(places)
    assert told.records == seen.records < 600
    first, second = told.nearest(places, rows), seen.nearest(places, rows)
    np.testing.assert_array_equal(first.first, second.first)
    np.testing.assert_array_equal(first.second, second.second)
    np.testing.assert_array_equal(told.rows(rows), places)
    np.testing.assert_allclose(told.kernel_sums(places, 0.3), seen.kernel_sums(places, 0.3), rtol=1e-5)


def test_bounds_of_some_records_are_those_of_all():
    values = {name: np.round(column, 1) for name, column in people(500, 3, seed=5).items()}
    original = files_of(Rows(values, values)).original
    rows = RNG.permutation(500)[:200]
    np.testing.assert_array_equal(original.ranks(rows), original.ranks()[rows])


def test_every_third_value_tells_how_close_the_values_of_an_attribute_are_as_all_do():
    values, asked = RNG.normal(size=50_001), RNG.normal(size=20)
    close = np.maximum(0, 1 - np.abs(asked[:, None] - values) / 0.7)
    line = Line.of(values)
    assert line.values.size < 20_000
    np.testing.assert_allclose(line.to_others(asked, None, 0.7), close.mean(axis=1), atol=1e-4)


@pytest.mark.parametrize("decimals", [1, 8], ids=["tied", "continuous"])
def test_columns_that_are_in_order_already_have_the_numbers_of_those_that_are_not(decimals):
    sides = [{name: values.round(decimals) for name, values in people(2000, 3, seed=seed).items()} for seed in (1, 2)]
    orders = [{name: np.argsort(values).astype(np.int32) for name, values in side.items()} for side in sides]
    found = files_of(Rows(*sides))
    known = files_of(Rows(*sides, original_order=orders[0], release_order=orders[1]))
    for plain, ordered, side in zip(
        (found.original, found.release), (known.original, known.release), sides, strict=True
    ):
        for place, values in enumerate(side.values()):
            np.testing.assert_array_equal(plain.codes[place], ordered.codes[place])
            np.testing.assert_array_equal(plain.levels[place][plain.codes[place]], values)
            np.testing.assert_array_equal(ordered.ordered[place], np.sort(plain.codes[place]))


@pytest.mark.parametrize(
    "spoil",
    [
        lambda order: order[::-1],
        lambda order: np.where(order == order[-1], order[-2], order),
        lambda order: order[:-1],
        lambda order: np.where(order == 49, -1, order),
        lambda order: np.where(order == 49, 50, order),
    ],
    ids=["downwards", "a record twice", "too short", "from the end", "beyond the end"],
)
def test_an_order_that_is_none_is_not_believed(spoil):
    values = {"A": RNG.normal(size=50), "B": RNG.normal(size=50)}
    orders = {name: spoil(np.argsort(column).astype(np.int32)) for name, column in values.items()}
    found, plain = (files_of(Rows(values, values, original_order=order)).original for order in (orders, None))
    for name in range(2):
        np.testing.assert_array_equal(found.codes[name], plain.codes[name])


@pytest.mark.parametrize("decimals", [1, 8], ids=["tied", "continuous"])
def test_values_in_order_are_counted_by_halving_as_by_going_through_all(decimals):
    codes = np.unique(RNG.normal(size=3000).round(decimals), return_inverse=True)
    values, ordered = codes[0], np.sort(codes[1]).astype(np.int32)
    asked = np.array([-9.0, 0.0, values[5], values[-1], 9.0])
    below = Ascending(values, ordered).count(lambda some: some, lambda some: some >= asked)
    np.testing.assert_array_equal(below, np.searchsorted(values[ordered], asked))


def test_equal_records_in_part_are_those_of_the_keys_without_some_attributes():
    original = {name: values.round(1) for name, values in people(2000, 4, seed=1).items()}
    release = {name: values.round(1) for name, values in people(2000, 4, seed=2, correlation=0.3).items()}
    release["V3"] = release["V3"] + 0.05  # no such value in the original
    files = files_of(Rows(original, release))
    sides = files.original, files.release
    known = files.release.known_cells(files.original), files.original.known_cells(files.release)
    for without in [(3,), (2, 3), (0,)]:
        keys = [file.keys(without) for file in sides]
        assert count_equal_in_part(sides, known, without) == np.isin(keys[1], keys[0]).sum()


@pytest.mark.parametrize("shared", [0, 1, 300])
def test_equal_keys_are_counted_with_and_without_a_table_that_tells_them_apart(shared):
    original, release = RNG.integers(0, 2**63, (2, 5000), dtype=np.uint64)
    release[:shared] = original[:shared]
    release[-1] = original[0] ^ np.uint64(1)  # the leading bits are those of another one
    assert count_equal(original, release) == np.isin(release, original).sum() == shared


@pytest.mark.parametrize("size", [1, 2, 7, 30])
def test_columns_are_assigned_at_the_least_cost(size):
    costs = RNG.random((size, size))
    chosen = assigned(costs)
    assert sorted(chosen) == list(range(size))
    assert costs[np.arange(size), list(chosen)].sum() == pytest.approx(costs[linear_sum_assignment(costs)].sum())


def test_a_record_equals_others_than_itself_as_often_as_there_are_doubles():
    values = {"A": np.array([1.0, 1, 1, 2, 2, 3]), "B": np.array([5.0, 5, 5, 6, 6, 7])}
    original = files_of(Rows(values, values, None)).original
    lookup, rows = Lookup(original), np.arange(6)
    assert lookup.among(original, rows).tolist() == [True, True, True, True, True, False]
    assert lookup.unique(original, rows).tolist() == [False, False, False, True, True, False]
    assert lookup.alone.tolist() == [False, False, False, False, False, True]


def test_values_of_one_person_meet_by_mixing_as_often_as_when_columns_are_put_in_random_order():
    original = people(300, 4, seed=1)
    files = files_of(Rows(original, put_among(people(300, 4, seed=2), original, 150), None))
    holders = Holders(files.original).of_values(files.release, None)
    drawn = [several(np.column_stack([RNG.permutation(column) for column in holders.T])) for _ in range(300)]
    assert by_mixing(holders)[2] == pytest.approx(np.mean([(one >= 2).sum() for one in drawn]), abs=0.3)


def test_a_surprise_is_the_tail_of_what_explains_it_best():
    assert surprise(0, 100, []) == 1
    assert surprise(1, 100, [], expected=0.01) == pytest.approx(1 - np.exp(-0.01))
    assert surprise(2, 100, [Chance(0, 100, "")]) == 0
    assert surprise(3, 100, [Chance(1, 100, "")]) == pytest.approx(5 / 16)  # three or four of four on this side
