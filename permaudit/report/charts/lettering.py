"""How wide texts are, near enough: no font is asked, since the same drawing is shown with different ones."""

from __future__ import annotations

from unicodedata import combining, east_asian_width

from permaudit.errors import shown

FAMILY = "Plex, 'Liberation Sans', Arial, Helvetica, 'DejaVu Sans', sans-serif"
"""The first one is inside the PDF, so that every machine draws the same; browsers take what is there."""
SIZE = 12.0
SMALL = 11.0

_NARROW = frozenset("ijlI.,;:|!'` ()[]{}/\\-ftr")
_WIDE = frozenset("mwMW@%")
_MARK = "..."


def width_of(text: str, size: float = SIZE, *, bold: bool = False) -> float:
    """Estimate the width of a text, rather too wide than too narrow."""
    return sum(map(_em, text)) * size * (1.08 if bold else 1.0)


def fitted(text: str, room: float, size: float = SIZE, *, bold: bool = False) -> str:
    """Write a name from a file so that it fits; what is cut off ends in dots."""
    whole = shown(text, 80)
    if width_of(whole, size, bold=bold) <= room:
        return whole
    while whole and width_of(whole + _MARK, size, bold=bold) > room:
        whole = whole[:-1]
    return whole.rstrip() + _MARK


def fitted_name(text: str, room: float, size: float = SIZE, *, bold: bool = False) -> str:
    """Write a name from a file so that it fits; dots stand for its middle, since long names often differ at their ends."""
    whole = shown(text, 80)
    if width_of(whole, size, bold=bold) <= room:
        return whole
    start = end = whole
    while start and width_of(start + _MARK + end, size, bold=bold) > room:
        start, end = (start[:-1], end) if len(start) >= len(end) else (start, end[1:])
    return start.rstrip() + _MARK + end.lstrip()


def wrapped(text: str, room: float, lines: int, size: float = SIZE) -> list[str]:
    """Break a text at its blanks into at most so many lines; the last one ends in dots where there is more."""
    words = shown(text, 400).split(" ")
    done: list[str] = []
    while words and len(done) < lines:
        taken = 1
        while taken < len(words) and width_of(" ".join(words[: taken + 1]), size) <= room:
            taken += 1
        last = len(done) == lines - 1 and taken < len(words)
        line = " ".join(words if last else words[:taken])
        done.append(fitted(line, room, size))
        words = words[taken:]
    return done


def _em(character: str) -> float:
    """Return the width of a character as a share of the size of the letters, as in a wide font."""
    if combining(character):
        return 0.0
    if character in _NARROW:
        return 0.38
    if character in _WIDE:
        return 0.95
    if east_asian_width(character) in {"W", "F"}:
        return 1.05
    return 0.7 if character.isupper() else 0.6
