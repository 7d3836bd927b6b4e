"""No attribute may keep every record's rank."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from permaudit import RuleCard, hookimpl, shown
from permaudit_plugins.rules._base import BuiltInRule, listed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from permaudit import Case, Finding
    from permaudit.outcome import RuleOutcome

permaudit_api = 1

_NEARLY_ALL = 0.9
"""Categories that tell so much of the original's are as good as unchanged."""


class NoUnprotectedAttribute(BuiltInRule):
    """Fail when an attribute of a linked release is in its original rank order."""

    card: ClassVar[RuleCard] = RuleCard(
        id="no-unprotected-attribute",
        title="No attribute in its original order",
        why="An attribute whose ranks or categories are unchanged links every released record to its original, however well "
        "the others are protected.",
        always_on=True,
    )

    def judge(self, params: Any, case: Case) -> Finding:  # noqa: ARG002
        """Name the attributes that keep their ranks."""
        if not case.linked:
            return self.finding("not-applicable", "the records of this release are not linked")
        bare = [name for name in case.unchanged if case.scope is None or name in case.scope]
        if bare:
            names = listed([shown(name) for name in bare])
            verb = "keeps its rank order" if len(bare) == 1 else "keep their rank order"
            fix = f"mask {names}, or list what is public anyway under not-audited"
            return self.finding("fail", f"{names} {verb}", fix, {"attributes": bare}, bare)
        kept = {name: share for name, share in case.kept.items() if case.scope is None or name in case.scope}
        if kept:
            return self._kept(kept)
        jointly = {name: other for name, other in case.jointly.items() if case.scope is None or name in case.scope}
        if jointly:
            return self._jointly(jointly)
        which = "attribute" if case.scope is None else "attribute that must be protected"
        return self.finding("pass", f"every {which} changes the rank of some records")

    def _kept(self, kept: Mapping[str, float]) -> Finding:
        """Name the attributes whose categories are there though their ranks are not."""
        told = [f"{shown(name)} tells {share:.0%} of the original's own categories" for name, share in kept.items()]
        message = f"categories rank alike, and no metric sees that they are kept: {'; '.join(told)}"
        fix = f"mask {listed([shown(name) for name in kept])}, or list what is public anyway under not-audited"
        outcome: RuleOutcome = "fail" if max(kept.values()) > _NEARLY_ALL else "review"
        return self.finding(outcome, message, fix, {"categories_told": dict(kept)}, list(kept))

    def _jointly(self, jointly: Mapping[str, str]) -> Finding:
        """Name the attributes that come back where two candidates are put together."""
        others = listed([f"'{shown(name)}'" for name in dict.fromkeys(jointly.values())])
        names = listed([shown(name) for name in jointly])
        message = f"this candidate and {others} together give {names} back: what one adds the other takes away"
        fix = f"draw the noise of every release independently; never release this candidate and {others} both"
        return self.finding("review", message, fix, {"with": dict(jointly)}, list(jointly))


@hookimpl
def permaudit_rules() -> list[NoUnprotectedAttribute]:
    """Provide the rule."""
    return [NoUnprotectedAttribute()]
