"""What is declared missing must not be a value."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from permaudit import RuleCard, hookimpl, shown
from permaudit_plugins.rules._base import BuiltInRule, listed

if TYPE_CHECKING:
    from permaudit import Case, Finding

permaudit_api = 1


class DeclaredMissing(BuiltInRule):
    """Ask a person where cells that the audit file declares missing could be values."""

    card: ClassVar[RuleCard] = RuleCard(
        id="declared-missing",
        title="What is declared missing is no value",
        why="The release goes out as it is written: who receives it reads the cells that this audit was told not to read.",
        always_on=True,
    )

    def judge(self, params: Any, case: Case) -> Finding:  # noqa: ARG002
        """Name the attributes whose missing cells may be values."""
        doubtful = {name: why for name, why in case.blanked.items() if case.scope is None or name in case.scope}
        if not doubtful:
            return self.finding("pass", "no cell that is declared missing could be read as a value")
        said = "; ".join(f"{shown(name)}: {why}" for name, why in doubtful.items())
        fix = (
            f"write missing values of {listed([shown(name) for name in doubtful])} as empty cells, or with a few words that are "
            "no values and the same in both files, and declare nothing else missing"
        )
        return self.finding("review", said, fix, {"attributes": list(doubtful)}, list(doubtful))


@hookimpl
def permaudit_rules() -> list[DeclaredMissing]:
    """Provide the rule."""
    return [DeclaredMissing()]
