"""The generalized values of a released column, and what is said of them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from permaudit.data.scales.base import either, refuse
from permaudit.data.scales.generalized import EVERYTHING, STAR, parse, set_members, standing
from permaudit.data.scales.lines import WHOLE_FLOATS
from permaudit.data.scales.named import Naming

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from permaudit.data.scales.base import Codes, Distinct, Mask
    from permaudit.data.scales.generalized import Axis, Reading, Spans
    from permaudit.plan import StarMeaning


@dataclass(frozen=True, slots=True)
class Resolved:
    """The generalized values of a released column, text by text."""

    codes: dict[str, float]
    missing: frozenset[str]
    """The texts that mean a missing value."""
    unknown: frozenset[str]
    """The texts that mean nothing on this scale."""
    statements: tuple[str, ...]
    namings: dict[str, Naming]
    """What each text names that does not mean a missing value."""


def resolve(
    texts: Distinct, known: Collection[str], reading: Reading, axis: Axis, star: StarMeaning | None
) -> Resolved:
    """Find out what the texts of a released column mean that are not among the known ones."""
    codes: dict[str, float] = {}
    namings: dict[str, Naming] = {}
    unknown, uncovered = set(), set()
    for text in texts.texts:
        if text in known or text == STAR:
            continue
        if (spans := parse(text, reading)) is None:
            unknown.add(text)
            continue
        stands = standing(spans, axis)
        codes[text] = stands.code
        namings[text] = _naming(spans, axis, is_set=set_members(text) is not None)
        if not stands.covers:
            uncovered.add(text)
    stars = 0 if STAR in known else texts.count({STAR})
    said = statements(texts.count(codes.keys()), texts.count(uncovered), stars if star == "any" else 0)
    if stars:
        refuse_star(texts, star)
        if star == "any":
            codes[STAR] = standing(EVERYTHING, axis).code
            namings[STAR] = Naming((), is_set=False)
    missing = frozenset((STAR,) if stars and star == "missing" else ())
    return Resolved(codes, missing, frozenset(unknown), said, namings)


def _naming(spans: Spans, axis: Axis, *, is_set: bool) -> Naming:
    """Return the ends of an interval, or the members of a set; a member that is a period has two ends itself."""
    if not is_set:
        (span,) = spans
        low = -math.inf if span.low is None else axis.code(span.low)
        high = math.inf if span.high is None else axis.code(span.high)
        # An end that is left out is the next number: it is named all the same.
        low = low if span.with_low else math.nextafter(low, math.inf)
        return Naming((low, high if span.with_high else math.nextafter(high, -math.inf)), is_set=False)
    members = [end for span in spans for end in (span.low, span.high) if end is not None]
    return Naming(tuple(dict.fromkeys(axis.code(member) for member in members)), is_set=True)


def refuse_star(texts: Distinct, star: StarMeaning | None) -> None:
    """Refuse `*` where the audit file does not say what it means."""
    if star is None:
        hint = "; say what they mean with star: any (some value of the scale) or star: missing"
        refuse(texts.marks({STAR}), "suppressed value (*)", hint, "suppressed values (*)")


def looks_generalized(texts: Iterable[str], reading: Reading) -> bool:
    """Tell whether some texts would be generalized values if they stood in a release."""
    return any(text.strip() == STAR or parse(text, reading) is not None for text in texts)


def statements(intervals: int, uncovered: int, stars: int) -> tuple[str, ...]:
    """Say how the generalized values of a release were ranked."""
    found = []
    if intervals:
        what = "1 released interval or set ranks" if intervals == 1 else f"{intervals} released intervals and sets rank"
        found.append(f"{what} by the median of the original values inside")
    if uncovered:
        what = "1 of them has" if uncovered == 1 else f"{uncovered} of them have"
        rank = "ranks by its middle" if uncovered == 1 else "rank by their middle"
        found.append(f"{what} no original value inside and {rank}")
    if stars:
        what = "1 released * ranks" if stars == 1 else f"{stars} released * rank"
        found.append(f"{what} as any value: by the median of the original")
    return tuple(found)


def placed(codes: Codes, missing: Mask | None, others: Distinct, found: Resolved) -> tuple[Codes, Mask | None]:
    """Put the codes of generalized values among those of the numbers."""
    if found.missing:
        missing = either(missing, others.marks(found.missing))
    if not found.codes:
        return codes, missing
    at = np.flatnonzero(others.marks(found.codes))
    values: list[Any] = [found.codes.get(text, 0) for text in others.texts]
    if codes.dtype.kind != "f":
        if max(np.abs(codes.astype(np.float64)).max(initial=0), *map(abs, values)) > WHOLE_FLOATS:
            values = [math.floor(value) for value in values]  # a half is nothing beside such numbers
        elif any(isinstance(value, float) for value in values):
            codes = codes.astype(np.float64)
    try:
        numbers = np.array(values, codes.dtype)
    except OverflowError:
        codes, numbers = codes.astype(np.float64), np.array(values, np.float64)
    codes = codes.copy()
    codes[at] = numbers[others.index[at]]
    return codes, missing
