"""The words and signs of verdicts, outcomes, waivers and numbers, the same in every view."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from permaudit.errors import shown
from permaudit.report.digits import DECIMALS, DIGITS
from permaudit.report.digits import number as measured

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from permaudit.outcome import Audience, MetricResult, Waived, WaiverResult

VERDICT_WORDS = {
    "release": "nothing that was checked speaks against the release",
    "review": "a person must decide",
    "block": "this must not be released as it is",
}
VERDICT_SIGNS = {"release": "✔", "review": "▲", "block": "✖"}
OUTCOME_SIGNS = {"pass": "✔", "review": "▲", "waived": "▲", "fail": "✖", "error": "✖", "not-applicable": "·"}
STUDY = "These candidates are a study made with a known seed. They must not be released."


def distinct(names: Iterable[str], limit: int) -> list[str]:
    """Write names so that each can be told from the others, also where shortening made them equal."""
    seen: Counter[str] = Counter()
    written = []
    for name in names:
        text = shown(name, limit)
        seen[text] += 1
        written.append(text if seen[text] == 1 else f"{text} ({seen[text]})")
    return written


def listed(names: Sequence[str]) -> str:
    """Write names one after the other, as one would say them."""
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def digits_for(audience: Audience) -> int:
    """Return how many decimals a metric is written with: to outsiders no more than they are given."""
    return DECIMALS if audience == "external" else DIGITS


def number(value: float | None, digits: int = DIGITS) -> str:
    """Write a value of a metric."""
    return measured(value, digits=digits)


def interval(metric: MetricResult, digits: int = DIGITS) -> str:
    """Write where the value would lie for another sample; nothing where that is not known."""
    ends = metric.interval
    return "" if ends is None else f"{number(ends[0], digits)} to {number(ends[1], digits)}"


def yardsticks(metric: MetricResult, digits: int = DIGITS) -> list[str]:
    """Say what the value is to be held against: unrelated files, and files that disclose nothing."""
    words = []
    if metric.null is not None:
        words.append(f"{number(metric.null, digits)} if unrelated")
    if metric.baseline is not None:
        spread = "" if metric.baseline.spread is None else f" ± {number(metric.baseline.spread, digits)}"
        words.append(f"{number(metric.baseline.value, digits)}{spread} for {shown(metric.baseline.what, 200)}")
    return words


def waiver_words(waiver: WaiverResult, limit: int = 400) -> str:
    """Say what a waiver lets pass, who gave it, until when, why, and what became of it."""
    about = {"attribute": waiver.attribute, "metric": waiver.metric}
    of = "".join(f", {noun} {shown(name)}" for noun, name in about.items() if name)
    people = listed([shown(name) for name in waiver.approved_by])
    return shown(
        f"{waiver.rule} for {shown(waiver.candidate)}{of} [{waiver.state}]: {waiver.message}; "
        f"approved by {people or 'nobody'}, expires {waiver.expires}: {waiver.reason}",
        limit,
    )


def waived_words(waived: Waived, limit: int = 400) -> str:
    """Say why a rule does not decide."""
    people = listed([shown(name) for name in waived.approved_by])
    return shown(
        f"would be {waived.outcome}; waived by {people or 'nobody'} until {waived.expires}: {waived.reason}", limit
    )
