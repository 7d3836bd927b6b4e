"""No identifier may be in a release."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from permaudit import RuleCard, hookimpl, shown
from permaudit_plugins.rules._base import BuiltInRule, listed

if TYPE_CHECKING:
    from permaudit import Case, Finding

permaudit_api = 1


class NoIdentifiers(BuiltInRule):
    """Fail when a declared identifier is a column of the release, however it is spelt."""

    card: ClassVar[RuleCard] = RuleCard(
        id="no-identifiers",
        title="No identifiers",
        why="A name or a number that stands for one person makes every other protection pointless.",
        always_on=True,
    )

    def judge(self, params: Any, case: Case) -> Finding:  # noqa: ARG002
        """Name the identifiers that are left."""
        known = {_plain(name) for name in case.identifiers}
        left = [name for name in case.released_columns if _plain(name) in known]
        keys = [name for name in case.key if name in case.released_columns and name not in left]
        names, linking = (listed([shown(name) for name in found]) for found in (left, keys))
        still = f"the linkage key {linking} is still in the release: whoever holds the original can link every record"
        if left:
            message = f"identifiers in the release: {names}" + (f"; {still}" if keys else "")
            return self.finding("fail", message, f"remove {names}", {"columns": left}, [*left, *keys])
        if keys:
            fix = f"remove {linking} before the release, and audit again by row, or with a map that is never released"
            return self.finding("review", still, fix, {"columns": keys}, keys)
        if case.hidden:
            said = "; ".join(f"{shown(name)} {how}" for name, how in case.hidden.items())
            fix = "remove these columns, or let a person confirm that nobody can tell from them who is who"
            message, columns = f"identifiers under another name: {said}", list(case.hidden)
            return self.finding("review", message, fix, {"columns": columns}, columns)
        return self.finding("pass", "no declared identifier is in the release")


def _plain(name: str) -> str:
    """Write a column name without case and blanks."""
    return name.strip().casefold()


@hookimpl
def permaudit_rules() -> list[NoIdentifiers]:
    """Provide the rule."""
    return [NoIdentifiers()]
