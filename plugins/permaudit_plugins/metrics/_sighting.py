"""What one look at a release found, beside what the same look finds where nothing was copied."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, lgamma, log, sqrt
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

_OFTEN = 100
"""What so many strangers do is chance: how much more is too much, deviations tell well enough."""


@dataclass(frozen=True, slots=True)
class Chance:
    """How often records that cannot be copies look like some."""

    found: int
    of: int
    what: str
    """Whose records these are."""

    @property
    def share(self) -> float:
        """Return the share of them."""
        return self.found / self.of if self.of else 0.0


@dataclass(frozen=True, slots=True)
class Sighting:
    """How many of the released records that were looked at are like an original one, and how many would be by chance."""

    found: int
    of: int
    chance: Chance
    repeats: float = 1.0
    """How often a released record occurs on average: one that chance makes look like a copy counts as often."""

    @property
    def expected(self) -> float:
        """Return how many would be found by chance."""
        return self.of * self.chance.share

    @property
    def spread(self) -> float:
        """Return the standard deviation of chance, which itself is known from a sample only.

        One stranger more is counted than were found, or a share of 0 would be taken for certain.
        """
        share = (self.chance.found + 1) / (self.chance.of + 1)
        return sqrt(self.repeats * self.of * share * (1 + self.of / max(1, self.chance.of)))

    @property
    def excess(self) -> float:
        """Return by how many standard deviations more were found."""
        return (self.found - self.expected) / self.spread if self.of else 0.0

    def details(self) -> dict[str, Any]:
        """Write it as plain numbers and texts."""
        return {
            "found": self.found,
            "of": self.of,
            "expected": self.expected,
            "spread": self.spread,
            "chance_of": self.chance.of,
            "chance_is": self.chance.what,
        }


def most(*chances: Chance) -> Chance:
    """Return the one that explains most."""
    return max(chances, key=lambda one: one.share)


def surprise(found: int, of: int, chances: Sequence[Chance], expected: float = 0.0) -> float:
    """Return how likely chance alone finds so many, or more; the explanation that makes it most likely counts.

    Groups of strangers among whom nothing was found explain nothing: what they could have missed must be worked out
    otherwise, and is given as what is expected.
    """
    if not found:
        return 1.0
    explained = [_binomial_tail(found, of, one) for one in chances if one.found]
    return max([_poisson_tail(found, expected), *explained])


def _poisson_tail(found: int, expected: float) -> float:
    """Return the probability of at least so many where so many are expected."""
    if found <= expected:
        return 1.0
    if expected <= 0:
        return 0.0
    term = exp(found * log(expected) - expected - lgamma(found + 1))
    total, number = 0.0, found
    while term > total * 1e-12:
        total += term
        number += 1
        term *= expected / number
    return total


def _binomial_tail(found: int, of: int, chance: Chance) -> float:
    """Return how likely at least so many of all finds are on this side, if both sides find equally often."""
    if chance.found > _OFTEN or found * chance.of <= chance.found * of:
        return 1.0
    both, here = found + chance.found, log(of / (of + chance.of))
    there = log(chance.of / (of + chance.of))
    terms = (
        lgamma(both + 1) - lgamma(one + 1) - lgamma(both - one + 1) + one * here + (both - one) * there
        for one in range(found, both + 1)
    )
    return min(1.0, sum(map(exp, terms)))
