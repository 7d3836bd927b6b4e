"""A release must not hold copies of original records beyond chance, whole or nearly, in part or in disguise."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING, Any, ClassVar

from permaudit import RuleCard, hookimpl, shown
from permaudit_plugins.rules._base import BuiltInRule, listed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from permaudit import Case, Finding

permaudit_api = 1

_SPARE = 3
"""Chance may exceed its expectation by so many records, besides what its deviation allows."""
_ORDERED = 0.1
"""This share of the records may stand in a common order beyond what noise leaves."""
_DOUBT, _CERTAINTY = 2.8, 4.0
"""By so many standard deviations a release is closer to the original than an independent one can be: for review, and to fail."""

_TWICE_SEEN, _EACH, _TOGETHER = frozenset({"near", "by_rank"}), 2.0, 6.0
"""Looks at the same thing in two ways, which may exceed chance by so many standard deviations each, or together: for files in
which closeness is not looked at in all attributes but one."""
_FOR_A_PERSON = frozenset({"tuples"})
"""Looks that ask for a person however much they find: what follows from a value goes with it wherever it is drawn again."""
_TOLD, _BEYOND_CHANCE = 0.3, 4.0
"""Of what no order tells of a released value, the original one may tell so much, and so many standard deviations more."""
_TOLD_IN_FULL = 4
"""So many looks are told in words; what others found is in the evidence."""
_HALF = 0.5
_MISTAKEN = 3.0
"""Whoever looks up a person by a value must be wrong every other time, give or take so many standard deviations."""
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


_TOLERATED = 0.02
"""Of a sample: near copies must show from this share on; in a file of 2,000 records they do from there on."""
_KEPT = 0.9
"""This share of near copies is in the sample, if their original is."""
_NORMAL_95 = 1.645
_SURPRISING = 1e-3
"""What chance gives less likely than this needs a person, however few records it is..."""
_FITTED = 5e-4
"""...and where chance was not counted but told by a fit, what is less likely than this..."""
_FITTED_TO_NOISE = 1e-5
"""...or than this, where the fit is to the noise on other records, of which little is known."""

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
    "mostly": _Look(5, "have most values of one original record, or nearly so, and of no other"),
    "tuples": _Look(6, "have values that one original person alone has together"),
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
        told = {
            name: text for name, look in looks.items() if (text := _told(name, look, linked=case.linked)) is not None
        }
        found = {name: text for name, text in told.items() if name not in _FOR_A_PERSON}
        doubts = {name: text for name, text in told.items() if name in _FOR_A_PERSON}
        doubts |= {
            name: text
            for name, look in looks.items()
            if name not in told and (text := _doubted(name, look, linked=case.linked)) is not None
        }
        if not found.keys() & _TWICE_SEEN and (text := _seen_twice(looks)) is not None:
            doubts |= dict.fromkeys(sorted(_TWICE_SEEN), text)
        copied, size = result.details["copied_records"], result.details["released_records"]
        evidence = {"copied": copied, "expected_by_chance": looks["equal"]["expected"], "of": size}
        seen = _seen_in(result.details, linked=case.linked)
        limits = [] if seen is None else [seen.text]
        if seen is not None:
            evidence["seen_from"] = seen.share
        if not (found or doubts or (seen is not None and not seen.enough)):
            which = "their own original one" if case.linked else "an original one"
            message = f"{copied} of {size} released records equal {which}, and no look found more than chance explains"
            return self.finding("pass", "; ".join([message, *limits]), evidence=evidence)
        evidence["looks"] = {name: looks[name] for name in found | doubts}
        message = "; ".join([*_first(list(dict.fromkeys([*found.values(), *doubts.values()]))), *limits])
        if case.linked:
            # Some masking methods leave part of the records as they are by design: a person must say whether that is right.
            fix = "mask these records too, check that the rows or keys correspond, or let a person decide"
            return self.finding("review", message, fix, evidence)
        if not found:
            fix = "suppress these records or draw them anew and audit again, or let a person decide"
            return self.finding("review", message, fix, evidence)
        fix = "repair the synthesizer (it reproduces its input), or remove the copies and audit again"
        return self.finding("fail", message, fix, evidence)


def _first(told: list[str]) -> list[str]:
    """Return what the first looks found, and how many others found something."""
    more = len(told) - _TOLD_IN_FULL
    if more <= 0:
        return told
    others = "one more look" if more == 1 else f"{more} more looks"
    return [*told[:_TOLD_IN_FULL], f"{others} found more than chance explains"]


@dataclass(frozen=True, slots=True)
class _Seen:
    """From which share of copies on a sample would have shown them."""

    text: str
    share: float | None
    enough: bool


def _seen_in(details: Mapping[str, Any], *, linked: bool) -> _Seen | None:
    """Say what a sample can show; None where all records were looked at.

    Equal copies must have been looked for among all records. Of near ones, so large a share must show with a probability of
    95 % that nobody would call it a handful: no larger than what is seen in a small file that is looked at as a whole.
    """
    if (sampled := details.get("sampled")) is None:
        return None
    if "equal_among" not in details or "near" not in details["looks"]:
        text = f"copies were looked for among {sampled}; copies among others may have been missed"
        return _Seen(text, None, enough=False)
    share = _seen_from(details["looks"]["near"], linked=linked)
    text = (
        f"equal ones were looked for among all {details['equal_among']} records, near ones among {sampled}: if {share:.1%} of "
        "the records were near copies, that would have shown with a probability of 95 %"
    )
    return _Seen(text, share, enough=share <= _TOLERATED)


def _seen_from(look: Mapping[str, Any], *, linked: bool) -> float:
    """Return from which share of near copies on the look for them would have found too many, in 95 of 100 samples.

    So many more than chance must be found; a number c of copies is at least c - 1.645 sqrt(c) so often.
    """
    beyond = (_OWN * look["expected"] if linked else _LOOKS["near"].deviations * look["spread"]) + _SPARE
    copies = ((_NORMAL_95 + sqrt(_NORMAL_95**2 + 4 * beyond)) / 2) ** 2
    strangers = look["of"] - (0 if linked else look["expected"])  # a copy that strangers would be as well adds nothing
    return float(min(1.0, copies / (_KEPT * strangers))) if strangers > 0 else 1.0


def _told(name: str, look: Mapping[str, Any], *, linked: bool) -> str | None:
    """Say what a look found beyond chance; None for nothing."""
    if "closeness" in look:
        return _closer(look) if _excess(look) > _CERTAINTY else None
    if name == "in_order":
        return _ordered(look) if look["found"] > look["expected"] + _ORDERED * look["of"] + _SPARE else None
    if name == "own_cells":
        by_mistake = _HALF * look["of"]
        return _own_cells(look) if look["found"] > by_mistake + _MISTAKEN * sqrt(by_mistake) + _SPARE else None
    if "distance" in look or name in _SAID or name == "recoded":
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
        limit = _FITTED_TO_NOISE if linked and name == "closest" else _FITTED
        return _closest(name, look, linked=linked) if look["surprise"] < limit else None
    if name == "recoded":
        return _recoded(look) if _is_recoded(look) else None
    if look.get("surprise", 1.0) >= _SURPRISING:
        return None
    if name in _SAID:
        return _SAID[name](look, linked)
    chance = f"about {look['expected']:.0f}" if look["expected"] >= _HALF else "none"
    what = _OWN_UNIQUE if linked and name == "equal" else f"{_LOOKS[name].what}{_which(look)}"
    return f"{_share(look)} {what}; chance would give {chance}"


def _seen_twice(looks: Mapping[str, Mapping[str, Any]]) -> str | None:
    """Say that two looks, by distance and by rank, each found more than chance gives, and together too much."""
    if not looks.keys() >= _TWICE_SEEN or "close_in_part" in looks:  # which sees more
        return None
    excesses = [_beyond_chance(looks[name]) for name in sorted(_TWICE_SEEN)]
    if sum(excesses) <= _TOGETHER or min(excesses) <= _EACH:
        return None
    by_rank, near = (f"{excess:.1f}" for excess in excesses)
    return (
        f"more released records single out an original one than chance gives, by {near} standard deviations in distance and by "
        f"{by_rank} in ranks: together more than chance explains"
    )


def _beyond_chance(look: Mapping[str, Any]) -> float:
    """Return by how many standard deviations more was found than chance gives."""
    return float((look["found"] - look["expected"]) / look["spread"]) if look["spread"] else 0.0


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
    return f"the released records are on average {excess}{_which(look)}"


def _ordered(look: Mapping[str, Any]) -> str:
    """Say which column keeps the order of a part of the records."""
    names = f"{shown(look['goes_with'])} in the released column {shown(look['column'])}"
    return (
        f"{look['found']} of {look['of']} records keep their order of {names}, up or down; noise would leave about "
        f"{look['expected']:.0f}"
    )


def _own_cells(look: Mapping[str, Any]) -> str:
    """Say in which column people are found by their own values."""
    return (
        f"{look['found']} of {look['of']} released values of {shown(look['column'])} that one person alone has in the original stand "
        "in that person's own record: whoever knows the value finds the record"
    )


def _is_recoded(look: Mapping[str, Any]) -> bool:
    """Tell whether a value is nearly a function of another one, and no order."""
    allowed = _TOLD + _BEYOND_CHANCE * look["spread_told"]
    return bool(look["told"] > look["by_order"] + (1 - look["by_order"]) * allowed)


def _recoded(look: Mapping[str, Any]) -> str:
    """Say which attribute is recoded."""
    return (
        f"{shown(look['column'])} goes with the original as under a fixed recoding that is no order: one tells {look['told']:.2f} "
        f"of the other, and any order at most {look['by_order']:.2f}"
    )


def _extreme(look: Mapping[str, Any], linked: bool) -> str:  # noqa: FBT001 - as all of these
    """Say at which end of which attribute values are kept."""
    where = "in their own record" if linked else "as they are"
    return (
        f"{look['found']} of the {look['of']} {look['end']} values of {shown(look['column'])} that one person alone has are released "
        f"{where}; beside them that would be about {look['expected']:.1f}"
    )


def _same_groups(look: Mapping[str, Any], linked: bool) -> str:  # noqa: ARG001, FBT001 - as all of these
    """Say which attributes make the same groups."""
    names = listed([shown(name) for name in look["only"]])
    return (
        f"groups of equal values of {names} have exactly the sizes that they have in the original, as under other names"
    )


_SAID: dict[str, Callable[[Mapping[str, Any], bool], str]] = {"extremes": _extreme, "same_groups": _same_groups}
"""Looks at other things than records, and how each says what it found."""


def _which(look: Mapping[str, Any]) -> str:
    """Say which attributes a look leaves out, or what the disguise is."""
    parts = []
    if look.get("values"):
        parts.append(f"{look['values']} or more")
    if look.get("without"):
        parts.append(f"all but {listed([shown(name) for name in look['without']])}")
    if look.get("only"):
        parts.append(f"in {listed([shown(name) for name in look['only']])}")
    if look.get("exchanged"):
        parts.append(f"exchanged: {listed([shown(name) for name in look['exchanged']])}")
    if look.get("reversed"):
        parts.append(f"upside down: {listed([shown(name) for name in look['reversed']])}")
    return f" ({'; '.join(parts)})" if parts else ""


@hookimpl
def permaudit_rules() -> list[NoCopiedRecords]:
    """Provide the rule."""
    return [NoCopiedRecords()]
