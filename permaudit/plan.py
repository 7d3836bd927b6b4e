"""What an audit is asked to do: the nouns between the audit file (or the Python call) and the run."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import pyarrow as pa

    from permaudit.model import Kind, LinkageName

AttributeType: TypeAlias = Literal["numeric"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Attribute:
    """A column that is audited."""

    name: str
    type: AttributeType = "numeric"


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


Source: TypeAlias = FileSource | TableSource


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenCandidate:
    """A release that exists already."""

    name: str
    source: Source
    kind: Kind
    linkage: LinkageName


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeCandidate:
    """A release that an anonymizer makes during the audit."""

    name: str
    anonymizer: str
    params: Any
    """The validated parameters: an instance of the anonymizer's own model."""
    replicates: int = 1


Candidate: TypeAlias = GivenCandidate | MadeCandidate


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
    origin: str
    """Where it was asked for, such as `audit.yaml:12:5`."""


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
    metrics: tuple[str, ...] | None = None
    """The metrics asked for by name; None means the default ones. Those that rules need come on top."""
    rules: tuple[RuleUse, ...] = ()
    seed: int = 0
    files: tuple[FileSource, ...] = ()
    """The audit file itself, for the provenance."""
