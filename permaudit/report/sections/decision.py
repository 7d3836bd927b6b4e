"""What the board fills in: a choice for each candidate, and who signs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permaudit.report.context import Choice, Decision
from permaudit.report.desk import short_hash
from permaudit.report.sections.reasons import OPEN, outside_sweeps

if TYPE_CHECKING:
    from permaudit.outcome import CandidateResult
    from permaudit.report.desk import Desk

_SIGNATORIES = 2
_STUDY = "study"
"""Nothing of it can be approved, so there is nothing to choose."""
_CHOICES = ("approve", "conditions", "reject")


def decision(desk: Desk) -> Decision:
    """Return what the board fills in."""
    t, every = desk.texts, desk.outcome.candidates
    standing = _standing(desk)
    asked = _asked(desk) if len(every) > 1 and standing != _STUDY else []
    left = len(asked) - desk.room.releases
    is_open = standing != _STUDY and (bool(asked) or len(every) == 1)
    notes = [t(f"decision.note.{standing}" if is_open or standing == _STUDY else "decision.nothing")]
    if asked:
        notes.append(t("decision.each"))
    if left > 0:
        notes.append(t.count("decision.unlisted", left))
    if is_open and any(one.sha256 is None for one in asked or every):
        notes.append(t("decision.no-file"))
    return Decision(
        choices=tuple(t(f"decision.{choice}") for choice in _CHOICES if is_open),
        rows=tuple(_choice(one, desk) for one in asked[: desk.room.releases]),
        note=" ".join(notes),
        signatories=tuple(t("decision.signatory", n=number + 1) for number in range(_SIGNATORIES)),
    )


def _asked(desk: Desk) -> list[CandidateResult]:
    """Return what can be approved: candidates of their own, and of each sweep its best point, if it has one."""
    best = {sweep.best for sweep in desk.outcome.sweeps}
    return [*outside_sweeps(desk), *(one for one in desk.outcome.candidates if one.name in best)]


def _choice(candidate: CandidateResult, desk: Desk) -> Choice:
    return Choice(
        name=desk.names[candidate.name],
        anchor=desk.anchors.get(candidate.name, ""),
        digest=short_hash(candidate.sha256),
        mark=desk.verdict(candidate.verdict),
    )


def _standing(desk: Desk) -> str:
    """Return the verdict, or that it is a study, rests on waivers alone, or is not the same for all."""
    if desk.outcome.provenance.study:
        return _STUDY
    outcomes = {finding.outcome for candidate in desk.outcome.candidates for finding in candidate.rules}
    if "waived" in outcomes and outcomes.isdisjoint(OPEN):
        return "waived"
    verdicts = {candidate.verdict for candidate in desk.outcome.candidates}
    return "mixed" if "release" in verdicts and len(verdicts) > 1 else desk.outcome.verdict
