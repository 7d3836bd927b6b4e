"""Whole audits end as they do in memory: all metrics, rules and verdicts, not only the four; here and on a cluster."""

from __future__ import annotations

import pytest
from audited import ALLOW, CASES, HARDEST, audit_file, same_as_in_memory
from engine_files.parts import SPOILT, write_parts

from permaudit import DataError, compare
from permaudit.choice import Means
from permaudit.cli.loading import load_audit
from permaudit.runner import run_audit
from permaudit_spark import engine


@pytest.fixture(autouse=True)
def several_blocks(monkeypatch):
    """Cut the files; drawing files of different sizes once tells enough."""
    monkeypatch.setenv("PERMAUDIT_SPARK_CELLS", "2000")
    monkeypatch.setattr(compare, "DRAWS", 1)


@pytest.fixture
def scratch(tmp_path):
    (tmp_path / "scratch").mkdir()
    return tmp_path / "scratch"


@pytest.mark.parametrize("name", CASES)
@pytest.mark.usefixtures("spark")
def test_the_result_is_that_of_the_engine_in_memory(name, tmp_path, scratch):
    same_as_in_memory(audit_file(tmp_path, name, "parquet"), scratch)


@pytest.mark.parametrize("spark", ["cluster"], indirect=True)
@pytest.mark.parametrize("name", HARDEST)
@pytest.mark.usefixtures("spark")
def test_so_it_is_on_a_cluster(name, tmp_path, scratch):
    same_as_in_memory(audit_file(tmp_path, name, "parquet"), scratch)


@pytest.mark.usefixtures("spark")
def test_text_is_read_by_the_host(tmp_path, scratch):
    same_as_in_memory(audit_file(tmp_path, "linked by row", "csv"), scratch)


@pytest.mark.usefixtures("spark")
def test_an_approximate_audit_says_so(tmp_path, scratch, monkeypatch):
    monkeypatch.setattr(engine, "BINS", 300)
    path = audit_file(tmp_path, "linked by row", "parquet", numeric_only=True)
    found = run_audit(*load_audit(path), engine="spark", means=Means(1 << 30, scratch), approx=True)
    assert found.provenance.engine == "spark, approximate"
    (candidate,) = found.candidates
    approximate = candidate.metrics["CM3"].details["approximate"]
    assert candidate.metrics["CM3"].value < approximate["estimate"]
    assert any(f"off by at most {approximate['error']:.3g}" in text for text in candidate.warnings)


@pytest.mark.parametrize("what", SPOILT)
@pytest.mark.usefixtures("spark")
def test_what_is_wrong_in_one_part_is_named_with_the_part(what, tmp_path, scratch):
    path = write_parts(tmp_path, plugins=ALLOW)
    said = SPOILT[what](tmp_path)
    with pytest.raises(DataError) as error:
        run_audit(*load_audit(path), engine="spark", means=Means(1 << 30, scratch))
    assert said in str(error.value)
    assert list(scratch.iterdir()) == []
