"""`audit.json`: the only serialization of an outcome, and its JSON Schema."""

from __future__ import annotations

import json
import re
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from permaudit.earlier import outcome_adapter

if TYPE_CHECKING:
    from permaudit.outcome import Outcome

_SURROGATE = re.compile("[\ud800-\udfff]")


def to_json(outcome: Outcome) -> bytes:
    """Write an outcome: numbers at full precision, no NaN, only ASCII, the same bytes for the same outcome."""
    return (json.dumps(whole(asdict(outcome)), indent=2, allow_nan=False) + "\n").encode("ascii")


def whole(content: Any) -> Any:
    """Replace half characters, which broken names have: no strict reader of JSON takes them."""
    text = json.dumps(content, allow_nan=False, ensure_ascii=False)
    return json.loads(_SURROGATE.sub("\ufffd", text)) if _SURROGATE.search(text) else content


def result_schema() -> dict[str, Any]:
    """Return the JSON Schema of `audit.json`."""
    schema = outcome_adapter().json_schema(mode="serialization")
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Result of a permaudit audit"} | schema
