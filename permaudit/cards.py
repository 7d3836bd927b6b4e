"""What plugins say of themselves: one card for each kind of object, and the words that cards are written in."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

Kind: TypeAlias = Literal["masked", "synthetic"]
Measures: TypeAlias = Literal["confidentiality", "utility", "risk", "diagnostic"]
Direction: TypeAlias = Literal["higher", "lower"]
Invariance: TypeAlias = Literal["row-order", "units"]


@dataclass(frozen=True, slots=True)
class Needs:
    """What a metric must be given to be valid."""

    linkage: bool = False
    rows: bool = False
    holdout: bool = False
    references: bool = False
    """The original beside strangers and beside itself, for baselines."""
    mirror: bool = False
    """Moments also of files that are sorted in opposite directions."""
    error: bool = False
    """How far off moments by key are where they are approximate. A metric that does not ask is given none of them then."""
    attributes: int = 1


@dataclass(frozen=True, slots=True)
class ValidFor:
    """Why a metric does or does not count for each kind of release, one sentence each, and where that is written."""

    linked: str = "Declared as valid for linked releases by its author."
    unlinked: str = "Declared as valid for unlinked releases by its author."
    section: str = ""
    """The part of the paper, or of whatever defines the metric; by default the card's reference."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricCard:
    """What a metric says of itself; the host holds every value against it."""

    id: str
    title: str
    measures: Measures
    better: Direction
    """Which direction is better: safer for confidentiality and risk, more useful for utility."""
    bounds: tuple[float, float]
    needs: Needs = field(default_factory=Needs)
    reference: str
    """Where it is defined: paper and equation."""
    summary: str
    """What it measures, in plain words."""
    low: str
    """What the lower bound means."""
    high: str
    """What the upper bound means."""
    blind_spots: str
    """What it does not see."""
    valid_for: ValidFor = field(default_factory=ValidFor)
    """Whether it counts is decided by `needs`; this says why."""
    default: bool = False
    """Computed also where the audit file names no metrics."""
    invariant_to: tuple[Invariance, ...] = ("row-order", "units")
    """What changes no value: the order of the records, the units of the attributes. Whoever promises less says so."""

    @property
    def direction(self) -> str:
        """Say in words which direction is better."""
        return f"{self.better} is {'more useful' if self.measures == 'utility' else 'safer'}"


def parts_of(params: Any) -> tuple[Any, ...]:
    """Return the limits of a rule that is content with one of several (`of`), or else its parameters themselves."""
    several = getattr(params, "of", None)
    are_limits = (
        isinstance(several, list | tuple) and bool(several) and all(hasattr(part, "metric") for part in several)
    )
    return tuple(several) if several is not None and are_limits else (params,)


def scale_bounds(scale: str, card: MetricCard) -> tuple[float, float]:
    """Return the least and the greatest number on a scale that rules can limit: calibrated, relative, or the metric's own."""
    if scale == "calibrated":
        return 0.0, 1.0
    return (0.0, math.inf) if scale == "relative" else card.bounds


@dataclass(frozen=True, slots=True, kw_only=True)
class AnonymizerCard:
    """What an anonymizer says of itself."""

    id: str
    title: str
    kind: Kind
    linked: bool
    """Does each released record come from a known record of the original?"""
    reference: str
    summary: str
    invariant_to: tuple[Invariance, ...] = ()
    """What the release follows, with the same generator: records in another order, attributes in other units."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleCard:
    """What a rule says of itself."""

    id: str
    title: str
    why: str
    """Why it matters, in plain words."""
    always_on: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderCard:
    """What a reader says of itself."""

    id: str
    title: str
    suffixes: tuple[str, ...]
    magic: tuple[bytes, ...] = ()
    """The first bytes of its files, where these are a known binary format; without, the host refuses all such formats."""
    local: bool = True
    """Does it read a file? One that does not, such as a database's, is given None for the path."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineCost:
    """What an engine takes, as far as it is known beforehand; for a first estimate, and to choose between engines."""

    sorting: float
    """Time for each cell of both files, in multiples of what sorting a cell takes on the machine at hand."""
    pairing: float
    """Time for each cell and key, in the same measure."""
    cell: int = 0
    """Bytes of memory for each cell of both files."""
    record: int = 0
    """Bytes of memory for each record of the larger file, whatever the number of attributes."""
    scratch: int = 0
    """Bytes on the disk for each cell of all files."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineCard:
    """What an engine says of itself."""

    id: str
    title: str
    summary: str
    stored: bool = False
    """Are its columns in files? It is then given `StoredColumns`, and samples in memory as ever."""
    cost: EngineCost | None = None
    """Without it nothing is estimated, and the engine is used only by name."""
    approximates: bool = False
    """Can it take less time for an error that it states? It then has `approximate` (`ApproximatingEngine`)."""
    spreads: bool = False
    """Can its workers read files themselves? It then has `each` (`SpreadingEngine`), and columns may stay where they stand."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TemplateCard:
    """What a template set says of itself."""

    id: str
    title: str
    summary: str


Card: TypeAlias = MetricCard | AnonymizerCard | RuleCard | ReaderCard | EngineCard | TemplateCard
