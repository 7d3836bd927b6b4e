"""A limit on one number of a metric: which number, whether it keeps the limit, and what would help."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Self, TypeAlias

from pydantic import Field, model_validator

from permaudit import Parameters, shown

if TYPE_CHECKING:
    from permaudit import Case, MetricCard, MetricResult
    from permaudit.cards import Direction

Scale: TypeAlias = Literal["value", "calibrated", "lower", "relative"]
Held: TypeAlias = Literal["pass", "fail", "review", "not-applicable"]


_LEAST_WRITTEN = 0.00005
"""Less is 0.0000 in four decimals."""


class Limit(Parameters, defer_build=True):
    """A limit: at least one of `min` and `max`, on one number of a metric."""

    metric: str = Field(description="the id of the metric that is limited")
    min: float | None = Field(default=None, description="the least value that passes")
    max: float | None = Field(default=None, description="the greatest value that passes")
    on: Scale = Field(
        default="value",
        description="which number is limited: value; calibrated (0 for identical files, 1 for unrelated ones); lower (the "
        "less favourable end of the 95 % interval); relative (the value divided by the baseline)",
    )

    @model_validator(mode="after")
    def _is_a_limit(self) -> Self:
        if self.min is None and self.max is None:
            raise ValueError("a threshold needs min, max or both")
        if self.min is not None and self.max is not None and self.min > self.max:
            raise ValueError("min is above max: nothing could pass")
        return self

    @property
    def words(self) -> str:
        """Write the limit in words."""
        if self.max is None:
            return f"at least {self.min:g}"
        if self.min is None:
            return f"at most {self.max:g}"
        return f"between {self.min:g} and {self.max:g}"


@dataclass(frozen=True, slots=True)
class Reading:
    """A number beside its limit."""

    outcome: Held
    message: str
    fix: str | None
    evidence: dict[str, Any]


def read(limit: Limit, case: Case) -> Reading:
    """Hold a number against its limit; only a valid one can pass, and one that is not there never does."""
    name, result, card = limit.metric, case.metrics[limit.metric], case.cards[limit.metric]
    evidence: dict[str, Any] = {"metric": name, "value": result.value, "min": limit.min, "max": limit.max}
    if result.status == "advisory":
        return Reading("not-applicable", f"{name} does not decide here: {result.reason}", None, evidence)
    if result.status != "ok" or result.value is None:
        return Reading("review", f"{name} could not be judged: {result.reason}", "let a person decide", evidence)
    number = on_scale(result, limit.on, card.better)
    if limit.on != "value":
        evidence |= {"on": limit.on, limit.on: number}
    if number is None:
        message = f"{name} could not be judged: {_MISSING[limit.on]}"
        return Reading("review", message, _HELP[limit.on], evidence)
    # Written so that NaN, should it ever get here, fails.
    above = limit.min is None or number >= limit.min
    below = limit.max is None or number <= limit.max
    words = _words(name, result, limit.on, number)
    if above and below:
        return Reading("pass", f"{words}, as demanded: {limit.words}", None, evidence)
    for part in ("least_protected", "worst_key"):
        if part in result.details:
            evidence[part] = result.details[part]
    is_too_bad = above if direction(limit.on, card.better) == "lower" else below
    return Reading("fail", f"{words}, not {limit.words}", _fix(limit, card, result, worse=is_too_bad), evidence)


def on_scale(result: MetricResult, scale: Scale, better: Direction) -> float | None:
    """Return the number that is limited; None where there is none."""
    match scale:
        case "value":
            return result.value
        case "calibrated":
            return result.calibrated
        case "relative":
            return result.relative
        case "lower":
            return None if result.interval is None else result.interval[0 if better == "higher" else 1]


def direction(scale: Scale, better: Direction) -> Direction:
    """Return which direction is better on a scale: calibrated values always grow with protection."""
    return "higher" if scale == "calibrated" else better


_MISSING = {
    "value": "it has no value",
    "calibrated": "nobody knows what unrelated files would read, so there is no calibrated value",
    "lower": "there is no 95 % interval, since there are too few records or the metric has none",
    "relative": "there is no baseline to divide by",
}
_HELP = {
    "value": "let a person decide",
    "calibrated": "limit the value itself, or let a person decide",
    "lower": "audit more records, or let a person decide",
    "relative": "bring a holdout or more records, or let a person decide",
}


def _written(value: float | None) -> str:
    """Write a number with four decimals, and one that is smaller so that it is not taken for nothing."""
    if value is None:
        return "-"
    if 0 < abs(value) < _LEAST_WRITTEN:
        return "<0.0001" if value > 0 else ">-0.0001"
    return f"{value:.4f}"


def _words(name: str, result: MetricResult, scale: Scale, number: float) -> str:
    """Say what was read."""
    plain = f"{name} is {_written(result.value)}"
    match scale:
        case "calibrated":
            return f"{plain}, which is {_written(number)} on a scale from identical (0) to unrelated files (1)"
        case "lower":
            return f"{plain}, and its 95 % interval reaches to {_written(number)}"
        case "relative":
            baseline = result.baseline
            beside = f", {_written(baseline.value)} ({shown(baseline.what, 200)})" if baseline else ""
            return f"{plain}, which is {_written(number)} times its baseline{beside}"
        case _:
            return plain


def _fix(limit: Limit, card: MetricCard, result: MetricResult, *, worse: bool) -> str:
    """Say what would help, and at which attribute to begin."""
    if not worse:
        return "choose a release within the limit, or another limit"
    weakest, key = result.details.get("least_protected"), result.details.get("worst_key")
    if card.measures == "utility":
        first = "distort less"
    elif weakest:
        first = f"protect {shown(str(weakest))} more, the attribute that gives most away"
    elif key:
        first = f"protect {shown(str(key))} more: sorted by it, the two files line up best"
    else:
        first = "protect more"
    number = limit.metric if limit.on == "value" else f"{limit.metric} ({limit.on})"
    return f"{first}; for a candidate that an anonymizer makes, `permaudit tune` finds the parameter at which {number} is {limit.words}"
