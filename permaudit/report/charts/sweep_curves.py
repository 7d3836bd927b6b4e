"""Metrics against a parameter: lines with bands and limits, in small drawings with the same axes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from markupsafe import Markup

from permaudit.errors import shown
from permaudit.report.charts.chart import Chart, Table
from permaudit.report.charts.layout import PANEL, WIDTH, empty, flow, limit_text, line_sample
from permaudit.report.charts.lettering import SMALL, fitted, width_of
from permaudit.report.charts.marks import verdict_mark
from permaudit.report.charts.numbers import known, parameter
from permaudit.report.charts.scales import Linear, covering, steps
from permaudit.report.charts.sheet import Sheet, tag
from permaudit.report.charts.words import ENGLISH

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from permaudit.outcome import Verdict
    from permaudit.report.charts.chart import CurvePoint, Panel, Series
    from permaudit.report.charts.scales import Steps
    from permaudit.report.charts.words import Words

_TOP, _LEFT, _RIGHT = 24.0, 28.0, 6.0
_STYLES = 8
_BANDS = 4
_MANY = 25
"""More steps than these are drawn without a mark on each."""
_ORDER: tuple[Verdict, ...] = ("release", "review", "block")


@dataclass(frozen=True, slots=True)
class _Frame:
    """What all drawings share."""

    parameter: str
    names: tuple[str, ...]
    across: Steps
    bounds: tuple[float, float]
    width: float
    height: float
    words: Words


def sweep_curves(  # noqa: PLR0913
    prefix: str,
    *,
    title: str,
    parameter: str,
    value_name: str,
    panels: Sequence[Panel],
    bounds: tuple[float, float] = (0.0, 1.0),
    cap: int = 12,
    words: Words = ENGLISH,
) -> Chart:
    """Draw every series of every panel against the parameter; the axes are the same in all of them."""
    title = shown(title, 120)
    table = _table(panels, parameter, value_name, words)
    points = [point for panel in panels for series in panel.series for point in series.points]
    if not any(known(point.y) for point in points):
        blank = empty(prefix, title, words.nothing, table.header)
        return Chart(svg=blank.svg, title=title, alt=blank.alt, table=table)
    limits = [limit.value for panel in panels for series in panel.series for limit in series.limits]
    drawn = panels[: max(1, cap)]
    width = PANEL if len(drawn) > 1 else WIDTH
    frame = _Frame(
        parameter=parameter,
        names=tuple(dict.fromkeys(series.name for panel in panels for series in panel.series)),
        across=steps((point.x for point in points), _LEFT + 8, width - _RIGHT - 6),
        bounds=covering(bounds, [*(point.y for point in points), *limits]),
        width=width,
        height=104 if len(drawn) > 1 else 170,
        words=words,
    )
    alt = _alt(title, panels, frame)
    pictures = [
        _picture(f"{prefix}-{place}", panel, frame, alt if place == 1 else f"{title}: {shown(panel.title)}")
        for place, panel in enumerate(drawn, 1)
    ]
    pictures.append(_key(f"{prefix}-key", panels, frame, len(panels) - len(drawn)))
    return Chart(svg=Markup("\n").join(pictures), title=title, alt=alt, table=table)


def _picture(prefix: str, panel: Panel, frame: _Frame, alt: str) -> Markup:
    """Draw one panel."""
    sheet = Sheet(prefix, frame.width, panel=frame.width == PANEL)
    sheet.text(_LEFT, 14, fitted(panel.title, frame.width - _LEFT - 4, bold=True), bold=True)
    bottom = _TOP + frame.height
    up = Linear(*frame.bounds, bottom, _TOP)
    across = frame.across
    for y, text in up.marks(3 if frame.width == PANEL else 5):
        sheet.line((_LEFT, y), (frame.width - _RIGHT, y), "pc-grid")
        sheet.text(_LEFT - 4, y + 4, text, soft=True, size=SMALL, anchor="end")
    sheet.line((_LEFT, _TOP), (_LEFT, bottom), "pc-axis")
    sheet.line((_LEFT, bottom), (frame.width - _RIGHT, bottom), "pc-axis")
    for x, text in _sparse(across):
        sheet.line((x, bottom), (x, bottom + 3), "pc-axis")
        half = width_of(text, SMALL) / 2
        sheet.text(min(x, frame.width - half), bottom + 14, text, soft=True, size=SMALL, anchor="middle")
    for series in panel.series:
        for limit in filter(lambda one: known(one.value), series.limits):
            sheet.line((_LEFT, up(limit.value)), (frame.width - _RIGHT, up(limit.value)), "pc-limit")
    ordered = [(series, frame.names.index(series.name) % _STYLES) for series in panel.series]
    for series, style in ordered:
        _band(sheet, series, across, up, style)
    for series, style in ordered:
        _curve(sheet, series, frame, up, style)
    name = frame.parameter if not across.logarithmic else f"{frame.parameter} ({frame.words.logarithmic})"
    middle = (_LEFT + frame.width - _RIGHT) / 2
    sheet.text(middle, bottom + 28, fitted(name, 2 * (frame.width - middle) - 8, SMALL), size=SMALL, anchor="middle")
    return sheet.svg(bottom + 36, alt)


def _sparse(across: Steps) -> Iterator[tuple[float, str]]:
    """Leave out numbers below the axis that would touch; the first and the last stand first."""
    marks = across.marks()
    taken: list[tuple[float, float]] = []
    for x, whole in [marks[0], *marks[:0:-1]]:
        text = fitted(whole, 60, SMALL)
        half = width_of(text, SMALL) / 2 + 2
        if all(x + half <= start or x - half >= end for start, end in taken):
            taken.append((x - half, x + half))
            yield x, text


def _sorted(series: Series, across: Steps) -> list[tuple[float, CurvePoint]]:
    """Return the points that have a place, from left to right."""
    found = [(across(point.x), point) for point in series.points]
    return sorted(((place, point) for place, point in found if place is not None), key=lambda pair: pair[0])


def _band(sheet: Sheet, series: Series, across: Steps, up: Linear, style: int) -> None:
    """Draw one standard deviation to both sides."""
    ends = [
        (x, up(point.y + point.spread), up(point.y - point.spread))
        for x, point in _sorted(series, across)
        if known(point.y) and known(point.spread)
    ]
    if len(ends) > 1:
        outline = [(x, top) for x, top, _ in ends] + [(x, low) for x, _, low in reversed(ends)]
        sheet.polygon(outline, f"pc-b{style % _BANDS}")
    elif ends:
        sheet.line((ends[0][0], ends[0][1]), (ends[0][0], ends[0][2]), "pc-spread")


def _curve(sheet: Sheet, series: Series, frame: _Frame, up: Linear, style: int) -> None:
    """Draw the line, broken where a value is missing, and the verdicts on it."""
    pieces: list[list[tuple[float, float]]] = [[]]
    marks = []
    across = frame.across
    places = _sorted(series, across)
    for x, point in places:
        if not known(point.y):
            pieces.append([])
            continue
        pieces[-1].append((x, up(point.y)))
        if point.verdict is not None and len(across.places) <= _MANY:
            mark = verdict_mark(point.verdict, x, up(point.y), 3.4)
            told = tag("title", f"{shown(series.name)}, {parameter(point.x)}: {frame.words.measured(point.y)}")
            key = shown(point.key, 200) or None
            marks.append(tag("g", told + mark, class_="pc-mark", data_key=key))
    for piece in pieces:
        if len(piece) > 1:
            sheet.polyline(piece, f"pc-s{style}")
        elif piece:
            (x, y) = piece[0]
            sheet.line((x - 4, y), (x + 4, y), f"pc-s{style}")
    sheet.add(*marks)


def _key(prefix: str, panels: Sequence[Panel], frame: _Frame, more: int) -> Markup:
    """Draw what lines, bands, shapes and limits mean."""
    words, sheet = frame.words, Sheet(prefix, WIDTH)
    points = [point for panel in panels for series in panel.series for point in series.points]
    rows = [(line_sample(f"pc-s{place % _STYLES}"), name) for place, name in enumerate(frame.names)]
    if any(known(point.spread) for point in points):
        rows.append((tag("rect", x=0, y=-5, width=28, height=10, class_="pc-b0"), words.band))
    marked = {point.verdict for point in points if len(frame.across.places) <= _MANY}
    rows += [
        (verdict_mark(verdict, 14, 0, 4.4), words.verdicts.get(verdict, verdict))
        for verdict in _ORDER
        if verdict in marked
    ]
    rows += [(line_sample("pc-limit"), text) for text in dict.fromkeys(_limit_rows(panels, words))]
    y = flow(sheet, 2, rows, 28)
    if more > 0:
        sheet.text(6, y + 12, words.more.format(n=more), soft=True, size=SMALL)
        y += 18
    return sheet.svg(y, "; ".join(shown(text, 80) for _, text in rows))


def _limit_rows(panels: Sequence[Panel], words: Words) -> Iterator[str]:
    """Write every limit once."""
    for panel in panels:
        for series in panel.series:
            for limit in series.limits:
                yield f"{words.limit}, {series.name}: {limit_text(limit, words)}"


def _table(panels: Sequence[Panel], name: str, value_name: str, words: Words) -> Table:
    """Return every point as a row."""
    told = [(panel, series, point) for panel in panels for series in panel.series for point in series.points]
    rows = tuple(
        (
            shown(panel.title),
            shown(series.name),
            parameter(point.x),
            words.measured(point.y, words.missing),
            words.measured(point.spread),
            words.verdicts.get(point.verdict, point.verdict) if point.verdict else words.unjudged,
        )
        for panel, series, point in told
    )
    return Table(
        header=(words.panel, words.metric, shown(name), shown(value_name), words.spread, words.verdict),
        rows=rows,
        numeric=(False, False, True, True, True, False),
        keys=tuple(shown(point.key, 200) for _, _, point in told),
    )


def _alt(title: str, panels: Sequence[Panel], frame: _Frame) -> str:
    """Say in words what is drawn: from where to where each series goes."""
    words = frame.words
    sentence = words.curves_alt.format(
        title=title,
        names=", ".join(map(shown, frame.names[:6])),
        parameter=shown(frame.parameter),
    )
    ends = []
    for panel in panels[:4]:
        for series in panel.series[:4]:
            there = [point.y for point in series.points if known(point.y)]
            if there:
                name = f"{shown(panel.title)}, {shown(series.name)}" if panel.title else shown(series.name)
                ends.append(
                    words.curve_ends.format(name=name, first=words.measured(there[0]), last=words.measured(there[-1]))
                )
    return f"{sentence} {'; '.join(ends)}."
