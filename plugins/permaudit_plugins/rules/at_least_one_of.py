"""One of several limits must hold."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar

from pydantic import Field

from permaudit import Parameters, RuleCard, hookimpl
from permaudit_plugins.rules._base import BuiltInRule
from permaudit_plugins.rules._limit import Limit, read  # noqa: TC001 - pydantic needs it

if TYPE_CHECKING:
    from permaudit import Case, Finding
    from permaudit_plugins.rules._limit import Reading

permaudit_api = 1


class Alternatives(Parameters, defer_build=True):
    """Parameters: the limits of which one must hold."""

    of: Annotated[list[Limit], Field(min_length=2)] = Field(
        description="limits as those of the rule threshold; one of them must hold"
    )


class AtLeastOneOf(BuiltInRule):
    """Pass when one limit holds on a metric that counts for this kind of release."""

    card: ClassVar[RuleCard] = RuleCard(
        id="at-least-one-of",
        title="At least one of several limits",
        why="Different numbers can show that a release is protected enough; the controller decided that one of these is "
        "sufficient.",
    )
    parameters: ClassVar[type[Alternatives]] = Alternatives

    def metrics(self, params: Alternatives, *, linked: bool) -> tuple[str, ...]:  # noqa: ARG002
        """Need every metric: one that is broken is no reason to look at the others only."""
        return tuple(dict.fromkeys(limit.metric for limit in params.of))

    def limits(self, params: Alternatives) -> tuple[str, ...]:
        """Limit every metric."""
        return self.metrics(params, linked=True)

    def judge(self, params: Alternatives, case: Case) -> Finding:
        """Look for a limit that holds.

        Where records are linked and some of the metrics look at the links, one of these must hold: what does not look at
        them cannot make up for them.
        """
        readings = [(read(limit, case), case.cards[limit.metric].needs.linkage) for limit in params.of]
        evidence = {"of": [{"outcome": found.outcome, **found.evidence} for found, _ in readings]}
        holding = [(found, sees) for found, sees in readings if found.outcome == "pass"]
        sees_links = case.linked and any(sees for _, sees in readings)
        decisive = [found for found, sees in holding if sees or not sees_links]
        if decisive:
            return self.finding("pass", decisive[0].message, evidence=evidence)
        if holding:
            message = f"{holding[0][0].message}; but that does not look at the links which this release has"
            return self.finding("review", message, _fixes([found for found, _ in readings]), evidence)
        outcomes = {found.outcome for found, _ in readings}
        said = "; ".join(found.message for found, _ in readings)
        if outcomes == {"not-applicable"}:
            return self.finding("not-applicable", said, evidence=evidence)
        fix = _fixes([found for found, _ in readings])
        if "review" in outcomes:
            return self.finding("review", f"no limit holds, and not all could be judged: {said}", fix, evidence)
        return self.finding("fail", f"none of {len(readings)} limits holds: {said}", fix, evidence)


def _fixes(readings: list[Reading]) -> str:
    """Say what would help, one way for each limit that does not hold."""
    return "; or: ".join(dict.fromkeys(found.fix for found in readings if found.fix))


@hookimpl
def permaudit_rules() -> list[AtLeastOneOf]:
    """Provide the rule."""
    return [AtLeastOneOf()]
