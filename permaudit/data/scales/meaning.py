"""What a released text means, however it is written: two spellings of one value have the same meaning."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from permaudit.data.scales.boolean import BOOLEANS
from permaudit.data.scales.calendar import CalendarReading
from permaudit.data.scales.generalized import Span, parse, set_members
from permaudit.data.scales.numeric import NumberReading

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping

    from permaudit.data.scales.generalized import Place, Reading
    from permaudit.plan import Attribute

    Meaning = Callable[[str], Hashable]

_NAN = re.compile(r"[+-]?nan", re.IGNORECASE)
MISSING = "missing"


def meaning_of(attribute: Attribute) -> Meaning:
    """Return how the texts of an attribute are to be understood; what means nothing here means itself."""
    match attribute.type:
        case "numeric":
            return _in_places(NumberReading())
        case "date":
            return _in_places(CalendarReading("D"))
        case "datetime":
            return _in_places(CalendarReading("ns"))
        case "boolean":
            coded = _in_places(_Coded(BOOLEANS))
            return lambda text: coded(text.lower())
        case "ordinal":
            return _in_places(_Coded({name: place for place, name in enumerate(attribute.order)}))
        case "nominal":
            return _of_categories


class _Coded:
    """Texts that each have a place."""

    def __init__(self, places: Mapping[str, int]) -> None:
        """Take the places."""
        self._places = places

    def point(self, text: str) -> tuple[Place, Place] | None:
        """Return the place of a text."""
        place = self._places.get(text)
        return None if place is None else (place, place)

    def own(self, text: str) -> Span | None:  # noqa: ARG002
        """Know no further form of interval."""
        return None


def _in_places(reading: Reading) -> Meaning:
    """Understand points, intervals and sets by what they cover."""

    def meaning(text: str) -> Hashable:
        if not text or _NAN.fullmatch(text):
            return MISSING
        point = reading.point(text)
        spans = (Span(*point),) if point is not None else parse(text, reading)
        return text if spans is None else frozenset(map(_plain, spans))

    return meaning


def _plain(span: Span) -> Span:
    """Write an interval in one way: where it has no end, no end is left out."""
    return replace(
        span,
        with_low=span.with_low or span.low is None,
        with_high=span.with_high or span.high is None,
    )


def _of_categories(text: str) -> Hashable:
    """Understand sets by their members, in any order."""
    members = set_members(text)
    if members is None:
        return text or MISSING
    several = frozenset(members)
    return several if len(several) > 1 else members[0]
