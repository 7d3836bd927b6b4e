"""The metrics of one candidate: each value on its scale, with all that gives it a meaning."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from permaudit.errors import PluginError, shown
from permaudit.report import charts
from permaudit.report.context import Added, Fact, Metric, Row
from permaudit.report.desk import LINE, NAME
from permaudit.report.sections.evidence import value
from permaudit.report.sections.limits import limits_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from permaudit.outcome import CandidateResult, MetricNote, MetricResult, Section
    from permaudit.report.charts import Limit
    from permaudit.report.desk import Desk


def metrics(candidate: CandidateResult, prefix: str, desk: Desk) -> tuple[Metric, ...]:
    """Return the metrics of a candidate: first those that could not be computed, then those that decide."""
    limits = limits_of(candidate, desk)
    ordered = sorted(candidate.metrics.items(), key=lambda item: (item[1].status != "error", item[0] not in limits))
    return tuple(
        _metric(name, result, limits.get(name, ()), f"{prefix}-m{number}", desk)
        for number, (name, result) in enumerate(ordered)
        if name in desk.outcome.glossary
    )


def added(candidate: CandidateResult, prefix: str, desk: Desk) -> tuple[Added, ...]:
    """Return what metrics add to the report."""
    sections = [(name, result.section) for name, result in candidate.metrics.items() if result.section is not None]
    return tuple(_added(name, section, f"{prefix}-x{number}", desk) for number, (name, section) in enumerate(sections))


def _metric(name: str, result: MetricResult, limits: tuple[Limit, ...], prefix: str, desk: Desk) -> Metric:
    """Draw a metric, and say what the drawing does not."""
    note, result = _spoken(desk.outcome.glossary[name], result, desk)
    chart = charts.metric_scale(
        prefix, name=name, result=result, note=note, limits=limits, bounds=note.bounds, words=desk.words
    )
    return Metric(
        name=f"{shown(name, NAME)}: {shown(note.title, NAME)}",
        figure=desk.figure(chart),
        facts=tuple(_facts(result, note, limits, desk)),
        blind_spots=desk.said(desk.outcome.glossary[name].blind_spots),
    )


def _spoken(note: MetricNote, result: MetricResult, desk: Desk) -> tuple[MetricNote, MetricResult]:
    """Return what is drawn of a metric in the language of the report."""
    title, low, high = (desk.said(text).text for text in (note.title, note.low, note.high))
    baseline = result.baseline and replace(result.baseline, what=desk.said(result.baseline.what).text)
    reason = result.reason and desk.said(result.reason).text
    return replace(note, title=title, low=low, high=high), replace(result, baseline=baseline, reason=reason)


def _facts(result: MetricResult, note: MetricNote, limits: tuple[Limit, ...], desk: Desk) -> Iterator[Fact]:
    """Say which way is good, who demands what, and whether the metric counts here."""
    t = desk.texts
    yield Fact(label=t.known("measures", note.measures), value=desk.direction(note.direction))
    demands = "; ".join(
        t(f"metric.{limit.side}", limit=charts.parameter(limit.value), who=limit.label) for limit in limits
    )
    if demands or result.status != "error":  # what is demanded of a metric that broke off stands with the rules
        yield Fact(label=t("metric.limit"), value=demands or t("metric.no-limit"))
    because = result.validity.because if result.validity is not None else result.reason
    if because:
        yield Fact(label=t(f"status.{result.status}"), value=desk.said(because))
    if result.calibrated is not None:
        yield Fact(label=t("metric.calibrated"), value=desk.words.measured(result.calibrated))
    if result.relative is not None:
        yield Fact(label=t("metric.relative"), value=desk.words.measured(result.relative))


def _added(name: str, section: Section, prefix: str, desk: Desk) -> Added:
    """Return a metric's own section: its drawing is cleaned, and its table is only text.

    What is no drawing costs the drawing, and is said; the value, the verdict and the rest of the report stay what they are.
    """
    rows = [[value(cell, desk) for cell in row] for row in section.rows]
    header = [shown(one, NAME) for one in section.header]
    figure = data = None
    caption = shown(section.title, LINE)
    if section.figure:
        try:
            chart = charts.from_svg(
                section.figure, prefix=prefix, title=section.title, alt=section.alt, header=header, rows=rows
            )
            figure = desk.figure(chart)
        except PluginError:
            caption = f"{caption} {desk.texts('metric.no-drawing')}"
    if figure is None and header:
        width = len(header)
        data = desk.grid(caption, header, (Row(cells=tuple(row)) for row in rows if len(row) == width))
    return Added(
        metric=shown(name, NAME),
        title=desk.said(section.title),
        text=desk.said(section.text, 4 * LINE),
        figure=figure,
        data=data,
    )
