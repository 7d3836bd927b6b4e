"""Verdicts on the screen: by sign, word and colour, never by colour alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permaudit.report.words import VERDICT_SIGNS

if TYPE_CHECKING:
    from permaudit.outcome import Verdict

_STYLES = {"release": "bold green", "review": "bold yellow", "block": "bold red"}


def signed(verdict: Verdict) -> tuple[str, str]:
    """Return a verdict as it is written, and its style."""
    return f"{VERDICT_SIGNS[verdict]} {verdict.upper()}", _STYLES[verdict]
