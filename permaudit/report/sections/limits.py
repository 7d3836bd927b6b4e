"""What rules demand of metrics, and metrics as axes with these limits."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeGuard

from permaudit.errors import shown
from permaudit.report.charts import Axis, Limit
from permaudit.report.desk import NAME

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Literal

    from permaudit.outcome import CandidateResult, Finding
    from permaudit.report.desk import Desk

_MOST_NAMES = 3
_SIDES: tuple[Literal["min", "max"], ...] = ("min", "max")


def limits_of(candidate: CandidateResult, desk: Desk) -> dict[str, tuple[Limit, ...]]:
    """Return what rules demand of each metric."""
    found: dict[str, list[Limit]] = {}
    for finding in filter(is_limit, candidate.rules):
        name = str(finding.evidence["metric"])
        for side in _SIDES:
            limit = finding.evidence.get(side)
            if _is_number(limit):
                label = desk.texts.known("origin", finding.origin)
                found.setdefault(name, []).append(Limit(value=float(limit), side=side, label=label))
    return {name: tuple(dict.fromkeys(limits)) for name, limits in found.items()}


def is_limit(finding: Finding) -> bool:
    """Tell whether a finding is about a limit that counts: its evidence names a metric and `min` or `max`."""
    told = finding.evidence
    return (
        finding.outcome != "not-applicable"
        and isinstance(told.get("metric"), str)
        and any(_is_number(told.get(side)) for side in _SIDES)
    )


def shortfall(finding: Finding) -> float:
    """Return by how much a limit is missed, as a share of it; negative where it is kept, and 0 where there is none."""
    told = finding.evidence
    value = told.get(str(told.get("on", "value")), told.get("value"))
    if not _is_number(value):
        return 0.0
    missed = [
        (limit - value if side == "min" else value - limit) / (abs(limit) or 1.0)
        for side in _SIDES
        if _is_number(limit := told.get(side))
    ]
    return max(missed, default=0.0)


def _is_number(given: Any) -> TypeGuard[int | float]:
    return isinstance(given, int | float) and not isinstance(given, bool)


def axis(name: str, candidates: Sequence[CandidateResult], desk: Desk) -> Axis:
    """Return a metric as an axis, with the limits that rules set on it: for all candidates, or for some by name."""
    note = desk.outcome.glossary[name]
    better, _, good = note.direction.partition(" is ")
    bound: dict[Limit, list[str]] = {}
    for one in candidates:
        for limit in limits_of(one, desk).get(name, ()):
            bound.setdefault(limit, []).append(one.name)
    return Axis(
        name=shown(name, NAME),
        better="lower" if better == "lower" else "higher",
        good=desk.texts.known("good", good),
        limits=tuple(limit for limit, whom in bound.items() if len(whom) == len(candidates)),
        partial=tuple(
            replace(limit, label=desk.texts("comparison.only", who=limit.label, names=_named(whom, desk)))
            for limit, whom in bound.items()
            if len(whom) < len(candidates)
        ),
        bounds=note.bounds,
    )


def _named(names: list[str], desk: Desk) -> str:
    return desk.names_of([desk.names[name] for name in names], _MOST_NAMES)
