"""Bars from left to right, one for each attribute."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from permaudit.errors import shown
from permaudit.report.charts.chart import Chart, Table
from permaudit.report.charts.hatching import hatched, zone
from permaudit.report.charts.layout import WIDTH, bar_sample, empty, flow, good_arrow, key, limit_rows, passing
from permaudit.report.charts.lettering import SMALL, fitted, fitted_name, width_of
from permaudit.report.charts.numbers import known
from permaudit.report.charts.scales import Linear, covering
from permaudit.report.charts.sheet import Sheet
from permaudit.report.charts.words import ENGLISH

if TYPE_CHECKING:
    from collections.abc import Sequence

    from permaudit.report.charts.chart import Better, Limit
    from permaudit.report.charts.words import Words

_ROW, _BAR = 20.0, 12.0
_MOST_NAME = 120.0
_VALUE = 52.0
"""Room for a number right of the longest bar."""


def key_bars(  # noqa: PLR0913
    prefix: str,
    *,
    title: str,
    items: Sequence[tuple[str, float | None]],
    value_name: str,
    item_name: str = "",
    better: Better | None = None,
    good: str = "",
    order: Literal["ascending", "descending", "given"] = "ascending",
    limits: Sequence[Limit] = (),
    parts: tuple[str, str] | None = None,
    bounds: tuple[float, float] = (0.0, 1.0),
    cap: int = 12,
    words: Words = ENGLISH,
) -> Chart:
    """Draw one bar per item, sorted and capped; with `parts` each bar is a whole, of which the value is the first part."""
    title, header = shown(title, 120), (shown(item_name or words.attribute), shown(value_name, 80))
    if not items:
        return empty(prefix, title, words.nothing, header)
    ranked = _ranked(items, order)
    drawn = ranked[: max(1, cap)]
    limits = [limit for limit in limits if known(limit.value)]
    low, high = covering(bounds, [*(value for _, value in items), *(limit.value for limit in limits)])
    names = [fitted_name(name, _MOST_NAME) for name, _ in drawn]
    left = max(map(width_of, names)) + 12
    scale = Linear(low, high, left, WIDTH - _VALUE)
    sheet = Sheet(prefix, WIDTH)
    top = 4.0
    if parts:
        top = flow(sheet, 0, [(bar_sample(), parts[0]), (bar_sample(open_=True), parts[1])], 14) + 4
    if better is not None:
        good_arrow(sheet, top + 8, left, WIDTH - _VALUE, good, rightwards=better == "higher")
        top += 20
    bottom = top + _ROW * len(drawn)
    shaded = _ground(sheet, scale, limits, top, bottom)
    for place, ((_, value), name) in enumerate(zip(drawn, names, strict=True)):
        middle = top + _ROW * (place + 0.5)
        sheet.text(left - 6, middle + 4, name, anchor="end")
        _bar(sheet, scale, value, middle, words, whole=parts is not None)
    for limit in limits:
        sheet.line((scale(limit.value), top - 2), (scale(limit.value), bottom + 4), "pc-limit")
    bottom = _below(sheet, scale, bottom, header[1], len(ranked) - len(drawn), words)
    bottom = key(sheet, bottom, limit_rows(limits, words, shaded=shaded))
    table = Table(
        header=header,
        rows=tuple((shown(name), words.measured(value, words.missing)) for name, value in ranked),
        numeric=(False, True),
        keys=tuple("" for _ in ranked),
    )
    alt = _alt(title, ranked, len(drawn), words)
    return Chart(svg=sheet.svg(bottom + 4, alt), title=title, alt=alt, table=table)


def _ranked(items: Sequence[tuple[str, float | None]], order: str) -> list[tuple[str, float | None]]:
    """Sort the items by value; those without one come last."""
    if order == "given":
        return list(items)
    sign = -1 if order == "descending" else 1
    return sorted(items, key=lambda item: (0, sign * item[1]) if known(item[1]) else (1, 0.0))


def _ground(sheet: Sheet, scale: Linear, limits: Sequence[Limit], top: float, bottom: float) -> bool:
    """Draw what the bars stand on: the part that passes, and lines at round numbers."""
    part = passing(limits, scale.low, scale.high)
    if part:
        zone(sheet, scale(part[0]), top, scale(part[1]) - scale(part[0]), bottom - top)
    for x, text in scale.marks(5):
        sheet.line((x, top), (x, bottom), "pc-grid")
        sheet.text(x, bottom + 13, text, soft=True, size=SMALL, anchor="middle")
    return part is not None


def _bar(sheet: Sheet, scale: Linear, value: float | None, middle: float, words: Words, *, whole: bool) -> None:  # noqa: PLR0913
    """Draw one bar with its number at the end."""
    start = scale(min(max(0.0, scale.low), scale.high))
    if not known(value):
        sheet.text(start + 4, middle + 4, words.missing, soft=True, size=SMALL)
        return
    end = scale(value)
    if whole:
        hatched(sheet, end, middle - _BAR / 2, scale.end - end, _BAR)
    sheet.rect(min(start, end), middle - _BAR / 2, abs(end - start), _BAR, "pc-bar")
    sheet.line((start, middle - _BAR / 2 - 2), (start, middle + _BAR / 2 + 2), "pc-axis")
    sheet.text(WIDTH - 2, middle + 4, words.measured(value), size=SMALL, anchor="end")


def _below(sheet: Sheet, scale: Linear, bottom: float, name: str, more: int, words: Words) -> float:  # noqa: PLR0913, PLR0917
    """Draw and name the axis, and say how many items are left out."""
    sheet.line((scale.start, bottom), (scale.end, bottom), "pc-axis")
    bottom += 32
    sheet.text(scale.end, bottom - 5, fitted(name, WIDTH - _VALUE, SMALL), size=SMALL, anchor="end")
    if more > 0:
        sheet.text(WIDTH / 2, bottom + 10, words.more.format(n=more), soft=True, size=SMALL, anchor="middle")
        bottom += 16
    return bottom


def _alt(title: str, ranked: Sequence[tuple[str, float | None]], drawn: int, words: Words) -> str:
    """Say in words what is drawn."""
    there = sorted(((value, name) for name, value in ranked if known(value)), key=lambda pair: pair[0])
    if not there:
        return words.bars_alt_none.format(title=title)
    (least, lowest), (most, highest) = there[0], there[-1]
    return words.bars_alt.format(
        title=title,
        n=drawn,
        total=len(ranked),
        lowest=f"{shown(lowest)}, {words.measured(least)}",
        highest=f"{shown(highest)}, {words.measured(most)}",
    )
