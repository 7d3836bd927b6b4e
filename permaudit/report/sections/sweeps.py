"""Sweeps: curves along a parameter, the map of all points, and the table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permaudit.errors import shown
from permaudit.report import charts
from permaudit.report.charts import CurvePoint, MapPoint, Panel, Series
from permaudit.report.context import Row, Sweep
from permaudit.report.desk import NAME
from permaudit.report.sections.limits import axis, limits_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from permaudit.outcome import CandidateResult, SweepPoint, SweepResult
    from permaudit.report.charts import Limit
    from permaudit.report.context import Figure, Grid
    from permaudit.report.desk import Desk

_CURVES = ("confidentiality", "utility")


def sweeps(desk: Desk) -> tuple[Sweep, ...]:
    """Return every sweep."""
    return tuple(_sweep(one, number, desk) for number, one in enumerate(desk.outcome.sweeps, start=1))


def _sweep(sweep: SweepResult, number: int, desk: Desk) -> Sweep:
    t = desk.texts
    best = desk.names.get(sweep.best or "")
    return Sweep(
        anchor=f"sweep-{number}",
        title=t("sweep.title", name=shown(sweep.name, NAME), method=shown(sweep.anonymizer, NAME)),
        best=t("sweep.best", name=best) if best else t("sweep.no-best"),
        because=desk.said(sweep.best_because),
        figures=(*_curves(sweep, number, desk), *_map(sweep, number, desk)),
        table=_table(sweep, number, desk),
    )


def _curves(sweep: SweepResult, number: int, desk: Desk) -> Iterator[Figure]:
    """Draw the metrics along the first parameter, once for each combination of what else differs."""
    if not sweep.varied:
        return
    found = {one.name: one for one in desk.outcome.candidates}
    first, *others = sweep.varied
    groups: dict[tuple[object, ...], list[SweepPoint]] = {}
    for point in sweep.points:
        which = (*(point.params.get(name) for name in others), len(found[point.candidate].attributes))
        groups.setdefault(tuple(map(charts.parameter, which)), []).append(point)
    panels = [
        Panel(title=_title(others, which, desk), series=tuple(_series(first, points, found, desk)))
        for which, points in groups.items()
    ]
    chart = charts.sweep_curves(
        f"sweep{number}-curves",
        title=desk.texts("sweep.curves", parameter=shown(first, NAME)),
        parameter=shown(first, NAME),
        value_name=desk.texts("sweep.value"),
        panels=panels,
        cap=desk.room.panels,
        words=desk.words,
    )
    yield desk.figure(chart, desk.texts("sweep.curves-note"), wide=len(panels) > 1)


def _title(others: Sequence[str], which: tuple[object, ...], desk: Desk) -> str:
    *values, attributes = which
    parts = [f"{shown(name, NAME)} = {given}" for name, given in zip(others, values, strict=True)]
    return ", ".join([*parts, desk.texts.count("sweep.attributes", int(str(attributes)))])


def _series(
    parameter: str, points: Sequence[SweepPoint], found: dict[str, CandidateResult], desk: Desk
) -> Iterator[Series]:
    """Return each metric that is valid somewhere on the curve."""
    for name, note in desk.outcome.glossary.items():
        valid = [_valid(point, name, found) for point in points]
        if note.measures in _CURVES and any(value is not None for value in valid):
            limits: dict[Limit, None] = dict.fromkeys(
                limit for point in points for limit in limits_of(found[point.candidate], desk).get(name, ())
            )
            yield Series(
                name=shown(name, NAME),
                points=tuple(
                    CurvePoint(
                        x=_x(point.params.get(parameter)),
                        y=value,
                        spread=point.spread.get(name),
                        verdict=point.verdict,
                        key=desk.key(point.candidate),
                    )
                    for point, value in zip(points, valid, strict=True)
                ),
                limits=tuple(limits),
            )


def _valid(point: SweepPoint, name: str, found: dict[str, CandidateResult]) -> float | None:
    metric = found[point.candidate].metrics.get(name)
    return point.values.get(name) if metric is not None and metric.status == "ok" else None


def _x(given: object) -> float | str:
    is_number = isinstance(given, int | float) and not isinstance(given, bool)
    return float(given) if is_number else charts.parameter(given)  # type: ignore[arg-type]


def _map(sweep: SweepResult, number: int, desk: Desk) -> Iterator[Figure]:
    """Draw all points between protection and utility."""
    first, second = sweep.protection_axis, sweep.utility_axis
    if first is None or second is None:
        return
    points = {point.candidate for point in sweep.points}
    candidates = [one for one in desk.outcome.candidates if one.name in points]
    chart = charts.risk_utility_map(
        f"sweep{number}-map",
        title=desk.texts("comparison.map", protection=shown(first, NAME), utility=shown(second, NAME)),
        points=[
            MapPoint(
                label=_label(point, desk),
                protection=point.values.get(first),
                utility=point.values.get(second),
                verdict=point.verdict,
                pareto=point.pareto,
                group=str(len(point.attributes)),
                protection_spread=point.spread.get(first),
                utility_spread=point.spread.get(second),
                key=desk.key(point.candidate),
            )
            for point in sweep.points
        ],
        protection=axis(first, candidates, desk),
        utility=axis(second, candidates, desk),
        words=desk.words,
    )
    yield desk.figure(chart)


def _label(point: SweepPoint, desk: Desk) -> str:
    parts = [f"{shown(name, NAME)}={charts.parameter(given)}" for name, given in point.params.items()]
    many = [desk.texts.count("sweep.attributes", len(point.attributes))] if point.attributes else []
    return ", ".join([*parts, *many])


def _table(sweep: SweepResult, number: int, desk: Desk) -> Grid:
    t = desk.texts
    names = [name for name in desk.outcome.glossary if any(name in point.values for point in sweep.points)]
    names = names[: desk.room.metrics_in_tables]
    sets = any(point.attributes for point in sweep.points)
    rows = [
        Row(
            cells=(
                *(charts.parameter(point.params.get(name)) for name in sweep.varied),
                *([str(len(point.attributes))] if sets else []),
                *(desk.words.measured(point.values.get(name)) for name in names),
                t("word.yes") if point.pareto else t("word.no"),
            ),
            anchor=desk.anchors.get(point.candidate, ""),
            mark=desk.verdict(point.verdict),
            key=desk.key(point.candidate),
        )
        for point in sweep.points
    ]
    header = (
        *(shown(name, NAME) for name in sweep.varied),
        *([t("data.attributes-count")] if sets else []),
        *(shown(name, NAME) for name in names),
        t("sweep.pareto"),
        t("comparison.verdict"),
    )
    numeric = (*(True for _ in header[:-2]), False, False)
    return desk.grid(t("sweep.table", n=number), header, rows, numeric=numeric)
