"""Released values that stand for several: intervals, sets and `*`.

    20-29   20..29   [20, 30)   >=65   <18   65+   {18,19}   *

One rule ranks them all: a generalized value stands at the median of the original's values that it covers, and where it
covers none, at its own middle.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:
    from decimal import Decimal

    Place: TypeAlias = int | Decimal
    """A place on a scale, exact."""

STAR = "*"

_SET = re.compile(r"\{(?P<members>.*)\}", re.DOTALL)
# Blanks are stripped afterwards: an optional blank beside any character would make long cells take very long.
_BRACKETS = re.compile(r"(?P<open>[\[(])(?P<low>[^,;]+)[,;](?P<high>[^,;]+)(?P<close>[\])])")
_COMPARED = re.compile(r"(?P<sign>>=|<=|>|<|≥|≤)(?P<point>.+)")
_DOTS = re.compile(r"(?P<low>.+?)(?<!\.)\.\.(?!\.)(?P<high>.+)")
_NO_LOW = frozenset(("-inf", "-∞"))
_NO_HIGH = frozenset(("inf", "+inf", "∞", "+∞"))


@dataclass(frozen=True, slots=True)
class Span:
    """All values from `low` to `high`; None stands for no end."""

    low: Place | None
    high: Place | None
    with_low: bool = True
    with_high: bool = True


Spans: TypeAlias = tuple[Span, ...]
"""What a generalized value covers: one interval, or one for each member of a set."""

EVERYTHING: Spans = (Span(None, None),)


class Reading(Protocol):
    """How a type reads its own values."""

    def point(self, text: str) -> tuple[Place, Place] | None:
        """Return the first and the last value that a text without blanks around it means, or None."""

    def own(self, text: str) -> Span | None:
        """Read an interval that is written in a way of the type's own, such as `20-29`, or return None."""


def set_members(text: str) -> list[str] | None:
    """Return the texts between the braces of a set, or None where the text is no set."""
    found = _SET.fullmatch(text.strip())
    return None if found is None else [member.strip() for member in re.split("[,;]", found["members"])]


def parse(text: str, reading: Reading) -> Spans | None:
    """Return what a generalized value covers, or None where the text is none."""
    text = text.strip()
    if (members := set_members(text)) is not None:
        points = [reading.point(member) for member in members]
        spans = tuple(Span(*point) for point in points if point is not None)
        return spans if len(spans) == len(points) else None
    span = _interval(text, reading)
    return None if span is None or _is_empty(span) else (span,)


def _interval(text: str, reading: Reading) -> Span | None:
    """Read an interval in any of the forms that all types share, or in one of the type's own."""
    if found := _BRACKETS.fullmatch(text):
        return _bracketed(found, reading)
    if found := _COMPARED.fullmatch(text):
        return _compared(found["sign"], found["point"], reading)
    if found := _DOTS.fullmatch(text):
        return spanning(found["low"], found["high"], reading)
    if span := reading.own(text):
        return span
    point = reading.point(text)
    return Span(*point) if point is not None and point[0] != point[1] else None


def spanning(low: str, high: str, reading: Reading) -> Span | None:
    """Read a span with both ends inside."""
    first, last = reading.point(low.strip()), reading.point(high.strip())
    return None if first is None or last is None else Span(first[0], last[1])


def _bracketed(found: re.Match[str], reading: Reading) -> Span | None:
    """Read an interval with brackets: a square one takes its end in, a round one leaves it out."""
    with_low, with_high = found["open"] == "[", found["close"] == "]"
    left, right = found["low"].strip(), found["high"].strip()
    low = high = None
    if left.lower() not in _NO_LOW:
        if (point := reading.point(left)) is None:
            return None
        low = point[0] if with_low else point[1]
    if right.lower() not in _NO_HIGH:
        if (point := reading.point(right)) is None:
            return None
        high = point[1] if with_high else point[0]
    return Span(low, high, with_low, with_high)


def _compared(sign: str, text: str, reading: Reading) -> Span | None:
    """Read an interval with one end."""
    if (point := reading.point(text.strip())) is None:
        return None
    match sign:
        case ">=" | "≥":
            return Span(point[0], None)
        case ">":
            return Span(point[1], None, with_low=False)
        case "<=" | "≤":
            return Span(None, point[1])
        case _:
            return Span(None, point[0], with_high=False)


def _is_empty(span: Span) -> bool:
    """Tell whether no number at all lies inside."""
    if span.low is None or span.high is None:
        return False
    return span.low > span.high or (span.low == span.high and not (span.with_low and span.with_high))


# --------------------------------------------------------------------------- where a generalized value stands


class Axis(Protocol):
    """The original's values in order."""

    @property
    def size(self) -> int:
        """Return how many there are."""

    def below(self, place: Place, *, including: bool) -> int:
        """Return how many values are below the place; with `including`, also those that are equal to it."""

    def halfway(self, first: int, second: int) -> float:
        """Return the code halfway between the values at two positions, which may be the same."""

    def middle(self, low: Place, high: Place) -> float:
        """Return the code halfway between two places where no value need be."""

    def code(self, place: Place) -> float:
        """Return the code of a place, that of the original's value where one is there."""


@dataclass(frozen=True, slots=True)
class Standing:
    """The code of a generalized value, and whether the original has a value that it covers."""

    code: float
    covers: bool


def standing(spans: Spans, axis: Axis) -> Standing:
    """Return where a generalized value stands: at the median of what it covers, or at its own middle."""
    runs = _merged([_run(span, axis) for span in spans])
    count = sum(end - start for start, end in runs)
    if count:
        return Standing(axis.halfway(_nth(runs, (count - 1) // 2), _nth(runs, count // 2)), covers=True)
    ends = [end for span in spans for end in (span.low, span.high) if end is not None]
    return Standing(axis.middle(min(ends), max(ends)), covers=False)


def _run(span: Span, axis: Axis) -> tuple[int, int]:
    """Return the positions of the original's values inside a span."""
    start = 0 if span.low is None else axis.below(span.low, including=not span.with_low)
    end = axis.size if span.high is None else axis.below(span.high, including=span.with_high)
    return start, max(start, end)


def _merged(runs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Put runs of positions in order, each position once."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted(runs):
        first = max(start, merged[-1][1]) if merged else start
        if first < end:
            merged.append((first, end))
    return merged


def _nth(runs: list[tuple[int, int]], number: int) -> int:
    """Return the position of the value that comes as number `number`, from 0, in the runs."""
    for start, end in runs:
        if number < end - start:
            return start + number
        number -= end - start
    raise IndexError(number)
