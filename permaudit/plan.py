"""What an audit is asked to do: the nouns between the audit file (or the Python call) and the run."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date
    from pathlib import Path

    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from permaudit.cards import Kind
    from permaudit.model import LinkageName
    from permaudit.outcome import Audience, Place

AttributeType: TypeAlias = Literal["numeric", "date", "datetime", "boolean", "ordinal", "nominal"]
StarMeaning: TypeAlias = Literal["any", "missing"]
Role: TypeAlias = Literal["quasi-identifier", "confidential"]
Origin: TypeAlias = Literal["always on", "audit file", "policy"]
MissingPolicy: TypeAlias = Literal["error", "drop-records", "lowest", "highest"]
RECORD = "record"
"""The column of a map that names no key: the number of the original's record, from 1."""


@dataclass(frozen=True, slots=True)
class Taxonomy:
    """A tree of categories; the first one is the root, and every other one comes after its parent."""

    names: tuple[str, ...]
    parents: tuple[int, ...]
    """For each category the place of its parent; the root has -1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Attribute:
    """A column that is audited."""

    name: str
    type: AttributeType = "numeric"
    order: tuple[str, ...] = ()
    """Of an ordinal attribute: its values from the lowest to the highest."""
    taxonomy: Taxonomy | FileSource | None = None
    """Of a nominal attribute: the tree of its categories, or the file that holds it."""
    star: StarMeaning | None = None
    """What a released `*` means: any value of the scale, or a missing one."""
    missing: MissingPolicy | None = None
    """What becomes of missing values; None for the policy of the whole audit."""
    role: Role | None = None
    """What an intruder may know of it; anonymizers that work on some attributes only choose by it."""
    bounds: tuple[float, float] | None = None
    """Of a numeric attribute: the least and the greatest value that the population can have."""
    decimals: int | None = None
    """Of a numeric attribute: to how many decimals values are rounded before they are ranked."""
    tolerance: float | None = None
    """How far apart values may be and still count as nearly the same: in own units, days, or steps of the order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileSource:
    """A table in a file."""

    path: Path
    """Where it is, resolved against the audit file."""
    shown: str
    """As it was written: what outputs and messages call it."""
    sha256: str | None = None
    """What its content must hash to, where declared."""
    format: str | None = None
    """The id of the reader, where declared; else the file's suffix decides."""
    options: Any = None
    """The validated options: an instance of the reader's own model; None for its defaults."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TableSource:
    """A table in memory."""

    table: pa.Table
    shown: str


@dataclass(frozen=True, slots=True, kw_only=True)
class QuerySource:
    """A table that a reader fetches from somewhere else than a file."""

    format: str
    """The id of the reader, one that is not local."""
    options: Any
    """The validated options: an instance of the reader's own model."""
    shown: str


Source: TypeAlias = FileSource | TableSource | QuerySource


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Written:
    """What is known of a release that was made and then written to a file."""

    by: MadeCandidate
    rows: NDArray[np.intp] | None
    """From which record of the original each released one comes; None for all, in order."""
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenCandidate:
    """A release that exists already."""

    name: str
    source: Source
    kind: Kind
    linkage: LinkageName
    key: tuple[str, ...] = ()
    """The columns that tell which record is whose, where linkage is by key."""
    map: Source | None = None
    """What holds the key of each released record's original, in the order of the release; None for the release itself."""
    written: Written | None = None
    """How it was made, where this very run made and wrote it."""

    @property
    def released_key(self) -> tuple[str, ...]:
        """Return the columns of the key that stand in the release itself: none where a map holds them."""
        return self.key if self.map is None else ()

    @property
    def mapped_key(self) -> tuple[str, ...]:
        """Return the columns that a map must have."""
        return self.key or (RECORD,)


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeCandidate:
    """A release that an anonymizer makes during the audit."""

    name: str
    anonymizer: str
    params: Any
    """The validated parameters: an instance of the anonymizer's own model."""
    replicates: int = 1
    round: bool = False
    """Round what was made to the original's decimals: whole numbers stay whole."""
    clip: bool = False
    """Cut what was made off at the attribute's bounds, or else at the original's range."""
    attributes: tuple[str, ...] = ()
    """Which attributes are released; none named means all of them."""


Candidate: TypeAlias = GivenCandidate | MadeCandidate


@dataclass(frozen=True, slots=True, kw_only=True)
class Sweep:
    """Candidates that differ by parameters only."""

    name: str
    anonymizer: str
    varied: tuple[str, ...]
    """The parameters that change from point to point."""
    candidates: tuple[str, ...]
    """The names of the points, in order; each is a candidate of the audit."""


@dataclass(frozen=True, slots=True, kw_only=True)
class When:
    """To which candidates a rule applies; None means to all."""

    kind: Kind | None = None
    candidate: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleUse:
    """A rule that the audit file asks for."""

    rule: str
    params: Any
    """The validated parameters: an instance of the rule's own model."""
    when: When = field(default_factory=When)
    origin: Origin = "audit file"
    place: Place | None = None
    """Where it was asked for."""
    folder: Path | None = None
    """What paths in its parameters are relative to: the directory of the file that asks for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiver:
    """A rule that two people let pass for one candidate."""

    rule: str
    candidate: str
    attribute: str | None = None
    """Only for this attribute; None where the rule is about none."""
    metric: str | None = None
    """Only for what the rule demands of this metric; needed where the rule speaks against several."""
    reason: str
    approved_by: tuple[str, ...]
    expires: date
    sha256: str | None = None
    """The release for which it was given, by content."""
    place: Place | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """What the review board demands of every audit; its rules are among those of the audit, with their origin."""

    title: str
    file: FileSource
    """With the hash of what was read."""
    pinned: bool
    waivable: tuple[str, ...] | None = None
    """The rules that may be waived; None for all."""
    most_days: int | None = None
    """For how many days from today a waiver may be given at most."""
    seed: int | None = None
    """The seed that every audit must use, so that nobody picks one that passes."""
    holdout: bool = False
    """Must every audit bring a holdout?"""
    differences: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """In which forms the result is wanted, for whom, and in which words."""

    formats: tuple[str, ...] = ()
    """Besides `audit.json`; empty where the audit file does not say."""
    audience: Audience = "internal"
    template: str = "board"
    language: str = "en"


@dataclass(frozen=True, slots=True, kw_only=True)
class Audit:
    """An audit, ready to run."""

    title: str
    original: Source
    attributes: tuple[Attribute, ...]
    identifiers: tuple[str, ...] = ()
    not_audited: Mapping[str, str] = field(default_factory=dict)
    """Released columns that are left out, each with a reason."""
    candidates: tuple[Candidate, ...]
    sweeps: tuple[Sweep, ...] = ()
    metrics: tuple[str, ...] | None = None
    """The metrics asked for by name; None means the default ones. Those that rules need come on top."""
    rules: tuple[RuleUse, ...] = ()
    holdout: Source | None = None
    """Records of the same population that were not used for the release."""
    missing: MissingPolicy = "error"
    """What becomes of missing values, unless an attribute says otherwise."""
    policy: Policy | None = None
    waivers: tuple[Waiver, ...] = ()
    unconfirmed: tuple[str, ...] = ()
    """What was proposed in the audit file, and confirmed by nobody yet."""
    report: Report = field(default_factory=Report)
    seed: int = 0
    files: tuple[FileSource, ...] = ()
    """The audit file and the policy, for the provenance."""
    documents: Mapping[str, str] = field(default_factory=dict)
    """Their texts, by name."""
    places: Mapping[str, Place] = field(default_factory=dict)
    """Where the audit file declares each candidate."""
