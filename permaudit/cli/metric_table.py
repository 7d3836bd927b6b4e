"""The metrics of a candidate as a table: each value beside its interval and what it is to be held against."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Group
from rich.table import Table
from rich.text import Text

from permaudit.errors import shown
from permaudit.report.words import interval, number

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.console import RenderableType

    from permaudit.outcome import CandidateResult, MetricNote, MetricResult

_BAR = 6
_BESIDE = 3
"""So many decimals are enough for what a value is held against."""
_EIGHTHS = " ▏▎▍▌▋▊▉"


def metric_table(candidate: CandidateResult, glossary: dict[str, MetricNote], digits: int) -> RenderableType:
    """Draw the metrics, and below them why some have no value."""
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    table.add_column("")
    table.add_column("value", justify="right")
    table.add_column("95 % interval")
    table.add_column("")
    table.add_column("held against")
    table.add_column("reads")
    reasons: list[RenderableType] = []
    fewer = min(digits, _BESIDE)
    for name, metric in candidate.metrics.items():
        style = "" if metric.status == "ok" else "red" if metric.status == "error" else "dim"
        note = glossary[name]
        table.add_row(
            Text(shown(name, 20), style=style),
            Text(number(metric.value, digits), style=style),
            Text(interval(metric, fewer), style=style),
            _bar(metric, note.bounds, style),
            Text(_held_against(metric, fewer), style=style),
            Text(note.direction if metric.status == "ok" else metric.status, style=style),
        )
        if metric.status in {"error", "not-applicable"}:
            reasons.append(Text(f"{shown(name, 20)}: {metric.reason}", style=style))
    return Group(table, *reasons)


def legend(candidates: Iterable[CandidateResult], glossary: dict[str, MetricNote]) -> list[str]:
    """Say once what all candidates share: the metrics' titles, and what the words in the tables mean."""
    lines = [", ".join(f"{shown(name, 20)}: {shown(note.title, 60)}" for name, note in glossary.items())]
    measured = [(name, metric) for candidate in candidates for name, metric in candidate.metrics.items()]
    if any(metric.status == "advisory" for _, metric in measured):
        lines.append("advisory: computed, but not valid for this kind of release; it does not decide")
    if any(metric.null is not None and metric.baseline is None for _, metric in measured):
        lines.append("unrelated: what files that have nothing to do with each other would read")
    baselines: dict[str, dict[str, None]] = {}
    for name, metric in measured:
        if metric.baseline is not None:
            baselines.setdefault(metric.baseline.what, {})[shown(name, 20)] = None
    return [*lines, *(f"baseline of {', '.join(names)}: {shown(what, 300)}" for what, names in baselines.items())]


def _held_against(metric: MetricResult, digits: int) -> str:
    """Write what tells whether a value is low or high."""
    if metric.baseline is not None:
        return f"{number(metric.baseline.value, digits)} baseline"
    return "" if metric.null is None else f"{number(metric.null, digits)} unrelated"


def _bar(metric: MetricResult, bounds: tuple[float, float], style: str) -> Text:
    """Draw where a value lies between its bounds."""
    low, high = bounds
    if metric.value is None or not low <= metric.value <= high or low == high:
        return Text("")
    whole, part = divmod(round((metric.value - low) / (high - low) * _BAR * 8), 8)
    filled = "█" * whole + (_EIGHTHS[part] if part else "")
    return Text(filled.ljust(_BAR, "·"), style=style or "cyan")
