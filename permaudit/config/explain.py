"""What pydantic found wrong -> problems in the words of the audit file."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from permaudit.config.values import VERSIONS
from permaudit.config.words import Problem, hint, nearest, place_name, value_words
from permaudit.errors import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from pydantic import ValidationError
    from pydantic_core import ErrorDetails

    from permaudit.config.words import Steps

_LONG_FORMS = {
    "ordinal": "{type: ordinal, order: [LOWEST, ..., HIGHEST]}",
    "nominal": "{type: nominal, taxonomy: FILE}",
}
"""Types that one word does not declare."""

_VERSION_KEYS = (("permaudit",), ("permaudit-policy",))

_QUOTED = re.compile(r"'([^']*)'")
_NUMBER = re.compile(r"[-+]?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?\Z")
_EXPECTED = {
    "string_type": "text",
    "int_type": "an integer",
    "int_from_float": "an integer",
    "int_parsing": "an integer",
    "float_type": "a number",
    "float_parsing": "a number",
    "finite_number": "a finite number",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "list_type": "a list",
    "tuple_type": "a list",
    "set_type": "a list",
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "model_attributes_type": "a mapping",
    "date_type": "a date such as 2027-01-31",
    "date_parsing": "a date such as 2027-01-31",
    "date_from_datetime_parsing": "a date such as 2027-01-31",
    "none_required": "left empty",
}
_BOUNDS = {
    "greater_than": ("gt", "greater than"),
    "greater_than_equal": ("ge", "at least"),
    "less_than": ("lt", "less than"),
    "less_than_equal": ("le", "at most"),
    "multiple_of": ("multiple_of", "a multiple of"),
}


def problems_of(
    error: ValidationError,
    value: Any,
    base: Steps,
    known: Callable[[Steps], list[str]],
    root: str = "the audit file",
) -> Iterator[Problem]:
    """Say each of pydantic's findings in our words, at its place below `base`; several of one place become one.

    The whole file is called `root`.
    """
    seen: set[tuple[Steps, bool]] = set()
    for detail in error.errors(include_url=False, include_input=False):
        at_key = detail["type"] in {"extra_forbidden", "missing"} or detail["loc"][-1:] == ("[key]",)
        inner, found = _follow(detail["loc"][:-1] if detail["type"] == "missing" else detail["loc"], value)
        steps = (*base, *inner)
        if detail["type"] != "missing":
            if (steps, at_key) in seen:
                continue
            seen.add((steps, at_key))
        text = _message(detail, steps, found, known(inner))
        yield Problem(steps, place_name(steps, root) + text, "key" if at_key else "value")


def _follow(loc: tuple[int | str, ...], value: Any) -> tuple[Steps, Any]:
    """Walk pydantic's location through the file, leaving out what names no place in it (forms, types, `[key]`)."""
    steps: list[str | int] = []
    for step in loc:
        inside = (
            step in value
            if isinstance(value, dict)
            else isinstance(value, list) and isinstance(step, int) and 0 <= step < len(value)
        )
        if inside:
            steps.append(step)
            value = value[step]
    return tuple(steps), value


def _message(detail: ErrorDetails, steps: Steps, found: Any, known: list[str]) -> str:
    kind = detail["type"]
    if kind == "missing":
        key = str(detail["loc"][-1])
        text = f" needs the key '{shown(key)}'"
        if (*steps, key) in _VERSION_KEYS:
            text += f", the version of the format; known is {', '.join(map(str, VERSIONS))}"
    elif kind == "extra_forbidden":
        text = f" {_unknown_key(steps, known)}"
    elif isinstance(found, str) and found in _LONG_FORMS and _pattern(steps) == ("attributes", "*"):
        text = f" must be written as {_LONG_FORMS[found]}"
    else:
        text = f" {_wrong_value(kind, detail.get('ctx', {}), found, detail['msg'])}"
    return text


def _wrong_value(kind: str, context: Mapping[str, Any], found: Any, message: str) -> str:
    if kind in {"literal_error", "enum"}:
        return _not_in(str(context["expected"]), found)
    if kind in _EXPECTED:
        return f"must be {_EXPECTED[kind]}, {_but(kind, found)}"
    if kind in _BOUNDS:
        key, words = _BOUNDS[kind]
        return f"must be {words} {context[key]}, not {found if isinstance(found, int | float) else value_words(found)}"
    return _other(kind, context, message)


def _other(kind: str, context: Mapping[str, Any], message: str) -> str:
    match kind:
        case "too_short" | "string_too_short" if context["min_length"] == 1:
            return "must not be empty"
        case "string_too_long":
            return f"must have at most {context['max_length']} characters"
        case "value_error" | "assertion_error":
            return f"is wrong: {shown(str(context['error']), 300)}"
        case "pattern" | "version" | "form":  # our own
            return message
        case _:
            return f"is wrong: {shown(message[:1].lower() + message[1:], 300)}"


def _unknown_key(steps: Steps, known: list[str]) -> str:
    key = str(steps[-1])
    if key in known:
        return "does not go with the other keys here"
    return f"is not a known key{hint(key, known)}"


def _pattern(steps: Steps) -> Steps:
    """Put a star for the name of an attribute or a candidate."""
    return tuple("*" if number == 1 else step for number, step in enumerate(steps))


def _not_in(expected: str, found: Any) -> str:
    close = nearest(found, _QUOTED.findall(expected)) if isinstance(found, str) else None
    return f"must be {expected}, not {value_words(found)}" + (f"; did you mean '{close}'?" if close else "")


def _but(kind: str, found: Any) -> str:
    if kind == "string_type" and isinstance(found, bool | int | float):
        return f"not {value_words(found)}; put it in quotes"
    if isinstance(found, str) and kind.startswith(("int", "float")) and _NUMBER.match(found):
        return f"not the text {value_words(found)}; remove the quotes"
    return f"not {value_words(found)}"
