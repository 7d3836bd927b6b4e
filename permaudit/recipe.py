"""All that the result of a made candidate depends on, as plain data."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from permaudit.plan import FileSource, MadeCandidate, QuerySource

if TYPE_CHECKING:
    from permaudit.candidate import CandidateRun
    from permaudit.outcome import Provenance
    from permaudit.plan import Source


def recipe(run: CandidateRun, provenance: Provenance, name: str) -> dict[str, Any]:
    """Return the recipe of a candidate: the same recipe gives the same result, but for what chance does."""
    audit = run.audit
    [candidate] = [one for one in audit.candidates if one.name == name]
    assert isinstance(candidate, MadeCandidate)  # noqa: S101 - for the type checker
    original = run.data.original
    return {
        "candidate": asdict(replace(candidate, params=candidate.params.model_dump(mode="json"))),
        "original": original.input.sha256 if original.input else None,
        "read_as": [_read_as(source) for source in (audit.original, audit.holdout)],
        "holdout": run.data.holdout is not None and [file.sha256 for file in run.data.inputs],
        "attributes": [asdict(attribute) for attribute in run.data.attributes],
        "missing": audit.missing,
        "identifiers": sorted(audit.identifiers),
        "not_audited": dict(audit.not_audited),
        "metrics": audit.metrics,
        "rules": [
            (use.rule, use.params.model_dump(mode="json"), use.origin, use.place and asdict(use.place))
            for use in run.rules(candidate)
        ],
        "under_policy": audit.policy is not None,
        "earlier": [asdict(file) for file in run.earlier_files],
        "study_seed": run.study_seed,
        "seed": audit.seed,
        "engine": provenance.engine,
        "packages": provenance.packages,
        "plugins": [asdict(plugin) for plugin in provenance.plugins],
    }


def _read_as(source: Source | None) -> Any:
    """Say how a table is read: the same file, read another way, is another table."""
    if not isinstance(source, FileSource | QuerySource):
        return None
    suffix = source.path.suffix if isinstance(source, FileSource) else None
    return [suffix, source.format, source.options and source.options.model_dump(mode="json")]
