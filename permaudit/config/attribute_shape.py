"""The shape of an attribute: its type, and what an attribute of that type can have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag

from permaudit.config.values import Closed, Either, PathText, Text, text_or_mapping

if TYPE_CHECKING:
    from pydantic import GetJsonSchemaHandler
    from pydantic.json_schema import JsonSchemaValue
    from pydantic_core import core_schema

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
        text_or_mapping,
        custom_error_type="form",
        custom_error_message="must be a type such as numeric, or a mapping such as {type: numeric}",
    ),
    Either({"type": "string"}),
]
