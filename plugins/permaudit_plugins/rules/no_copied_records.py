"""An unlinked release must not hold copies of original records."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING, Any, ClassVar

from permaudit import RuleCard, hookimpl
from permaudit_plugins.rules._base import BuiltInRule

if TYPE_CHECKING:
    from permaudit import Case, Finding

_SPARE, _DEVIATIONS = 3, 3
"""Chance may exceed its expectation by so many records and so many standard deviations."""


class NoCopiedRecords(BuiltInRule):
    """Fail when more released records equal an original one than chance explains."""

    card: ClassVar[RuleCard] = RuleCard(
        id="no-copied-records",
        title="No copied records",
        why="A synthesizer that copies records releases people, not statistics; CM3 does not see it while only a part of "
        "the records is copied.",
        always_on=True,
    )

    def metrics(self, params: Any, *, linked: bool) -> tuple[str, ...]:  # noqa: ARG002
        """Need the copy detector for an unlinked release."""
        return () if linked else ("COPIES",)

    def judge(self, params: Any, case: Case) -> Finding:  # noqa: ARG002
        """Compare the number of copies with what chance would give."""
        if case.linked:
            return self.finding("not-applicable", "the records of this release are linked: CM1 and CM2 see copies")
        result = case.metrics["COPIES"]
        if result.status != "ok":
            return self.finding("review", f"copies could not be counted: {result.reason}", "let a person decide")
        details = result.details
        copied, size = details["copied_records"], details["released_records"]
        chance = size * details["baseline"]
        evidence = {"copied": copied, "expected_by_chance": chance, "of": size}
        if copied <= chance + _DEVIATIONS * sqrt(chance) + _SPARE:
            message = f"{copied} of {size} released records equal an original one, no more than chance explains"
            return self.finding("pass", message, evidence=evidence)
        message = f"{copied} of {size} released records equal an original one; chance would give about {chance:.0f}"
        fix = "repair the synthesizer (it reproduces its input), or remove the copies and audit again"
        return self.finding("fail", message, fix, evidence)


@hookimpl
def permaudit_rules() -> list[NoCopiedRecords]:
    """Provide the rule."""
    return [NoCopiedRecords()]
