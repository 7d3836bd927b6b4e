"""`audit.json`: the only serialization of an outcome, and its JSON Schema."""

from __future__ import annotations

import json
import re
from dataclasses import asdict
from functools import cache
from typing import TYPE_CHECKING, Any

from permaudit.errors import PermauditError
from permaudit.outcome import SCHEMA, Outcome

if TYPE_CHECKING:
    from pydantic import TypeAdapter

_SURROGATE = re.compile("[\ud800-\udfff]")


def to_json(outcome: Outcome) -> bytes:
    """Write an outcome: numbers at full precision, no NaN, only ASCII, the same bytes for the same outcome."""
    content = asdict(outcome)
    text = json.dumps(content, allow_nan=False, ensure_ascii=False)
    if _SURROGATE.search(text):  # half a character, from a broken name: no strict reader of JSON takes it
        content = json.loads(_SURROGATE.sub("\ufffd", text))
    return (json.dumps(content, indent=2, allow_nan=False) + "\n").encode("ascii")


def from_json(content: bytes) -> Outcome:
    """Read an outcome back; raise where the content is none."""
    from pydantic import ValidationError  # noqa: PLC0415 - only those who read results pay for it

    try:
        return _adapter().validate_json(content)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        place = ".".join(str(part) for part in first["loc"]) or "the file"
        raise PermauditError(f"not a result of permaudit ({SCHEMA}): {place}: {first['msg']}") from None


def result_schema() -> dict[str, Any]:
    """Return the JSON Schema of `audit.json`."""
    schema = _adapter().json_schema(mode="serialization")
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Result of a permaudit audit"} | schema


@cache
def _adapter() -> TypeAdapter[Outcome]:
    """Return pydantic's view of the outcome."""
    from pydantic import TypeAdapter  # noqa: PLC0415

    return TypeAdapter(Outcome)
