"""The shape of an audit file: its keys, their types, and what editors are told about them.

Only keys that work today are here: an unknown key is a mistake, never ignored.
"""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag
from pydantic_core import PydanticCustomError, core_schema

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
    from pydantic.json_schema import JsonSchemaValue

VERSIONS = (1,)
SEED_END = 2**63
MOST_REPLICATES = 10_000

_PATH = r"^(?!~)(?![A-Za-z][A-Za-z0-9+.\-]+:)[^\u0000]+$"
_REQUIREMENT = (
    r"^[A-Za-z0-9]([A-Za-z0-9._\-]*[A-Za-z0-9])?"
    r"( *(===|==|~=|!=|<=|>=|<|>) *[A-Za-z0-9_.*+!\-]+( *, *(===|==|~=|!=|<=|>=|<|>) *[A-Za-z0-9_.*+!\-]+)*)?$"
)
_MEMORY = r"^(?=[0-9.]*[1-9])[0-9]{1,6}(\.[0-9]{1,3})? ?(MB|GB)$"
_DAY = r"^[0-9]{4}-[0-9]{2}-[0-9]{2}$"
_CANDIDATE = r"^(?!\.{1,2}$)[^\u0000-\u001f\u007f-\u009f\u2028\u2029/\\]+$"


@dataclass(frozen=True, slots=True)
class Matching:
    """A text that matches a pattern, in the check and in the JSON Schema alike."""

    pattern: str
    message: str

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        """Check the value after pydantic did."""
        return core_schema.no_info_after_validator_function(self._checked, handler(source))

    def __get_pydantic_json_schema__(
        self, core: core_schema.CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        """Say the same in the JSON Schema."""
        return {**handler(core), "pattern": self.pattern}

    def _checked(self, text: str) -> str:
        # `$` of a JSON Schema is the end, that of Python also stands before a last line feed.
        if re.search(self.pattern.removesuffix("$") + r"\Z" * self.pattern.endswith("$"), text) is None:
            raise PydanticCustomError("pattern", self.message)
        return text


@dataclass(frozen=True, slots=True)
class Version:
    """A known version of a format."""

    versions: tuple[int, ...]

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        """Check the value after pydantic did."""
        return core_schema.no_info_after_validator_function(self._checked, handler(source))

    def __get_pydantic_json_schema__(
        self, core: core_schema.CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        """Say the same in the JSON Schema."""
        return {**handler(core), "enum": list(self.versions)}

    def _checked(self, version: int) -> int:
        if version not in self.versions:
            known = ", ".join(map(str, self.versions))
            raise PydanticCustomError(
                "version", "is version {version} of the format; known is {known}", {"version": version, "known": known}
            )
        return version


@dataclass(frozen=True, slots=True)
class _Day:
    """A date as 2027-01-31; of the JSON Schema only the pattern is sure to be heeded."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        """Check the value after pydantic did."""
        return core_schema.no_info_after_validator_function(self._checked, handler(source))

    def __get_pydantic_json_schema__(
        self, core: core_schema.CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        """Say the same in the JSON Schema."""
        return {**handler(core), "format": "date", "pattern": _DAY}

    def _checked(self, text: str) -> str:
        try:
            if re.fullmatch(_DAY, text, re.ASCII):
                dt.date.fromisoformat(text)
                return text
        except ValueError:
            pass
        raise PydanticCustomError("pattern", "must be a date such as 2027-01-31")


@dataclass(frozen=True, slots=True)
class Either:
    """A choice between two forms: in the JSON Schema by condition, so that mistakes are shown inside the form meant."""

    condition: Mapping[str, Any]

    def __get_pydantic_json_schema__(
        self, core: core_schema.CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        """Say the same in the JSON Schema."""
        first, second = handler(core)["oneOf"]
        return {"if": dict(self.condition), "then": first, "else": second}


@dataclass(frozen=True, slots=True)
class _ByType:
    """A choice by the key `type`: in the JSON Schema one condition for each type, after the list of all types."""

    def __get_pydantic_json_schema__(
        self, core: core_schema.CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        """Say the same in the JSON Schema."""
        *forms, any_type = handler(core)["oneOf"]
        branches = [
            {"if": {"properties": {"type": {"enum": list(types)}}, "required": ["type"]}, "then": form}
            for types, form in zip(_FORM_TYPES, forms, strict=True)
        ]
        return {**any_type, "allOf": branches}


def _typed(value: Any) -> str:
    kind = value.get("type") if isinstance(value, dict) else None
    return next((f"<{types[0]}>" for types in _FORM_TYPES if kind in types), "<any>")


def text_or_list(value: Any) -> str | None:
    """Tell the short form from the long one."""
    match value:
        case str():
            return "<short>"
        case list():
            return "<long>"
        case _:
            return None


def _text_or_mapping(value: Any) -> str | None:
    match value:
        case str():
            return "<short>"
        case dict():
            return "<long>"
        case _:
            return None


def _made_or_given(value: Any) -> str | None:
    match value:
        case {"anonymizer": _}:
            return "<made>"
        case dict():
            return "<given>"
        case _:
            return None


Text = Annotated[str, Matching(r"\S", "must not be empty")]
Digest = Annotated[str, Matching(r"^[0-9a-fA-F]{64}$", "must be 64 hexadecimal digits")]
Distribution = Annotated[
    str, Matching(_REQUIREMENT, "must be the name of a distribution and its versions, such as acme>=2")
]
# What is wrong with a path is said where paths are resolved; the pattern is for editors.
PathText = Annotated[
    str, Field(description="a local file, relative to the audit file", json_schema_extra={"pattern": _PATH})
]
CandidateName = Annotated[
    str,
    Field(min_length=1, max_length=100),
    Matching(_CANDIDATE, "is not a usable name; control characters, slashes, '.' and '..' are not allowed"),
]
KindName = Annotated[
    Literal["masked", "synthetic"],
    Field(description="masked: made by changing the original's records; synthetic: drawn from a model"),
]


class Closed(BaseModel):
    """A mapping without unknown keys; a default only says that the key may be left out."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class FileShape(Closed):
    """A table of microdata: a file, or what a reader fetches from somewhere else."""

    # Whether a path is needed depends on the reader: the same condition stands in the cross checks.
    path: PathText = ""
    sha256: Digest = Field(default="", description="what the content of the file must hash to")
    format: str = Field(default="", description="how to read the file; by default its suffix decides")
    options: dict[str, Any] = Field(default={}, description="the reader's own options")


_FORM_TYPES = (("numeric",), ("date", "datetime"), ("boolean",), ("ordinal",), ("nominal",))
TypeName = Literal["numeric", "date", "datetime", "boolean", "ordinal", "nominal"]
PolicyName = Annotated[
    Literal["error", "drop-records", "lowest", "highest"],
    Field(
        description="what becomes of missing values: refuse them, leave the records out (and bound what that hides), or "
        "rank them below or above all others"
    ),
]
StarName = Annotated[
    Literal["any", "missing"],
    Field(description="what a released * means: any value of the scale, or a missing one"),
]


class _TypedShape(Closed):
    """What every attribute can have."""

    missing: PolicyName = "error"
    role: Literal["quasi-identifier", "confidential"] = Field(
        default="confidential",
        description="quasi-identifier: an intruder may know it; confidential: nobody should learn it",
    )


_Tolerance = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class NumericShape(_TypedShape):
    """Numbers."""

    type: Literal["numeric"]
    bounds: Annotated[list[float], Field(min_length=2, max_length=2)] = Field(
        default=[0.0, 1.0], description="the least and the greatest value that the population can have"
    )
    star: StarName = "any"
    decimals: int = Field(default=0, ge=0, le=15, description="round to so many decimals before ranking")
    tolerance: _Tolerance = Field(
        default=0, description="values that differ by no more count as nearly the same where copies are looked for"
    )


class DateShape(_TypedShape):
    """Days, or points in time."""

    type: Literal["date", "datetime"]
    star: StarName = "any"
    tolerance: _Tolerance = Field(
        default=0, description="so many days apart count as nearly the same where copies are looked for"
    )


class BooleanShape(_TypedShape):
    """True or false."""

    type: Literal["boolean"]


class OrdinalShape(_TypedShape):
    """Categories with an order."""

    type: Literal["ordinal"]
    order: list[Text] = Field(
        min_length=1,
        description="the categories, from the lowest to the highest",
        json_schema_extra={"uniqueItems": True},
    )
    star: StarName = "any"
    tolerance: _Tolerance = Field(
        default=0, description="so many steps apart count as nearly the same where copies are looked for"
    )


class NominalShape(_TypedShape):
    """Categories without an order, in a taxonomy."""

    type: Literal["nominal"]
    taxonomy: PathText = Field(
        description="a file with the tree of categories: nested YAML, or CSV with parent and child"
    )
    star: StarName = "any"


class AnyTypeShape(BaseModel):
    """An audited column."""

    model_config = ConfigDict(strict=True)

    type: TypeName = Field(description="how the values are compared")


class KeyShape(Closed):
    """Columns that tell which record is whose."""

    key: Annotated[
        Annotated[Text, Tag("<short>")] | Annotated[list[Text], Field(min_length=1), Tag("<long>")],
        Discriminator(
            text_or_list,
            custom_error_type="form",
            custom_error_message="must be the name of a column, or a list of such names",
        ),
        Either({"type": "string"}),
    ]


class GivenShape(FileShape):
    """A release that exists already."""

    # A synthetic release has no record of anybody: the same condition stands in the cross checks.
    model_config = ConfigDict(
        json_schema_extra={
            "allOf": [
                {
                    "if": {"properties": {"kind": {"const": "synthetic"}}, "required": ["kind"]},
                    "then": {"properties": {"linkage": {"const": "none"}}},
                }
            ]
        }
    )

    kind: KindName
    linkage: Annotated[
        Annotated[Literal["row", "none"], Tag("<short>")] | Annotated[KeyShape, Tag("<long>")],
        Discriminator(
            _text_or_mapping,
            custom_error_type="form",
            custom_error_message="must be 'row', 'none' or {key: COLUMN}",
        ),
        Either({"type": "string"}),
    ] = Field(
        default="none",
        description="row: record i of the release comes from record i of the original; {key: COLUMN}: the records with the "
        "same key; none: nobody knows. By default row for masked and none for synthetic",
    )


class PostShape(Closed):
    """What is done to a release that was made."""

    round: bool = Field(default=False, description="round to the decimals of the original")
    clip: bool = Field(default=False, description="cut off at the bounds of each attribute, or at the original's range")


class MadeShape(Closed):
    """A release that an anonymizer makes during the audit."""

    anonymizer: str = Field(description="how the release is made")
    params: dict[str, Any] = Field(default={}, description="the anonymizer's own parameters")
    post: PostShape = PostShape()
    replicates: int = Field(default=1, ge=1, le=MOST_REPLICATES, description="how many releases to make and compare")


class RangeShape(Closed):
    """Evenly spaced values, on a linear or a logarithmic scale."""

    start: float = Field(alias="from")
    end: float = Field(alias="to")
    step: float | None = Field(default=None, gt=0)
    points: int | None = Field(default=None, ge=2, le=1000)
    scale: Literal["linear", "log"] = "linear"


class SweepShape(Closed):
    """Releases that an anonymizer makes with every combination of parameters."""

    anonymizer: str = Field(description="how the releases are made")
    params: dict[str, Any] = Field(
        min_length=1,
        description="the anonymizer's own parameters: each one value, a list, {from, to, step} or {from, to, points, scale}",
    )
    attributes: list[Annotated[list[Text], Field(min_length=1)]] = Field(
        default_factory=list,
        min_length=1,
        description="sets of attributes: each combination of parameters is made of each of them; by default of all together",
    )
    post: PostShape = PostShape()
    replicates: int = Field(default=1, ge=1, le=MOST_REPLICATES, description="how many releases to make at each point")


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
    expires: Annotated[str, _Day()] = Field(description="the last day on which the waiver holds, in UTC")
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
                _text_or_mapping,
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
    memory: Annotated[str, Matching(_MEMORY, "must be an amount of memory, such as 500MB or 2GB")] = Field(
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


Original = Annotated[
    Annotated[PathText, Tag("<short>")] | Annotated[FileShape, Tag("<long>")],
    Discriminator(
        _text_or_mapping,
        custom_error_type="form",
        custom_error_message="must be a path, or a mapping with path, sha256, format and options",
    ),
    Either({"type": "string"}),
]
PolicyFile = Annotated[
    Annotated[PathText, Tag("<short>")] | Annotated[PolicyFileShape, Tag("<long>")],
    Discriminator(
        _text_or_mapping,
        custom_error_type="form",
        custom_error_message="must be a path, or a mapping with path and sha256",
    ),
    Either({"type": "string"}),
]
Attribute = Annotated[
    Annotated[Literal["numeric", "date", "datetime", "boolean"], Tag("<short>")]
    | Annotated[
        Annotated[
            Annotated[NumericShape, Tag("<numeric>")]
            | Annotated[DateShape, Tag("<date>")]
            | Annotated[BooleanShape, Tag("<boolean>")]
            | Annotated[OrdinalShape, Tag("<ordinal>")]
            | Annotated[NominalShape, Tag("<nominal>")]
            | Annotated[AnyTypeShape, Tag("<any>")],
            Discriminator(_typed),
            _ByType(),
        ],
        Tag("<long>"),
    ],
    Discriminator(
        _text_or_mapping,
        custom_error_type="form",
        custom_error_message="must be a type such as numeric, or a mapping such as {type: numeric}",
    ),
    Either({"type": "string"}),
]
Candidate = Annotated[
    Annotated[MadeShape, Tag("<made>")] | Annotated[GivenShape, Tag("<given>")],
    Discriminator(
        _made_or_given,
        custom_error_type="form",
        custom_error_message="must be a mapping with path and kind, or with anonymizer and params",
    ),
    Either({"required": ["anonymizer"]}),
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
