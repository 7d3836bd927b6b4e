"""A release must be close to files that have nothing to do with the original."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import Field

from permaudit import Parameters, RuleCard, hookimpl, shown
from permaudit_plugins.rules._base import BuiltInRule

if TYPE_CHECKING:
    from permaudit import Case, Finding
    from permaudit_plugins.rules._limit import Scale

permaudit_api = 1


class Distance(Parameters, defer_build=True):
    """Parameters: how far on the way from identical to unrelated files a release must be."""

    metric: str = Field(description="the id of a metric that has a null level, such as CM2")
    min: float = Field(
        gt=0, le=1, description="the least part of the way from identical (0) to unrelated files (1) that passes"
    )
    p_value: float | None = Field(
        default=None,
        alias="p-value",
        ge=0.001,
        le=0.5,
        description="demand also that links as strong as these have at least this probability among unrelated files",
    )

    @property
    def on(self) -> Scale:
        """Say which number `min` limits."""
        return "calibrated"


class DistanceToNull(BuiltInRule):
    """Pass when the calibrated value is large enough and, where asked for, a test cannot tell the files from unrelated ones.

    The test alone would not do: of few records it can never tell anything.
    """

    card: ClassVar[RuleCard] = RuleCard(
        id="distance-to-null",
        title="Close to unrelated files",
        why="A bare value says little: with many attributes and few records even files of different people read low. What "
        "counts is how far the release is on the way from a verbatim copy to a file that has nothing to do with the original.",
    )
    parameters: ClassVar[type[Distance]] = Distance

    def metrics(self, params: Distance, *, linked: bool) -> tuple[str, ...]:  # noqa: ARG002
        """Need the metric."""
        return (params.metric,)

    def limits(self, params: Distance) -> tuple[str, ...]:
        """Limit the metric."""
        return (params.metric,)

    def judge(self, params: Distance, case: Case) -> Finding:
        """Compare the distance, and the probability, with what is demanded; only a valid metric can pass."""
        name, result = params.metric, case.metrics[params.metric]
        evidence: dict[str, Any] = {
            "metric": name,
            "value": result.value,
            "null": result.null,
            "calibrated": result.calibrated,
            "min": params.min,
        }
        if result.status == "advisory":
            return self.finding("not-applicable", f"{name} does not decide here: {result.reason}", evidence=evidence)
        if result.status != "ok" or result.value is None:
            return self.finding("review", f"{name} could not be judged: {result.reason}", _PERSON, evidence)
        if result.calibrated is None or result.null is None:
            message = f"{name} could not be judged: nobody knows what unrelated files would read"
            return self.finding("review", message, "choose a metric that has a null level, such as CM2", evidence)
        message = (
            f"{name} is {result.value:.4f}, {result.calibrated:.0%} of the way from a verbatim copy (0) to files that have "
            f"nothing to do with each other ({result.null:.4f}); demanded are {params.min:.0%}"
        )
        holds = result.calibrated >= params.min  # False for NaN, should it ever get here
        if params.p_value is not None:
            chance = result.details.get("p_value")
            if not isinstance(chance, float):
                return self.finding("review", f"{name} has no test that tells links from chance", _PERSON, evidence)
            evidence |= {"p_value": chance, "least_p_value": params.p_value}
            message += (
                f"; of 100 pairs of unrelated files about {100 * chance:.2g} would show links as strong as these; demanded "
                f"are {100 * params.p_value:g}"
            )
            holds = holds and chance >= params.p_value
        if holds:
            return self.finding("pass", message, evidence=evidence)
        weakest = result.details.get("least_protected")
        fix = f"protect {shown(str(weakest))} more, the attribute that gives most away" if weakest else "protect more"
        return self.finding("fail", message, fix, evidence | ({"least_protected": weakest} if weakest else {}))


_PERSON = "let a person decide"


@hookimpl
def permaudit_rules() -> list[DistanceToNull]:
    """Provide the rule."""
    return [DistanceToNull()]
