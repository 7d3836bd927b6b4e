"""A limit on a metric."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from permaudit import RuleCard, hookimpl
from permaudit_plugins.rules._base import BuiltInRule
from permaudit_plugins.rules._limit import Limit, read

if TYPE_CHECKING:
    from permaudit import Case, Finding

permaudit_api = 1


class Threshold(BuiltInRule):
    """Pass when the metric is valid for the release and the chosen number lies within the limits."""

    card: ClassVar[RuleCard] = RuleCard(
        id="threshold",
        title="Limit on a metric",
        why="The limit is what the controller decided to demand of a release.",
    )
    parameters: ClassVar[type[Limit]] = Limit

    def metrics(self, params: Limit, *, linked: bool) -> tuple[str, ...]:  # noqa: ARG002
        """Need the limited metric."""
        return (params.metric,)

    def limits(self, params: Limit) -> tuple[str, ...]:
        """Limit the metric."""
        return (params.metric,)

    def judge(self, params: Limit, case: Case) -> Finding:
        """Compare the number with the limits; only a valid one can pass."""
        found = read(params, case)
        return self.finding(found.outcome, found.message, found.fix, found.evidence)


@hookimpl
def permaudit_rules() -> list[Threshold]:
    """Provide the limit."""
    return [Threshold()]
