"""Whole audits end as they do in memory: all metrics, rules and verdicts, not only the four."""

from __future__ import annotations

from itertools import cycle

import pytest
import yaml
from engine_files.audits import cases, differences, plain, written

from permaudit import compare
from permaudit.choice import Means
from permaudit.cli.loading import load_audit
from permaudit.runner import run_audit
from permaudit_spark import engine
from permaudit_spark.session import running

CASES = {
    name: case
    for name, case in cases().items()
    if name
    in {
        "linked by row",
        "copied in another order",
        "linked by key, with fewer records",
        "unlinked, with fewer records",
        "pairs with gaps left out",
        "records with gaps left out, unlinked",
    }
}
"""Those in which the engine is given something else; all others differ in what the host does."""
ALLOW = {"allow": ["permaudit-spark>=0.1"]}


@pytest.fixture
def several_blocks(monkeypatch, shelf):
    """Cut the files, and let one Spark do for all tests; drawing files of different sizes once tells enough."""
    running(shelf)
    monkeypatch.setenv("PERMAUDIT_SPARK_CELLS", "2000")
    monkeypatch.setattr(compare, "DRAWS", 1)


@pytest.mark.parametrize(("name", "suffix"), [*zip(CASES, cycle(["parquet", "csv"]), strict=False)])
@pytest.mark.usefixtures("several_blocks")
def test_the_result_is_that_of_the_engine_in_memory(name, suffix, tmp_path):
    path = tmp_path / "audit" / "audit.yaml"
    content = {**written(path.parent, CASES[name], suffix), "plugins": ALLOW}
    path.write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")
    audit, host = load_audit(path)
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    expected = run_audit(audit, host, engine="memory")
    found = run_audit(audit, host, engine="spark", means=Means(1 << 30, scratch))
    assert found.provenance.engine == "spark"
    assert list(differences(plain(expected), plain(found))) == []
    assert {result.status for result in found.candidates[0].metrics.values()} <= {"ok", "advisory"}
    assert list(scratch.iterdir()) == []


@pytest.mark.usefixtures("several_blocks")
def test_an_approximate_audit_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr(engine, "BINS", 300)
    path = tmp_path / "audit.yaml"
    content = {**written(tmp_path, cases(numeric_only=True)["linked by row"], "parquet"), "plugins": ALLOW}
    path.write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")
    found = run_audit(*load_audit(path), engine="spark", means=Means(1 << 30, tmp_path), approx=True)
    assert found.provenance.engine == "spark, approximate"
    (candidate,) = found.candidates
    approximate = candidate.metrics["CM3"].details["approximate"]
    assert candidate.metrics["CM3"].value < approximate["estimate"]
    assert any(f"off by at most {approximate['error']:.3g}" in text for text in candidate.warnings)
