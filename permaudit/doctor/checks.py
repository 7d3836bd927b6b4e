"""What a look at the surroundings comes to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

State: TypeAlias = Literal["ok", "note", "wrong"]
"""`note`: something is not there that not everybody needs; `wrong`: audits cannot be trusted, or cannot run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One thing that was looked at."""

    name: str
    state: State
    found: str
    advice: str | None = None
    """What to do about it."""
