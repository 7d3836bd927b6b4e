"""Every engine gives the same result of the same audit: all metrics, rules and verdicts, not only the four."""

from __future__ import annotations

from itertools import cycle

import pytest
import yaml

from permaudit.choice import Means
from permaudit.cli.loading import load_audit
from permaudit.runner import run_audit

from .audits import cases, differences, plain, written

CASES = cases()
ENGINES = ["disk"]


@pytest.mark.parametrize(("name", "suffix"), [*zip(CASES, cycle(["csv", "parquet"]), strict=False)])
@pytest.mark.parametrize("engine", ENGINES)
def test_the_result_does_not_depend_on_the_engine(engine, name, suffix, tmp_path):
    path = tmp_path / "audit" / "audit.yaml"
    content = written(path.parent, CASES[name], suffix)
    path.write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")
    audit, host = load_audit(path)
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    expected = run_audit(audit, host, engine="memory")
    found = run_audit(audit, host, engine=engine, means=Means(1 << 30, scratch))
    assert found.provenance.engine == engine
    assert list(differences(plain(expected), plain(found))) == []
    assert {result.status for result in found.candidates[0].metrics.values()} <= {"ok", "advisory"}
    assert list(scratch.iterdir()) == []
