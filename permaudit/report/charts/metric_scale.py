"""One metric on its scale: the value among null level, baseline, interval and limits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permaudit.errors import shown
from permaudit.report.charts.chart import Chart, Table
from permaudit.report.charts.hatching import zone
from permaudit.report.charts.layout import WIDTH, good_arrow, key, limit_rows, limit_text, passing
from permaudit.report.charts.lettering import SMALL, fitted, width_of, wrapped
from permaudit.report.charts.marks import diamond, triangle
from permaudit.report.charts.numbers import known, parameter
from permaudit.report.charts.scales import Linear, covering
from permaudit.report.charts.sheet import Sheet, joined, tag
from permaudit.report.charts.words import ENGLISH

if TYPE_CHECKING:
    from collections.abc import Sequence

    from markupsafe import Markup

    from permaudit.outcome import MetricNote, MetricResult
    from permaudit.report.charts.chart import Limit
    from permaudit.report.charts.sheet import Anchor
    from permaudit.report.charts.words import Words

_LEFT, _RIGHT = 10.0, WIDTH - 10.0
_THICK = 12.0
_MOST_REPLICATES = 200
_ABOVE = 12.0
"""How far apart signs must be."""


def metric_scale(  # noqa: PLR0913
    prefix: str,
    *,
    name: str,
    result: MetricResult,
    note: MetricNote,
    limits: Sequence[Limit] = (),
    bounds: tuple[float, float] = (0.0, 1.0),
    words: Words = ENGLISH,
) -> Chart:
    """Draw the value of a metric on its scale, with all that gives it a meaning, and say which side is good."""
    better, _, good = note.direction.partition(" is ")
    good, rightwards = words.goods.get(good, good), better != "lower"
    drawn = [limit for limit in limits if known(limit.value)]
    low, high = covering(bounds, [*_values(result), *(limit.value for limit in drawn)])
    scale = Linear(low, high, _LEFT, _RIGHT)
    sheet = Sheet(prefix, WIDTH)
    _head(sheet, name, result, note, words)
    good_arrow(sheet, 47, _LEFT, _RIGHT, good, rightwards=rightwards)
    track = 66.0 + _stacked(scale, result)
    shaded = _track(sheet, scale, drawn, track)
    _symbols(sheet, scale, result, track)
    bottom = _ends(sheet, track, bounds, note, words)
    bottom = _key(sheet, bottom, result, drawn, words, shaded=shaded)
    alt = _alt(name, result, (low, high), good, rightwards=rightwards, limits=drawn, words=words)
    title = f"{shown(name)}: {shown(note.title, 120)}"
    return Chart(svg=sheet.svg(bottom, alt), title=title, alt=alt, table=_table(result, drawn, words))


def _values(result: MetricResult) -> list[float | None]:
    """Return every value that must be on the scale."""
    baseline = result.baseline.value if result.baseline else None
    return [result.value, result.null, baseline, *(result.interval or ()), *result.replicates]


def _head(sheet: Sheet, name: str, result: MetricResult, note: MetricNote, words: Words) -> None:
    """Write name, value, title and, where it is not simply valid, the status."""
    value = words.measured(result.value, "")
    label = fitted(name, WIDTH - 30 - width_of(value, 16, bold=True), 16, bold=True)
    sheet.text(_LEFT, 16, label, bold=True, size=16)
    if value:
        sheet.text(_RIGHT, 16, value, bold=True, size=16, anchor="end")
    status = "" if result.status == "ok" else words.statuses.get(result.status, result.status)
    sheet.text(_LEFT, 32, fitted(status or note.title, WIDTH - 20), soft=not status, bold=bool(status))


def _stacked(scale: Linear, result: MetricResult) -> float:
    """Return the room for a second row of signs, where null level and baseline would hide each other."""
    if result.baseline is None or not known(result.baseline.value) or not known(result.null):
        return 0.0
    return _ABOVE if abs(scale(result.null) - scale(result.baseline.value)) < _ABOVE else 0.0


def _track(sheet: Sheet, scale: Linear, limits: Sequence[Limit], track: float) -> bool:
    """Draw the scale, the part of it that passes, and the limits with a flag towards that part."""
    sheet.rect(_LEFT, track, _RIGHT - _LEFT, _THICK, "pc-track", rx=3)
    part = passing(limits, scale.low, scale.high)
    if part:
        zone(sheet, scale(part[0]), track, scale(part[1]) - scale(part[0]), _THICK)
    for x, text in scale.marks():
        sheet.line((x, track + _THICK), (x, track + _THICK + 4), "pc-axis")
        anchor: Anchor = "start" if x < _LEFT + 6 else "end" if x > _RIGHT - 6 else "middle"
        sheet.text(x, track + _THICK + 15, text, soft=True, size=SMALL, anchor=anchor)
    for limit in limits:
        x, ahead = scale(limit.value), 8.0 if limit.side == "min" else -8.0
        sheet.line((x, track - 8), (x, track + _THICK + 5), "pc-limit")
        sheet.polygon([(x, track - 13), (x + ahead, track - 9), (x, track - 5)], "pc-flag")
    return part is not None


def _symbols(sheet: Sheet, scale: Linear, result: MetricResult, track: float) -> None:
    """Draw replicates, interval, null level, baseline and, on top, the value."""
    middle = track + _THICK / 2
    if len(result.replicates) > 1:
        for value in filter(known, result.replicates[:_MOST_REPLICATES]):
            sheet.line((scale(value), track + 2), (scale(value), track + _THICK - 2), "pc-spread")
    if _has_interval(result):
        ends = [scale(end) for end in result.interval or ()]
        sheet.line((ends[0], middle), (ends[1], middle), "pc-under")
        sheet.line((ends[0], middle), (ends[1], middle), "pc-whisker")
        for end in ends:
            sheet.line((end, middle - 4), (end, middle + 4), "pc-whisker")
    if result.baseline and known(result.baseline.value):
        sheet.add(_square(scale(result.baseline.value), track - 6 - _stacked(scale, result)))
    if known(result.null):
        sheet.add(_pointer(scale(result.null), track - 5))
    if known(result.value):
        sheet.add(_value(scale(result.value), middle, result))


def _ends(sheet: Sheet, track: float, bounds: tuple[float, float], note: MetricNote, words: Words) -> float:
    """Write what both ends mean, and return how far down that goes."""
    top, room = track + _THICK + 32, (WIDTH - 36) / 2
    bottom = top
    names = [parameter(end) if known(end) else word for end, word in zip(bounds, (words.low, words.high), strict=True)]
    for place, line in enumerate(wrapped(f"{names[0]}: {note.low}", room, 4, SMALL)):
        sheet.text(_LEFT, top + 13 * place, line, soft=True, size=SMALL)
        bottom = max(bottom, top + 13 * place)
    for place, line in enumerate(wrapped(f"{names[1]}: {note.high}", room, 4, SMALL)):
        sheet.text(_RIGHT, top + 13 * place, line, soft=True, size=SMALL, anchor="end")
        bottom = max(bottom, top + 13 * place)
    return bottom + 10


def _key(  # noqa: PLR0913
    sheet: Sheet, y: float, result: MetricResult, limits: Sequence[Limit], words: Words, *, shaded: bool
) -> float:
    """Write what each symbol is, with its number, and return how far down that goes."""
    rows: list[tuple[Markup, str]] = []
    at = 16.0
    if known(result.value):
        text = f"{words.this_release}: {words.measured(result.value)}"
        if _has_interval(result):
            text += f" ({_interval(result, words)})"
        rows.append((_value(at, 0, result), text))
    if len(result.replicates) > 1:
        rows.append((tag("line", x1=at, y1=-5, x2=at, y2=5, class_="pc-spread"), _replicates(result, words)))
    if known(result.null):
        rows.append((_pointer(at, 2), f"{words.null}: {words.measured(result.null)}"))
    if result.baseline and known(result.baseline.value):
        rows.append((_square(at, 0), f"{words.baseline}: {_baseline(result, words)}; {result.baseline.what}"))
    rows += limit_rows(limits, words, shaded=shaded)
    if result.reason and not known(result.value):
        rows.append((tag("circle", cx=at, cy=0, r=2, class_="pc-flag"), result.reason))
    return key(sheet, y, rows) + 2


def _value(x: float, y: float, result: MetricResult) -> Markup:
    """Draw the value: filled where it counts, open where it is advisory."""
    class_ = "pc-value" if result.status == "ok" else "pc-hollow"
    return tag("polygon", points=joined(diamond(x, y, 7)), class_=class_)


def _pointer(x: float, y: float) -> Markup:
    """Draw the sign of the null level: an open triangle that points down."""
    corners = [(right, 2 * y - down) for right, down in triangle(x, y, 5)]
    return tag("polygon", points=joined(corners), class_="pc-hollow")


def _square(x: float, y: float) -> Markup:
    """Draw the sign of the baseline: an open square."""
    return tag("rect", x=x - 4, y=y - 4, width=8, height=8, class_="pc-hollow")


def _has_interval(result: MetricResult) -> bool:
    return result.interval is not None and all(map(known, result.interval))


def _interval(result: MetricResult, words: Words) -> str:
    low, high = result.interval or (None, None)
    return words.interval_from.format(low=words.measured(low), high=words.measured(high))


def _replicates(result: MetricResult, words: Words) -> str:
    there = [value for value in result.replicates if known(value)]
    low, high = (min(there), max(there)) if there else (None, None)
    return words.replicates_from.format(n=len(result.replicates), low=words.measured(low), high=words.measured(high))


def _baseline(result: MetricResult, words: Words) -> str:
    baseline = result.baseline
    if baseline is None:
        return words.measured(None)
    return words.measured(baseline.value) + (f" ± {words.measured(baseline.spread)}" if known(baseline.spread) else "")


def _alt(  # noqa: PLR0913
    name: str,
    result: MetricResult,
    ends: tuple[float, float],
    good: str,
    *,
    rightwards: bool,
    limits: Sequence[Limit],
    words: Words,
) -> str:
    """Say in words what is drawn."""
    if not known(result.value):
        status = words.statuses.get(result.status, result.status)
        return words.scale_alt_none.format(
            name=shown(name), status=f"{status}; {shown(result.reason or '', 200)}".rstrip("; ")
        )
    sentence = words.scale_alt.format(
        name=shown(name),
        value=words.measured(result.value),
        low=parameter(ends[0]),
        high=parameter(ends[1]),
        good=shown(good),
        side=words.right if rightwards else words.left,
    )
    more = [_interval(result, words)] if _has_interval(result) else []
    if known(result.null):
        more.append(f"{words.null}: {words.measured(result.null)}")
    if result.baseline and known(result.baseline.value):
        more.append(f"{words.baseline}: {_baseline(result, words)}")
    more += [f"{words.limit}: {shown(limit_text(limit, words), 80)}" for limit in limits]
    return f"{sentence} {'; '.join(more)}." if more else sentence


def _table(result: MetricResult, limits: Sequence[Limit], words: Words) -> Table:
    """Return the same as a table."""
    rows = [(words.this_release, words.measured(result.value, words.missing))]
    if _has_interval(result):
        low, high = result.interval or (None, None)
        rows.append((words.interval, f"{words.measured(low)} - {words.measured(high)}"))
    if len(result.replicates) > 1:
        rows.append((words.replicates, _replicates(result, words)))
    rows.append((words.null, words.measured(result.null, words.missing)))
    if result.baseline:
        rows.append((f"{words.baseline}: {shown(result.baseline.what, 120)}", _baseline(result, words)))
    rows += [(words.limit, shown(limit_text(limit, words), 80)) for limit in limits]
    return Table(
        header=(words.item, words.value), rows=tuple(rows), numeric=(False, True), keys=tuple("" for _ in rows)
    )
