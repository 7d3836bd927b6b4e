"""The outcome of an audit: one typed object, of which `audit.json` is the only serialization."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

SCHEMA: Literal["permaudit/result/1"] = "permaudit/result/1"

Verdict: TypeAlias = Literal["release", "review", "block"]
MetricStatus: TypeAlias = Literal["ok", "advisory", "not-applicable", "error"]
RuleOutcome: TypeAlias = Literal["pass", "fail", "review", "waived", "not-applicable", "error"]
WaiverState: TypeAlias = Literal["applied", "unused", "expired", "mismatched", "refused"]
Standing: TypeAlias = Literal["valid", "advisory", "not-applicable"]
Audience: TypeAlias = Literal["internal", "external"]

VERDICTS: tuple[Verdict, ...] = ("release", "review", "block")
"""From the best to the worst."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """What a metric reads where nothing was disclosed: with it a bare number gets a meaning."""

    value: float
    spread: float | None = None
    """The standard deviation over the draws, where there are several."""
    draws: int = 1
    what: str
    """What was compared with what, in words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Validity:
    """Whether a metric says something of this kind of release, why, and where that is written."""

    standing: Standing
    because: str
    """One sentence."""
    section: str
    """Where the paper, or whoever defined the metric, says so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """What a metric adds to the report: a text, and a drawing with its data."""

    title: str
    text: str = ""
    figure: str = ""
    """SVG, which the report cleans; empty for none."""
    alt: str = ""
    """What the drawing shows, in words."""
    header: list[str] = field(default_factory=list)
    rows: list[list[str | float | int | None]] = field(default_factory=list)
    """The data of the drawing: aggregates, never a record."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricResult:
    """What became of one metric for one candidate."""

    status: MetricStatus
    value: float | None = None
    std: float | None = None
    replicates: list[float] = field(default_factory=list)
    null: float | None = None
    """What unrelated files would read."""
    calibrated: float | None = None
    """The value on a scale with 0 at identity and 1 at the null."""
    interval: tuple[float, float] | None = None
    """Where the value would lie for another sample of as many records, with 95 % confidence."""
    baseline: Baseline | None = None
    relative: float | None = None
    """The value divided by the baseline's."""
    validity: Validity | None = None
    reason: str | None = None
    details: dict[str, Any] = field(default_factory=dict)
    section: Section | None = None
    """What the metric adds to the report."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A place in an audit or policy file."""

    file: str
    line: int
    column: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Waived:
    """Why a rule does not decide: who let it pass, and until when."""

    outcome: RuleOutcome
    """What the rule said before it was waived."""
    reason: str
    approved_by: list[str]
    expires: str
    """A date, as 2027-01-31."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What a rule says of one candidate."""

    rule: str
    outcome: RuleOutcome
    message: str
    why: str = ""
    fix: str | None = None
    evidence: dict[str, Any] = field(default_factory=dict)
    attributes: list[str] = field(default_factory=list)
    """The attributes that it is about, where it is about some: a waiver for one attribute covers no other."""
    origin: str = "always on"
    """Who demands it: `always on`, `audit file` or `policy`."""
    place: Place | None = None
    """Where it was demanded."""
    waived: Waived | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WaiverResult:
    """A waiver of the audit file, and what became of it."""

    rule: str
    candidate: str
    attribute: str | None
    metric: str | None = None
    """Where the rule limits several: the metric for which it is waived."""
    reason: str
    approved_by: list[str]
    expires: str
    sha256: str | None
    state: WaiverState
    message: str
    """What became of it, in words."""
    place: Place | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyRecord:
    """The policy that was applied, by content, and how the audit file differs from it."""

    path: str
    sha256: str
    title: str
    pinned: bool
    """Does the audit file say which content it must have?"""
    differences: list[str] = field(default_factory=list)
    """Where the audit file asks for more, or for less without effect, in words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AttributeShare:
    """What one attribute has to do with a candidate's numbers; None where it cannot be said."""

    attribute: str
    explained: float | None = None
    """The part of its order that all released attributes together tell (squared multiple correlation)."""
    links_without: float | None = None
    """How much of the links is gone, all taken together (1 for all), when this attribute is left out."""
    as_key: float | None = None
    """How much of the order is left to an intruder who sorts by this attribute and links by position (1 for nothing)."""
    moved: float | None = None
    """The share of records whose value moved to another place in the order of the original's values."""
    distance: float | None = None
    """How far values moved in that order, in the mean and as a share of the number of records (reverse mapping)."""
    permutation: float | None = None
    """The share of the whole change that comes from the permutation, from 0 to 1; the rest changes no rank."""
    density: list[list[float]] | None = None
    """Shares of records by classes of original rank (rows) and released rank (columns), from low to high."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attribution:
    """Which attribute is responsible for what."""

    least_protected: str | None
    worst_key: str | None
    attributes: list[AttributeShare]


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
    attribution: Attribution | None = None
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
    attributes: list[str] = field(default_factory=list)
    """What it releases, where points of the sweep differ in that; else none are named."""
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
class Front:
    """The candidates outside sweeps that have valid values of both metrics, beside each other."""

    protection: str
    utility: str
    candidates: list[str]
    pareto: list[str]
    """Those that no other one beats on one metric without being worse on the other."""


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
    sha256: str | None = None
    """The hash of all files of its distribution, as installed; None where they could not be found."""
    provides: list[str] = field(default_factory=list)
    """What it added: the kind and the id of each thing, such as `rule threshold`."""


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
    summary: str = ""
    """What it measures, in plain words."""
    bounds: tuple[float, float] = (0.0, 1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """What the numbers were made from, and with what."""

    inputs: list[InputFile]
    plugins: list[PluginRecord]
    packages: dict[str, str]
    engine: str
    seed: int
    study: bool
    documents: dict[str, str] = field(default_factory=dict)
    """The text of the audit file and of the policy, by name."""
    resolved: str = ""
    """The audit as it was run: both files put together, with every default and what is always on."""
    places: dict[str, Place] = field(default_factory=dict)
    """Where the audit file declares each candidate."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Presentation:
    """For whom the result is, and how it is to be shown."""

    audience: Audience = "internal"
    """`external`: what could disclose something was taken out of it."""
    template: str = "board"
    language: str = "en"


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The outcome of an audit."""

    schema: Literal["permaudit/result/1"] = SCHEMA
    verdict: Verdict
    title: str
    waivers: list[WaiverResult] = field(default_factory=list)
    policy: PolicyRecord | None = None
    candidates: list[CandidateResult]
    sweeps: list[SweepResult] = field(default_factory=list)
    fronts: list[Front] = field(default_factory=list)
    glossary: dict[str, MetricNote]
    provenance: Provenance
    presentation: Presentation = field(default_factory=Presentation)

    def _repr_html_(self) -> str:
        """Show the outcome in a notebook."""
        from permaudit.notebook import to_notebook_html  # noqa: PLC0415 - nobody but a notebook asks for it

        return to_notebook_html(self)
