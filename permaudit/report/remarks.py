"""What somebody must look at, most important first: the same list for every view that points at lines of files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from permaudit.errors import shown
from permaudit.outcome import Place
from permaudit.report.words import STUDY, VERDICT_WORDS, distinct, waived_words, waiver_words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from permaudit.outcome import CandidateResult, Finding, Outcome, Verdict, WaiverResult

Level: TypeAlias = Literal["error", "warning", "note"]

VERDICT = "verdict"
WAIVER = "waiver"
_LONGEST = 1000
_LEVELS: dict[str, Level] = {"fail": "error", "error": "error", "review": "warning", "waived": "warning"}
_VERDICT_LEVELS: dict[Verdict, Level] = {"block": "error", "review": "warning", "release": "note"}
_MOST_NAMES = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Remark:
    """One thing to look at, and where it was asked for."""

    level: Level
    rule: str
    candidate: str | None
    """As it can be shown; None where it is about the whole audit."""
    message: str
    why: str = ""
    fix: str | None = None
    place: Place | None
    about: Place | None = None
    """Where the candidate is declared, if the remark itself is elsewhere."""
    finding: Finding | None = None


def remarks(outcome: Outcome) -> list[Remark]:
    """Return the waivers, the verdict unless it is a plain release, and every finding that does not let one pass."""
    found = [_of_waiver(waiver, outcome) for waiver in outcome.waivers]
    if outcome.verdict != "release" or outcome.provenance.study:
        found.append(_of_verdict(outcome))
    names = distinct((candidate.name for candidate in outcome.candidates), 60)
    for name, candidate in zip(names, outcome.candidates, strict=True):
        found += _of_candidate(name, candidate, outcome)
    return found


def rule_name(finding: Finding) -> str:
    """Return the name of a rule as it can be shown."""
    return shown(finding.rule, 100)


def audit_place(outcome: Outcome) -> Place | None:
    """Return the first line of the audit file; None where the audit was a Python call."""
    places = [
        *outcome.provenance.places.values(),
        *(finding.place for one in outcome.candidates for finding in one.rules if finding.origin == "audit file"),
    ]
    return next((Place(file=place.file, line=1, column=1) for place in places if place is not None), None)


def _of_waiver(waiver: WaiverResult, outcome: Outcome) -> Remark:
    """Say what became of a waiver."""
    return Remark(
        level="note" if waiver.state == "applied" else "warning",
        rule=WAIVER,
        candidate=shown(waiver.candidate),
        message=waiver_words(waiver, _LONGEST),
        place=waiver.place or audit_place(outcome),
    )


def _of_verdict(outcome: Outcome) -> Remark:
    """Say the verdict, and because of whom."""
    worst = [shown(one.name) for one in outcome.candidates if one.verdict == outcome.verdict]
    more = f" and {len(worst) - _MOST_NAMES} more" if len(worst) > _MOST_NAMES else ""
    because = f", because of {', '.join(worst[:_MOST_NAMES])}{more}" if outcome.verdict != "release" and worst else ""
    study = f". {STUDY}" if outcome.provenance.study else ""
    level = _VERDICT_LEVELS[outcome.verdict]
    return Remark(
        level="error" if outcome.provenance.study else level,
        rule=VERDICT,
        candidate=None,
        message=f"{outcome.verdict}: {VERDICT_WORDS[outcome.verdict]}{because}{study}",
        place=audit_place(outcome),
    )


def _of_candidate(name: str, candidate: CandidateResult, outcome: Outcome) -> Iterator[Remark]:
    """Yield what the rules found of one candidate; what is not known counts as the worst."""
    declared = outcome.provenance.places.get(candidate.name)
    for finding in candidate.rules:
        if finding.outcome in {"pass", "not-applicable"}:
            continue
        waived = f" ({waived_words(finding.waived, _LONGEST)})" if finding.waived else ""
        yield Remark(
            level=_LEVELS.get(finding.outcome, "error"),
            rule=rule_name(finding),
            candidate=name,
            message=f"{finding.outcome}: {shown(finding.message, _LONGEST)}{waived}",
            why=shown(finding.why, _LONGEST),
            fix=shown(finding.fix, _LONGEST) if finding.fix else None,
            place=finding.place or declared or audit_place(outcome),
            about=declared if finding.place is not None else None,
            finding=finding,
        )
