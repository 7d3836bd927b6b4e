"""The declared linkage must fit the data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from permaudit import RuleCard, hookimpl
from permaudit.permutation import links_beyond_chance
from permaudit_plugins.rules._base import BuiltInRule

if TYPE_CHECKING:
    from permaudit import Case, Finding, MetricResult

permaudit_api = 1

_FAR = 6
"""So many standard deviations are no chance any more."""


class DeclaredLinkage(BuiltInRule):
    """Hold the declared linkage against what the rows show: links beyond chance, or none where there should be some."""

    card: ClassVar[RuleCard] = RuleCard(
        id="declared-linkage",
        title="The declared linkage fits the data",
        why="The linkage decides which metrics count. A linked file that is declared as unlinked escapes CM1 and CM2; a file "
        "whose rows were shuffled looks perfectly protected to them.",
        always_on=True,
    )

    def metrics(self, params: Any, *, linked: bool) -> tuple[str, ...]:  # noqa: ARG002
        """Need the metrics with and without linkage."""
        return ("CM2", "CM3")

    def judge(self, params: Any, case: Case) -> Finding:  # noqa: ARG002, PLR0911 - each answer where it is known
        """Ask whether rows correspond where they should not, or do not where they should."""
        by_row, by_key = case.metrics["CM2"], case.metrics["CM3"]
        if by_row.value is None:
            return self.finding("not-applicable", "there is nothing to hold it against")
        rows_agree = _excess(by_row, case.records.compared)
        evidence = {"CM2": by_row.value, "CM3": by_key.value, "excess_by_row": rows_agree}
        if not case.linked:
            if rows_agree > _FAR and case.records.original == case.records.released:
                message = "declared as unlinked, but row i of the release goes with row i of the original"
                fix = "declare it as kind: masked, linkage: row; or shuffle the rows if they were drawn independently"
                return self.finding("fail", message, fix, evidence)
            if case.order is not None:
                message = (
                    "declared as unlinked, but the records stand in the order of the original, moved or from the end"
                )
                fix = "shuffle the rows if they were drawn independently; declare it as kind: masked if they were not"
                return self.finding("review", message, fix, evidence)
            return self.finding("pass", "the rows of the two files do not correspond, as declared", evidence=evidence)
        if case.linkage == "row" and case.order in {"shifted", "reversed"}:
            message = "declared as linked by row, but the rows are moved against those of the original, or reversed"
            fix = "bring the rows into the same order and audit again"
            return self.finding("review", message, fix, evidence)
        if case.by_map and (doubt := _doubted_map(case, rows_agree)) is not None:
            fix = (
                "let the map name the original of each released record, in the order of the release; say linkage: none, with a "
                "limit on CM3, if no link is left"
            )
            return self.finding("review", doubt, fix, evidence)
        if rows_agree <= _FAR and by_key.value is not None and _structure_is_kept(by_key, case.records.compared):
            message = "declared as linked, but no row goes with its original, while the structure of the data is kept"
            fix = "check that the rows are in the same order (or the key or the map is right); say linkage: none if they are not"
            return self.finding("review", message, fix, evidence)
        if case.displaced is not None and case.displaced.found:
            message = (
                "declared as linked, but a part of the records goes with other originals than those they are linked to"
            )
            fix = "check that no row was lost, added or moved in a part of either file, and that the key or the map is right there"
            evidence |= {"stretches_elsewhere": case.displaced.found, "stretches": case.displaced.of}
            return self.finding("review", message, fix, evidence)
        return self.finding("pass", "the linkage is plausible", evidence=evidence)


def _doubted_map(case: Case, rows_agree: float) -> str | None:
    """Say why a map may be wrong: it is nothing that is released, so that only the data speak for it."""
    if case.order is not None:
        return "declared as linked by a map, but the records stand in the order of the original, which is not the map's"
    if rows_agree <= _FAR:
        return "declared as linked by a map, but no record goes with its original more than chance: nothing confirms the map"
    return None


def _excess(result: MetricResult, records: int) -> float:
    """Return by how many standard deviations the links by row exceed those of unrelated files."""
    first, second = result.details["rank_original"], result.details["rank_release"]
    return links_beyond_chance(result.value or 0.0, first, second, records)


def _structure_is_kept(result: MetricResult, records: int) -> bool:
    """Tell whether sorting by some attribute lines up the others more than chance."""
    keys = len(result.details["by_key"])
    return links_beyond_chance(result.value or 0.0, keys - 1, keys - 1, records) > _FAR


@hookimpl
def permaudit_rules() -> list[DeclaredLinkage]:
    """Provide the rule."""
    return [DeclaredLinkage()]
