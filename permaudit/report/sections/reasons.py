"""The findings that speak against a release: the worst one first, and of a sweep each kind of finding once."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from permaudit.errors import shown
from permaudit.report.context import Reason, Said
from permaudit.report.desk import NAME
from permaudit.report.sections.limits import shortfall

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from permaudit.outcome import CandidateResult, Finding, SweepResult, Verdict
    from permaudit.report.desk import Desk

OPEN = ("fail", "error", "review")
_WORST_FIRST = (*OPEN, "waived")
"""What was found comes before what could not be found out, and both before what was waived and is there all the same."""
_ORIGINS = ("always on", "policy", "audit file")


class _Against(NamedTuple):
    """A finding that speaks against a candidate."""

    severity: tuple[int, int, float]
    finding: Finding
    candidate: CandidateResult
    alike: int = 0
    """So many more points of the sweep have the same."""
    instead: SweepResult | None = None
    """The sweep that has a point which may go out."""


def reasons_of(candidate: CandidateResult, desk: Desk) -> list[Reason]:
    """Return the findings that speak against a candidate, the worst one first."""
    return [_reason(one, desk) for one in sorted(_against(candidate), key=lambda one: one.severity)]


def decisive(desk: Desk, most: int) -> tuple[list[Reason], int]:
    """Return the worst findings of all candidates, and how many others there are.

    Each candidate, and each sweep as a whole, says its worst before any says its second.
    """
    alone = [sorted(_against(one), key=lambda one: one.severity) for one in outside_sweeps(desk)]
    groups = [*alone, *(_of_sweep(sweep, desk) for sweep in desk.outcome.sweeps)]
    turns = sorted(
        ((turn, one.severity, place), one) for place, group in enumerate(groups) for turn, one in enumerate(group)
    )
    told = [_reason(one, desk, brief=True) for _, one in turns[:most]]
    return told, sum(len(group) for group in groups) - len(told)


def outside_sweeps(desk: Desk) -> list[CandidateResult]:
    """Return the candidates that belong to no sweep, the worst ones first."""
    points = {point.candidate for sweep in desk.outcome.sweeps for point in sweep.points}
    return [one for one in worst_first(desk.outcome.candidates) if one.name not in points]


def in_sweep(sweep: SweepResult, desk: Desk) -> list[CandidateResult]:
    """Return the candidates of a sweep, the worst ones first."""
    points = {point.candidate for point in sweep.points}
    return [one for one in worst_first(desk.outcome.candidates) if one.name in points]


def for_comparison(sweep: SweepResult) -> bool:
    """Tell whether the points of a sweep have different attributes: such points are not released."""
    return any(point.attributes for point in sweep.points)


def worst_first(candidates: Sequence[CandidateResult]) -> list[CandidateResult]:
    """Return blocked candidates first, then those that a person must decide about."""
    order: tuple[Verdict, ...] = ("block", "review", "release")
    return sorted(candidates, key=lambda one: order.index(one.verdict))


def _against(candidate: CandidateResult) -> Iterable[_Against]:
    for finding in candidate.rules:
        if finding.outcome in _WORST_FIRST:
            origin = _ORIGINS.index(finding.origin) if finding.origin in _ORIGINS else len(_ORIGINS)
            severity = (_WORST_FIRST.index(finding.outcome), origin, -shortfall(finding))
            yield _Against(severity, finding, candidate)


def _of_sweep(sweep: SweepResult, desk: Desk) -> list[_Against]:
    """Return what one rule says of many points once, of the point where it is worst."""
    found = in_sweep(sweep, desk)
    kinds: dict[object, list[_Against]] = {}
    for one in sorted((one for point in found for one in _against(point)), key=lambda one: one.severity):
        finding = one.finding
        kinds.setdefault((finding.rule, finding.outcome, finding.origin, finding.place), []).append(one)
    passes = any(point.name == sweep.best and point.verdict == "release" for point in found)
    return [
        alike[0]._replace(alike=len({one.candidate.name for one in alike}) - 1, instead=sweep if passes else None)
        for alike in kinds.values()
    ]


def _reason(against: _Against, desk: Desk, *, brief: bool = False) -> Reason:
    finding, t = against.finding, desk.texts
    message, fix = desk.said(finding.message), desk.said(finding.fix or "")
    if brief:
        message = replace(message, text=_begun(message.text, desk))
        fix = replace(fix, text=shown(fix.text, desk.room.finding))
    if against.instead is not None and against.instead.best is not None:
        because = desk.said(against.instead.best_because)
        text = t("cover.instead", name=desk.names[against.instead.best], because=because.text)
        fix = Said(text=text, language=because.language)
    return Reason(
        candidate=desk.names[against.candidate.name],
        anchor=desk.anchors.get(against.candidate.name, ""),
        mark=desk.outcome_mark(finding.outcome),
        rule=shown(finding.rule, NAME),
        message=message,
        fix=fix,
        source=desk.source(finding.origin, finding.place),
        alike=t.count("cover.alike", against.alike) if against.alike else "",
    )


def _begun(text: str, desk: Desk) -> str:
    """Return so many of the sentences as there is room for, and say that there are more."""
    first, *others = text.split("; ")
    told = shown(first, desk.room.finding)
    for place, other in enumerate(others):
        if len(told) + len(other) > desk.room.finding:
            return desk.texts.count("cover.begun", len(others) - place, told=told)
        told = f"{told}; {other}"
    return told
