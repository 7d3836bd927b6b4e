"""`summary.md`: the outcome for a pull request or a mail.

Written line by line: no template set can change this page, and most runs need no engine for templates.
"""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING

from permaudit.report.markdown import LONGEST, row, said
from permaudit.report.words import (
    OUTCOME_SIGNS,
    STUDY,
    VERDICT_SIGNS,
    VERDICT_WORDS,
    digits_for,
    distinct,
    interval,
    number,
    waived_words,
    waiver_words,
    yardsticks,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from permaudit.outcome import CandidateResult, Finding, MetricNote, MetricResult, Outcome, SweepResult, Verdict
    from permaudit.report.markdown import Markdown

_NOTHING = said("")


def to_markdown(outcome: Outcome) -> bytes:
    """Write the summary; every value is escaped, so that a name cannot become markup, a link or a table cell."""
    digits, glossary = digits_for(outcome.presentation.audience), outcome.glossary
    points = {point.candidate for sweep in outcome.sweeps for point in sweep.points}
    names = distinct((candidate.name for candidate in outcome.candidates), LONGEST - 10)
    alone = [(name, one) for name, one in zip(names, outcome.candidates, strict=True) if one.name not in points]
    parts = [
        _verdict(outcome),
        _overview(alone),
        *(_sweep(sweep, glossary, digits) for sweep in outcome.sweeps),
        *(_candidate(name, one, glossary, digits) for name, one in alone),
        _explained(outcome),
    ]
    page = "".join(f"{line}\n" for line in chain.from_iterable(parts))
    return re.sub(r"\n{3,}", "\n\n", page).encode("utf-8")


def _verdict(outcome: Outcome) -> Iterator[Markdown]:
    """Say the verdict, and what must be read with it."""
    yield from (said("# {}", outcome.title), _NOTHING)
    if outcome.waivers:
        yield from (said("## Waivers"), _NOTHING)
        yield from (said("- {}", waiver_words(waiver)) for waiver in outcome.waivers)
        yield from (_NOTHING, said("## Verdict"), _NOTHING)
    yield said("**{} {}**: {}", VERDICT_SIGNS[outcome.verdict], outcome.verdict, VERDICT_WORDS[outcome.verdict])
    if outcome.provenance.study:
        yield from (_NOTHING, said("> **{}**", STUDY))
    policy = outcome.policy
    if policy is not None:
        pinned = "" if policy.pinned else ", not pinned by the audit file"
        yield from (_NOTHING, said("Policy: {} ({}, sha256 {}{})", policy.title, policy.path, policy.sha256, pinned))
        yield from (said("- Audit file and policy: {}", difference) for difference in policy.differences)


def _overview(candidates: Sequence[tuple[str, CandidateResult]]) -> Iterator[Markdown]:
    """List the candidates."""
    yield _NOTHING
    if candidates:
        yield from (said("| candidate | kind | linkage | records | verdict |"), said("|---|---|---|---|---|"))
    for name, one in candidates:
        about = (name, one.kind, one.linkage, one.records.released)
        yield row(*(said("{}", cell) for cell in about), _signed(one.verdict))


def _sweep(sweep: SweepResult, glossary: Mapping[str, MetricNote], digits: int) -> Iterator[Markdown]:
    """Show the points of a sweep, each in a row."""
    has_sets = any(point.attributes for point in sweep.points)
    head = [*sweep.varied, *(["attributes"] if has_sets else []), *glossary]
    yield from (_NOTHING, said("## Sweep {}: {}", sweep.name, sweep.anonymizer), _NOTHING)
    yield from (said("Best point: {} ({}).", sweep.best or "none", sweep.best_because), _NOTHING)
    yield row(*(said("{}", name) for name in [*head, "verdict", "Pareto"]))
    yield said(f"|{'---:|' * len(head)}---|---|")
    for point in sweep.points:
        cells = [
            *(point.params.get(name, "-") for name in sweep.varied),
            *([len(point.attributes)] if has_sets else []),
            *(number(point.values.get(name), digits) for name in glossary),
        ]
        pareto = said("yes") if point.pareto else _NOTHING
        yield row(*(said("{}", cell) for cell in cells), _signed(point.verdict), pareto)


def _candidate(
    name: str, candidate: CandidateResult, glossary: Mapping[str, MetricNote], digits: int
) -> Iterator[Markdown]:
    """Show one candidate: what it is, its metrics, what the rules found."""
    signed = (VERDICT_SIGNS[candidate.verdict], candidate.verdict)
    yield from (_NOTHING, said("## {}: {} {}", name, *signed), _NOTHING)
    if candidate.anonymizer:
        params = chain.from_iterable(candidate.params.items())
        yield said(f"Made by {{}}{', {} = {}' * len(candidate.params)}.", candidate.anonymizer, *params)
    elif candidate.sha256:
        yield said("File with sha256 {}.", candidate.sha256)
    yield from (said("Attributes: {}.", ", ".join(candidate.attributes)), _NOTHING)
    yield from (said("- Warning: {}", warning) for warning in candidate.warnings)
    yield from (said("- Left out: {}, {}", left.attribute, left.reason) for left in candidate.excluded)
    yield _NOTHING
    yield from (said("| metric | value | 95 % interval | held against | reads |"), said("|---|---:|---|---|---|"))
    yield from (_metric(name, one, glossary[name], digits) for name, one in candidate.metrics.items())
    yield _NOTHING
    yield from (said("| rule | outcome | what was found | what would fix it |"), said("|---|---|---|---|"))
    yield from map(_finding, candidate.rules)


def _signed(verdict: Verdict) -> Markdown:
    """Write a verdict with its sign."""
    return said("{} {}", VERDICT_SIGNS[verdict], verdict)


def _metric(name: str, metric: MetricResult, note: MetricNote, digits: int) -> Markdown:
    """Write a metric as a row: what it is, and how to take it."""
    reads = note.direction if metric.status == "ok" else metric.status
    return row(
        said("{}: {}", name, note.title),
        said("{}", number(metric.value, digits)),
        said("{}", interval(metric, digits)),
        said("{}", "; ".join(yardsticks(metric, digits))),
        said("{}: {}", reads, metric.reason) if metric.reason else said("{}", reads),
    )


def _finding(finding: Finding) -> Markdown:
    """Write as a row what a rule found."""
    return row(
        said("{}", finding.rule) if finding.origin == "always on" else said("{} ({})", finding.rule, finding.origin),
        said("{} {}", OUTCOME_SIGNS[finding.outcome], finding.outcome),
        said("{} ({})", finding.message, waived_words(finding.waived))
        if finding.waived
        else said("{}", finding.message),
        said("{}", finding.fix or ""),
    )


def _explained(outcome: Outcome) -> Iterator[Markdown]:
    """Say how to read the metrics, and what made the numbers."""
    yield from (_NOTHING, said("## How to read the metrics"), _NOTHING)
    for name, note in outcome.glossary.items():
        low, high = (f"{bound:g}" for bound in note.bounds)
        about = (name, note.measures, note.direction, low, note.low, high, note.high, note.blind_spots)
        yield said("- **{}** ({}, {}). {}: {}. {}: {}. What it does not see: {}", *about)
    made = outcome.provenance
    yield from (_NOTHING, said("permaudit {}, seed {}, engine {}", made.packages["permaudit"], made.seed, made.engine))
