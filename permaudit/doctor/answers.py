"""What each metric says of cases whose answer is known, beside what it should say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from permaudit.fitness import PROTECTION, answer, is_worse, why_unfit
from permaudit.known import CASES, CONSTANT, COPY, JITTERED, SHUFFLED, STRANGERS, TIED

if TYPE_CHECKING:
    from permaudit.cards import MetricCard
    from permaudit.model import Engine, Metric
    from permaudit.outcome import MetricResult
    from permaudit.plugins import Plugin

Judgement: TypeAlias = Literal["as expected", "not as expected", "may not gate", "broken", "nothing expected"]

_WORSE = "worse than strangers"
_NOT_WORSE = "no worse than strangers"
_BEST = "the best"
_WORSE_THAN_COPY = "worse than a copy"
_NOTHING = "anything"
_PROTECTS = {COPY: _WORSE, SHUFFLED: _WORSE, JITTERED: _WORSE, TIED: _WORSE, CONSTANT: _NOT_WORSE}
_USEFUL = {COPY: _BEST, SHUFFLED: _BEST, TIED: _BEST, CONSTANT: _WORSE_THAN_COPY}
_LEAST = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseAnswer:
    """What a metric says of one known case."""

    case: str
    expected: str
    status: str
    value: float | None
    reason: str | None
    judgement: Judgement


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricAnswers:
    """What one metric says of all known cases, and whether rules may let a release through by it."""

    metric: str
    title: str
    measures: str
    direction: str
    plugin: Plugin
    answers: tuple[CaseAnswer, ...]
    unfit: str | None
    """Why no release may pass by it; None where one may, or where it never could: utility and diagnostics do not gate."""

    @property
    def may_gate(self) -> bool:
        """Tell whether rules may let a release through by it."""
        return self.unfit is None and self.measures in PROTECTION


def answers_of(metric: Metric, plugin: Plugin, engine: Engine) -> MetricAnswers:
    """Put every known case to a metric; linked ones, but for the shuffled copy, whose records nobody can link."""
    found = {case: answer(metric, case, engine, linked=case != SHUFFLED).result for case in CASES}
    unlinked = answer(metric, STRANGERS, engine, linked=False).result
    reasons = [why_unfit(metric, engine, linked=linked) for linked in (True, False)]
    card = metric.card
    return MetricAnswers(
        metric=card.id,
        title=card.title,
        measures=card.measures,
        direction=card.direction,
        plugin=plugin,
        answers=tuple(
            _judged(card, case, result, unlinked if case == SHUFFLED else found[STRANGERS], found[COPY])
            for case, result in found.items()
        ),
        unfit=next((reason for reason in reasons if reason is not None), None),
    )


def _judged(
    card: MetricCard, case: str, result: MetricResult, strangers: MetricResult, copy: MetricResult
) -> CaseAnswer:
    """Hold one answer against what is expected."""
    table = _PROTECTS if card.measures in PROTECTION else _USEFUL if card.measures == "utility" else {}
    expected = _NOTHING if result.status == "advisory" else table.get(case, _NOTHING)
    judgement: Judgement = "nothing expected"
    if result.status == "error":
        judgement = "broken"
    elif expected != _NOTHING and result.value is not None:
        holds = _holds(card, expected, result, strangers, copy)
        is_gate = expected == _WORSE and case in {COPY, SHUFFLED}
        judgement = "as expected" if holds else "may not gate" if is_gate else "not as expected"
    return CaseAnswer(
        case=case,
        expected=expected,
        status=result.status,
        value=result.value,
        reason=result.reason,
        judgement=judgement,
    )


def _holds(card: MetricCard, expected: str, result: MetricResult, strangers: MetricResult, copy: MetricResult) -> bool:
    """Tell whether an answer is as expected; where there is nothing to compare with, it is not."""
    value, sign = result.value or 0.0, 1 if card.better == "higher" else -1
    if expected == _WORSE:
        return is_worse(card, result, strangers)
    if expected == _NOT_WORSE:
        return strangers.value is not None and sign * (value - strangers.value) >= -_LEAST
    if expected == _WORSE_THAN_COPY:
        return is_worse(card, result, copy)
    return abs(value - card.bounds[1 if card.better == "higher" else 0]) <= _LEAST
