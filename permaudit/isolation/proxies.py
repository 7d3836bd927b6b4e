"""What stands in the catalogue for a foreign object: the same card and parameters, and calls that go to its own process."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from permaudit.isolation.engine import WatchedEngine
from permaudit.isolation.reader import isolated_reader
from permaudit.isolation.rule import IsolatedRule

if TYPE_CHECKING:
    from numpy.random import Generator
    from pydantic import BaseModel

    from permaudit.cards import AnonymizerCard, MetricCard
    from permaudit.isolation.nursery import Nursery
    from permaudit.model import Comparison, Made, Measured, Original


@dataclass(frozen=True, slots=True, eq=False)
class IsolatedMetric:
    """A metric of somebody else."""

    card: MetricCard
    nursery: Nursery

    def compute(self, pair: Comparison, rng: Generator) -> Measured:
        """Let the metric compute in its own process; the host checks what comes back."""
        measured: Measured = self.nursery.call("metric", self.card.id, "compute", pair, rng)
        return measured


@dataclass(frozen=True, slots=True, eq=False)
class IsolatedAnonymizer:
    """An anonymizer of somebody else."""

    card: AnonymizerCard
    parameters: type[BaseModel]
    nursery: Nursery

    def anonymize(self, original: Original, params: Any, rng: Generator) -> Made:
        """Let the anonymizer work in its own process; the host checks what comes back."""
        made: Made = self.nursery.call("anonymizer", self.card.id, "anonymize", original, params, rng, tables=True)
        return made


def isolated(noun: str, thing: Any, nursery: Nursery) -> Any:
    """Return what stands for a foreign object; a template set, which is files, stands for itself."""
    match noun:
        case "metric":
            return IsolatedMetric(thing.card, nursery)
        case "anonymizer":
            return IsolatedAnonymizer(thing.card, thing.parameters, nursery)
        case "rule":
            return IsolatedRule(thing.card, thing.parameters, nursery)
        case "reader":
            return isolated_reader(thing, nursery)
        case "engine":
            return WatchedEngine(thing.card, thing, nursery.family.origin, nursery.family.limits.in_host)
        case _:
            return thing
