"""What several charts draw: limits, arrows to the good side, keys, notes for empty data."""

from __future__ import annotations

from typing import TYPE_CHECKING

from markupsafe import Markup

from permaudit.report.charts.chart import Chart, Table
from permaudit.report.charts.hatching import hatched, zone
from permaudit.report.charts.lettering import SIZE, SMALL, fitted, width_of, wrapped
from permaudit.report.charts.numbers import known, parameter
from permaudit.report.charts.sheet import Sheet, tag

if TYPE_CHECKING:
    from collections.abc import Iterable

    from permaudit.report.charts.chart import Limit
    from permaudit.report.charts.words import Words

WIDTH = 352
"""The width of a drawing: that of a phone, and half of a page."""
PANEL = 150
"""The width of one of several small drawings: half of a phone, a quarter of a page."""
_EDGE = 6.0
_LINES = 5
"""So long may be what a sign means: a baseline takes a whole sentence."""


def good_arrow(sheet: Sheet, y: float, start: float, end: float, word: str, *, rightwards: bool) -> None:  # noqa: PLR0913
    """Draw an arrow to the good end, with its word."""
    tip, back = (end, -6.0) if rightwards else (start, 6.0)
    tail = tip + back * 3.5
    sheet.line((tail, y), (tip + back, y), "pc-whisker")
    sheet.polygon([(tip, y), (tip + back, y - 3.5), (tip + back, y + 3.5)], "pc-flag")
    text = fitted(word, end - start - 30, SMALL, bold=True)
    sheet.text(tail + back * 0.7, y + 4, text, size=SMALL, bold=True, anchor="end" if rightwards else "start")


def limit_text(limit: Limit, words: Words) -> str:
    """Write a limit in words, with who demands it."""
    template = words.at_least if limit.side == "min" else words.at_most
    text = template.format(value=parameter(limit.value))
    return f"{text} ({limit.label})" if limit.label else text


def passing(limits: Iterable[Limit], low: float, high: float) -> tuple[float, float] | None:
    """Return the part of an axis that all limits leave, or nothing where there are none or nothing is left."""
    limits = [limit for limit in limits if known(limit.value)]
    least = max([low, *(limit.value for limit in limits if limit.side == "min")])
    most = min([high, *(limit.value for limit in limits if limit.side == "max")])
    return (least, most) if limits and least <= most else None


def key(sheet: Sheet, y: float, rows: Iterable[tuple[Markup, str]]) -> float:
    """Write what each sign, drawn around (16, 0), means; return how far down that goes."""
    for sign, text in rows:
        sheet.add(tag("g", sign, transform=f"translate(0 {y + 8:g})"))
        for line in wrapped(text, sheet.width - 40, _LINES, SMALL):
            sheet.text(32, y + 12, line, size=SMALL)
            y += 14
        y += 2
    return y


def flow(sheet: Sheet, y: float, rows: Iterable[tuple[Markup, str]], room: float = 30.0) -> float:
    """Write what each sign, drawn from (0, 0) to the right, means, one beside the other; return how far down that goes."""
    x, right = _EDGE, sheet.width - _EDGE
    for sign, raw in rows:
        text = fitted(raw, right - _EDGE - room - 6, SMALL)
        wide = room + 6 + width_of(text, SMALL)
        if x > _EDGE and x + wide > right:
            x, y = _EDGE, y + 17
        sheet.add(tag("g", sign, transform=f"translate({x:g} {y + 8:g})"))
        sheet.text(x + room + 6, y + 12, text, size=SMALL)
        x += wide + 12
    return y + 20


def bar_sample(*, open_: bool = False) -> Markup:
    """Draw a small bar, filled or hatched."""
    sample = Sheet("sample", 0)
    if open_:
        hatched(sample, 0, -5, 14, 10)
    else:
        sample.rect(0, -5, 14, 10, "pc-bar")
    return Markup("").join(sample.parts)


def line_sample(class_: str, long: float = 28.0) -> Markup:
    """Draw a piece of a line."""
    return tag("line", x1=0, y1=0, x2=long, y2=0, class_=class_)


def limit_rows(limits: Iterable[Limit], words: Words, *, shaded: bool) -> list[tuple[Markup, str]]:
    """Return the rows of a key that explain the limits, and the part that they leave."""
    line = tag("line", x1=16, y1=-7, x2=16, y2=6, class_="pc-limit")
    rows = [(line, f"{words.limit}: {limit_text(limit, words)}") for limit in limits]
    return [*rows, (tag("g", zone_sample(), transform="translate(7 0)"), words.within)] if shaded else rows


def zone_sample() -> Markup:
    """Draw a small piece of the region that passes."""
    sample = Sheet("sample", 0)
    zone(sample, 0, -5, 18, 10)
    return Markup("").join(sample.parts)


def empty(prefix: str, title: str, text: str, header: tuple[str, ...], width: float = WIDTH) -> Chart:
    """Say that there is nothing to draw."""
    sheet = Sheet(prefix, width)
    sheet.rect(0.5, 0.5, width - 1, 35, "pc-box", rx=4)
    sheet.text(width / 2, 18 + SIZE / 3, text, soft=True, anchor="middle")
    table = Table(header=header, rows=(), numeric=tuple(False for _ in header), keys=())
    alt = f"{title}: {text}"
    return Chart(svg=sheet.svg(36, alt), title=title, alt=alt, table=table)
