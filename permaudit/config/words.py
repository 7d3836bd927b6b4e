"""The words of the messages: places in the file, values, nearest names."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from permaudit.errors import shown

if TYPE_CHECKING:
    from collections.abc import Iterable

Steps: TypeAlias = tuple[str | int, ...]
"""The way from the root of the file to a value, such as `("rules", 1, "min")`."""

_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_-]*\Z")
_LONGEST_COMPARED = 100


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong at one place of an audit, before lines and columns come into it."""

    steps: Steps
    message: str
    at: Literal["key", "value"] = "value"


def place_name(steps: Steps, root: str = "the audit file") -> str:
    """Write a place as `candidates.k10.params` or `rules[1].min`, and the whole as `root`."""
    text = ""
    for step in steps:
        if isinstance(step, int):
            text += f"[{step}]"
        elif _WORD.match(step):
            text += f".{shown(step)}" if text else shown(step)
        else:
            text += f"['{shown(step)}']"
    return text or root


def value_words(value: Any) -> str:
    """Name a value of the file in a message."""
    match value:
        case None:
            return "nothing"
        case bool():
            return "true" if value else "false"
        case int() | float():
            return f"the number {value!r}"
        case str():
            return f"'{shown(value)}'"
        case list():
            return "a list"
        case _:
            return "a mapping"


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that was most likely meant."""
    by_folded = {option.casefold(): option for option in known}
    close = get_close_matches(name[:_LONGEST_COMPARED].casefold(), by_folded, n=1)
    return by_folded[close[0]] if close else None


def hint(name: str, known: Iterable[str]) -> str:
    """End a message about an unknown name: with the nearest one, or else with all that there are."""
    options = list(known)
    close = nearest(name, options)
    if close is not None:
        return f"; did you mean '{shown(close)}'?"
    return f"; known are {listing(options)}" if options else "; there are none"


def listing(names: Iterable[str], limit: int = 12) -> str:
    """Write names with commas between, and how many were left out."""
    options = sorted(names)
    text = ", ".join(shown(option) for option in options[:limit])
    return text if len(options) <= limit else f"{text} and {len(options) - limit} more"
