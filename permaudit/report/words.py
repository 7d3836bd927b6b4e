"""The words and signs of verdicts and outcomes, the same in every view."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from permaudit.errors import shown

if TYPE_CHECKING:
    from collections.abc import Iterable

VERDICT_WORDS = {
    "release": "nothing that was checked speaks against the release",
    "review": "a person must decide",
    "block": "this must not be released as it is",
}
VERDICT_SIGNS = {"release": "✔", "review": "▲", "block": "✖"}


def distinct(names: Iterable[str], limit: int) -> list[str]:
    """Write names so that each can be told from the others, also where shortening made them equal."""
    seen: Counter[str] = Counter()
    written = []
    for name in names:
        text = shown(name, limit)
        seen[text] += 1
        written.append(text if seen[text] == 1 else f"{text} ({seen[text]})")
    return written
