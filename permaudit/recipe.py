"""All that the result of a made candidate depends on, as plain data."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from permaudit.plan import MadeCandidate

if TYPE_CHECKING:
    from permaudit.candidate import CandidateRun
    from permaudit.outcome import Provenance


def recipe(run: CandidateRun, provenance: Provenance, name: str) -> dict[str, Any]:
    """Return the recipe of a candidate: the same recipe gives the same result, but for what chance does."""
    audit = run.audit
    [candidate] = [one for one in audit.candidates if one.name == name]
    assert isinstance(candidate, MadeCandidate)  # noqa: S101 - for the type checker
    original = run.data.original
    return {
        "candidate": asdict(replace(candidate, params=candidate.params.model_dump(mode="json"))),
        "original": original.input.sha256 if original.input else None,
        "holdout": run.data.holdout is not None and [file.sha256 for file in run.data.inputs],
        "attributes": [asdict(attribute) for attribute in run.data.attributes],
        "missing": audit.missing,
        "identifiers": sorted(audit.identifiers),
        "not_audited": dict(audit.not_audited),
        "metrics": audit.metrics,
        "rules": [(use.rule, use.params.model_dump(mode="json")) for use in run.rules(candidate)],
        "study_seed": run.study_seed,
        "seed": audit.seed,
        "engine": provenance.engine,
        "packages": provenance.packages,
        "plugins": [asdict(plugin) for plugin in provenance.plugins],
    }
