"""The data: how they were read, how many records there are, and what entered the numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permaudit.errors import shown
from permaudit.report.context import Data, Row
from permaudit.report.desk import NAME, whole

if TYPE_CHECKING:
    from collections.abc import Iterator

    from permaudit.outcome import CandidateResult, ColumnNote
    from permaudit.report.context import Grid, Said
    from permaudit.report.desk import Desk

_COUNTS = ("original", "released", "compared", "suppressed", "added", "dropped")


def data(desk: Desk) -> Data:
    """Describe the data."""
    return Data(attributes=_attributes(desk), records=_records(desk), notes=_notes(desk), coverage=_coverage(desk))


def _attributes(desk: Desk) -> Grid:
    t = desk.texts
    columns: dict[str, ColumnNote] = {}
    for candidate in desk.outcome.candidates:
        for note in candidate.columns:
            columns.setdefault(note.attribute, note)
    rows = [
        Row(
            cells=(
                shown(note.attribute, NAME),
                t.known("type", note.type),
                t.known("missing", note.missing_policy),
                whole(note.missing_original),
            )
        )
        for note in columns.values()
    ]
    header = [t(f"data.{name}") for name in ("attribute", "type", "missing-policy", "missing-original")]
    return desk.grid(t("data.attributes"), header, rows, numeric=(False, False, False, True))


def _records(desk: Desk) -> Grid:
    t = desk.texts
    rows = [
        Row(
            cells=(
                desk.names[one.name],
                t(f"linkage.{one.linkage}"),
                *(whole(getattr(one.records, name)) for name in _COUNTS),
            )
        )
        for one in desk.outcome.candidates
    ]
    header = (t("comparison.candidate"), t("candidate.linkage"), *(t(f"data.{name}") for name in _COUNTS))
    return desk.grid(t("data.records"), header, rows, numeric=(False, False, *(True for _ in _COUNTS)))


def _notes(desk: Desk) -> Grid | None:
    """Return what is particular about columns, each statement once with the candidates for which it holds."""
    t = desk.texts
    said: dict[tuple[str, str | Said], list[str]] = {}
    for candidate in desk.outcome.candidates:
        for attribute, text in _statements(candidate, desk):
            said.setdefault((attribute, text), []).append(desk.names[candidate.name])
    if not said:
        return None
    every = len(desk.outcome.candidates)
    rows = [
        Row(cells=(attribute, t("data.all") if len(names) == every else desk.names_of(names, 4), text))
        for (attribute, text), names in said.items()
    ]
    return desk.grid(t("data.notes"), (t("data.attribute"), t("comparison.candidate"), t("data.note")), rows)


def _statements(candidate: CandidateResult, desk: Desk) -> Iterator[tuple[str, str | Said]]:
    for note in candidate.columns:
        name = shown(note.attribute, NAME)
        if note.missing_released:
            yield name, desk.texts.count("data.missing-released", note.missing_released)
        for statement in note.statements:
            yield name, desk.said(statement)


def _coverage(desk: Desk) -> Grid:
    """Return what entered each metric, the same things once."""
    t = desk.texts
    said: dict[tuple[str, str, str, Said], list[str]] = {}
    for candidate in desk.outcome.candidates:
        for metric, covered in candidate.coverage.items():
            what = (whole(len(covered.attributes)), whole(covered.records), desk.said(covered.reason or ""))
            said.setdefault((shown(metric, NAME), *what), []).append(desk.names[candidate.name])
    every = len(desk.outcome.candidates)
    rows = [
        Row(
            cells=(
                metric,
                t("data.all") if len(names) == every else desk.names_of(names, 4),
                attributes,
                records,
                reason if reason.text else t("data.everything"),
            )
        )
        for (metric, attributes, records, reason), names in said.items()
    ]
    header = (
        t("data.metric"),
        t("comparison.candidate"),
        *(t(f"data.{name}") for name in ("attributes-count", "records-count", "left-out")),
    )
    return desk.grid(t("data.coverage"), header, rows, numeric=(False, False, True, True, False))
