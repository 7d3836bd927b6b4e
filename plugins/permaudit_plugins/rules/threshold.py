"""A limit on a metric."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Self

from pydantic import Field, model_validator

from permaudit import Parameters, RuleCard, hookimpl, shown
from permaudit_plugins.rules._base import BuiltInRule

if TYPE_CHECKING:
    from permaudit import Case, Finding


class ThresholdParameters(Parameters):
    """Parameters of a limit: at least one of `min` and `max`."""

    metric: str = Field(description="the id of the metric that is limited")
    min: float | None = Field(default=None, description="the least value that passes")
    max: float | None = Field(default=None, description="the greatest value that passes")

    @model_validator(mode="after")
    def _is_a_limit(self) -> Self:
        if self.min is None and self.max is None:
            raise ValueError("a threshold needs min, max or both")
        if self.min is not None and self.max is not None and self.min > self.max:
            raise ValueError("min is above max: nothing could pass")
        return self


class Threshold(BuiltInRule):
    """Pass when the metric is valid for the release and its value lies within the limits."""

    card: ClassVar[RuleCard] = RuleCard(
        id="threshold",
        title="Limit on a metric",
        why="The limit is what the controller decided to demand of a release.",
    )
    parameters: ClassVar[type[ThresholdParameters]] = ThresholdParameters

    def metrics(self, params: ThresholdParameters, *, linked: bool) -> tuple[str, ...]:  # noqa: ARG002
        """Need the limited metric."""
        return (params.metric,)

    def limits(self, params: ThresholdParameters) -> tuple[str, ...]:
        """Limit the metric."""
        return (params.metric,)

    def judge(self, params: ThresholdParameters, case: Case) -> Finding:
        """Compare the value with the limits; only a valid value can pass."""
        name, result = params.metric, case.metrics[params.metric]
        evidence = {"metric": name, "value": result.value, "min": params.min, "max": params.max}
        if result.status == "advisory":
            return self.finding("not-applicable", f"{name} does not decide here: {result.reason}", evidence=evidence)
        if result.status == "not-applicable" or result.value is None:
            return self.finding(
                "review", f"{name} could not be judged: {result.reason}", "let a person decide", evidence=evidence
            )
        value = result.value
        # Written so that NaN, should it ever get here, fails.
        above = params.min is None or value >= params.min
        below = params.max is None or value <= params.max
        if above and below:
            return self.finding("pass", f"{name} is {value:.4f}, as demanded: {_limits(params)}", evidence=evidence)
        weakest = result.details.get("least_protected")
        first = f"protect {shown(str(weakest))} more, the attribute that gives most away" if weakest else "protect more"
        fix = f"{first}; `permaudit tune` finds the parameter at which {name} is {_limits(params)}"
        return self.finding("fail", f"{name} is {value:.4f}, not {_limits(params)}", fix, evidence=evidence)


def _limits(params: ThresholdParameters) -> str:
    """Write the limits in words."""
    if params.max is None:
        return f"at least {params.min:g}"
    if params.min is None:
        return f"at most {params.max:g}"
    return f"between {params.min:g} and {params.max:g}"


@hookimpl
def permaudit_rules() -> list[Threshold]:
    """Provide the limit."""
    return [Threshold()]
