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
        if result.status != "ok":
            reason = f"reordered records cannot be told from protected ones: {result.reason}"
            return self.finding("review", reason, "let a person decide, or audit a second attribute")
        if result.details["trivial_permutation"] is not False:
            message = "the release holds exactly the original records, with the same ranks in every attribute"
            return self.finding("fail", message, "anonymize the attributes themselves, not the order of the records")
        if not case.linked and case.metrics["MIRROR"].details.get("mirrored_permutation") is not False:
            message = "the release holds exactly the original records, with some attributes turned upside down"
            return self.finding(
                "fail", message, "anonymize the attributes themselves: a change of sign is no protection"
            )
        return self.finding("pass", "the released records are not the original ones reordered")


@hookimpl
def permaudit_rules() -> list[NoTrivialPermutation]:
    """Provide the rule."""
    return [NoTrivialPermutation()]
