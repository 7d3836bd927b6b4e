"""The points of a sweep as one table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Group
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from permaudit.cli.signs import signed
from permaudit.errors import shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import RenderableType

    from permaudit.outcome import SweepResult


def sweep_table(sweep: SweepResult, metrics: Sequence[str]) -> RenderableType:
    """Draw the points of a sweep; the best one and the Pareto set are marked in words."""
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 2, 0, 0))
    sets = any(point.attributes for point in sweep.points)
    for name in [*sweep.varied, *(["attributes"] if sets else []), *metrics]:
        table.add_column(shown(name, 20), justify="right")
    table.add_column("verdict")
    table.add_column("")
    for point in sweep.points:
        is_best = point.candidate == sweep.best
        marks = [*(["best that passes"] if is_best else []), *(["Pareto"] if point.pareto else [])]
        values = [point.values.get(name) for name in metrics]
        table.add_row(
            *(shown(str(point.params.get(name, "-")), 20) for name in sweep.varied),
            *([str(len(point.attributes))] if sets else []),
            *("-" if value is None else f"{value:.4f}" for value in values),
            Text(*signed(point.verdict)),
            ", ".join(marks),
            style="bold" if is_best else "",
        )
    head = Text.assemble("sweep ", (shown(sweep.name), "bold"), f"  {sweep.anonymizer} over {', '.join(sweep.varied)}")
    why = f"{shown(sweep.best)}: {sweep.best_because}" if sweep.best else sweep.best_because
    return Group(head, Padding(table, (0, 0, 0, 2)), Padding(Text(why, style="dim"), (0, 0, 0, 2)))
