"""A worker that is lost on the way changes nothing; without any worker there is an error."""

from __future__ import annotations

import numpy as np
import pytest
from audited import audit_file, same_as_in_memory
from cluster import kill
from engine_files.files import noisy, people

from permaudit import PermauditError
from permaudit.permutation import pair_moments, rank_columns
from permaudit_spark.engine import SparkEngine

ORIGINAL = people(400, 3)
RELEASE = noisy(ORIGINAL)
MATRICES = ("original", "release", "cross", "cross_by_key", "mirror_by_key")


def compared(shelf, engine, between=lambda: None):
    original = engine.prepare(shelf.keep(ORIGINAL.items()))
    between()
    return engine.moments(original, engine.prepare(shelf.keep(RELEASE.items())), mirrored=True)


@pytest.mark.parametrize("spark", ["cluster"], indirect=True)
def test_a_lost_worker_changes_no_bit_and_without_workers_there_is_an_error(spark, tmp_path, monkeypatch):
    """One after the other on one cluster, the last test on it: both workers, one of them, none."""
    shelf, engine = spark.shelf, SparkEngine(600)
    both = compared(shelf, engine)

    # What the first worker ranked is gone when the files are compared, and must be made again.
    one = compared(shelf, engine, lambda: (kill(spark.workers[0]), spark.wait_for(1)))
    for name in MATRICES:
        np.testing.assert_array_equal(getattr(one, name), getattr(both, name))

    sides = [rank_columns(list(side.values())) for side in (ORIGINAL, RELEASE)]
    expected = pair_moments(list(ORIGINAL), *sides, mirrored=True)
    for name in MATRICES:
        np.testing.assert_allclose(getattr(one, name), getattr(expected, name), rtol=0, atol=1e-13 * 400**2)

    (tmp_path / "scratch").mkdir()
    monkeypatch.setenv("PERMAUDIT_SPARK_CELLS", "2000")
    same_as_in_memory(audit_file(tmp_path, "linked by row", "parquet"), tmp_path / "scratch")

    with pytest.raises(PermauditError, match="its workers were lost"):
        compared(shelf, engine, lambda: kill(spark.workers[1]))
