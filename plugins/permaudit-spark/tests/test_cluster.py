"""On a cluster of processes the results are those of the engine in memory, also where a worker is lost on the way."""

from __future__ import annotations

import time

import numpy as np
import pytest
from cluster import cluster, kill
from engine_files.files import noisy, people

from permaudit import PermauditError, Shelf
from permaudit.permutation import pair_moments, rank_columns
from permaudit_spark.engine import SparkEngine
from permaudit_spark.session import MASTER, PATIENCE, running
from permaudit_spark.watch import executors

ORIGINAL = people(400, 3)
RELEASE = noisy(ORIGINAL)
MATRICES = ("original", "release", "cross", "cross_by_key", "mirror_by_key")


def wait_for(context, many):
    for _ in range(600):
        if executors(context) == many:
            return
        time.sleep(0.1)
    raise TimeoutError(f"there are {executors(context)} executors, not {many}")


def compared(shelf, engine, between=lambda: None):
    original = engine.prepare(shelf.keep(ORIGINAL.items()))
    between()
    return engine.moments(original, engine.prepare(shelf.keep(RELEASE.items())), mirrored=True)


def test_a_lost_worker_changes_no_bit_and_without_workers_there_is_an_error(tmp_path, monkeypatch):
    """One after the other on one cluster, since it takes long to start: both workers, one of them, none."""
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", "--conf spark.executor.memory=512m pyspark-shell")
    monkeypatch.setenv(PATIENCE, "5")
    engine = SparkEngine(600)
    with cluster(tmp_path) as (master, workers), Shelf(1 << 30, tmp_path) as shelf:
        monkeypatch.setenv(MASTER, master)
        context = running(shelf)
        wait_for(context, 2)
        both = compared(shelf, engine)

        # What the first worker ranked is gone when the files are compared, and must be made again.
        one = compared(shelf, engine, lambda: (kill(workers[0]), wait_for(context, 1)))
        for name in MATRICES:
            np.testing.assert_array_equal(getattr(one, name), getattr(both, name))

        sides = [rank_columns(list(side.values())) for side in (ORIGINAL, RELEASE)]
        expected = pair_moments(list(ORIGINAL), *sides, mirrored=True)
        for name in MATRICES:
            np.testing.assert_allclose(getattr(one, name), getattr(expected, name), rtol=0, atol=1e-13 * 400**2)

        with pytest.raises(PermauditError, match="its workers were lost"):
            compared(shelf, engine, lambda: kill(workers[1]))
