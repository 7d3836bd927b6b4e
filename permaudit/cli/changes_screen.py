"""What changed between two audits, on the screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Group
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from permaudit.cli.screen import Screen
from permaudit.cli.signs import signed
from permaudit.errors import shown
from permaudit.report.words import STUDY, distinct, number

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from rich.console import RenderableType

    from permaudit.changes import CandidateChange, Change, Changes, MetricChange, RuleChange
    from permaudit.outcome import Verdict

_WIDEST = 110
_MOST_NAMES = 6
_SIGNS: dict[Change, tuple[str, str]] = {
    "better": ("↑", "green"),
    "worse": ("↓", "red"),
    "same": ("=", "dim"),
    "other": ("·", "yellow"),
    "added": ("+", "yellow"),
    "removed": ("-", "yellow"),
}


def show_changes(found: Changes, title: str, sides: tuple[Path, Path]) -> None:
    """Print what changed; candidates of which nothing did are only counted."""
    console = Screen()
    console.width = min(console.width, _WIDEST)
    console.print()
    console.print(Text(shown(title, 100), style="bold"))
    for letter, side, verdict in zip("AB", sides, (found.before, found.after), strict=True):
        console.print(Text.assemble(f"{letter}  ", signed(verdict), f"  {shown(str(side), 100)}"))
    if found.surroundings:
        console.print()
        console.print(Text("Made from and with", style="bold"))
        console.print(Padding(_lines([("·", "yellow", text) for text in found.surroundings]), (0, 0, 0, 2)))
    names = distinct((one.candidate for one in found.candidates), 60)
    for name, candidate in zip(names, found.candidates, strict=True):
        if not candidate.is_same:
            console.print()
            console.print(_candidate(name, candidate))
    same = [name for name, one in zip(names, found.candidates, strict=True) if one.is_same]
    if same:
        more = f" and {len(same) - _MOST_NAMES} more" if len(same) > _MOST_NAMES else ""
        console.print()
        console.print(Text(f"= unchanged: {', '.join(same[:_MOST_NAMES])}{more}", style="dim"))
    console.print()
    console.print(
        Text.assemble("Verdict: ", *_verdicts(found.before, found.after), *_judged(found.change), style="bold")
    )
    if found.study:
        console.print(Text(STUDY, style="bold yellow"))


def _candidate(name: str, candidate: CandidateChange) -> RenderableType:
    """Draw one candidate: its verdicts, its numbers, and the rules that say something else."""
    head = Text.assemble(
        (name, "bold"), "  ", *_verdicts(candidate.before, candidate.after), *_judged(candidate.change)
    )
    body: list[RenderableType] = [Text(note, style="yellow") for note in candidate.notes]
    if candidate.metrics:
        body.append(_metrics(candidate.metrics))
    told = [rule for rule in candidate.rules if rule.words]
    if told:
        body.append(_rules(told))
    kept = len(candidate.rules) - len(told)
    if kept:
        body.append(Text(f"{kept} rule{'s' * (kept != 1)} as before", style="dim"))
    return Group(head, *(Padding(part, (0, 0, 0, 2)) for part in body))


def _verdicts(before: Verdict | None, after: Verdict | None) -> list[str | tuple[str, str]]:
    """Write one verdict, or two with an arrow."""
    sides = [signed(verdict) for verdict in dict.fromkeys((before, after)) if verdict is not None]
    return [sides[0], *((" → ", sides[1]) if len(sides) > 1 else ())]


def _judged(change: Change) -> list[str | tuple[str, str]]:
    """Write whether that is better, in a word."""
    words = {"same": "as before", "added": "new", "removed": "not there any more"}
    return ["  ", (words.get(change, change), _SIGNS[change][1])]


def _metrics(metrics: Sequence[MetricChange]) -> Table:
    """Draw the values on both sides, and what became of them."""
    table = Table(box=None, pad_edge=False, header_style="dim", padding=(0, 2, 0, 0))
    for title in ("metric", "A", "B"):
        table.add_column(title, justify="left" if title == "metric" else "right")
    table.add_column("")
    for metric in metrics:
        sign, style = _SIGNS[metric.change]
        faint = "dim" if metric.change == "same" else ""
        table.add_row(
            Text(shown(metric.metric, 20), style=faint),
            Text(number(metric.before), style=faint),
            Text(number(metric.after), style=faint),
            Text(f"{sign} {metric.words or 'same'}", style=style),
        )
    return table


def _rules(rules: Sequence[RuleChange]) -> Table:
    """Draw the rules that say something else than before."""
    return _lines([(*_SIGNS[rule.change], f"{rule.rule}: {rule.words}") for rule in rules])


def _lines(rows: Sequence[tuple[str, str, str]]) -> Table:
    """Draw texts behind their signs."""
    table = Table.grid(padding=(0, 1, 0, 0))
    table.add_column()
    table.add_column(overflow="fold")
    for sign, style, text in rows:
        table.add_row(Text(sign, style=style), Text(text))
    return table
