"""The data: how they were read, how many records there are, and what entered the numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from permaudit.errors import shown
from permaudit.report.context import Data, Row
from permaudit.report.desk import NAME, whole

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from permaudit.outcome import CandidateResult, ColumnNote
    from permaudit.report.context import Grid, Said
    from permaudit.report.desk import Desk

_MOST_NAMES = 3
_COUNTS = ("original", "released", "compared", "suppressed", "added", "dropped")


_Key = TypeVar("_Key", bound=tuple[Any, ...])


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
    """Return how many records there are; points of a sweep of which the same holds share a row."""
    t = desk.texts
    swept = {point.candidate: sweep.name for sweep in desk.outcome.sweeps for point in sweep.points}
    alike: dict[tuple[str, str, tuple[str, ...]], list[CandidateResult]] = {}
    for one in desk.outcome.candidates:
        told = (t(f"linkage.{one.linkage}"), *(whole(getattr(one.records, name)) for name in _COUNTS))
        alike.setdefault((swept.get(one.name, ""), "" if one.name in swept else one.name, told), []).append(one)
    rows = []
    for (sweep, _, cells), ones in alike.items():
        many = t("data.points", sweep=shown(sweep, NAME), n=len(ones))
        rows.append(Row(cells=(many if len(ones) > 1 else desk.names[ones[0].name], *cells)))
    header = (t("comparison.candidate"), t("candidate.linkage"), *(t(f"data.{name}") for name in _COUNTS))
    return desk.grid(t("data.records"), header, rows, numeric=(False, False, *(True for _ in _COUNTS)))


def _notes(desk: Desk) -> Grid | None:
    """Return what is particular about columns, each statement once with the columns and candidates for which it holds."""
    t = desk.texts
    said: dict[tuple[str, str | Said], list[str]] = {}
    for candidate in desk.outcome.candidates:
        for attribute, text in _statements(candidate, desk):
            said.setdefault((attribute, text), []).append(candidate.name)
    if not said:
        return None
    rows = [
        Row(cells=(", ".join(attributes), _whom(names, desk), text))
        for (text, names), attributes in _turned(
            ((text, tuple(names)), attribute) for (attribute, text), names in said.items()
        )
    ]
    header = (t("data.attribute"), t("comparison.candidate"), t("data.note"))
    return desk.grid(t("data.notes"), header, rows, most=desk.room.notes)


def _turned(pairs: Iterable[tuple[_Key, str]]) -> Iterable[tuple[_Key, list[str]]]:
    """Bring what is said of several names together."""
    found: dict[_Key, list[str]] = {}
    for what, name in pairs:
        found.setdefault(what, []).append(name)
    return found.items()


def _whom(names: Sequence[str], desk: Desk) -> str:
    """Name candidates, or say that it is all of them."""
    if len(names) == len(desk.outcome.candidates):
        return desk.texts("data.all")
    return desk.names_of([desk.names[name] for name in names], _MOST_NAMES)


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
    said: dict[tuple[str, tuple[str, str, Said]], list[str]] = {}
    for candidate in desk.outcome.candidates:
        for metric, covered in candidate.coverage.items():
            what = (whole(len(covered.attributes)), whole(covered.records), desk.said(covered.reason or ""))
            said.setdefault((shown(metric, NAME), what), []).append(candidate.name)
    alike = _turned(((tuple(names), what), metric) for (metric, what), names in said.items())
    rows = [
        Row(
            cells=(
                ", ".join(metrics),
                _whom(names, desk),
                attributes,
                records,
                reason if reason.text else t("data.everything"),
            )
        )
        for (names, (attributes, records, reason)), metrics in alike
    ]
    header = (
        t("data.metric"),
        t("comparison.candidate"),
        *(t(f"data.{name}") for name in ("attributes-count", "records-count", "left-out")),
    )
    return desk.grid(t("data.coverage"), header, rows, numeric=(False, False, True, True, False))
