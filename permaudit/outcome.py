"""The outcome of an audit: one typed object, of which `audit.json` is the only serialization."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from permaudit.notebook import to_notebook_html

SCHEMA: Literal["permaudit/result/1"] = "permaudit/result/1"

Verdict: TypeAlias = Literal["release", "review", "block"]
MetricStatus: TypeAlias = Literal["ok", "advisory", "not-applicable", "error"]
RuleOutcome: TypeAlias = Literal["pass", "fail", "review", "waived", "not-applicable", "error"]

VERDICTS: tuple[Verdict, ...] = ("release", "review", "block")
"""From the best to the worst."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricResult:
    """What became of one metric for one candidate."""

    status: MetricStatus
    value: float | None = None
    std: float | None = None
    replicates: list[float] = field(default_factory=list)
    null: float | None = None
    calibrated: float | None = None
    interval: tuple[float, float] | None = None
    reason: str | None = None
    details: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What a rule says of one candidate."""

    rule: str
    outcome: RuleOutcome
    message: str
    why: str = ""
    fix: str | None = None
    evidence: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Records:
    """How many records there are, and how many entered the metrics."""

    original: int
    released: int
    compared: int
    suppressed: int = 0
    """Original records that have no released one."""
    added: int = 0
    """Released records that have no original one."""
    dropped: int = 0
    """Records or pairs that were left out because a value is missing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Excluded:
    """An attribute that entered no metric, and why."""

    attribute: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnNote:
    """How an attribute was read, and what its numbers mean."""

    attribute: str
    type: str
    missing_policy: str
    missing_original: int
    missing_released: int
    statements: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """What entered a metric."""

    attributes: list[str]
    records: int
    reason: str | None = None
    """Why nothing, or not everything, entered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateResult:
    """All that was found of one candidate."""

    name: str
    kind: Literal["masked", "synthetic"]
    linkage: Literal["row", "key", "none"]
    anonymizer: str | None
    params: dict[str, Any]
    sha256: str | None
    records: Records
    attributes: list[str]
    excluded: list[Excluded]
    columns: list[ColumnNote]
    coverage: dict[str, Coverage]
    warnings: list[str]
    metrics: dict[str, MetricResult]
    rules: list[Finding]
    verdict: Verdict


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepPoint:
    """One combination of parameters."""

    candidate: str
    params: dict[str, Any]
    values: dict[str, float | None]
    spread: dict[str, float | None]
    verdict: Verdict
    pareto: bool
    """Is no other point of the sweep better on one axis and at least as good on the other?"""


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepResult:
    """The points of a sweep, in order: its curves, its Pareto set, and its best point."""

    name: str
    anonymizer: str
    varied: list[str]
    protection_axis: str | None
    utility_axis: str | None
    points: list[SweepPoint]
    best: str | None
    best_because: str


@dataclass(frozen=True, slots=True, kw_only=True)
class InputFile:
    """A file that the audit read, by content."""

    path: str
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PluginRecord:
    """A plugin that took part, and where it came from."""

    name: str
    distribution: str
    version: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricNote:
    """What a reader must know of a metric to read its value."""

    title: str
    measures: str
    direction: str
    low: str
    high: str
    blind_spots: str
    reference: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """What the numbers were made from, and with what."""

    inputs: list[InputFile]
    plugins: list[PluginRecord]
    packages: dict[str, str]
    engine: str
    seed: int
    study: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The outcome of an audit."""

    schema: Literal["permaudit/result/1"] = SCHEMA
    verdict: Verdict
    title: str
    candidates: list[CandidateResult]
    sweeps: list[SweepResult] = field(default_factory=list)
    glossary: dict[str, MetricNote]
    provenance: Provenance

    def _repr_html_(self) -> str:
        """Show the outcome in a notebook."""
        return to_notebook_html(self)
