"""Waivers: who let what pass, why, and until when."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permaudit.errors import shown
from permaudit.report.context import Waiver
from permaudit.report.desk import LINE, NAME

if TYPE_CHECKING:
    from collections.abc import Sequence

    from permaudit.outcome import WaiverResult
    from permaudit.report.desk import Desk


def waivers(desk: Desk) -> tuple[Waiver, ...]:
    """Return every waiver, those that had an effect first."""
    every = desk.outcome.waivers
    applied = in_force(every)
    return tuple(waiver(one, desk) for one in [*applied, *(one for one in every if one not in applied)])


def in_force(every: Sequence[WaiverResult]) -> list[WaiverResult]:
    """Return the waivers that had an effect."""
    return [one for one in every if one.state == "applied"]


def waiver(given: WaiverResult, desk: Desk) -> Waiver:
    """Say what a waiver lets pass."""
    what = desk.names.get(given.candidate, shown(given.candidate, NAME))
    if given.attribute is not None:
        what = desk.texts("waiver.attribute", candidate=what, attribute=desk.told(given.attribute, NAME))
    return Waiver(
        rule=shown(given.rule, NAME),
        what=what,
        reason=desk.told(given.reason, LINE),
        approved_by=desk.names_of(given.approved_by),
        expires=shown(given.expires, NAME),
        mark=desk.waiver_mark(given.state),
        message=desk.said(given.message),
        source="" if given.place is None else f"{shown(given.place.file, NAME)}:{given.place.line}",
    )
