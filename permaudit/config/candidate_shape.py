"""The shape of the tables of an audit and of its candidates: files that are there, and releases that are made."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Discriminator, Field, Tag

from permaudit.config.values import (
    Closed,
    Digest,
    Either,
    KindName,
    PathText,
    Text,
    text_or_list,
    text_or_mapping,
)

MOST_REPLICATES = 10_000


class FileShape(Closed):
    """A table of microdata: a file, or what a reader fetches from somewhere else."""

    # Whether a path is needed depends on the reader: the same condition stands in the cross checks.
    path: PathText = ""
    sha256: Digest = Field(default="", description="what the content of the file must hash to")
    format: str = Field(default="", description="how to read the file; by default its suffix decides")
    options: dict[str, Any] = Field(default={}, description="the reader's own options")


Original = Annotated[
    Annotated[PathText, Tag("<short>")] | Annotated[FileShape, Tag("<long>")],
    Discriminator(
        text_or_mapping,
        custom_error_type="form",
        custom_error_message="must be a path, or a mapping with path, sha256, format and options",
    ),
    Either({"type": "string"}),
]


class KeyShape(Closed):
    """Columns that tell which record is whose, in both files, or in the original and in a map."""

    # Without a map there must be a key: the same condition stands in the cross checks.
    model_config = ConfigDict(json_schema_extra={"anyOf": [{"required": ["key"]}, {"required": ["map"]}]})

    key: Annotated[
        Annotated[Text, Tag("<short>")] | Annotated[list[Text], Field(min_length=1), Tag("<long>")],
        Discriminator(
            text_or_list,
            custom_error_type="form",
            custom_error_message="must be the name of a column, or a list of such names",
        ),
        Either({"type": "string"}),
    ] = Field(default="", description="the columns with the key of each record; in a map without a key, record")
    map: Original = Field(
        default="",
        description="a table that is never released: for each released record, in their order, the key of its original, or "
        "without a key the number of that record, from 1, in the column record",
    )


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
            text_or_mapping,
            custom_error_type="form",
            custom_error_message="must be 'row', 'none', {key: COLUMN} or {key: COLUMN, map: FILE}",
        ),
        Either({"type": "string"}),
    ] = Field(
        default="none",
        description="row: record i of the release comes from record i of the original; {key: COLUMN}: the records with the "
        "same key; {key: COLUMN, map: FILE}: the keys stand in a map that is never released; none: nobody knows. By default row for masked and none for synthetic",
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


def _made_or_given(value: Any) -> str | None:
    match value:
        case {"anonymizer": _}:
            return "<made>"
        case dict():
            return "<given>"
        case _:
            return None


Candidate = Annotated[
    Annotated[MadeShape, Tag("<made>")] | Annotated[GivenShape, Tag("<given>")],
    Discriminator(
        _made_or_given,
        custom_error_type="form",
        custom_error_message="must be a mapping with path and kind, or with anonymizer and params",
    ),
    Either({"required": ["anonymizer"]}),
]
