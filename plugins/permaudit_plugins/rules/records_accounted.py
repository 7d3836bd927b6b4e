"""Every released record must be accounted for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from permaudit import RuleCard, hookimpl
from permaudit_plugins.rules._base import BuiltInRule

if TYPE_CHECKING:
    from permaudit import Case, Finding


class RecordsAccounted(BuiltInRule):
    """Fail when a record of a linked release did not enter the comparison."""

    card: ClassVar[RuleCard] = RuleCard(
        id="records-accounted",
        title="Every released record was compared",
        why="A released record that entered no metric may be a bare one.",
        always_on=True,
    )

    def judge(self, params: Any, case: Case) -> Finding:  # noqa: ARG002
        """Compare the numbers of records."""
        records = case.records
        evidence = {"original": records.original, "released": records.released, "compared": records.compared}
        if not case.linked:
            return self.finding("pass", "an unlinked release has no mapping to account for", evidence=evidence)
        if records.released != records.compared:
            loose = records.released - records.compared
            return self.finding(
                "fail", f"{loose} released records were not compared", "map every record", evidence=evidence
            )
        return self.finding("pass", f"all {records.released} released records were compared", evidence=evidence)


@hookimpl
def permaudit_rules() -> list[RecordsAccounted]:
    """Provide the rule."""
    return [RecordsAccounted()]
