"""Two outcomes -> what changed from one to the other, metric by metric and rule by rule, in words."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from permaudit.errors import shown
from permaudit.outcome import VERDICTS
from permaudit.surroundings import surroundings
from permaudit.verdict import verdict_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from permaudit.outcome import (
        CandidateResult,
        Finding,
        MetricNote,
        MetricResult,
        MetricStatus,
        Outcome,
        RuleOutcome,
        Verdict,
    )

Change: TypeAlias = Literal["better", "worse", "same", "other", "added", "removed"]

SCHEMA: Literal["permaudit/changes/1"] = "permaudit/changes/1"
_ROUNDING = 1e-10
"""Other processors and other libraries give other last digits, and no more than these."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricChange:
    """What became of a metric's value."""

    metric: str
    before: float | None
    after: float | None
    change: Change
    beyond: bool | None
    """Is the change more than another sample of as many records would bring? None where no interval says so."""
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleChange:
    """What became of a rule's finding."""

    rule: str
    before: RuleOutcome | None
    after: RuleOutcome | None
    change: Change
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateChange:
    """What became of a candidate."""

    candidate: str
    before: Verdict | None
    after: Verdict | None
    change: Change
    notes: list[str]
    """What else is different: the release itself, its records, its attributes."""
    metrics: list[MetricChange]
    rules: list[RuleChange]

    @property
    def is_same(self) -> bool:
        """Tell whether nothing at all is different."""
        parts: list[MetricChange | RuleChange] = [*self.metrics, *self.rules]
        return self.change == "same" and not self.notes and not any(part.words for part in parts)


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """What changed from one audit to another."""

    schema: Literal["permaudit/changes/1"] = SCHEMA
    before: Verdict
    after: Verdict
    change: Change
    study: bool
    """Are the later candidates a study? Then none of them may be released."""
    surroundings: list[str]
    """What the audits were made from and with, where that is different, in words."""
    candidates: list[CandidateChange]


def changes(before: Outcome, after: Outcome) -> Changes:
    """Compare two outcomes, candidates by name."""
    old = {candidate.name: candidate for candidate in before.candidates}
    new = {candidate.name: candidate for candidate in after.candidates}
    glossary = before.glossary | after.glossary
    return Changes(
        before=before.verdict,
        after=after.verdict,
        change=_of_verdicts(before.verdict, after.verdict),
        study=after.provenance.study,
        surroundings=surroundings(before, after),
        candidates=[_of_candidate(name, old.get(name), new.get(name), glossary) for name in {**old, **new}],
    )


def _of_candidate(
    name: str, old: CandidateResult | None, new: CandidateResult | None, glossary: Mapping[str, MetricNote]
) -> CandidateChange:
    """Compare a candidate; one that is only on one side has nothing to be compared with."""
    if old is None or new is None:
        return CandidateChange(
            candidate=name,
            before=old.verdict if old else None,
            after=new.verdict if new else None,
            change="added" if old is None else "removed",
            notes=[],
            metrics=[],
            rules=[],
        )
    metrics = {**old.metrics, **new.metrics}
    return CandidateChange(
        candidate=name,
        before=old.verdict,
        after=new.verdict,
        change=_of_verdicts(old.verdict, new.verdict),
        notes=_notes(old, new),
        metrics=[_of_metric(key, old.metrics.get(key), new.metrics.get(key), glossary[key]) for key in metrics],
        rules=_of_rules(old.rules, new.rules),
    )


def _of_verdicts(old: Verdict, new: Verdict) -> Change:
    """Say which of two verdicts is better."""
    step = VERDICTS.index(new) - VERDICTS.index(old)
    return "same" if step == 0 else "worse" if step > 0 else "better"


def _notes(old: CandidateResult, new: CandidateResult) -> list[str]:
    """Say what else is different of a candidate."""
    sides: list[tuple[str, Callable[[CandidateResult], object]]] = [
        ("kind", lambda one: one.kind),
        ("linkage", lambda one: one.linkage),
        ("anonymizer", lambda one: one.anonymizer),
        ("parameters", lambda one: ", ".join(f"{name}={value}" for name, value in one.params.items())),
        ("released records", lambda one: one.records.released),
        ("compared records", lambda one: one.records.compared),
        ("attributes", lambda one: ", ".join(one.attributes)),
    ]
    notes = [
        f"{what}: was {shown(str(part(old) or 'none'), 200)}, is {shown(str(part(new) or 'none'), 200)}"
        for what, part in sides
        if part(old) != part(new)
    ]
    return [*(["another release: its content is not the same"] if old.sha256 != new.sha256 else []), *notes]


# --------------------------------------------------------------------------- metrics


def _of_metric(name: str, old: MetricResult | None, new: MetricResult | None, note: MetricNote) -> MetricChange:
    """Compare the values of a metric; better and worse are the metric's own words."""
    before, after = old.value if old else None, new.value if new else None
    if old is None or new is None:
        side: Change = "added" if old is None else "removed"
        words = "computed only now" if old is None else "not computed any more"
        return MetricChange(metric=name, before=before, after=after, change=side, beyond=None, words=words)
    if old.status != new.status or before is None or after is None:
        same = old.status == new.status and before == after
        words = "" if same else f"was {_state(old)}, is {_state(new)}"
        change = "same" if same else _of_statuses(old.status, new.status)
        return MetricChange(metric=name, before=before, after=after, change=change, beyond=None, words=words)
    if abs(after - before) <= _ROUNDING:
        return MetricChange(metric=name, before=before, after=after, change="same", beyond=None, words="")
    change = "better" if (after > before) == note.direction.startswith("higher") else "worse"
    beyond = _is_beyond(old, new)
    sampling = {True: ", beyond the interval", False: ", within the interval", None: ""}[beyond]
    decides = "" if new.status == "ok" else f" ({new.status}: does not decide)"
    words = f"{change} by {_step(after - before)}{sampling}{decides}"
    return MetricChange(metric=name, before=before, after=after, change=change, beyond=beyond, words=words)


def _is_beyond(old: MetricResult, new: MetricResult) -> bool | None:
    """Tell whether each value lies outside of the other's interval, as far as there are any."""
    sides = [(old.interval, new.value), (new.interval, old.value)]
    inside = [
        low <= value <= high for (low, high), value in ((i, v) for i, v in sides if i is not None) if value is not None
    ]
    return not any(inside) if inside else None


def _of_statuses(old: MetricStatus, new: MetricStatus) -> Change:
    """Say whether a metric says more or less than before."""
    worth = ("ok", "advisory", "not-applicable", "error")
    step = worth.index(new) - worth.index(old)
    return "other" if step == 0 else "worse" if step > 0 else "better"


def _state(metric: MetricResult) -> str:
    """Write the state of a metric, with the reason if it has no value."""
    reason = f" ({shown(metric.reason, 200)})" if metric.reason and metric.value is None else ""
    return f"{metric.status}{reason}"


def _step(difference: float) -> str:
    """Write a difference so that it is not nothing."""
    size = abs(difference)
    return f"{size:.4f}" if size >= 0.0001 else f"{size:.1e}"  # noqa: PLR2004 - four decimals are shown


# --------------------------------------------------------------------------- rules


def _of_rules(old: Sequence[Finding], new: Sequence[Finding]) -> list[RuleChange]:
    """Compare what the rules found; the same rule may be asked for several times."""
    before, after = _by_use(old), _by_use(new)
    return [_of_rule(key[0], before.get(key), after.get(key)) for key in {**before, **after}]


def _by_use(findings: Iterable[Finding]) -> dict[tuple[str, str, int], Finding]:
    """Tell several uses of a rule apart: by the metric that they are about, then by their order."""
    seen: Counter[tuple[str, str]] = Counter()
    uses = {}
    for finding in findings:
        name = (finding.rule, str(finding.evidence.get("metric", "")))
        seen[name] += 1
        uses[*name, seen[name]] = finding
    return uses


def _of_rule(name: str, old: Finding | None, new: Finding | None) -> RuleChange:
    """Compare one rule."""
    if old is None or new is None:
        there = new if old is None else old
        assert there is not None  # noqa: S101 - for the type checker
        change: Change = "added" if old is None else "removed"
        words = f"{'asked for now' if old is None else 'not asked for any more'}: {there.outcome}, {there.message}"
    else:
        change = _of_verdicts(verdict_of([old]), verdict_of([new]))
        parts = [] if old.outcome == new.outcome else [f"was {old.outcome}, is {new.outcome}: {new.message}"]
        words = "; ".join([*parts, *_limits(old, new)])
        if change == "same" and words:
            change = "other"
    return RuleChange(
        rule=name,
        before=old.outcome if old else None,
        after=new.outcome if new else None,
        change=change,
        words=shown(words, 400),
    )


def _limits(old: Finding, new: Finding) -> list[str]:
    """Say how a limit moved, as far as the evidence has one; looser ones let more pass."""
    words = []
    for name, looser in (("min", -1), ("max", 1)):
        before, after = old.evidence.get(name), new.evidence.get(name)
        if before == after or not isinstance(before, int | float) or not isinstance(after, int | float):
            continue
        how = "looser" if (after - before) * looser > 0 else "tighter"
        words.append(f"the limit is {how}: {name} was {before:g}, is {after:g}")
    return words
