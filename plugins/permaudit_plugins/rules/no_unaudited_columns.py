"""No released column may escape the audit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from permaudit import RuleCard, hookimpl, shown
from permaudit_plugins.rules._base import BuiltInRule, listed

if TYPE_CHECKING:
    from permaudit import Case, Finding

permaudit_api = 1


class NoUnauditedColumns(BuiltInRule):
    """Fail when the release has a column that is neither audited nor left out with a reason, or that no metric can see."""

    card: ClassVar[RuleCard] = RuleCard(
        id="no-unaudited-columns",
        title="Every released column was looked at",
        why="A column that nobody looked at can disclose everything.",
        always_on=True,
    )

    def judge(self, params: Any, case: Case) -> Finding:  # noqa: ARG002
        """Name the columns that nobody declared."""
        declared = {*case.declared_attributes, *case.identifiers, *case.not_audited}
        loose = [name for name in case.released_columns if name not in declared]
        if loose:
            names = listed([shown(name) for name in loose])
            fix = f"audit {names} under attributes, list with a reason under not-audited, or remove from the release"
            return self.finding("fail", f"released but not audited: {names}", fix, {"columns": loose}, loose)
        if case.unseen:
            said = "; ".join(f"{shown(name)} {how}" for name, how in case.unseen.items())
            fix = (
                "declare a type that tells the values apart, list them with a reason under not-audited, or remove them"
            )
            message = f"released, and seen by no metric: {said}"
            return self.finding("fail", message, fix, {"columns": list(case.unseen)}, list(case.unseen))
        if case.carried:
            said = "; ".join(f"{shown(name)} {what}" for name, what in case.carried.items())
            message = f"left out of the audit, but not without a trace of the original: {said}"
            fix = "audit these columns too, remove them, or let a person confirm that everybody may know them"
            return self.finding("review", message, fix, {"columns": list(case.carried)}, list(case.carried))
        return self.finding("pass", "every released column is audited, or left out for a stated reason")


@hookimpl
def permaudit_rules() -> list[NoUnauditedColumns]:
    """Provide the rule."""
    return [NoUnauditedColumns()]
