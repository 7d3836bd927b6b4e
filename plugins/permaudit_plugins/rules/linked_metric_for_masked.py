"""A linked release must be judged by CM1 or CM2."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from permaudit import RuleCard, hookimpl, shown
from permaudit_plugins.rules._base import BuiltInRule, listed

if TYPE_CHECKING:
    from permaudit import Case, Finding

permaudit_api = 1

_LINKED = ("CM1", "CM2")
_BLIND_TO_LINKS = frozenset({"CM3", "MIRROR", "COPIES", "UM"})


class LinkedMetricForMasked(BuiltInRule):
    """Demand a valid CM1 or CM2 wherever records are linked, and that no link is perfect."""

    card: ClassVar[RuleCard] = RuleCard(
        id="linked-metric-for-masked",
        title="Linked data are judged by CM1 or CM2",
        why="Where each released record belongs to an original one, how much each record's order changed is the protection "
        "that counts; only CM1 and CM2 look at it.",
        always_on=True,
    )

    def metrics(self, params: Any, *, linked: bool) -> tuple[str, ...]:  # noqa: ARG002
        """Need CM1 and CM2 for a linked release."""
        return _LINKED if linked else ()

    def judge(self, params: Any, case: Case) -> Finding:  # noqa: ARG002
        """Look for a valid value of either, and for an order that a release keeps in disguise.

        Attributes that keep their own ranks are the business of another rule. What is left are reversed columns, columns
        under another name, and mixtures: no limit on CM3 or on utility would see them.
        """
        if not case.linked:
            return self.finding("not-applicable", "the records of this release are not linked")
        valid = [name for name in _LINKED if case.metrics[name].status == "ok"]
        evidence: dict[str, Any] = {name: case.metrics[name].value for name in _LINKED}
        if not valid:
            reason = case.metrics["CM2"].reason
            return self.finding(
                "fail", f"neither CM1 nor CM2 is valid here: {reason}", "audit an attribute that varies", evidence
            )
        strongest = case.metrics["CM1"]
        if "CM1" in valid and not case.unchanged and min(strongest.replicates) == 0:
            name = shown(str(strongest.details.get("least_protected", "an attribute")))
            message = f"CM1 is 0: the original order of {name}, or of a mixture with it, can be told from the release"
            return self.finding(
                "fail", message, "look for reversed, renamed or recombined columns, and mask them", evidence
            )
        if case.limited and case.limited <= _BLIND_TO_LINKS:
            verb = "is" if len(case.limited) == 1 else "are"
            message = f"only {listed(sorted(case.limited))} {verb} limited, and no link between records shows there"
            fix = "add a rule such as {rule: threshold, metric: CM2, min: 0.05, when: {kind: masked}}"
            return self.finding("review", message, fix, evidence | {"limited": sorted(case.limited)})
        return self.finding(
            "pass", f"{' and '.join(valid)} {'is' if len(valid) == 1 else 'are'} valid", evidence=evidence
        )


@hookimpl
def permaudit_rules() -> list[LinkedMetricForMasked]:
    """Provide the rule."""
    return [LinkedMetricForMasked()]
