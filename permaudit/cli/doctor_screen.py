"""The doctor's screen: what was looked at, and what the metrics say of known cases beside what they should."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from permaudit.cli.screen import Screen
from permaudit.errors import shown
from permaudit.known import CASES, what_is

if TYPE_CHECKING:
    from collections.abc import Sequence

    from permaudit.doctor import CaseAnswer, Check, Diagnosis, MetricAnswers

_WIDEST = 110
_STATES = {"ok": ("✔", "green"), "note": ("▲", "yellow"), "wrong": ("✖", "bold red")}
_JUDGEMENTS = {
    "as expected": ("✔", "green"),
    "nothing expected": ("·", "dim"),
    "not as expected": ("▲", "yellow"),
    "may not gate": ("✖", "bold red"),
    "broken": ("✖", "red"),
}
_HEADS = ("copy", "shuffled", "jittered", "mirrored", "all tied", "strangers", "constant")
"""The known cases in one word each, in their order."""
_GROUPS = (
    (("confidentiality", "risk"), "Protection", ("worse", "worse", "worse", "", "worse", "", "not worse")),
    (("utility",), "Utility", ("best", "best", "", "", "best", "", "worse")),
    (("diagnostic",), "Diagnostics, which let nothing through", ()),
)


def show(diagnosis: Diagnosis) -> None:
    """Print the screen to standard output."""
    console = Screen()
    console.width = min(console.width, _WIDEST)
    console.print()
    console.print(Text("Surroundings", style="bold"))
    console.print(Padding(_checks(diagnosis.checks), (0, 0, 1, 2)))
    for measures, title, expected in _GROUPS:
        some = [metric for metric in diagnosis.metrics if metric.measures in measures]
        if some:
            console.print(Text(title, style="bold"))
            console.print(Padding(_answers(some, expected), (0, 0, 1, 2)))
    if diagnosis.metrics:
        console.print(Padding(_legend(), (0, 0, 1, 2)))
    for metric in diagnosis.unfit:
        console.print(Text(f"✖ {shown(metric.metric)} of {metric.plugin.origin}: {metric.unfit}", style="red"))
    for plugin in diagnosis.refused:
        console.print(Text(f"not loaded: {plugin}; name its distribution with --allow to look at it", style="dim"))
    console.print(_conclusion(diagnosis))


def _legend() -> Table:
    """Say what the known cases are."""
    table = Table.grid(padding=(0, 2, 0, 0))
    for head, case in zip(_HEADS, CASES, strict=True):
        table.add_row(Text(head, style="dim"), Text(what_is(case), style="dim"))
    table.add_row(Text("↑ ↓", style="dim"), Text("higher is better, lower is better", style="dim"))
    return table


def _conclusion(diagnosis: Diagnosis) -> Text:
    """Say in one line what it comes to."""
    if diagnosis.is_wrong:
        return Text("This installation cannot be relied on: see what is marked with ✖ above.", style="bold red")
    if diagnosis.unfit:
        names = ", ".join(shown(metric.metric) for metric in diagnosis.unfit)
        return Text(f"Rules that limit {names} block every release.", style="bold red")
    return Text("✔ This installation is fit to judge.", style="bold green")


def _checks(checks: Sequence[Check]) -> Table:
    """Draw what was looked at, and what to do."""
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for check in checks:
        sign, style = _STATES[check.state]
        found = Text(shown(check.found, 400))
        if check.advice:
            found.append(f"\n{check.advice}", style="dim")
        table.add_row(Text(sign, style=style), check.name, found)
    return table


def _answers(metrics: Sequence[MetricAnswers], expected: Sequence[str]) -> Table:
    """Draw a row for each metric under what is expected of it."""
    table = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0), header_style="dim")
    table.add_column("", no_wrap=True)
    for head in _HEADS:
        table.add_column(head, no_wrap=True, min_width=8)
    if expected:
        table.add_row(Text("expected", style="dim"), *(Text(word, style="dim italic") for word in expected))
    for metric in metrics:
        arrow = "↑" if metric.direction.startswith("higher") else "↓"
        table.add_row(f"{shown(metric.metric, 10)} {arrow}", *(_cell(one) for one in metric.answers))
    return table


def _cell(answer: CaseAnswer) -> Text:
    """Draw one answer."""
    sign, style = _JUDGEMENTS[answer.judgement]
    value = answer.status if answer.value is None else f"{answer.value:.4f}"
    if answer.status == "not-applicable":
        value = "none"
    return Text(f"{sign} {value}", style=style)
