"""What the rules say of one candidate, with evidence and fix."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permaudit.errors import shown
from permaudit.report.context import Rule
from permaudit.report.desk import LINE, NAME
from permaudit.report.sections.evidence import evidence

if TYPE_CHECKING:
    from permaudit.outcome import CandidateResult, Finding, RuleOutcome
    from permaudit.report.desk import Desk

_ORDER: tuple[RuleOutcome, ...] = ("fail", "error", "review", "waived", "pass", "not-applicable")


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
        evidence=evidence(finding, desk),
        source=desk.source(finding.origin, finding.place),
        waived=_waived(finding, desk),
    )


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
