"""One candidate: what it is, what speaks against it, its metrics, its rules, its attributes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permaudit.errors import shown
from permaudit.report.context import Candidate, Fact, Said
from permaudit.report.desk import LINE, NAME, whole
from permaudit.report.sections.attributes import attribution
from permaudit.report.sections.cover import method_of
from permaudit.report.sections.metrics import added, metrics
from permaudit.report.sections.reasons import reasons_of
from permaudit.report.sections.rules import rules

if TYPE_CHECKING:
    from permaudit.outcome import CandidateResult
    from permaudit.report.desk import Desk


def candidates(desk: Desk) -> tuple[Candidate, ...]:
    """Return the candidates that have a section of their own."""
    found = {one.name: one for one in desk.outcome.candidates}
    return tuple(_candidate(found[name], anchor, desk) for name, anchor in desk.anchors.items())


def _candidate(found: CandidateResult, anchor: str, desk: Desk) -> Candidate:
    t = desk.texts
    reasons = [(shown(one.attribute, NAME), desk.said(one.reason)) for one in found.excluded]
    left = [
        Said(text=t("candidate.excluded", name=name, reason=reason.text), language=reason.language)
        for name, reason in reasons
    ]
    return Candidate(
        anchor=anchor,
        name=desk.whole_names[found.name],
        mark=desk.verdict(found.verdict),
        facts=_facts(found, desk),
        notes=(*map(desk.said, found.warnings), *left)[: desk.room.rows],
        reasons=tuple(reasons_of(found, desk)[: desk.room.rows]),
        metrics=metrics(found, anchor, desk),
        rules=rules(found, desk),
        attribution=attribution(found, anchor, desk),
        added=added(found, anchor, desk),
    )


def _facts(found: CandidateResult, desk: Desk) -> tuple[Fact, ...]:
    """Say what would be released."""
    t, records = desk.texts, found.records
    facts = [
        Fact(label=t("candidate.method"), value=method_of(found, desk)),
        Fact(label=t("candidate.linkage"), value=t(f"linkage.{found.linkage}")),
        Fact(
            label=t("candidate.records"),
            value=t(
                "candidate.records-are",
                original=whole(records.original),
                released=whole(records.released),
                compared=whole(records.compared),
            ),
        ),
        Fact(
            label=t.count("candidate.attributes", len(found.attributes)),
            value=desk.names_of(
                found.attributes, desk.room.letters // max(map(len, found.attributes), default=1), LINE
            ),
        ),
    ]
    if found.sha256 is not None:
        facts.append(Fact(label=t("candidate.digest"), value=shown(found.sha256, 64), code=True))
    elif found.anonymizer is not None:
        facts.append(Fact(label=t("candidate.digest"), value=t("candidate.no-file")))
    return tuple(facts)
