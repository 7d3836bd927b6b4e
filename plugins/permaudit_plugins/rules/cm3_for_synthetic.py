"""An unlinked release must be judged by CM3."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from permaudit import RuleCard, hookimpl
from permaudit_plugins.rules._base import BuiltInRule

if TYPE_CHECKING:
    from permaudit import Case, Finding

permaudit_api = 1


class Cm3ForSynthetic(BuiltInRule):
    """Demand a valid CM3 and a threshold on it wherever no record can be linked."""

    card: ClassVar[RuleCard] = RuleCard(
        id="cm3-for-synthetic",
        title="Unlinked data are judged by CM3",
        why="Without a mapping of records CM1 and CM2 compare rows that have nothing to do with each other: they look "
        "safe whatever was released.",
        always_on=True,
    )

    def metrics(self, params: Any, *, linked: bool) -> tuple[str, ...]:  # noqa: ARG002
        """Need CM3 for an unlinked release."""
        return () if linked else ("CM3",)

    def judge(self, params: Any, case: Case) -> Finding:  # noqa: ARG002
        """Look for a valid CM3 with a limit on it."""
        if case.linked:
            return self.finding("not-applicable", "the records of this release are linked")
        result = case.metrics["CM3"]
        evidence = {"value": result.value, "limited": sorted(case.limited)}
        if result.status != "ok":
            fix = "release at least two attributes that vary, or have the linkage declared"
            return self.finding("fail", f"CM3 is not valid here: {result.reason}", fix, evidence)
        if "CM3" not in case.limited:
            fix = (
                "add a rule such as {rule: threshold, metric: CM3, min: 0.3, when: {kind: "
                + case.kind
                + "}}; under a policy, to the policy"
            )
            return self.finding(
                "fail", "no rule that decides sets a limit on CM3 for this unlinked release", fix, evidence
            )
        return self.finding("pass", "CM3 is valid and has a limit", evidence=evidence)


@hookimpl
def permaudit_rules() -> list[Cm3ForSynthetic]:
    """Provide the rule."""
    return [Cm3ForSynthetic()]
