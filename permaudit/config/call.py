"""The parts of an audit that a Python call writes as an audit file would: attributes and rules."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter, ValidationError

from permaudit.config.explain import problems_of
from permaudit.config.load import attribute_of, when_of
from permaudit.config.mentions import rules_in
from permaudit.config.schema import file_schema, keys_in
from permaudit.config.shape import Attribute as AttributeShape
from permaudit.config.shape import RuleShape
from permaudit.errors import AuditFileError, Mistake
from permaudit.plan import RuleUse

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from permaudit.config.words import Problem
    from permaudit.model import Catalogue
    from permaudit.plan import Attribute

_CALL = "permaudit.audit"


def attributes_of(given: Mapping[str, Any], folder: Path) -> tuple[Attribute, ...]:
    """Read attributes written as in an audit file; paths of taxonomies are relative to the folder."""
    _validate(TypeAdapter(dict[str, AttributeShape]), dict(given), "attributes")
    return tuple(attribute_of(name, entry, folder) for name, entry in given.items())


def rules_of(given: Sequence[Mapping[str, Any]], catalogue: Catalogue) -> tuple[RuleUse, ...]:
    """Read rules written as in an audit file."""
    entries = [dict(entry) for entry in given]
    _validate(TypeAdapter(list[RuleShape]), entries, "rules")
    mentions, problems = rules_in({"rules": entries}, catalogue)
    _refuse(problems)
    return tuple(
        RuleUse(rule=str(mention.rule), params=mention.params, when=when_of(entry), origin=f"rules[{number}]")
        for number, (mention, entry) in enumerate(zip(mentions, entries, strict=True))
    )


def _validate(adapter: TypeAdapter[Any], value: Any, key: str) -> None:
    """Hold a part of an audit against its shape."""
    try:
        adapter.validate_python(value)
    except ValidationError as error:
        _refuse(problems_of(error, value, (key,), keys_in(file_schema)))


def _refuse(problems: Iterable[Problem]) -> None:
    """Raise with every problem that was found."""
    mistakes = [Mistake(_CALL, None, None, problem.message) for problem in problems]
    if mistakes:
        raise AuditFileError(mistakes)
