"""Every released record must be accounted for."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any, ClassVar

from permaudit import RuleCard, hookimpl
from permaudit_plugins.rules._base import BuiltInRule

if TYPE_CHECKING:
    from permaudit import Case, Finding

permaudit_api = 1


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
        evidence = asdict(records)
        if not case.linked:
            return self.finding("pass", "an unlinked release has no mapping to account for", evidence=evidence)
        if records.added:
            message = f"{records.added} released records have no original one"
            return self.finding("fail", message, "remove them, or correct the key or the map", evidence)
        loose = records.released - records.compared - records.dropped
        if loose:
            return self.finding("fail", f"{loose} released records were not compared", "map every record", evidence)
        parts = [f"{records.compared} of {records.released} released records were compared"]
        if records.dropped:
            parts.append(f"{records.dropped} were left out for a missing value, and bounded")
        if records.suppressed:
            parts.append(f"{records.suppressed} original records were suppressed")
        return self.finding("pass", "; ".join(parts), evidence=evidence)


@hookimpl
def permaudit_rules() -> list[RecordsAccounted]:
    """Provide the rule."""
    return [RecordsAccounted()]
