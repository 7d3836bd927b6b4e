"""Whole records in another order are no protection."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from permaudit import RuleCard, hookimpl
from permaudit_plugins.rules._base import BuiltInRule

if TYPE_CHECKING:
    from permaudit import Case, Finding

permaudit_api = 1


class NoTrivialPermutation(BuiltInRule):
    """Fail when the release holds the original records, at most in another order."""

    card: ClassVar[RuleCard] = RuleCard(
        id="no-trivial-permutation",
        title="No verbatim or merely reordered records",
        why="A person's whole record is in the release. Anyone who knows part of it can find the rest.",
        always_on=True,
    )

    def metrics(self, params: Any, *, linked: bool) -> tuple[str, ...]:  # noqa: ARG002
        """Need CM3, which looks for it; where records are not linked, also MIRROR, since CM2 cannot see reversed records."""
        return ("CM3",) if linked else ("CM3", "MIRROR")

    def judge(self, params: Any, case: Case) -> Finding:  # noqa: ARG002
        """Read what CM3 found."""
        result = case.metrics["CM3"]
        evidence = {"CM3": result.value, "trivial_permutation": result.details.get("trivial_permutation")}
        if result.status != "ok":
            reason = f"reordered records cannot be told from protected ones: {result.reason}"
            return self.finding("review", reason, "let a person decide, or audit a second attribute", evidence)
        if result.details["trivial_permutation"] is not False:
            message = "the release holds exactly the original records, with the same ranks in every attribute"
            fix = "anonymize the attributes themselves, not the order of the records"
            return self.finding("fail", message, fix, evidence)
        if not case.linked:
            turned = case.metrics["MIRROR"].details.get("mirrored_permutation")
            evidence["mirrored_permutation"] = turned
            if turned is not False:
                message = "the release holds exactly the original records, with some attributes turned upside down"
                fix = "anonymize the attributes themselves: a change of sign is no protection"
                return self.finding("fail", message, fix, evidence)
        return self.finding("pass", "the released records are not the original ones reordered", evidence=evidence)


@hookimpl
def permaudit_rules() -> list[NoTrivialPermutation]:
    """Provide the rule."""
    return [NoTrivialPermutation()]
