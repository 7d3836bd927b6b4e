"""What an object says of itself, and the parameters it takes."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any, get_args

from pydantic import BaseModel, ValidationError

from permaudit.cards import Invariance

if TYPE_CHECKING:
    from collections.abc import Mapping

    from permaudit.cards import Card
    from permaudit.testing.failures import Inspection

_UNKNOWN = "no_such_parameter"


def check_card(found: Inspection, thing: object, kind: type[Card], methods: tuple[str, ...]) -> bool:
    """Look at what every card must say; without a card and the methods there is nothing else to look at."""
    card: Any = getattr(thing, "card", None)
    advice = "hand over an instance, not the class, whose attribute `card` says what it is"
    if not found.expect(isinstance(card, kind), "card", f"has no {kind.__name__}; {advice}"):
        return False
    if not found.expect(not isinstance(thing, type), "card", f"is a class; {advice}"):
        return False
    missing = [name for name in methods if not hasattr(thing, name)]
    found.expect(not missing, "card", f"has no {', no '.join(missing)}")
    is_name = isinstance(card.id, str) and card.id.strip() == card.id != "" and card.id.isprintable()
    found.expect(is_name, "card", "id is no name: some printable characters, without spaces around them")
    for field in fields(card):
        value = getattr(card, field.name)
        if field.type == "str" and field.name != "id":
            is_text = isinstance(value, str) and value.strip()
            found.expect(is_text, "card", f"{field.name} says nothing; the report prints it for people who decide")
    known = get_args(Invariance)
    for name in getattr(card, "invariant_to", ()):
        found.expect(name in known, "card", f"invariant_to names {name!r}; known are {', '.join(known)}")
    return not missing


def check_choice(found: Inspection, card: Card, name: str, choices: tuple[Any, ...]) -> None:
    """See that one part of a card is one of a few words."""
    value = getattr(card, name)
    found.expect(value in choices, "card", f"{name} is {value!r}; it must be one of {', '.join(map(repr, choices))}")


def check_parameters(found: Inspection, model: Any, given: Mapping[str, Any] | None) -> Any:
    """Look at the parameters' model, and return the parameters to work with; None where there are none."""
    if not found.expect(
        isinstance(model, type) and issubclass(model, BaseModel),
        "parameters",
        "parameters is no pydantic model; derive it from permaudit.Parameters, which stands for `no parameters` itself",
    ):
        return None
    for name, field in model.model_fields.items():
        advice = "say what it means with Field(description=...): `permaudit plugins show` prints it"
        found.expect(field.description, "parameters", f"parameter {name} has no description; {advice}")
    content = dict(given) if given is not None else _examples(model)
    try:
        params = model.model_validate(content)
    except ValidationError as error:
        named = ", ".join(".".join(map(str, mistake["loc"])) or "the model" for mistake in error.errors())
        advice = "hand over params=..., or give each parameter without a default an example: Field(examples=[...])"
        found.fail("parameters", f"cannot be read from {content}, because of {named}; {advice}")
        return None
    with_unknown = {**content, _UNKNOWN: 1}
    try:
        model.model_validate(with_unknown)
    except ValidationError:
        return params
    advice = "a misspelt name would be ignored; derive the model from permaudit.Parameters"
    found.fail("parameters", f"parameters take a name that they do not know; {advice}")
    return params


def _examples(model: type[BaseModel]) -> dict[str, Any]:
    """Return the example of every parameter that has one and no default."""
    return {
        field.alias or name: field.examples[0]
        for name, field in model.model_fields.items()
        if field.is_required() and field.examples
    }
