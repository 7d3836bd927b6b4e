"""The names of the columns."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from permaudit import shown

if TYPE_CHECKING:
    from collections.abc import Sequence

_SHOWN = 5


def name_mistakes(names: Sequence[str]) -> list[str]:
    """Say which names do not tell the columns apart."""
    found = [
        f"column {place} has no name; give it one, or remove it" for place, name in enumerate(names, 1) if not name
    ]
    found += [
        f"column '{shown(name)}' stands {count} times in the header"
        for name, count in sorted(Counter(names).items())
        if name and count > 1
    ]
    found += [f"column '{shown(name)}' has a NUL character in its name" for name in names if "\0" in name]
    if len(found) > _SHOWN:
        found = [*found[:_SHOWN], f"{len(found) - _SHOWN} more columns have names that do not tell them apart"]
    return found
