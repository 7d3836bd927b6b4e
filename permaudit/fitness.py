"""Whether a metric may decide: one that rates a verbatim copy as safe may not, whatever it says of a release."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from permaudit.known import COPY, SHUFFLED, STRANGERS, known_case
from permaudit.measure import measure

if TYPE_CHECKING:
    from permaudit.cards import MetricCard
    from permaudit.model import Engine, Metric
    from permaudit.outcome import MetricResult

PROTECTION = frozenset({"confidentiality", "risk"})
_CLEARLY = 0.25
"""So much of the way from strangers to the worst end of the scale a copy must be; less may be chance."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a metric says of a known case."""

    case: str
    linked: bool
    result: MetricResult


def answer(metric: Metric, case: str, engine: Engine, *, linked: bool) -> Answer:
    """Put a known case to a metric, at the same boundary as in an audit."""
    compared = known_case(case, engine, metric.card.needs, linked=linked)
    return Answer(case, linked, measure(metric, compared, np.random.default_rng(0)))


def is_worse(card: MetricCard, one: MetricResult, other: MetricResult) -> bool:
    """Tell whether a metric rates one release as clearly worse than another, on every number that rules can limit."""
    if one.value is None or other.value is None:
        return False
    low, high = card.bounds
    is_higher_better = card.better == "higher"
    found = (
        _clearly_below(one.value, other.value, low)
        if is_higher_better
        else _clearly_below(-one.value, -other.value, -high)
    )
    if one.calibrated is None or other.calibrated is None:
        return found
    return found and _clearly_below(one.calibrated, other.calibrated, 0.0)


def _clearly_below(value: float, other: float, end: float) -> bool:
    """Tell whether a value is below another one by a good part of the way to the end of the scale, if that has one."""
    return value < other and (math.isinf(end) or other - value >= _CLEARLY * (other - end))


def why_unfit(metric: Metric, engine: Engine, *, linked: bool) -> str | None:
    """Say why a metric may not decide about linked, or unlinked, releases; None where it may.

    A copy must read worse than the records of strangers: in place where records are linked, in any order where they are
    not. A metric that has no value for a copy lets none pass.
    """
    card = metric.card
    if card.measures not in PROTECTION or (card.needs.linkage and not linked):
        return None
    copy = answer(metric, COPY if linked else SHUFFLED, engine, linked=linked)
    if copy.result.value is None:
        return None
    strangers = answer(metric, STRANGERS, engine, linked=linked)
    if strangers.result.value is None:
        worst = card.bounds[0 if card.better == "higher" else 1]
        return (
            None if copy.result.value == worst else f"it has a value for a {copy.case} and none for strangers' records"
        )
    if is_worse(card, copy.result, strangers.result):
        return None
    return (
        f"it may not decide, since it does not tell a {copy.case} of the original ({copy.result.value:.4g}) from the records "
        f"of strangers ({strangers.result.value:.4g})"
    )
