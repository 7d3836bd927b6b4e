"""The parts of an audit that a Python call writes as an audit file would: attributes, rules, waivers, the policy."""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter, ValidationError

from permaudit.config.allow import allowed_in, limits_of
from permaudit.config.attribute_shape import Attribute as AttributeShape
from permaudit.config.explain import problems_of
from permaudit.config.load import attribute_of, mistakes_in, when_of
from permaudit.config.mentions import paths_in, rules_in
from permaudit.config.paths import check_path
from permaudit.config.policy import PolicyFile, policy_of, policy_problems
from permaudit.config.references import check_references, references_of
from permaudit.config.schema import file_schema, keys_in
from permaudit.config.shape import PluginsShape, RuleShape, WaiverShape
from permaudit.config.shape import PolicyFile as PolicyShape
from permaudit.config.standing import standing_under
from permaudit.config.tree import Tree
from permaudit.config.under import refused_by
from permaudit.config.waivers import waiver_of, waivers_in, wrong_waivers
from permaudit.config.words import Problem, place_name
from permaudit.errors import AuditFileError, Mistake
from permaudit.plan import FileSource, RuleUse

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from permaudit.allowed import Allowed
    from permaudit.config.references import RuleMention
    from permaudit.isolation.limits import Limits
    from permaudit.model import Catalogue
    from permaudit.plan import Attribute, Audit

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
        RuleUse(rule=str(mention.rule), params=mention.params, when=when_of(entry))
        for mention, entry in zip(mentions, entries, strict=True)
    )


def waivers_of(given: Sequence[Mapping[str, Any]]) -> tuple[dict[str, Any], ...]:
    """Read waivers written as in an audit file; a date may be one of Python's."""
    entries = [
        {name: item.isoformat() if type(item) is dt.date else item for name, item in entry.items()} for entry in given
    ]
    _validate(TypeAdapter(list[WaiverShape]), entries, "waivers")
    return tuple(entries)


def plugins_of(given: Mapping[str, Any]) -> tuple[tuple[Allowed, ...], Limits]:
    """Read which plugins may be imported and what a call of them may take, written as in an audit file."""
    entry = {**given, "allow": [dict(one) if isinstance(one, Mapping) else one for one in given["allow"]]}
    _validate(TypeAdapter(PluginsShape), entry, "plugins")
    allowed, problems = allowed_in({"plugins": entry})
    _refuse(problems)
    return allowed, limits_of(entry["timeout"], entry["memory"])


def policy_of_call(given: str | os.PathLike[str] | Mapping[str, Any] | None, folder: Path) -> PolicyFile:
    """Read the policy of a call, a path or a mapping as in an audit file; raise where it cannot be used."""
    if given is None:
        return PolicyFile()
    entry = {**given, "path": os.fspath(given["path"])} if isinstance(given, Mapping) and "path" in given else given
    entry = os.fspath(entry) if isinstance(entry, os.PathLike) else entry
    _validate(TypeAdapter(PolicyShape), entry, "policy")
    value = {"policy": entry}
    _refuse(problem for steps, text in paths_in(value) for problem in check_path(text, steps, folder, None))
    policy = policy_of(_tree(value, folder))
    if policy.mistakes:
        raise AuditFileError(policy.mistakes)
    return policy


def standing(audit: Audit, value: Mapping[str, Any], policy: PolicyFile, catalogue: Catalogue, today: dt.date) -> Audit:
    """Return the audit of a call with its waivers and under its policy; raise with everything that does not fit.

    `value` is what the call says, with the keys of an audit file.
    """
    problems = [Problem(steps, message) for steps, message in check_references(audit, catalogue)]
    problems += wrong_waivers(value, references_of(audit), catalogue)
    board: tuple[RuleMention, ...] = ()
    mistakes: list[Mistake] = []
    if policy.tree is not None:
        board, wrong = policy_problems(policy.tree, catalogue)
        mistakes = mistakes_in(policy.tree, wrong)
        problems += refused_by(policy.value or {}, value, today)
    mistakes = [Mistake(_CALL, None, None, problem.message) for problem in problems] + mistakes
    if mistakes:
        raise AuditFileError(mistakes)
    audit = replace(audit, waivers=tuple(waiver_of(entry, None) for _, entry in waivers_in(value)))
    return standing_under(audit, value, policy, board, catalogue, place_name)


def _tree(value: Any, folder: Path) -> Tree:
    """Return what a call says as if it stood in a file of the folder."""
    return Tree(_CALL, FileSource(path=folder / _CALL, shown=_CALL), "", value, {}, {}, ())


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
