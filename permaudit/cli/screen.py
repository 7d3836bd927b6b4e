"""The verdict screen: what was found, in words, at a glance."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from rich.console import Console, Group
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from permaudit.cli.metric_table import legend, metric_table
from permaudit.cli.signs import signed
from permaudit.cli.sweep_table import sweep_table
from permaudit.errors import shown
from permaudit.report.words import OUTCOME_SIGNS, VERDICT_WORDS, digits_for, distinct, waived_words, waiver_words

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from rich.console import RenderableType

    from permaudit.outcome import CandidateResult, Finding, MetricNote, Outcome

_OUTCOME_STYLES = {"fail": "red", "error": "red", "review": "yellow", "waived": "yellow", "pass": "green"}
_SHORT = 20
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
    for line in _first(outcome):
        console.print(line)
    names = distinct((candidate.name for candidate in outcome.candidates), 60)
    points = {point.candidate for sweep in outcome.sweeps for point in sweep.points}
    alone = [(name, one) for name, one in zip(names, outcome.candidates, strict=True) if one.name not in points]
    for name, candidate in alone:
        console.print()
        console.print(_candidate(name, candidate, outcome.glossary, digits_for(outcome.presentation.audience)))
    curves = [name for name, note in outcome.glossary.items() if note.measures in {"confidentiality", "utility"}]
    for sweep in outcome.sweeps:
        console.print()
        console.print(sweep_table(sweep, curves))
    console.print()
    for text in legend([candidate for _, candidate in alone], outcome.glossary):
        console.print(Text(text, style="dim"))
    console.print()
    for line in _verdict(outcome):
        console.print(line)
    where = "Written" if outcome.presentation.audience == "external" else f"Written to {out}/"
    console.print(Text(f"{where}: {', '.join([*files, 'manifest.json'])}", style="dim"))


def _first(outcome: Outcome) -> list[RenderableType]:
    """Say what must be read before any number: waivers, a study, the policy."""
    lines: list[RenderableType] = []
    if outcome.provenance.study:
        lines.append(Text("A study with a known seed: these candidates must not be released.", style="bold yellow"))
    for waiver in outcome.waivers:
        style = "yellow" if waiver.state == "applied" else "bold yellow"
        lines.append(Text.assemble(("Waiver: ", "bold yellow"), (waiver_words(waiver), style)))
    policy = outcome.policy
    if policy is not None:
        pinned = "" if policy.pinned else ", not pinned by the audit file"
        words = f"Policy: {shown(policy.title)} ({shown(policy.path)}, sha256 {policy.sha256[:16]}...{pinned})"
        lines.append(Text(words))
        lines += [Text(f"  {shown(difference, 300)}", style="dim") for difference in policy.differences]
    return lines


def _verdict(outcome: Outcome) -> list[RenderableType]:
    """Say the verdict, and because of whom."""
    words = f", {VERDICT_WORDS[outcome.verdict]}"
    lines: list[RenderableType] = [Text.assemble("Verdict: ", signed(outcome.verdict), words, style="bold")]
    if outcome.verdict != "release":
        worst = [candidate.name for candidate in outcome.candidates if candidate.verdict == outcome.verdict]
        more = f" and {len(worst) - _MOST_NAMES} more" if len(worst) > _MOST_NAMES else ""
        lines.append(Text(f"because of {', '.join(shown(name) for name in worst[:_MOST_NAMES])}{more}"))
    return lines


def _candidate(name: str, candidate: CandidateResult, glossary: dict[str, MetricNote], digits: int) -> RenderableType:
    """Draw one candidate: what it is, its metrics, what speaks against it."""
    told = [finding for finding in candidate.rules if finding.outcome not in {"pass", "not-applicable"}]
    passed = sum(finding.outcome == "pass" for finding in candidate.rules)
    count = f"{passed} of {sum(finding.outcome != 'not-applicable' for finding in candidate.rules)} rules passed"
    body: list[RenderableType] = [Text(_what(candidate), style="dim"), metric_table(candidate, glossary, digits)]
    if told:
        body.append(_findings(told))
    notes = [("warning", text) for text in candidate.warnings]
    notes += [("left out", f"{shown(left.attribute)}: {left.reason}") for left in candidate.excluded]
    if notes:
        body.append(_labelled(notes))
    body.append(Text(count, style="dim"))
    head = Text.assemble(signed(candidate.verdict), "  ", (name, "bold"))
    return Group(head, *(Padding(part, (0, 0, 0, 2)) for part in body))


def _what(candidate: CandidateResult) -> str:
    """Say what kind of release it is, in one line."""
    made = ""
    if candidate.anonymizer:
        params = ", ".join(f"{name}={value}" for name, value in candidate.params.items())
        made = f"{candidate.anonymizer}({params}), "
    linkage = "not linked" if candidate.linkage == "none" else f"linked by {candidate.linkage}"
    names = _abridged(candidate.attributes)
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return f"{made}{candidate.kind}, {linkage}, {candidate.records.released:,} records, {', '.join(names[:_MOST_NAMES])}{more}"


def _abridged(names: Sequence[str]) -> list[str]:
    """Write names without their middle where they are long, and so much of them that no two look the same."""
    whole = [shown(name, 1000) for name in names]
    for most in (_SHORT, 2 * _SHORT, 4 * _SHORT):
        ends = [name if len(name) <= most else f"{name[: most // 2 - 1]}...{name[2 - most // 2 :]}" for name in whole]
        if len({*ends}) == len({*whole}):
            return ends
    return whole


def _findings(findings: Sequence[Finding]) -> Table:
    """Draw what the rules found, each with what would fix it."""
    table = Table.grid(padding=(0, 1, 0, 0))
    table.add_column()
    table.add_column()
    for finding in findings:
        sign = Text(
            f"{OUTCOME_SIGNS.get(finding.outcome, '·')} {finding.outcome}",
            style=_OUTCOME_STYLES.get(finding.outcome, ""),
        )
        table.add_row(sign, Text.assemble((finding.rule, "bold"), f": {finding.message}"))
        if finding.waived:
            table.add_row("", Text(waived_words(finding.waived), style="yellow"))
        elif finding.fix:
            table.add_row("", Text(f"to fix: {finding.fix}", style="dim"))
    return table


def _labelled(notes: Sequence[tuple[str, str]]) -> Table:
    """Draw what else must be known, each under its label."""
    table = Table.grid(padding=(0, 1, 0, 0))
    table.add_column(style="yellow", no_wrap=True)
    table.add_column()
    for label, text in notes:
        table.add_row(f"{label}:", Text(shown(text, 1000), style="dim"))
    return table
