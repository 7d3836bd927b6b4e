"""Outcome -> everything that the templates place on the pages."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from permaudit.errors import shown
from permaudit.report.context import Entry, Report
from permaudit.report.desk import LINE, PAPER, SCREEN, make_desk, short_hash
from permaudit.report.sections.candidates import candidates
from permaudit.report.sections.comparison import comparison
from permaudit.report.sections.cover import cover
from permaudit.report.sections.data import data
from permaudit.report.sections.decision import decision
from permaudit.report.sections.method import method
from permaudit.report.sections.provenance import provenance
from permaudit.report.sections.waivers import waivers

if TYPE_CHECKING:
    from collections.abc import Iterator

    from permaudit.outcome import Outcome
    from permaudit.report.context import Candidate, Comparison
    from permaudit.report.desk import Desk
    from permaudit.report.texts import Texts


def build_report(outcome: Outcome, result: bytes, texts: Texts, *, paged: bool) -> Report:
    """Say in words and drawings what an outcome holds; `result` is its `audit.json`."""
    desk = make_desk(outcome, texts, PAPER if paged else SCREEN)
    digest = hashlib.sha256(result).hexdigest()
    beside, parts = comparison(desk), candidates(desk)
    points = {point.candidate for sweep in outcome.sweeps for point in sweep.points}
    left = sum(one.name not in points and one.name not in desk.anchors for one in outcome.candidates)
    return Report(
        title=shown(outcome.title, LINE),
        identity=short_hash(digest),
        digest=digest,
        verdict=desk.verdict(outcome.verdict),
        audience=outcome.presentation.audience,
        language=texts.language,
        paged=paged,
        contents=tuple(_contents(desk, beside, parts)),
        cover=cover(desk),
        decision=decision(desk),
        waivers=waivers(desk),
        comparison=beside,
        candidates=parts,
        more_candidates=texts.count("more.candidates", left) if left else "",
        data=data(desk),
        method=method(desk),
        provenance=provenance(desk, digest),
    )


def _contents(desk: Desk, beside: Comparison | None, parts: tuple[Candidate, ...]) -> Iterator[Entry]:
    t = desk.texts
    if desk.outcome.waivers:
        yield Entry(anchor="waivers", title=t("section.waivers"))
    if beside is not None:
        yield Entry(anchor="comparison", title=t("section.comparison"))
        for sweep in beside.sweeps:
            yield Entry(anchor=sweep.anchor, title=sweep.title, inner=True)
    if parts:
        yield Entry(anchor="candidates", title=t("section.candidates"))
    for part in parts:
        yield Entry(anchor=part.anchor, title=part.name, mark=part.mark, inner=True)
    for name in ("data", "method", "provenance"):
        yield Entry(anchor=name, title=t(f"section.{name}"))
