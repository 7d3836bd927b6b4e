"""The moments are those of the engine in memory, however the files are cut."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from engine_files.files import mirrored, noisy, people, shuffled, tied
from pyspark import TaskContext

from permaudit import PermauditError, Shelf, Stored, StoredColumns
from permaudit.permutation import pair_moments, rank_columns
from permaudit_spark.engine import InMemory, OnCluster, SparkEngine
from permaudit_spark.layout import Layout
from permaudit_spark.runs import groups_of, places_of, sort_range, summary_of
from permaudit_spark.splitters import Splitters

N, CELLS = 170, 160
ORIGINAL = people(N, 3)
PAIRS = {
    "untied and tied keys, and one left as it was": (ORIGINAL, {**noisy(ORIGINAL), "a2": ORIGINAL["a2"]}),
    "the same records, in groups over many chunks, in another order": (tied(ORIGINAL), shuffled(tied(ORIGINAL))),
    "turned upside down": (ORIGINAL, mirrored(shuffled(ORIGINAL))),
    "a constant, negative zeros and large numbers": (
        {
            **ORIGINAL,
            "a1": np.where(np.arange(N) % 3, np.where(np.arange(N) % 2, 0.0, -0.0), 1),
            "a2": np.arange(N) // 2 + 2**62,
        },
        {**ORIGINAL, "a0": np.zeros(N), "a2": np.arange(N).astype(np.uint64) + np.uint64(2**63)},
    ),
}


def in_memory(original, release):
    return pair_moments(
        list(original), *(rank_columns(list(side.values())) for side in (original, release)), mirrored=True
    )


@pytest.mark.parametrize("name", PAIRS)
def test_moments_are_those_of_the_engine_in_memory(name, shelf):
    """Cut so that every file has several blocks, every column several ranges, and every order several chunks."""
    original, release = PAIRS[name]
    expected, engine = in_memory(original, release), SparkEngine(CELLS)
    layout = Layout(N, 3, CELLS)
    assert min(layout.blocks, layout.ranges, layout.pairs) > 1
    sides = [engine.prepare(shelf.keep(side.items())) for side in (original, release)]
    assert all(isinstance(side, OnCluster) for side in sides)
    hold(engine.moments(*sides, mirrored=True), expected)


def test_with_a_bin_for_every_record_nothing_is_approximate(shelf):
    original = {**ORIGINAL, "a0": tied(ORIGINAL)["a0"]}
    release, engine = noisy(original), SparkEngine(CELLS).approximate(1)
    found = engine.moments(*(engine.prepare(shelf.keep(side.items())) for side in (original, release)), mirrored=True)
    assert found.by_key_error == 0
    hold(found, in_memory(original, release))


def hold(found, expected):
    assert (found.attributes, found.records) == (expected.attributes, expected.records)
    assert (found.unchanged, found.trivial_permutation) == (expected.unchanged, expected.trivial_permutation)
    assert found.mirrored_permutation == expected.mirrored_permutation
    np.testing.assert_array_equal(found.original, expected.original)
    np.testing.assert_array_equal(found.release, expected.release)
    np.testing.assert_array_equal(found.cross, expected.cross)
    np.testing.assert_allclose(found.cross_by_key, expected.cross_by_key, rtol=0, atol=1e-13 * N**2)
    np.testing.assert_allclose(found.mirror_by_key, expected.mirror_by_key, rtol=0, atol=1e-13 * N**2)


@pytest.mark.parametrize("many", [0, 1, 3, 300])
def test_pieces_are_looked_at_in_order_and_many_small_ones_in_few_tasks(many, shelf):
    found = SparkEngine().each(lambda piece: (piece, TaskContext.get().partitionId()), list(range(many)), shelf)
    assert [piece for piece, _ in found] == list(range(many))
    assert len({task for _, task in found}) == min(many, 8 * 2)


def test_what_is_in_memory_is_compared_in_memory():
    engine, sides = SparkEngine(), (ORIGINAL, noisy(ORIGINAL))
    prepared = [engine.prepare(side) for side in sides]
    assert all(isinstance(side, InMemory) for side in prepared)
    found = engine.moments(*prepared)
    np.testing.assert_array_equal(found.cross_by_key, in_memory(*sides).cross_by_key)


def test_a_file_in_memory_is_not_compared_with_one_on_the_cluster(shelf):
    engine = SparkEngine()
    with pytest.raises(TypeError):
        engine.moments(engine.prepare(ORIGINAL), engine.prepare(shelf.keep(ORIGINAL.items())))


def test_more_records_than_can_be_numbered_are_refused(tmp_path):
    stored = Stored(tmp_path / "none", np.dtype(np.float64), 2**31 - 1)
    with Shelf(1 << 29, tmp_path) as opened, pytest.raises(PermauditError, match="there are 2147483647 or more"):
        SparkEngine().prepare(StoredColumns({"a": stored}, opened))


# --------------------------------------------------------------------------- the cuts, without Spark


@pytest.mark.parametrize(("records", "cells"), [(12, 4), (13, 4), (1, 100), (1000, 70), (999, 70)])
def test_chunks_look_the_same_from_both_ends(records, cells):
    bounds = Layout(records, 4, cells).bounds
    assert (bounds[0], bounds[-1]) == (0, records)
    assert (np.diff(bounds) > 0).all()
    np.testing.assert_array_equal(bounds, records - bounds[::-1])


@pytest.mark.parametrize("values", [1, 3, 50, 10_000])
def test_no_range_gets_much_more_than_its_share_however_many_records_share_a_value(values):
    rng = np.random.default_rng(values)
    column, numbers = rng.integers(values, size=20_000), np.arange(20_000, dtype=np.int32)
    drawn = rng.integers(20_000, size=1000)
    splitters = Splitters.between(column[drawn], numbers[drawn], 8)
    sizes = np.bincount(splitters.ranges(column, numbers), minlength=8)
    assert sizes.size == 8
    assert sizes.max() < 2 * 20_000 / 8


def test_groups_that_go_on_over_several_ranges_are_put_together():
    column = np.array([1, 1, 2, 2, 2, 2, 2, 2, 2, 3])
    cuts = [0, 3, 5, 8, 10]
    ranges = [sort_range(column[low:high], np.arange(low, high, dtype=np.int32)) for low, high in pairwise(cuts)]
    places = places_of([summary_of(0, number, one) for number, one in enumerate(ranges)])
    found = [list(zip(*groups_of(one, places[number]), strict=True)) for number, one in enumerate(ranges)]
    assert found == [[(0, 2, 2), (2, 9, 1)], [(2, 9, 2)], [(2, 9, 3)], [(2, 9, 1), (9, 10, 1)]]
