"""What somebody proposed and nobody confirmed: no candidate is released by it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from permaudit.errors import shown
from permaudit.model import CONFIRMED
from permaudit.outcome import Finding
from permaudit.verdict import verdict_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from permaudit.outcome import CandidateResult

_LONGEST = 80
_MOST = 5


def with_what_is_unconfirmed(results: Sequence[CandidateResult], marks: Sequence[str]) -> list[CandidateResult]:
    """Add to each candidate that a person must confirm something first, where that is so."""
    if not marks:
        return list(results)
    named = [shown(mark, _LONGEST) for mark in marks[:_MOST]]
    more = f" and {len(marks) - _MOST} more" if len(marks) > _MOST else ""
    finding = Finding(
        rule=CONFIRMED,
        outcome="review",
        message=f"proposed in the audit file and confirmed by nobody: {'; '.join(named)}{more}",
        why="What a program guesses of data is no decision.",
        fix="look at what is marked CONFIRM in the audit file, and take away each line under unconfirmed that you confirm",
        evidence={"unconfirmed": named},
    )
    judged = [replace(result, rules=[*result.rules, finding]) for result in results]
    return [replace(result, verdict=verdict_of(result.rules)) for result in judged]
