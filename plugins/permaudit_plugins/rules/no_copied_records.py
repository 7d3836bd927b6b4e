"""A release must not hold copies of original records beyond chance, whole or nearly, in part or in disguise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from permaudit import RuleCard, hookimpl, shown
from permaudit_plugins.rules._base import BuiltInRule, listed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from permaudit import Case, Finding

permaudit_api = 1

_SPARE = 3
"""Chance may exceed its expectation by so many records, besides what its deviation allows."""
_ORDERED = 0.1
"""This share of the records may stand in a common order beyond what noise leaves."""
_DOUBT, _CERTAINTY = 3.0, 4.0
"""By so many standard deviations a release is closer to the original than an independent one can be: for review, and to fail."""

_HALF = 0.5
_OWN_UNIQUE = "equal their own original, which is the only one of its kind"
_OWN = 0.5
"""Strangers are near to somebody; that a linked record is near to its own, half as often as they is already too often."""


@dataclass(frozen=True, slots=True)
class _Look:
    """How one look of COPIES is judged."""

    deviations: float
    """By how many of its standard deviations chance may exceed its expectation; the more looks, the more."""
    what: str
    """What the records do that were found."""


_SURPRISING = 1e-3
"""What chance gives less likely than this needs a person, however few records it is..."""
_MORE_SURPRISING = 1e-5
"""...and where chance was not counted but told by a fit, what is less likely than this."""

_LOOKS = {
    "equal": _Look(3, "equal an original one"),
    "elsewhere": _Look(3, "equal the original record of somebody else"),
    "unique": _Look(3, "equal an original one that is the only one of its kind"),
    "unique_elsewhere": _Look(3, "equal somebody else's original record that is the only one of its kind"),
    "own_values": _Look(5, "have several values that one person alone has in the original"),
    "near": _Look(4, "are so near to one original record, and to no other, that they single it out"),
    "near_elsewhere": _Look(5, "single out the original record of somebody else"),
    "within": _Look(4, "have an original record within the declared tolerances"),
    "within_elsewhere": _Look(5, "have somebody else's original record within the declared tolerances"),
    "in_part": _Look(5, "equal an original one in most attributes"),
    "by_rank": _Look(5, "have nearly the ranks of an original record, and of no other"),
    "disguised": _Look(
        6, "have nearly the ranks of an original record once columns are exchanged or turned upside down"
    ),
}


class NoCopiedRecords(BuiltInRule):
    """Fail when more released records are copies than chance explains; where records are linked, ask a person."""

    card: ClassVar[RuleCard] = RuleCard(
        id="no-copied-records",
        title="No copied records",
        why="A record that is released as it was, or nearly so, is not protected at all; CM1, CM2 and CM3 do not see it while "
        "only a part of the records is copied.",
        always_on=True,
    )

    def metrics(self, params: Any, *, linked: bool) -> tuple[str, ...]:  # noqa: ARG002
        """Need the copy detector."""
        return ("COPIES",)

    def judge(self, params: Any, case: Case) -> Finding:  # noqa: ARG002
        """Compare what each look found with what chance would give."""
        result = case.metrics["COPIES"]
        if result.status != "ok":
            return self.finding("review", f"copies could not be counted: {result.reason}", "let a person decide")
        looks = result.details["looks"]
        found = {
            name: text for name, look in looks.items() if (text := _told(name, look, linked=case.linked)) is not None
        }
        doubts = {
            name: text
            for name, look in looks.items()
            if name not in found and (text := _doubted(name, look, linked=case.linked)) is not None
        }
        copied, size = result.details["copied_records"], result.details["released_records"]
        evidence = {"copied": copied, "expected_by_chance": looks["equal"]["expected"], "of": size}
        sampled = result.details.get("sampled")
        limits = (
            [f"copies were looked for among {sampled}; near copies of others may have been missed"] if sampled else []
        )
        if not (found or doubts or limits):
            message = f"{copied} of {size} released records equal an original one, and no look found more than chance explains"
            return self.finding("pass", message, evidence=evidence)
        evidence["looks"] = {name: looks[name] for name in found | doubts}
        message = "; ".join([*found.values(), *doubts.values(), *limits])
        if case.linked:
            # Some masking methods leave part of the records as they are by design: a person must say whether that is right.
            fix = "mask these records too, check that the rows or keys correspond, or let a person decide"
            return self.finding("review", message, fix, evidence)
        if not found:
            fix = "suppress these records or draw them anew and audit again, or let a person decide"
            return self.finding("review", message, fix, evidence)
        fix = "repair the synthesizer (it reproduces its input), or remove the copies and audit again"
        return self.finding("fail", message, fix, evidence)


def _told(name: str, look: Mapping[str, Any], *, linked: bool) -> str | None:
    """Say what a look found beyond chance; None for nothing."""
    if "closeness" in look:
        return _closer(look) if _excess(look) > _CERTAINTY else None
    if name == "in_order":
        return _ordered(look) if look["found"] > look["expected"] + _ORDERED * look["of"] + _SPARE else None
    if "distance" in look:
        return None
    known = _LOOKS[name]
    by_chance = look["expected"] + known.deviations * look["spread"]
    if look["found"] <= (_OWN * look["expected"] if linked and name == "near" else by_chance) + _SPARE:
        return None
    chance = f"chance would give about {look['expected']:.0f}"
    return f"{look['found']} of {look['of']} released records {known.what}{_which(look)}; {chance}"


def _doubted(name: str, look: Mapping[str, Any], *, linked: bool) -> str | None:
    """Say what is not certain enough to fail, or too few records, but too much to pass."""
    if "closeness" in look:
        return _closer(look) if _DOUBT < _excess(look) <= _CERTAINTY else None
    if "distance" in look:
        return _closest(name, look, linked=linked) if look["surprise"] < _MORE_SURPRISING else None
    if look.get("surprise", 1.0) >= _SURPRISING:
        return None
    chance = f"about {look['expected']:.0f}" if look["expected"] >= _HALF else "none"
    what = _OWN_UNIQUE if linked and name == "equal" else f"{_LOOKS[name].what}{_which(look)}"
    return f"{_share(look)} {what}; chance would give {chance}"


def _share(look: Mapping[str, Any]) -> str:
    """Say how many records were found, and which share that is."""
    return f"{look['found']} of {look['of']} released records ({look['found'] / look['of']:.2%})"


def _closest(name: str, look: Mapping[str, Any], *, linked: bool) -> str:
    """Say how close the closest records are."""
    whose = "their own original" if linked and name == "closest" else "an original one"
    kind = "the noise on the others would leave" if linked and name == "closest" else "different people are"
    within = f"within {look['distance']:.2g} of the ranks in every attribute"
    return f"{_share(look)} are closer to {whose} ({within}) than {kind}: chance would give {look['expected']:.2g}"


def _excess(look: Mapping[str, Any]) -> float:
    """Return by how many standard deviations the files are closer than independent ones can be."""
    return float((look["closeness"] - look["bound"]) / look["spread"]) if look["spread"] else 0.0


def _closer(look: Mapping[str, Any]) -> str:
    """Say that the files are too close."""
    excess = f"{_excess(look):.1f} standard deviations closer to original ones than those of an independent file can be"
    return f"the released records are on average {excess}"


def _ordered(look: Mapping[str, Any]) -> str:
    """Say which column keeps the order of a part of the records."""
    names = f"{shown(look['goes_with'])} in the released column {shown(look['column'])}"
    return (
        f"{look['found']} of {look['of']} records keep their order of {names}, up or down; noise would leave about "
        f"{look['expected']:.0f}"
    )


def _which(look: Mapping[str, Any]) -> str:
    """Say which attributes a look leaves out, or what the disguise is."""
    parts = []
    if look.get("values"):
        parts.append(f"{look['values']} or more")
    if look.get("without"):
        parts.append(f"all but {listed([shown(name) for name in look['without']])}")
    if look.get("exchanged"):
        parts.append(f"exchanged: {listed([shown(name) for name in look['exchanged']])}")
    if look.get("reversed"):
        parts.append(f"upside down: {listed([shown(name) for name in look['reversed']])}")
    return f" ({'; '.join(parts)})" if parts else ""


@hookimpl
def permaudit_rules() -> list[NoCopiedRecords]:
    """Provide the rule."""
    return [NoCopiedRecords()]
