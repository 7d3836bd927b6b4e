"""Protection against utility: candidates as marks, the best trade-offs joined, and the region that passes."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from permaudit.errors import shown
from permaudit.report.charts.chart import Chart, Table
from permaudit.report.charts.hatching import zone
from permaudit.report.charts.labels import Box, Places
from permaudit.report.charts.layout import WIDTH, empty, flow, key, limit_text, passing, zone_sample
from permaudit.report.charts.lettering import SMALL, fitted, fitted_name
from permaudit.report.charts.marks import verdict_mark
from permaudit.report.charts.numbers import known
from permaudit.report.charts.scales import Linear, covering
from permaudit.report.charts.sheet import Sheet, tag
from permaudit.report.charts.words import ENGLISH

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from markupsafe import Markup

    from permaudit.outcome import Verdict
    from permaudit.report.charts.chart import Axis, MapPoint
    from permaudit.report.charts.sheet import Point
    from permaudit.report.charts.words import Words

    Path = tuple[Point, ...]
    """A line, from corner to corner."""

_LEFT, _TOP, _RIGHT = 42.0, 26.0, 10.0
_MANY = 60
"""More marks than these are drawn smaller."""
_SMALL_MARK = 4.0
_MOST_NAMES = 6
_ORDER: tuple[Verdict | None, ...] = ("release", "review", "block", None)


@dataclass(frozen=True, slots=True)
class _Spot:
    """A point with its place on the drawing."""

    index: int
    point: MapPoint
    x: float
    y: float


def risk_utility_map(  # noqa: PLR0913
    prefix: str,
    *,
    title: str,
    points: Sequence[MapPoint],
    protection: Axis,
    utility: Axis,
    cap_labels: int = 12,
    width: int = WIDTH,
    words: Words = ENGLISH,
) -> Chart:
    """Draw every candidate where its protection and its utility put it; better is always to the right and upwards."""
    title = shown(title, 120)
    table = _table(prefix, points, protection, utility, words)
    placed = [point for point in points if known(point.protection) and known(point.utility)]
    if not placed:
        blank = empty(prefix, title, words.nothing, table.header, width)
        return Chart(svg=blank.svg, title=title, alt=blank.alt, table=table)
    high = min(width * 0.72, 380.0)
    across = _scale(protection, [point.protection for point in placed], _LEFT, width - _RIGHT)
    up = _scale(utility, [point.utility for point in placed], _TOP + high, _TOP)
    spots = [
        _Spot(index, point, across(point.protection), up(point.utility))
        for index, point in enumerate(points, 1)
        if known(point.protection) and known(point.utility)
    ]
    sheet = Sheet(prefix, width)
    _ground(sheet, across, up)
    region = _region(sheet, across, up, protection, utility)
    partial = _partial(sheet, across, up, protection, utility)
    fronts = _fronts(spots)
    for front in fronts:
        sheet.polyline(front, "pc-front")
    radius = 5.5 if len(spots) <= _MANY else 3.0
    lines = [line for path in (region, *partial, *fronts) for line in pairwise(path)]
    _labels(sheet, spots, lines, radius, cap_labels, Box(_LEFT + 2, _TOP + 1, width - 2, _TOP + high - 1))
    for spot in sorted(spots, key=lambda spot: spot.point.pareto):
        sheet.add(_mark(spot, across, up, table.keys[spot.index - 1], radius, words))
    bottom = _axis_names(sheet, _TOP + high + 16, protection, utility, words)
    bottom = _key(sheet, bottom, spots, words, front=bool(fronts), shaded=bool(region), left=len(points) - len(placed))
    bottom = key(sheet, bottom, _limits((protection, utility), words))
    alt = _alt(title, spots, protection, utility, words)
    return Chart(svg=sheet.svg(bottom + 2, alt), title=title, alt=alt, table=table)


def _scale(axis: Axis, values: Sequence[float | None], start: float, end: float) -> Linear:
    """Make the scale of an axis; where lower is better the numbers run backwards, so that better is always ahead."""
    low, high = covering(axis.bounds, [*values, *(limit.value for limit in (*axis.limits, *axis.partial))])
    inner = 8.0 if end > start else -8.0
    start, end = start + inner, end - inner
    return Linear(low, high, start, end) if axis.better == "higher" else Linear(low, high, end, start)


def _ground(sheet: Sheet, across: Linear, up: Linear) -> None:
    """Draw frame, grid and numbers."""
    right, bottom = sheet.width - _RIGHT, max(up.start, up.end) + 8
    for x, text in across.marks():
        sheet.line((x, _TOP), (x, bottom), "pc-grid")
        sheet.text(x, bottom + 13, text, soft=True, size=SMALL, anchor="middle")
    for y, text in up.marks():
        sheet.line((_LEFT, y), (right, y), "pc-grid")
        sheet.text(_LEFT - 5, y + 4, text, soft=True, size=SMALL, anchor="end")
    sheet.rect(_LEFT, _TOP, right - _LEFT, bottom - _TOP, "pc-box")


def _region(sheet: Sheet, across: Linear, up: Linear, protection: Axis, utility: Axis) -> Path:
    """Shade where all limits are kept, if there are limits and such a place, and they are the same for all points; return its edge."""
    if protection.partial or utility.partial or not (protection.limits or utility.limits):
        return ()
    sides = []
    for axis, scale in ((protection, across), (utility, up)):
        part = passing(axis.limits, scale.low, scale.high) if axis.limits else (scale.low, scale.high)
        if part is None:
            return ()
        sides.append(sorted(map(scale, part)))
    (left, right), (top, bottom) = sides
    zone(sheet, left, top, right - left, bottom - top)
    return (left, top), (right, top), (right, bottom), (left, bottom), (left, top)


def _partial(sheet: Sheet, across: Linear, up: Linear, protection: Axis, utility: Axis) -> list[Path]:
    """Draw the limits that are not for all points as lines, and return these: no region would be right for everyone."""
    top, bottom = sorted((up.start, up.end))
    left, right = sorted((across.start, across.end))
    lines: list[Path] = [
        *(((across(limit.value), top - 8), (across(limit.value), bottom + 8)) for limit in protection.partial),
        *(((left - 8, up(limit.value)), (right + 8, up(limit.value))) for limit in utility.partial),
    ]
    for start, end in lines:
        sheet.line(start, end, "pc-limit")
    return lines


def _fronts(spots: Sequence[_Spot]) -> list[Path]:
    """Return the line through the best trade-offs of each group that has several."""
    groups: dict[str, list[Point]] = {}
    for spot in spots:
        if spot.point.pareto:
            groups.setdefault(spot.point.group, []).append((spot.x, spot.y))
    return [tuple(sorted(points)) for points in groups.values() if len(points) > 1]


def _mark(spot: _Spot, across: Linear, up: Linear, key: str, radius: float, words: Words) -> Markup:  # noqa: PLR0913, PLR0917
    """Draw one point with its spread and its name for whoever points at it."""
    point = spot.point
    told = f"{spot.index}. {shown(point.label)}: {words.measured(point.protection)}, {words.measured(point.utility)}; "
    told += _verdict(point.verdict, words)
    parts = tag("title", told)
    if known(point.protection) and known(point.protection_spread) and point.protection_spread > 0:
        ends = (across(point.protection - point.protection_spread), across(point.protection + point.protection_spread))
        parts += tag("line", x1=ends[0], y1=spot.y, x2=ends[1], y2=spot.y, class_="pc-spread")
    if known(point.utility) and known(point.utility_spread) and point.utility_spread > 0:
        ends = (up(point.utility - point.utility_spread), up(point.utility + point.utility_spread))
        parts += tag("line", x1=spot.x, y1=ends[0], x2=spot.x, y2=ends[1], class_="pc-spread")
    parts += verdict_mark(point.verdict, spot.x, spot.y, radius)
    return tag("g", parts, class_="pc-mark" if radius > _SMALL_MARK else "pc-mark pc-dense", data_key=key)


def _labels(  # noqa: PLR0913, PLR0917
    sheet: Sheet, spots: Sequence[_Spot], lines: Iterable[tuple[Point, Point]], radius: float, cap: int, frame: Box
) -> None:
    """Write names beside marks while there are few; else numbers, the best trade-offs first; nothing overlaps."""
    reach = radius + 1
    places = Places(frame, [Box(s.x - reach, s.y - reach, s.x + reach, s.y + reach) for s in spots])
    for line in lines:
        places.avoid(*line)
    named = len(spots) <= cap
    ranked = sorted(spots, key=lambda spot: not spot.point.pareto)
    for spot in ranked[: max(cap, 0)]:
        name = fitted_name(spot.point.label, 110, SMALL) if named else ""
        if label := places.put((spot.x, spot.y), radius, name, str(spot.index)):
            if label.lead:
                sheet.line((spot.x, spot.y), label.lead, "pc-lead")
            sheet.text(label.x, label.y, label.text, size=SMALL, anchor=label.anchor)


def _axis_names(sheet: Sheet, y: float, protection: Axis, utility: Axis, words: Words) -> float:
    """Name both axes, with an arrow and a word to the good side."""
    room = sheet.width - _LEFT - _RIGHT
    name = f"{shown(protection.name)}: {shown(words.goods.get(protection.good, protection.good))} →"
    sheet.text(sheet.width - _RIGHT, y + 14, fitted(name, room), bold=True, size=SMALL, anchor="end")
    name = f"↑ {shown(utility.name)}: {shown(words.goods.get(utility.good, utility.good))}"
    sheet.text(8, 15, fitted(name, sheet.width * 0.6), bold=True, size=SMALL)
    return y + 24


def _key(  # noqa: PLR0913
    sheet: Sheet, y: float, spots: Sequence[_Spot], words: Words, *, front: bool, shaded: bool, left: int
) -> float:
    """Write what shapes, line and shading mean."""
    verdicts = [verdict for verdict in _ORDER if any(spot.point.verdict == verdict for spot in spots)]
    rows = [(verdict_mark(verdict, 10, 0, 5), _verdict(verdict, words)) for verdict in verdicts]
    if front:
        rows.append((tag("line", x1=0, y1=0, x2=20, y2=0, class_="pc-front"), words.pareto))
    if shaded:
        rows.append((zone_sample(), words.within))
    y = flow(sheet, y, rows, 20)
    if left:
        sheet.text(6, y + 12, words.left_out.format(n=left), soft=True, size=SMALL)
        y += 18
    return y


def _verdict(verdict: Verdict | None, words: Words) -> str:
    """Return the word for a verdict."""
    return words.verdicts.get(verdict, verdict) if verdict else words.unjudged


def _limits(axes: Sequence[Axis], words: Words) -> list[tuple[Markup, str]]:
    """Return the limits that are an edge of the region, and those that are lines."""
    edge = tag("line", x1=16, y1=-7, x2=16, y2=6, class_="pc-zone")
    line = tag("line", x1=16, y1=-7, x2=16, y2=6, class_="pc-limit")
    signs = [(axis, sign, limits) for axis in axes for sign, limits in ((edge, axis.limits), (line, axis.partial))]
    return [(sign, f"{axis.name} {limit_text(limit, words)}") for axis, sign, limits in signs for limit in limits]


def _table(prefix: str, points: Sequence[MapPoint], protection: Axis, utility: Axis, words: Words) -> Table:
    """Return the points, numbered as in the drawing."""
    own = Sheet(prefix, 0).prefix
    rows = tuple(
        (
            str(index),
            shown(point.label),
            words.measured(point.protection, words.missing),
            words.measured(point.utility, words.missing),
            _verdict(point.verdict, words),
            words.yes if point.pareto else words.no,
        )
        for index, point in enumerate(points, 1)
    )
    header = (words.number, words.candidate, shown(protection.name), shown(utility.name), words.verdict)
    return Table(
        header=(*header, words.pareto_column),
        rows=rows,
        numeric=(True, False, True, True, False, False),
        keys=tuple(shown(point.key, 200) or f"{own}-p{index}" for index, point in enumerate(points, 1)),
    )


def _alt(title: str, spots: Sequence[_Spot], protection: Axis, utility: Axis, words: Words) -> str:
    """Say in words what is drawn."""
    counts = Counter(spot.point.verdict for spot in spots)
    verdicts = ", ".join(f"{counts[verdict]} {_verdict(verdict, words)}" for verdict in _ORDER if counts[verdict])
    best = [shown(spot.point.label) for spot in spots if spot.point.pareto]
    names = ", ".join(best[:_MOST_NAMES])
    if len(best) > _MOST_NAMES:
        names += f" {words.more_left.format(n=len(best) - _MOST_NAMES)}"
    return words.map_alt.format(
        title=title,
        n=len(spots),
        x=shown(protection.name),
        y=shown(utility.name),
        verdicts=verdicts,
        front=words.map_front.format(names=names) if best else "",
    ).strip()
