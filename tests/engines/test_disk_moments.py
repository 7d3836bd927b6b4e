"""The engine on disk gives the moments of the one in memory, however little of the files fits into memory."""

from __future__ import annotations

import numpy as np
import pytest

from permaudit import Shelf
from permaudit_plugins.engines.disk import DiskEngine, PreparedFile
from permaudit_plugins.engines.memory import MemoryEngine

from .files import mirrored, noisy, people, shuffled, tied

ORIGINAL = people(70_000)
PAIRS = {
    "masked": (ORIGINAL, noisy(ORIGINAL)),
    "strangers": (ORIGINAL, people(70_000, seed=9)),
    "copy": (ORIGINAL, ORIGINAL),
    "shuffled": (ORIGINAL, shuffled(ORIGINAL)),
    "all tied": (tied(ORIGINAL), tied(noisy(ORIGINAL))),
    "all tied, shuffled": (tied(ORIGINAL), shuffled(tied(ORIGINAL))),
    "all tied, mirrored": (tied(ORIGINAL), mirrored(shuffled(tied(ORIGINAL)))),
    "mirrored": (ORIGINAL, mirrored(shuffled(ORIGINAL))),
    "constant in the release": (ORIGINAL, {**noisy(ORIGINAL), "a1": np.zeros(70_000)}),
    "infinite stand-ins": ({**ORIGINAL, "a0": np.where(ORIGINAL["a0"] > 1, np.inf, -0.0)}, noisy(ORIGINAL)),
    "one attribute": ({"a0": ORIGINAL["a0"]}, {"a0": noisy(ORIGINAL)["a0"]}),
    "long whole numbers": (
        {**ORIGINAL, "a3": np.arange(70_000) // 2 + 2**62},
        {**ORIGINAL, "a3": np.arange(70_000).astype(np.uint64) + np.uint64(2**63)},
    ),
    "few": (people(12), noisy(people(12))),
}


MEMORY = {
    "sorted in memory, all rows at once": 1 << 31,
    "sorted by DuckDB, two columns at a time": (400 << 20) + 1_200_000,
    "sorted by DuckDB, one column and one key at a time": 300 << 20,
}


@pytest.fixture(params=MEMORY)
def shelf(request, tmp_path):
    with Shelf(MEMORY[request.param], tmp_path) as opened:
        yield opened


@pytest.mark.parametrize("name", PAIRS)
def test_moments_are_those_of_the_engine_in_memory(name, shelf):
    original, release = PAIRS[name]
    memory, disk = MemoryEngine(), DiskEngine()
    expected = memory.moments(memory.prepare(original), memory.prepare(release), mirrored=True)
    sides = [disk.prepare(shelf.keep(side.items())) for side in (original, release)]
    assert all(isinstance(side, PreparedFile) for side in sides)
    found = disk.moments(*sides, mirrored=True)
    assert (found.attributes, found.records) == (expected.attributes, expected.records)
    assert (found.unchanged, found.trivial_permutation) == (expected.unchanged, expected.trivial_permutation)
    assert found.mirrored_permutation == expected.mirrored_permutation
    scale = expected.records**2
    np.testing.assert_array_equal(found.original, expected.original)
    np.testing.assert_array_equal(found.release, expected.release)
    np.testing.assert_array_equal(found.cross, expected.cross)
    np.testing.assert_allclose(found.cross_by_key, expected.cross_by_key, rtol=0, atol=1e-13 * scale)
    np.testing.assert_allclose(found.mirror_by_key, expected.mirror_by_key, rtol=0, atol=1e-13 * scale)


def test_what_is_in_memory_is_compared_in_memory():
    disk, memory = DiskEngine(), MemoryEngine()
    sides = people(500), noisy(people(500))
    found = disk.moments(*map(disk.prepare, sides))
    np.testing.assert_array_equal(found.cross_by_key, memory.moments(*map(memory.prepare, sides)).cross_by_key)


def test_nothing_stays_on_the_disk(tmp_path):
    with Shelf(1 << 29, tmp_path) as shelf:
        prepared = DiskEngine().prepare(shelf.keep(people(100).items()))
        assert prepared.file.records == 100
        assert shelf.directory.stat().st_mode & 0o077 == 0
    assert list(tmp_path.iterdir()) == []


def test_what_works_on_the_shelf_ends_before_the_directory_is_removed(tmp_path):
    seen = []
    with Shelf(1 << 29, tmp_path) as shelf:
        shelf.at_end(lambda: seen.append(shelf.directory.exists()))
        shelf.at_end(lambda: 1 / 0)
    assert seen == [True]
    assert list(tmp_path.iterdir()) == []
