"""What rules demand of metrics, and metrics as axes with these limits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permaudit.errors import shown
from permaudit.report.charts import Axis, Limit
from permaudit.report.desk import NAME

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Literal

    from permaudit.outcome import CandidateResult
    from permaudit.report.desk import Desk

_SIDES: tuple[Literal["min", "max"], ...] = ("min", "max")


def limits_of(candidate: CandidateResult, desk: Desk) -> dict[str, tuple[Limit, ...]]:
    """Return what rules demand of each metric: a finding whose evidence names a metric and `min` or `max` is a limit."""
    found: dict[str, list[Limit]] = {}
    for finding in candidate.rules:
        name = finding.evidence.get("metric")
        if not isinstance(name, str) or finding.outcome == "not-applicable":
            continue
        for side in _SIDES:
            limit = finding.evidence.get(side)
            if isinstance(limit, int | float) and not isinstance(limit, bool):
                label = desk.texts.known("origin", finding.origin)
                found.setdefault(name, []).append(Limit(value=float(limit), side=side, label=label))
    return {name: tuple(dict.fromkeys(limits)) for name, limits in found.items()}


def axis(name: str, candidates: Iterable[CandidateResult], desk: Desk) -> Axis:
    """Return a metric as an axis, with the limits that rules set on it."""
    note = desk.outcome.glossary[name]
    better, _, good = note.direction.partition(" is ")
    limits = dict.fromkeys(limit for one in candidates for limit in limits_of(one, desk).get(name, ()))
    return Axis(
        name=shown(name, NAME),
        better="lower" if better == "lower" else "higher",
        good=desk.texts.known("good", good),
        limits=tuple(limits),
        bounds=note.bounds,
    )
