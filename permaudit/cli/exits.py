"""The exit codes of the contract."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from permaudit.outcome import Verdict

WRONG = 2
BUG = 70
INTERRUPTED = 130

OF_VERDICT: dict[Verdict, int] = {"release": 0, "block": 1, "review": 3}
