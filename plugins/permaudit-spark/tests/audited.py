"""Whole audits on Spark, beside the engine in memory."""

from __future__ import annotations

import yaml
from engine_files.audits import cases, differences, plain, written

from permaudit.choice import Means
from permaudit.cli.loading import load_audit
from permaudit.runner import run_audit

CASES = {
    name: cases()[name]
    for name in (
        "linked by row",
        "linked by key, with fewer records, ties and gaps left out",
        "records with gaps left out, unlinked",
        "gaps as lowest and highest values",
    )
}
"""Those in which the engine is given something else; all others differ in what the host does."""
HARDEST = ("linked by key, with fewer records, ties and gaps left out", "records with gaps left out, unlinked")
"""Where both files are of other sizes than they were read."""
ALLOW = {"allow": ["permaudit-spark>=0.1"]}


def audit_file(folder, name, suffix, *, numeric_only=False):
    path = folder / "audit" / "audit.yaml"
    case = cases(numeric_only=True)[name] if numeric_only else CASES[name]
    content = {**written(path.parent, case, suffix), "plugins": ALLOW}
    path.write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")
    return path


def same_as_in_memory(path, scratch):
    audit, host = load_audit(path)
    expected = run_audit(audit, host, engine="memory")
    found = run_audit(audit, host, engine="spark", means=Means(1 << 30, scratch))
    assert found.provenance.engine == "spark"
    different = list(differences(plain(expected), plain(found)))
    assert not different, different
    assert {result.status for result in found.candidates[0].metrics.values()} <= {"ok", "advisory"}
    assert list(scratch.iterdir()) == []
