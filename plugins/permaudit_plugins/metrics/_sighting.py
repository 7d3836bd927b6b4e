"""What one look at a release found, beside what the same look finds where nothing was copied."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Any


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
