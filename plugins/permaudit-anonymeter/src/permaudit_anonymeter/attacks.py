"""Each attack of anonymeter as a risk between 0 and 1: how much better it does on the original's people than on the holdout's."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from permaudit import Measured, MetricCard, Needs, NotApplicable, ValidFor
from permaudit_anonymeter.guest import GuestError, ask
from permaudit_anonymeter.tables import SIDES, as_many, distinct, groups_of, tables_of

if TYPE_CHECKING:
    from numpy.random import Generator

    from permaudit import Comparison
    from permaudit_anonymeter.tables import Table

_MOST, _FEWEST = 500, 50
"""Attacks: as many as anonymeter makes by default, and too few to tell anything."""
_CLEARLY = 0.25
"""So much a copy of the original must read, or the attack is blind for these data."""
_NEARLY_AS_MANY = 0.9
_SINGLING_OUT, _LINKABILITY, _INFERENCE = "singling out", "linkability", "inference"


@dataclass(frozen=True, slots=True)
class Attack:
    """One attack on a release."""

    card: MetricCard
    name: str

    def compute(self, pair: Comparison, rng: Generator) -> Measured:
        """Let anonymeter attack; the worst over the secrets counts, of those for which it would see a copy."""
        rows = pair.rows
        assert rows is not None  # noqa: S101 - the card asks for them
        if rows.sampled is not None:
            raise NotApplicable(
                "only a sample of the records fits into memory, and a copy outside of it would not be seen"
            )
        try:
            answer = ask(self._question(tables_of(rows), rng))
        except GuestError as error:
            raise NotApplicable(str(error)) from None
        seeing = [turn for turn in answer["turns"] if turn["copy"] and turn["copy"]["value"] >= _CLEARLY]
        if not seeing:
            raise NotApplicable(f"{self.name} would not be seen here even in a copy of the original")
        if not all(turn["release"] for turn in seeing):
            raise NotApplicable(f"fewer than {_FEWEST} queries that single out can be made from the release")
        if any(turn["release"]["successes"][1] == turn["release"]["attacks"][1] for turn in seeing):
            raise NotApplicable(f"{self.name} succeeds on everybody in the holdout, beside whom nobody stands out")
        worst = max(seeing, key=lambda turn: _value(turn["release"]))
        read = worst["release"]
        names = {_plain(place): name for place, name in enumerate(rows.original)}
        blind = [names[turn["secret"]] for turn in answer["turns"] if turn not in seeing]
        details = {
            "attacks": read["attacks"][0],
            "successes": read["successes"][0],
            "attacks_on_holdout": read["attacks"][1],
            "successes_on_holdout": read["successes"][1],
            "copy_would_read": _value(worst["copy"]),
            "source": f"computed by anonymeter {answer['version']}",
        }
        details |= {"secret": names[worst["secret"]]} if worst["secret"] else {}
        details |= {"not_judged": blind} if blind else {}
        low, high = read["interval"]
        return Measured(read["value"], details=details, interval=(low, high))

    def _question(self, tables: dict[str, Table], rng: Generator) -> dict[str, Any]:
        """Return what the other Python must know: places, and no value."""
        if self.name == _SINGLING_OUT:
            tables = tables | {side: distinct(tables[side]) for side in ("original", "holdout")}
            people = _records(tables["original"])
            if _records(tables["holdout"]) < _NEARLY_AS_MANY * people:
                raise NotApplicable(
                    "the holdout has fewer distinct records than the original, among which more queries single out"
                )
            tables["holdout"] = as_many(tables["holdout"], people, rng)
        attacks = min(_MOST, _records(tables["original"]), _records(tables["holdout"]))
        if attacks < _FEWEST:
            raise NotApplicable(f"needs {_FEWEST} records in original and holdout; there are {attacks}")
        plain = {name: _plain(place) for place, name in enumerate(tables["original"])}
        is_guessed = self.name == _INFERENCE
        return {
            "attack": self.name,
            "seed": int(rng.integers(2**31)),
            "attacks": _MOST if self.name == _SINGLING_OUT else attacks,
            "fewest": _FEWEST,
            "secrets": list(plain.values()) if is_guessed else [""],
            "groups": {plain[name]: groups_of(tables, name) for name in plain} if is_guessed else {},
            **{side: {plain[name]: column.tolist() for name, column in tables[side].items()} for side in SIDES},
        }


def _plain(place: int) -> str:
    """Return a name that means nothing to anonymeter, where some names are patterns."""
    return f"a{place}"


def _records(table: Table) -> int:
    """Return how many records a table has."""
    return len(next(iter(table.values())))


def _value(read: dict[str, Any]) -> float:
    """Return the risk, held against the attacks that were made: what another environment says is not believed."""
    value, (low, high) = float(read["value"]), read["interval"]
    counts = list(zip(read["successes"], read["attacks"], strict=True))
    if any(made < _FEWEST or not 0 <= successes <= made for successes, made in counts):
        raise ValueError("anonymeter made fewer attacks than asked for, or counts more successes than attacks")
    if not (math.isfinite(value) and 0 <= low <= value <= high <= 1):
        raise ValueError("anonymeter's risk does not lie in its interval")
    return value


def _card(  # noqa: PLR0913 - what cards say
    name: str,
    title: str,
    summary: str,
    *,
    high: str,
    blind_spots: str,
    measures: Literal["risk", "diagnostic"] = "risk",
) -> MetricCard:
    """Return the card of one attack."""
    return MetricCard(
        id=f"ANONYMETER-{name}",
        title=title,
        measures=measures,
        better="lower",
        bounds=(0, 1),
        needs=Needs(rows=True, holdout=True, attributes=2),
        reference="Giomi, Boenisch, Wehmeyer and Tasnádi (2023), A unified framework for quantifying privacy risk in synthetic data",
        summary=f"{summary} What also succeeds on people who are not in the original (the holdout) does not count.",
        low="the attack does no better on the original's people than on others",
        high=high,
        blind_spots=f"{blind_spots} What the release tells of everybody alike. Attacks that anonymeter does not make.",
        valid_for=ValidFor(
            linked="It attacks the released records in any order, so links neither help nor hinder.",
            unlinked="It is made for synthetic releases: it needs no links, and holds the original's people against others.",
        ),
    )


ATTACKS = (
    Attack(
        _card(
            "SINGLING-OUT",
            "Singling out (anonymeter)",
            "How often conditions on up to three attributes that hold for one released record hold for one original record.",
            high="each condition made from the release singles out a person of the original",
            # A copy moved by a hundredth of a standard deviation reads 0, so no release may pass by it.
            measures="diagnostic",
            blind_spots="Near copies: a little noise puts a record on the other side of its own conditions. Records in the middle "
            "of the population, which such conditions seldom reach. Copies whose values were all turned round: so are the conditions.",
        ),
        _SINGLING_OUT,
    ),
    Attack(
        _card(
            "LINKABILITY",
            "Linkability (anonymeter)",
            "How often both halves of an original record have the same nearest released record.",
            high="the halves of each original record find each other through the release",
            blind_spots="Other ways to halve the attributes than every second one; records with the same values in one half; copies whose values were all turned round.",
        ),
        _LINKABILITY,
    ),
    Attack(
        _card(
            "INFERENCE",
            "Inference (anonymeter)",
            "How often an attribute is guessed right, within a twentieth of the population, from the released record that is nearest in "
            "all others; the worst attribute counts.",
            high="an attribute of each original person can be read from the release",
            blind_spots="Intruders who know less than all other attributes, or guess from several records; copies whose values were all turned round.",
        ),
        _INFERENCE,
    ),
)
