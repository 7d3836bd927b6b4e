"""The verdict screen: what was found, in words, at a glance."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from rich.console import Console, Group
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from permaudit.cli.signs import signed
from permaudit.cli.sweep_table import sweep_table
from permaudit.errors import shown
from permaudit.report.words import VERDICT_WORDS, distinct

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from rich.console import RenderableType

    from permaudit.outcome import CandidateResult, Finding, MetricNote, MetricResult, Outcome

_OUTCOME_STYLES = {"fail": "red", "error": "red", "review": "yellow", "pass": "green"}
_OUTCOME_SIGNS = {"fail": "✖", "error": "✖", "review": "▲", "pass": "✔"}
_BAR = 20
_MOST_NAMES = 6
_WIDEST = 110


class Screen(Console):
    """Standard output, on which names from files are no markup."""

    def __init__(self) -> None:
        """Take names as they are."""
        super().__init__(highlight=False, markup=False, emoji=False)

    def on_broken_pipe(self) -> NoReturn:
        """Leave it to the command line to decide on the exit code: rich would exit with 1, which is a verdict here."""
        raise BrokenPipeError


def show(outcome: Outcome, out: Path, files: Sequence[str]) -> None:
    """Print the verdict screen to standard output."""
    console = Screen()
    console.width = min(console.width, _WIDEST)
    console.print()
    console.print(Text(shown(outcome.title, 100), style="bold"))
    if outcome.provenance.study:
        console.print(Text("A study with a known seed: these candidates must not be released.", style="bold yellow"))
    names = distinct((candidate.name for candidate in outcome.candidates), 60)
    points = {point.candidate for sweep in outcome.sweeps for point in sweep.points}
    for name, candidate in zip(names, outcome.candidates, strict=True):
        if candidate.name not in points:
            console.print()
            console.print(_candidate(name, candidate, outcome.glossary))
    curves = [name for name, note in outcome.glossary.items() if note.measures in {"confidentiality", "utility"}]
    for sweep in outcome.sweeps:
        console.print()
        console.print(sweep_table(sweep, curves))
    console.print()
    console.print(
        Text.assemble("Verdict: ", signed(outcome.verdict), f", {VERDICT_WORDS[outcome.verdict]}", style="bold")
    )
    worst = [candidate.name for candidate in outcome.candidates if candidate.verdict == outcome.verdict]
    if outcome.verdict != "release":
        more = f" and {len(worst) - _MOST_NAMES} more" if len(worst) > _MOST_NAMES else ""
        console.print(Text(f"because of {', '.join(shown(name) for name in worst[:_MOST_NAMES])}{more}"))
    console.print(Text(f"Written to {out}/: {', '.join([*files, 'manifest.json'])}", style="dim"))


def _candidate(name: str, candidate: CandidateResult, glossary: dict[str, MetricNote]) -> RenderableType:
    """Draw one candidate: what it is, its metrics, what speaks against it."""
    told = [finding for finding in candidate.rules if finding.outcome not in {"pass", "not-applicable"}]
    passed = sum(finding.outcome == "pass" for finding in candidate.rules)
    count = f"{passed} of {sum(finding.outcome != 'not-applicable' for finding in candidate.rules)} rules passed"
    notes = [f"{shown(left.attribute)} left out: {left.reason}" for left in candidate.excluded]
    body: list[RenderableType] = [Text(_what(candidate), style="dim"), _metrics(candidate, glossary)]
    if told:
        body.append(_findings(told))
    body += [Text(note, style="dim") for note in [*notes, *candidate.warnings, count]]
    head = Text.assemble(signed(candidate.verdict), "  ", (name, "bold"))
    return Group(head, *(Padding(part, (0, 0, 0, 2)) for part in body))


def _what(candidate: CandidateResult) -> str:
    """Say what kind of release it is, in one line."""
    made = ""
    if candidate.anonymizer:
        params = ", ".join(f"{name}={value}" for name, value in candidate.params.items())
        made = f"{candidate.anonymizer}({params}), "
    linkage = "not linked" if candidate.linkage == "none" else f"linked by {candidate.linkage}"
    names = [shown(name, 20) for name in candidate.attributes]
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return f"{made}{candidate.kind}, {linkage}, {candidate.records.released:,} records, {', '.join(names[:_MOST_NAMES])}{more}"


def _metrics(candidate: CandidateResult, glossary: dict[str, MetricNote]) -> Table:
    """Draw the metrics: value, place on its scale, and which direction is good."""
    table = Table.grid(padding=(0, 2, 0, 0))
    for justify in ("left", "right", "left", "left"):
        table.add_column(justify=justify)
    for name, metric in candidate.metrics.items():
        note = glossary[name]
        value = "-" if metric.value is None else f"{metric.value:.4f}"
        style = "" if metric.status == "ok" else "red" if metric.status == "error" else "dim"
        table.add_row(Text(name, style=style), Text(value, style=style), _bar(metric), _reading(metric, note))
    return table


def _bar(metric: MetricResult) -> Text:
    """Draw a value between 0 and 1 as a bar."""
    if metric.value is None or not 0 <= metric.value <= 1:
        return Text("")
    filled = round(metric.value * _BAR)
    return Text("█" * filled + "░" * (_BAR - filled), style="dim" if metric.status != "ok" else "")


def _reading(metric: MetricResult, note: MetricNote) -> Text:
    """Say how to read the value, or why there is none."""
    if metric.status in {"error", "not-applicable"}:
        return Text(f"{metric.status}: {metric.reason}", style="red" if metric.status == "error" else "dim")
    if metric.status == "advisory":
        return Text(f"{note.title}: advisory, does not decide", style="dim")
    return Text(f"{note.title}: {note.direction}")


def _findings(findings: Sequence[Finding]) -> Table:
    """Draw what the rules found, each with what would fix it."""
    table = Table.grid(padding=(0, 1, 0, 0))
    table.add_column()
    table.add_column()
    for finding in findings:
        sign = Text(
            f"{_OUTCOME_SIGNS.get(finding.outcome, '·')} {finding.outcome}",
            style=_OUTCOME_STYLES.get(finding.outcome, ""),
        )
        table.add_row(sign, Text.assemble((finding.rule, "bold"), f": {finding.message}"))
        if finding.fix:
            table.add_row("", Text(f"to fix: {finding.fix}", style="dim"))
    return table
