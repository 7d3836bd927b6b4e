"""The parameters that rules and anonymizers take from the audit file, validated by their own models."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from permaudit.config.explain import problems_of
from permaudit.config.schema import closed, keys_in
from permaudit.errors import PluginError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import BaseModel

    from permaudit.config.words import Problem, Steps


def validated(
    owner: str, model: type[BaseModel], value: Mapping[str, Any], base: Steps
) -> tuple[BaseModel | None, list[Problem]]:
    """Return the parameters, or all that is wrong with them.

    The values go in as JSON and in strict mode: a date or a tuple can be written, but the text "3" is no number.
    """
    strict = closed(model)
    text = json.dumps(value)
    try:
        params = strict.model_validate_json(text, strict=True)
        # An instance of the plugin's own class, which other processes know, too.
        return (params if strict is model else model.model_validate_json(text, strict=True)), []
    except ValidationError as error:
        return None, list(problems_of(error, value, base, keys_in(strict.model_json_schema)))
    except Exception as error:
        raise PluginError(f"{owner} fails on its own parameters: {type(error).__name__}") from error
