"""Candidates beside each other: maps of protection and utility, one table, and sweeps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permaudit.errors import shown
from permaudit.report import charts
from permaudit.report.charts import MapPoint
from permaudit.report.context import Comparison, Row
from permaudit.report.desk import NAME
from permaudit.report.sections.limits import axis, limits_of
from permaudit.report.sections.sweeps import sweeps

if TYPE_CHECKING:
    from permaudit.outcome import CandidateResult, Front
    from permaudit.report.context import Figure, Grid
    from permaudit.report.desk import Desk

_MOST_MAPS = 3
_ADVISORY = "advisory"


def comparison(desk: Desk) -> Comparison | None:
    """Lay the candidates beside each other, where there are several."""
    outcome = desk.outcome
    if len(outcome.candidates) == 1:
        return None
    points = {point.candidate for sweep in outcome.sweeps for point in sweep.points}
    single = [one for one in outcome.candidates if one.name not in points]
    limited = {name for one in single for name in limits_of(one, desk)}
    fronts = [front for front in outcome.fronts if front.protection in limited] or outcome.fronts
    return Comparison(
        figures=tuple(_map(front, number, desk) for number, front in enumerate(fronts[:_MOST_MAPS])),
        table=_table(single, desk) if len(single) > 1 else None,
        brackets=any(metric.status == _ADVISORY for one in single for metric in one.metrics.values()),
        sweeps=sweeps(desk),
    )


def _map(front: Front, number: int, desk: Desk) -> Figure:
    found = {one.name: one for one in desk.outcome.candidates}
    shown_ones = [found[name] for name in front.candidates]
    points = [
        MapPoint(
            label=desk.names[one.name],
            protection=one.metrics[front.protection].value,
            utility=one.metrics[front.utility].value,
            verdict=one.verdict,
            pareto=one.name in front.pareto,
            protection_spread=one.metrics[front.protection].std,
            utility_spread=one.metrics[front.utility].std,
            key=desk.key(one.name),
        )
        for one in shown_ones
    ]
    chart = charts.risk_utility_map(
        f"map{number}",
        title=desk.texts(
            "comparison.map", protection=shown(front.protection, NAME), utility=shown(front.utility, NAME)
        ),
        points=points,
        protection=axis(front.protection, shown_ones, desk),
        utility=axis(front.utility, shown_ones, desk),
        words=desk.words,
    )
    return desk.figure(chart)


def _table(single: list[CandidateResult], desk: Desk) -> Grid:
    t = desk.texts
    names = list(desk.outcome.glossary)[: desk.room.metrics_in_tables]
    rows = [
        Row(
            cells=(desk.names[one.name], *(_cell(one, name, desk) for name in names)),
            anchor=desk.anchors.get(one.name, ""),
            mark=desk.verdict(one.verdict),
            key=desk.key(one.name),
        )
        for one in single
    ]
    header = (
        t("comparison.candidate"),
        *(f"{shown(name, NAME)}: {desk.direction(desk.outcome.glossary[name].direction)}" for name in names),
        t("comparison.verdict"),
    )
    return desk.grid(t("comparison.table"), header, rows, numeric=(False, *(True for _ in names), False))


def _cell(candidate: CandidateResult, name: str, desk: Desk) -> str:
    """Write a value, and whether it counts."""
    metric = candidate.metrics.get(name)
    if metric is None:
        return desk.words.measured(None)
    if metric.status == "ok":
        return desk.words.measured(metric.value)
    if metric.status == _ADVISORY:
        return desk.texts("comparison.advisory", value=desk.words.measured(metric.value))
    return desk.texts(f"status.{metric.status}")
