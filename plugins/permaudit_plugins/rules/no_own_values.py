"""No cell may give away the own value of the person it is about, whatever its rank."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from permaudit import RuleCard, hookimpl, shown
from permaudit_plugins.rules._base import BuiltInRule, listed

if TYPE_CHECKING:
    from permaudit import Case, Finding
    from permaudit.model import OwnValues
    from permaudit.outcome import RuleOutcome

permaudit_api = 1

_SPARE = 3
"""Chance may exceed its expectation by so many records, besides what its deviation allows."""
_DEVIATIONS = 5
"""By so many standard deviations chance may exceed its expectation: every attribute is read in several ways."""
_ALIKE = 0.25
"""By this share of what is left to chance, too: people who share a cell are more alike than others inside it."""


class NoOwnValues(BuiltInRule):
    """Object where ends, members or centres of released cells are people's own values more often than by chance."""

    card: ClassVar[RuleCard] = RuleCard(
        id="no-own-values",
        title="No own value in a range, a set or among gaps",
        why="An interval or a set ranks by its middle, and a gap has no value: what it names beside that, such as the own value "
        "at one end, everybody can read and no rank metric sees.",
        always_on=True,
    )

    def judge(self, params: Any, case: Case) -> Finding:  # noqa: ARG002
        """Compare how often each reading is right with what chance would give."""
        looked = [one for one in case.own_values if case.scope is None or not case.scope.isdisjoint(one.attributes)]
        found = [one for one in looked if _is_too_often(one)]
        if not looked:
            return self.finding("pass", "no released cell is a range, a set or a gap beside values")
        if not found:
            return self.finding(
                "pass", "ranges, sets and what stands beside gaps name own values no more often than chance does"
            )
        names = list(dict.fromkeys(name for one in found for name in one.attributes))
        fix = (
            f"give {listed([shown(name) for name in names])} ranges or sets that several people share and that do not depend "
            "on the value of one, or remove the attribute"
        )
        evidence = {"readings": {f"{listed(list(one.attributes))}: {one.what}": _evidence(one) for one in found}}
        # Linked, a person may know why it is so; what a synthesizer reproduces is a copy.
        outcome: RuleOutcome = "review" if case.linked else "fail"
        return self.finding(outcome, "; ".join(map(_told, _clearest(found))), fix, evidence, names)


def _clearest(found: list[OwnValues]) -> list[OwnValues]:
    """Return for each attribute, or several together, the reading that is right most often beyond chance."""
    best: dict[tuple[str, ...], OwnValues] = {}
    for one in sorted(found, key=lambda one: one.found - one.expected):
        best[one.attributes] = one
    return list(best.values())


def _is_too_often(one: OwnValues) -> bool:
    """Tell whether a reading is right more often than chance explains."""
    by_chance = min(one.expected, one.spread**2)  # the rest of what is expected is certain
    return one.found > one.expected + _ALIKE * by_chance + _DEVIATIONS * one.spread + _SPARE


def _told(one: OwnValues) -> str:
    """Say what was found."""
    names = listed([shown(name) for name in one.attributes])
    chance = f"chance would give about {one.expected:.0f}"
    return f"{names}: {one.what} in {one.found} of {one.of} records; {chance}"


def _evidence(one: OwnValues) -> dict[str, Any]:
    """Write a reading as plain numbers."""
    return {
        "found": one.found,
        "of": one.of,
        "expected": one.expected,
        "spread": one.spread,
    }


@hookimpl
def permaudit_rules() -> list[NoOwnValues]:
    """Provide the rule."""
    return [NoOwnValues()]
