"""No released column may escape the audit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from permaudit import RuleCard, hookimpl, shown
from permaudit_plugins.rules._base import BuiltInRule, listed

if TYPE_CHECKING:
    from permaudit import Case, Finding

permaudit_api = 1


class NoUnauditedColumns(BuiltInRule):
    """Fail when the release has a column that is neither audited nor left out with a reason, or that no metric can see.

    What is left out and tells of the original, and what else the file holds, is for a person to judge.
    """

    card: ClassVar[RuleCard] = RuleCard(
        id="no-unaudited-columns",
        title="Everything in the release was looked at",
        why="What nobody looked at can disclose everything: a column, or whatever else is in the released file.",
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
        if case.carried or case.beside or case.unread:
            return self._for_a_person(case)
        return self.finding("pass", "every released column is audited, or left out for a stated reason")

    def _for_a_person(self, case: Case) -> Finding:
        """Name what is left out and not without a trace of the original, and what else is in the file."""
        messages, fixes = [], []
        if case.carried:
            said = "; ".join(f"{shown(name)} {what}" for name, what in case.carried.items())
            messages.append(f"left out of the audit, but not without a trace of the original: {said}")
            fixes.append("audit these columns too, remove them, or let a person confirm that everybody may know them")
        if case.beside:
            said = "; ".join(f"{shown(name)} {what}" for name, what in case.beside.items())
            messages.append(f"more in audited columns than metrics see: {said}")
            fixes.append(
                "write each value of a column in one way and categories that the original has, or let a person look at what "
                "the differences say"
            )
        if case.unread:
            messages.append(f"in the released file, and not audited: {listed(list(case.unread))}")
            fixes.append(
                "write the audited columns alone to a new file and audit that, or let a person look at the rest"
            )
        columns = [*case.carried, *case.beside]
        evidence = {"columns": columns, "unread": list(case.unread)}
        return self.finding("review", "; ".join(messages), "; ".join(fixes), evidence, columns)


@hookimpl
def permaudit_rules() -> list[NoUnauditedColumns]:
    """Provide the rule."""
    return [NoUnauditedColumns()]
