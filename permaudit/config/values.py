"""Single values of an audit file: how each is checked, and the same said in the JSON Schema."""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic_core import PydanticCustomError, core_schema

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
    from pydantic.json_schema import JsonSchemaValue

VERSIONS = (1,)
SEED_END = 2**63

_PATH = r"^(?!~)(?![A-Za-z][A-Za-z0-9+.\-]+:)[^\u0000]+$"
_REQUIREMENT = (
    r"^[A-Za-z0-9]([A-Za-z0-9._\-]*[A-Za-z0-9])?"
    r"( *(===|==|~=|!=|<=|>=|<|>) *[A-Za-z0-9_.*+!\-]+( *, *(===|==|~=|!=|<=|>=|<|>) *[A-Za-z0-9_.*+!\-]+)*)?$"
)
MEMORY = r"^(?=[0-9.]*[1-9])[0-9]{1,6}(\.[0-9]{1,3})? ?(MB|GB)$"
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
class Day:
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


def text_or_list(value: Any) -> str | None:
    """Tell one name from several."""
    match value:
        case str():
            return "<short>"
        case list():
            return "<long>"
        case _:
            return None


def text_or_mapping(value: Any) -> str | None:
    """Tell the short form from the long one."""
    match value:
        case str():
            return "<short>"
        case dict():
            return "<long>"
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

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, defer_build=True)
