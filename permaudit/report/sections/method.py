"""How to read the report: the permutation model, and each metric in plain words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permaudit.errors import shown
from permaudit.report import charts
from permaudit.report.context import Explained, Fact, Method
from permaudit.report.desk import NAME

if TYPE_CHECKING:
    from permaudit.outcome import MetricNote
    from permaudit.report.desk import Desk

_PARAGRAPHS = ("permutation", "ranks", "linked", "numbers", "limits", "verdict")


def method(desk: Desk) -> Method:
    """Explain what was done."""
    return Method(
        picture=desk.figure(charts.worked_picture("worked", words=desk.words)),
        paragraphs=tuple(desk.texts(f"method.{name}") for name in _PARAGRAPHS),
        metrics=tuple(_explained(name, note, desk) for name, note in desk.outcome.glossary.items()),
    )


def _explained(name: str, note: MetricNote, desk: Desk) -> Explained:
    t = desk.texts
    low, high = (charts.parameter(bound) for bound in note.bounds)
    return Explained(
        name=shown(name, NAME),
        title=desk.said(note.title, NAME),
        summary=desk.said(note.summary),
        facts=(
            Fact(label=t.known("measures", note.measures), value=desk.direction(note.direction)),
            Fact(label=t("method.at", value=low), value=desk.said(note.low)),
            Fact(label=t("method.at", value=high), value=desk.said(note.high)),
            Fact(label=t("metric.blind"), value=desk.said(note.blind_spots)),
            Fact(label=t("method.reference"), value=desk.said(note.reference)),
        ),
    )
