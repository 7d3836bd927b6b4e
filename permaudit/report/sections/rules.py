"""What the rules say of one candidate, with evidence and fix."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from permaudit.errors import shown
from permaudit.report.context import Fact, Rule
from permaudit.report.desk import LINE, NAME, value

if TYPE_CHECKING:
    from permaudit.outcome import CandidateResult, Finding, RuleOutcome
    from permaudit.report.desk import Desk

_ORDER: tuple[RuleOutcome, ...] = ("fail", "error", "review", "waived", "pass", "not-applicable")
_MOST_EVIDENCE = 8


def rules(candidate: CandidateResult, desk: Desk) -> tuple[Rule, ...]:
    """Return the findings of a candidate, what speaks against it first."""
    ordered = sorted(candidate.rules, key=lambda finding: _ORDER.index(finding.outcome))
    return tuple(_rule(finding, desk) for finding in ordered[: desk.room.rows])


def _rule(finding: Finding, desk: Desk) -> Rule:
    return Rule(
        mark=desk.outcome_mark(finding.outcome),
        rule=shown(finding.rule, NAME),
        message=desk.said(finding.message),
        why=desk.said(finding.why),
        fix=desk.said(finding.fix or ""),
        evidence=tuple(
            Fact(label=shown(name.replace("_", " "), NAME), value=value(item, desk.words))
            for name, item in _told(finding)[:_MOST_EVIDENCE]
        ),
        source=desk.source(finding.origin, finding.place),
        waived=_waived(finding, desk),
    )


def _told(finding: Finding) -> list[tuple[str, Any]]:
    """Return the pieces of evidence; those with parts of their own, part by part, and only where something was found."""
    told = [(name, item) for name, item in finding.evidence.items() if not isinstance(item, dict | None)]
    if finding.outcome in {"pass", "not-applicable"}:
        return told
    whole = [(name, item) for name, item in finding.evidence.items() if isinstance(item, dict)]
    return [*told, *((f"{name}, {part}", item) for name, parts in whole for part, item in parts.items())]


def _waived(finding: Finding, desk: Desk) -> str:
    """Say who let it pass, why, and until when."""
    given = finding.waived
    if given is None:
        return ""
    return desk.texts(
        "rule.waived",
        outcome=desk.texts(f"outcome.{given.outcome}"),
        people=desk.names_of(given.approved_by),
        until=shown(given.expires, NAME),
        reason=desk.told(given.reason, LINE),
    )
