"""What a release rests on: the limits that it keeps, what was looked for and not found, and what nobody sees."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permaudit.errors import shown
from permaudit.report.context import Ground, Said
from permaudit.report.desk import NAME
from permaudit.report.sections.limits import is_limit, limits_of, shortfall

if TYPE_CHECKING:
    from collections.abc import Iterator

    from permaudit.outcome import CandidateResult, Finding
    from permaudit.report.desk import Desk

_ALWAYS_ON = "always on"
_SETTLED = {"pass", "not-applicable"}


def grounds(desk: Desk) -> tuple[Ground, ...]:
    """Say why everything may go out; nothing where something speaks against it."""
    return tuple(_grounds(desk)) if desk.outcome.verdict == "release" else ()


def _grounds(desk: Desk) -> Iterator[Ground]:
    t = desk.texts
    kept = sorted(_kept(desk), key=lambda one: -shortfall(one[1]))
    for place, (candidate, finding) in enumerate(kept if len(kept) <= desk.room.reasons else kept[:1]):
        yield Ground(
            label=t("ground.closest" if place == 0 and len(kept) > 1 else "ground.limit"),
            text=desk.said(finding.message),
            where=f"{desk.names[candidate.name]} · {desk.source(finding.origin, finding.place)}",
        )
    looked = list(_looked_for(desk))
    if looked:
        text = t("ground.not-found", what=", ".join(looked))
        yield Ground(label=t("ground.looked"), text=Said(text=text), where=t.count("ground.rules", len(looked)))
    for name in dict.fromkeys(name for one in desk.outcome.candidates for name in limits_of(one, desk)):
        if name in desk.outcome.glossary:
            blind = desk.said(desk.outcome.glossary[name].blind_spots)
            yield Ground(label=t("ground.unseen", metric=shown(name, NAME)), text=blind, where="")


def _kept(desk: Desk) -> Iterator[tuple[CandidateResult, Finding]]:
    """Yield the limits that candidates keep, of a sweep those of its best point."""
    best = {sweep.best for sweep in desk.outcome.sweeps}
    points = {point.candidate for sweep in desk.outcome.sweeps for point in sweep.points} - best
    for candidate in desk.outcome.candidates:
        for finding in candidate.rules:
            if is_limit(finding) and finding.outcome == "pass" and candidate.name not in points:
                yield candidate, finding


def _looked_for(desk: Desk) -> Iterator[str]:
    """Yield what the rules that are always on looked for, and found in no candidate."""
    outcomes: dict[str, set[str]] = {}
    for candidate in desk.outcome.candidates:
        for finding in candidate.rules:
            if finding.origin == _ALWAYS_ON:
                outcomes.setdefault(finding.rule, set()).add(finding.outcome)
    for rule, found in outcomes.items():
        name = f"looked-for.{rule}"
        if name in desk.texts.entries and "pass" in found and found <= _SETTLED:
            yield desk.texts(name)
