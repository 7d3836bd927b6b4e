"""A release must not hold copies of original records beyond chance."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING, Any, ClassVar

from permaudit import RuleCard, hookimpl
from permaudit_plugins.rules._base import BuiltInRule

if TYPE_CHECKING:
    from permaudit import Case, Finding

permaudit_api = 1

_SPARE, _DEVIATIONS = 3, 3
"""Chance may exceed its expectation by so many records and so many standard deviations."""


class NoCopiedRecords(BuiltInRule):
    """Fail when more released records equal an original one than chance explains; where records are linked, ask a person."""

    card: ClassVar[RuleCard] = RuleCard(
        id="no-copied-records",
        title="No copied records",
        why="A record that is released as it was is not protected at all; CM1, CM2 and CM3 do not see it while only a part of "
        "the records is copied.",
        always_on=True,
    )

    def metrics(self, params: Any, *, linked: bool) -> tuple[str, ...]:  # noqa: ARG002
        """Need the copy detector."""
        return ("COPIES",)

    def judge(self, params: Any, case: Case) -> Finding:  # noqa: ARG002
        """Compare the number of copies with what chance would give."""
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
        if case.linked:
            # Some masking methods leave part of the records as they are by design: a person must say whether that is right.
            return self.finding("review", message, "mask these records too, or let a person decide", evidence)
        fix = "repair the synthesizer (it reproduces its input), or remove the copies and audit again"
        return self.finding("fail", message, fix, evidence)


@hookimpl
def permaudit_rules() -> list[NoCopiedRecords]:
    """Provide the rule."""
    return [NoCopiedRecords()]
