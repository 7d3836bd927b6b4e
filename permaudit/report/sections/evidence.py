"""What a finding rests on: numbers and names with labels that a reader understands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permaudit.errors import shown
from permaudit.report import charts
from permaudit.report.context import Fact, Said
from permaudit.report.desk import NAME, whole
from permaudit.report.texts import FALLBACK

if TYPE_CHECKING:
    from permaudit.outcome import Finding
    from permaudit.report.desk import Desk

_GROUP = "evidence"
_MOST = 8
_MOST_PARTS = 12
_EXACT = 4
"""A number that has no more decimals than these stands as it is."""


def evidence(finding: Finding, desk: Desk) -> tuple[Fact, ...]:
    """Return the pieces of evidence; those with parts of their own, part by part, and only where something was found."""
    told: list[tuple[tuple[str, ...], object]] = [
        ((name,), item)
        for name, item in finding.evidence.items()
        if item not in (None, [], ()) and not isinstance(item, dict)
    ]
    if finding.outcome not in {"pass", "not-applicable"}:
        told += [
            ((name, str(part)), item)
            for name, parts in finding.evidence.items()
            if isinstance(parts, dict)
            for part, item in parts.items()
        ]
    return tuple(Fact(label=_label(path, desk), value=_value(item, desk)) for path, item in told[:_MOST])


def value(item: object, desk: Desk) -> str:
    """Write what somebody put into a table: a number, a name, a yes or no."""
    if isinstance(item, bool):
        return desk.texts("word.yes" if item else "word.no")
    if isinstance(item, int):
        return whole(item)
    if isinstance(item, float):
        return charts.parameter(item) if round(item, _EXACT) == item else desk.words.measured(item)
    if isinstance(item, str):
        return desk.said(item, NAME).text
    return charts.parameter(item)


def _value(item: object, desk: Desk) -> str:
    """Write a piece of evidence, with all its parts."""
    if isinstance(item, dict):
        known = {name: part for name, part in item.items() if _known((str(name),), desk)} or item
        parts = list(known.items())[:_MOST_PARTS]
        return ", ".join(f"{_label((str(name),), desk)} {_value(part, desk)}" for name, part in parts)
    if isinstance(item, list | tuple):
        return ", ".join(_value(part, desk) for part in item[:_MOST_PARTS])
    return value(item, desk)


def _known(path: tuple[str, ...], desk: Desk) -> str:
    """Return the catalogue's words for a field; empty where it has none."""
    return desk.texts.entries.get(".".join((_GROUP, *path)), "")


def _label(path: tuple[str, ...], desk: Desk) -> str | Said:
    """Name a field in words, or else as it is called in the result, which is English."""
    first, *rest = path
    if name := _known(path, desk):
        return name
    if rest and (name := _known((first, "each"), desk)):
        return f"{name}: {desk.said(rest[0], NAME).text}"
    if any(first in one.metrics for one in desk.outcome.candidates):
        return shown(first, NAME)
    plain = ", ".join(shown(part.replace("_", " "), NAME) for part in path)
    return plain if desk.texts.language == FALLBACK else Said(text=plain, language=FALLBACK)
