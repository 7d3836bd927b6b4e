"""The audit as it is run, as a text: audit file and policy put together, with every default said."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import yaml

from permaudit.plan import FileSource, GivenCandidate, MadeCandidate, QuerySource

if TYPE_CHECKING:
    from collections.abc import Mapping

    from permaudit.model import Catalogue
    from permaudit.plan import Attribute, Audit, Candidate, Policy, RuleUse, Source, Sweep, Waiver

_WIDTH = 110


def resolved(audit: Audit, catalogue: Catalogue) -> str:
    """Write an audit in the form of an audit file; what nobody asked for and is nevertheless done is in it too."""
    points = {name for sweep in audit.sweeps for name in sweep.candidates}
    by_name = {candidate.name: candidate for candidate in audit.candidates}
    content = {
        "title": audit.title,
        "original": _source(audit.original),
        "holdout": None if audit.holdout is None else _source(audit.holdout),
        "attributes": {one.name: _attribute(one, audit) for one in audit.attributes},
        "identifiers": list(audit.identifiers),
        "not-audited": dict(audit.not_audited),
        "candidates": {name: _candidate(one) for name, one in by_name.items() if name not in points},
        "sweeps": {sweep.name: _sweep(sweep, by_name) for sweep in audit.sweeps},
        "metrics": list(audit.metrics) if audit.metrics is not None else _usual(catalogue),
        "policy": None if audit.policy is None else _policy(audit.policy),
        "rules": [*_always_on(catalogue), *map(_rule, audit.rules)],
        "waivers": list(map(_waiver, audit.waivers)),
        "seed": audit.seed,
        "report": {
            "formats": list(audit.report.formats),
            "audience": audit.report.audience,
            "template": audit.report.template,
            "language": audit.report.language,
        },
    }
    return yaml.safe_dump(content, sort_keys=False, allow_unicode=True, width=_WIDTH, default_flow_style=None)


def _source(source: Source) -> dict[str, Any]:
    told: dict[str, Any] = {"path": source.shown}
    if isinstance(source, FileSource | QuerySource):
        told |= {"format": source.format} | _filled(source.options)
    if isinstance(source, FileSource):
        told["sha256"] = source.sha256
    return _known(told)


def _attribute(one: Attribute, audit: Audit) -> dict[str, Any]:
    taxonomy = one.taxonomy
    told = {
        "type": one.type,
        "missing": one.missing or audit.missing,
        "role": one.role,
        "bounds": None if one.bounds is None else list(one.bounds),
        "decimals": one.decimals,
        "tolerance": one.tolerance,
        "order": list(one.order) or None,
        "taxonomy": taxonomy.shown if isinstance(taxonomy, FileSource) else None,
        "star": one.star,
    }
    return _known(told)


def _candidate(one: Candidate) -> dict[str, Any]:
    if isinstance(one, GivenCandidate):
        told = {"kind": one.kind, "linkage": one.linkage, "key": list(one.key) or None}
        return _source(one.source) | _known(told | {"map": None if one.map is None else _source(one.map)})
    return {"anonymizer": one.anonymizer, "params": _filled(one.params), **_made(one)}


def _made(one: MadeCandidate) -> dict[str, Any]:
    return {"replicates": one.replicates, "post": {"round": one.round, "clip": one.clip}}


def _sweep(sweep: Sweep, candidates: Mapping[str, Candidate]) -> dict[str, Any]:
    """Write what all points share once, and of each point only its parameters."""
    points = [one for name in sweep.candidates if isinstance(one := candidates[name], MadeCandidate)]
    return {
        "anonymizer": sweep.anonymizer,
        **(_made(points[0]) if points else {}),
        "points": {
            one.name: _filled(one.params) | _known({"attributes": list(one.attributes) or None}) for one in points
        },
    }


def _usual(catalogue: Catalogue) -> list[str]:
    return [name for name, metric in catalogue.metrics.items() if metric.card.default]


def _always_on(catalogue: Catalogue) -> list[dict[str, Any]]:
    return [{"rule": name, "origin": "always on"} for name, rule in catalogue.rules.items() if rule.card.always_on]


def _rule(use: RuleUse) -> dict[str, Any]:
    when = _known({"kind": use.when.kind, "candidate": use.when.candidate})
    return {"rule": use.rule, "origin": use.origin} | _filled(use.params) | ({"when": when} if when else {})


def _waiver(one: Waiver) -> dict[str, Any]:
    told = {
        "rule": one.rule,
        "candidate": one.candidate,
        "attribute": one.attribute,
        "metric": one.metric,
        "reason": one.reason,
        "approved-by": list(one.approved_by),
        "expires": one.expires,
        "sha256": one.sha256,
    }
    return _known(told)


def _policy(policy: Policy) -> dict[str, Any]:
    return {
        "title": policy.title,
        "path": policy.file.shown,
        "sha256": policy.file.sha256,
        "waivable": "every rule" if policy.waivable is None else list(policy.waivable),
        "most-days": policy.most_days,
        "seed": policy.seed,
        "holdout": "required" if policy.holdout else "optional",
    }


def _filled(params: Any) -> dict[str, Any]:
    """Return validated parameters with their defaults."""
    return {} if params is None else _known(params.model_dump(mode="json", by_alias=True))


def _known(told: dict[str, Any]) -> dict[str, Any]:
    """Leave out what is not set and has no default."""
    return {name: value for name, value in told.items() if value is not None}
