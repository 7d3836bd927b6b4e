"""Columns that would look the same where they are shown get a number, so that nobody takes one for the other."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import fields, is_dataclass, replace
from typing import TYPE_CHECKING, Any

from permaudit.errors import shown

if TYPE_CHECKING:
    from collections.abc import Iterable

    from permaudit.outcome import CandidateResult, Outcome


def with_distinct_columns(outcome: Outcome) -> Outcome:
    """Give numbers to the columns whose names differ only where they are cut off or written as codes.

    The number stands in front: however short a place is, it stays. For people's eyes only: machines get whole names.
    Candidates, which have their own places on the page, are numbered there.
    """
    numbered = _numbered(name for one in outcome.candidates for name in [*one.attributes, *_noted(one)])
    if not numbered:
        return outcome
    changed: Outcome = _renamed(outcome, numbered)
    return changed


def _noted(candidate: CandidateResult) -> list[str]:
    """Return the columns that entered no metric."""
    excluded = [left.attribute for left in candidate.excluded]
    return [*excluded, *(note.attribute for note in candidate.columns)]


def _numbered(names: Iterable[str]) -> dict[str, str]:
    """Return new names for those that look like another one."""
    alike: dict[str, list[str]] = defaultdict(list)
    for name in dict.fromkeys(names):
        alike[shown(name)].append(name)
    return {
        name: f"({number}) {name}"
        for same in alike.values()
        if len(same) > 1
        for number, name in enumerate(same, start=1)
    }


def _renamed(part: Any, names: dict[str, str]) -> Any:
    """Return a part of an outcome with the new names."""
    if isinstance(part, str):
        return names.get(part, part)
    if isinstance(part, list | tuple):
        return type(part)(_renamed(one, names) for one in part)
    if isinstance(part, dict):
        return {_renamed(key, names): _renamed(value, names) for key, value in part.items()}
    if is_dataclass(part) and not isinstance(part, type):
        return replace(part, **{field.name: _renamed(getattr(part, field.name), names) for field in fields(part)})
    return part
