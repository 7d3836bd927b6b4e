"""The shape of an audit file: its keys, their types, and what editors are told about them.

Only keys that work today are here: an unknown key is a mistake, never ignored.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import ConfigDict, Discriminator, Field, Tag

from permaudit.config.attribute_shape import Attribute, PolicyName
from permaudit.config.candidate_shape import Candidate, Original, SweepShape
from permaudit.config.values import (
    MEMORY,
    SEED_END,
    VERSIONS,
    CandidateName,
    Closed,
    Day,
    Digest,
    Distribution,
    Either,
    KindName,
    Matching,
    PathText,
    Text,
    Version,
    text_or_mapping,
)


class WhenShape(Closed):
    """To which candidates a rule applies; by default to all."""

    kind: KindName = Field(default="masked")
    candidate: str = Field(default="", description="the name of one candidate")


class RuleShape(Closed):
    """A rule, with its own parameters beside its name."""

    model_config = ConfigDict(extra="allow")

    rule: str
    when: WhenShape = WhenShape()


class PolicyFileShape(Closed):
    """A policy by path and content."""

    path: PathText
    sha256: Digest = Field(default="", description="what the content of the policy must hash to")


class WaiverShape(Closed):
    """A rule that two people let pass for one candidate, until a day."""

    rule: str = Field(description="the rule that is waived")
    candidate: str = Field(description="the candidate for which it is waived, by its name")
    attribute: Text = Field(default="", description="the attribute or column for which it is waived")
    metric: str = Field(default="", description="the metric for which it is waived, where the rule limits several")
    reason: Annotated[Text, Field(max_length=1000)] = Field(description="why it may be waived")
    # How many different people these are is said by the cross checks; the number is for editors.
    approved_by: list[Annotated[Text, Field(max_length=200)]] = Field(
        alias="approved-by", description="the two people or more who decided it", json_schema_extra={"minItems": 2}
    )
    expires: Annotated[str, Day()] = Field(description="the last day on which the waiver holds, in UTC")
    sha256: Digest = Field(default="", description="the release for which it was given, by content")


class AllowedShape(Closed):
    """A distribution that must be the one that somebody looked at."""

    name: Distribution = Field(description="the name of the distribution, and its versions")
    sha256: Digest = Field(description="what its installed files must hash to, as permaudit plugins shows it")


class PolicyPluginsShape(Closed):
    """Which foreign plugins may be imported."""

    allow: list[
        Annotated[
            Annotated[Distribution, Tag("<short>")] | Annotated[AllowedShape, Tag("<long>")],
            Discriminator(
                text_or_mapping,
                custom_error_type="form",
                custom_error_message="must be the name of a distribution and its versions, such as acme>=2, "
                "or a mapping with name and sha256",
            ),
            Either({"type": "string"}),
        ]
    ] = Field(default=[], description="distributions besides permaudit itself; nothing else is imported")


class PluginsShape(PolicyPluginsShape):
    """Which foreign plugins may be imported, and what one call of them may take."""

    timeout: float = Field(
        default=60,
        gt=0,
        le=86_400,
        description="the seconds after which a call of a foreign plugin is ended; of an engine, sixty times as many",
    )
    memory: Annotated[str, Matching(MEMORY, "must be an amount of memory, such as 500MB or 2GB")] = Field(
        default="2GB", description="the memory that a call of a foreign plugin may take besides its inputs"
    )


class ReportShape(Closed):
    """In which forms the result is wanted, for whom, and in which words."""

    formats: list[Literal["html", "pdf", "json", "junit", "sarif", "md"]] = Field(
        default=[], min_length=1, description="what is written; audit.json always is, by default with summary.md"
    )
    audience: Literal["internal", "external"] = Field(
        default="internal",
        description="external: no value, extreme, small count, path or person in any output, numbers rounded",
    )
    template: str = Field(default="board", description="the template set of the report")
    language: str = Field(default="en", description="the language of the report's own words")


PolicyFile = Annotated[
    Annotated[PathText, Tag("<short>")] | Annotated[PolicyFileShape, Tag("<long>")],
    Discriminator(
        text_or_mapping,
        custom_error_type="form",
        custom_error_message="must be a path, or a mapping with path and sha256",
    ),
    Either({"type": "string"}),
]


class AuditShape(Closed):
    """What an audit looks at, and what it demands."""

    # An audit needs something to judge: the same condition stands in the cross checks.
    model_config = ConfigDict(
        title="permaudit audit file",
        json_schema_extra={"if": {"required": ["sweeps"]}, "then": {}, "else": {"required": ["candidates"]}},
    )

    permaudit: Annotated[int, Version(VERSIONS)] = Field(description="the version of this format")
    title: Text = Field(description="what the reports call this audit")
    original: Original = Field(description="the microdata before anonymization")
    attributes: dict[Text, Attribute] = Field(
        min_length=1, description="the columns that are audited, each with its type"
    )
    identifiers: list[Text] = Field(default=[], description="columns that must not be in any release")
    not_audited: dict[Text, Text] = Field(
        default={}, alias="not-audited", description="released columns that are left out, each with a reason"
    )
    holdout: Original = Field(
        default="", description="microdata of the same population that were not used for any release"
    )
    missing: PolicyName = "error"
    candidates: dict[CandidateName, Candidate] = Field(
        default={}, min_length=1, description="the releases to judge: files that exist, or anonymizers to run"
    )
    sweeps: dict[CandidateName, SweepShape] = Field(
        default={}, min_length=1, description="parameters to compare: every combination is a candidate"
    )
    metrics: list[str] = Field(
        default=[],
        min_length=1,
        description="by default the usual ones and what the rules need",
        json_schema_extra={"uniqueItems": True},
    )
    policy: PolicyFile = Field(default="", description="the rules of the review board, which hold for every audit")
    rules: list[RuleShape] = Field(default=[], description="what is demanded, besides the rules that are always on")
    waivers: list[WaiverShape] = Field(default=[], description="rules that two people let pass for one candidate")
    unconfirmed: list[Text] = Field(
        default=[],
        description="what `permaudit init` proposed and nobody has confirmed yet; while something is here, nothing is released",
    )
    seed: int = Field(default=0, ge=0, lt=SEED_END, description="drives what the audit itself draws")
    report: ReportShape = ReportShape()
    plugins: PluginsShape = PluginsShape()
