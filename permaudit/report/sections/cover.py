"""The first page: may this go out, why, what is the worst thing found, what would fix it, and who signs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permaudit.errors import shown
from permaudit.report import charts
from permaudit.report.context import Cover, Decision, Reason, Release
from permaudit.report.desk import NAME, short_hash, whole
from permaudit.report.sections.waivers import in_force, waiver

if TYPE_CHECKING:
    from collections.abc import Sequence

    from permaudit.outcome import CandidateResult, Finding, SweepResult, Verdict
    from permaudit.report.desk import Desk

_ORIGINS = ("always on", "policy", "audit file")
_OPEN = ("fail", "error", "review")
_WORST_FIRST = (*_OPEN, "waived")
"""What was found comes before what could not be found out, and both before what was waived and is there all the same."""
_SIGNATORIES = 2


def cover(desk: Desk) -> Cover:
    """Answer the questions that a board has."""
    outcome, t = desk.outcome, desk.texts
    waivers = in_force(outcome.waivers)
    groups = [[reason for one in group for reason in reasons_of(one, desk)] for group in _groups(desk)]
    warnings, shown_waivers = _warnings(desk), waivers[: desk.room.waivers]
    crowded = len(warnings) + len(shown_waivers) > desk.room.first
    reasons = _in_turns(groups, desk.room.reasons - crowded)
    releases = [*(_release(one, desk) for one in _outside_sweeps(desk)), *(_swept(one, desk) for one in outcome.sweeps)]
    return Cover(
        badge=charts.verdict_badge(
            "badge", verdict=outcome.verdict, word=t(f"verdict.{outcome.verdict}"), words=desk.words
        ),
        question=t.count("cover.question", len(outcome.candidates)),
        answer=_answer(desk),
        warnings=warnings,
        waivers_title=t.count("cover.waivers", len(waivers)),
        waivers=tuple(waiver(one, desk) for one in shown_waivers),
        more_waivers=_more(desk, "more.waivers", len(waivers) - desk.room.waivers),
        reasons=tuple(reasons),
        more_reasons=_more(desk, "more.reasons", sum(map(len, groups)) - len(reasons)),
        releases=tuple(releases[: desk.room.releases]),
        more_releases=_more(desk, "more.releases", len(releases) - desk.room.releases),
        policy=_policy(desk),
    )


def decision(desk: Desk) -> Decision:
    """Return what the board fills in."""
    t = desk.texts
    return Decision(
        choices=tuple(t(f"decision.{choice}") for choice in ("approve", "conditions", "reject")),
        note=t(f"decision.note.{_standing(desk)}"),
        signatories=tuple(t("decision.signatory", n=number + 1) for number in range(_SIGNATORIES)),
    )


def _standing(desk: Desk) -> str:
    """Return the verdict, or that waivers are all that it rests on."""
    outcomes = {finding.outcome for candidate in desk.outcome.candidates for finding in candidate.rules}
    return "waived" if "waived" in outcomes and outcomes.isdisjoint(_OPEN) else desk.outcome.verdict


def reasons_of(candidate: CandidateResult, desk: Desk) -> list[Reason]:
    """Return the findings that speak against a candidate, the worst one first."""
    against = [finding for finding in candidate.rules if finding.outcome in _WORST_FIRST]
    return [_reason(finding, candidate, desk) for finding in sorted(against, key=_severity)]


def method_of(candidate: CandidateResult, desk: Desk) -> str:
    """Say how a candidate was made."""
    t = desk.texts
    kind = t(f"kind.{candidate.kind}")
    if candidate.anonymizer is None:
        return t("cover.given", kind=kind)
    params = ", ".join(
        f"{shown(name, NAME)} = {desk.told(charts.parameter(given), NAME)}"
        for name, given in candidate.params.items()
        if given not in (None, [], {})
    )
    made = shown(candidate.anonymizer, NAME) + (f" ({params})" if params else "")
    return t("cover.made", kind=kind, method=made)


def _severity(finding: Finding) -> tuple[int, int]:
    """Order findings: by outcome, then by who demands it."""
    origin = _ORIGINS.index(finding.origin) if finding.origin in _ORIGINS else len(_ORIGINS)
    return _WORST_FIRST.index(finding.outcome), origin


def _reason(finding: Finding, candidate: CandidateResult, desk: Desk) -> Reason:
    return Reason(
        candidate=desk.names[candidate.name],
        anchor=desk.anchors.get(candidate.name, ""),
        mark=desk.outcome_mark(finding.outcome),
        rule=shown(finding.rule, NAME),
        message=desk.said(finding.message),
        fix=desk.said(finding.fix or ""),
        source=desk.source(finding.origin, finding.place),
    )


def _worst(candidates: Sequence[CandidateResult]) -> list[CandidateResult]:
    """Return blocked candidates first, then those that a person must decide about."""
    order: tuple[Verdict, ...] = ("block", "review", "release")
    return sorted(candidates, key=lambda one: order.index(one.verdict))


def _groups(desk: Desk) -> list[list[CandidateResult]]:
    """Return each candidate on its own, then each sweep as a whole."""
    sweeps = [{point.candidate for point in sweep.points} for sweep in desk.outcome.sweeps]
    swept = [[one for one in _worst(desk.outcome.candidates) if one.name in points] for points in sweeps]
    return [*([one] for one in _outside_sweeps(desk)), *swept]


def _in_turns(groups: Sequence[Sequence[Reason]], most: int) -> list[Reason]:
    """Let each group say its worst reason before any says its second."""
    turns = [(turn, place, reason) for place, group in enumerate(groups) for turn, reason in enumerate(group)]
    return [reason for _, _, reason in sorted(turns, key=lambda one: one[:2])[:most]]


def _outside_sweeps(desk: Desk) -> list[CandidateResult]:
    points = {point.candidate for sweep in desk.outcome.sweeps for point in sweep.points}
    return [one for one in _worst(desk.outcome.candidates) if one.name not in points]


def _release(candidate: CandidateResult, desk: Desk) -> Release:
    """Return what would be released."""
    count = len(candidate.attributes)
    return Release(
        name=desk.names[candidate.name],
        anchor=desk.anchors.get(candidate.name, ""),
        method=method_of(candidate, desk),
        records=whole(candidate.records.released),
        attributes=whole(count),
        digest=short_hash(candidate.sha256),
        mark=desk.verdict(candidate.verdict),
    )


def _swept(sweep: SweepResult, desk: Desk) -> Release:
    """Return a sweep in one line: its best point stands for it, or else its worst."""
    points = {point.candidate for point in sweep.points}
    found = [one for one in _worst(desk.outcome.candidates) if one.name in points]
    best = next((one for one in found if one.name == sweep.best), None)
    told = best or found[0]
    number = next(place for place, one in enumerate(desk.outcome.sweeps, start=1) if one is sweep)
    what = desk.texts("cover.sweep", method=shown(sweep.anonymizer, NAME), points=whole(len(sweep.points)))
    if best is not None:
        what += f"; {desk.texts('cover.best', name=desk.names[best.name])}"
    return Release(
        name=shown(sweep.name, NAME),
        anchor=f"sweep-{number}",
        method=what,
        records=whole(told.records.released),
        attributes=whole(len(told.attributes)),
        digest="",
        mark=desk.verdict(told.verdict),
    )


def _answer(desk: Desk) -> str:
    """Say in a sentence whether it may go out."""
    outcome, t = desk.outcome, desk.texts
    study = outcome.provenance.study
    if not study and (len(outcome.candidates) == 1 or outcome.verdict == "release"):
        return t(f"cover.answer.{outcome.verdict}")
    counts = {
        verdict: sum(one.verdict == verdict for one in outcome.candidates) for verdict in ("release", "review", "block")
    }
    parts = [t.count(f"cover.count.{verdict}", number) for verdict, number in counts.items() if number]
    which = "study" if study else "mixed" if counts["release"] else f"all-{outcome.verdict}"
    return t(f"cover.answer.{which}", parts=", ".join(parts))


def _warnings(desk: Desk) -> tuple[str, ...]:
    """Return what must be read first."""
    warnings = []
    if desk.outcome.provenance.study:
        warnings.append(desk.texts("cover.study"))
    if desk.outcome.presentation.audience == "external":
        warnings.append(desk.texts("cover.external"))
    return tuple(warnings)


def _policy(desk: Desk) -> str:
    """Say by whose rules it was judged."""
    policy = desk.outcome.policy
    if policy is None:
        return desk.texts("cover.no-policy")
    pinned = "pinned" if policy.pinned else "unpinned"
    return desk.texts(f"cover.policy-{pinned}", title=shown(policy.title, NAME), digest=short_hash(policy.sha256))


def _more(desk: Desk, name: str, left: int) -> str:
    return desk.texts.count(name, left) if left > 0 else ""
