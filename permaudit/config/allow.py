"""`plugins.allow`: the distributions whose plugins may be imported, read before anything else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from pydantic import ValidationError

from permaudit.config.explain import problems_of
from permaudit.config.schema import file_schema, keys_in
from permaudit.config.shape import PluginsShape
from permaudit.config.words import Problem, place_name
from permaudit.errors import AuditFileError, shown

if TYPE_CHECKING:
    from permaudit.config.tree import Tree


def allowed_plugins(tree: Tree) -> tuple[Requirement, ...]:
    """Return the requirements in `plugins.allow`; raise `AuditFileError` where they are wrong or in doubt."""
    section = tree.value.get("plugins", {}) if isinstance(tree.value, dict) else {}
    mistakes = [doubt.mistake for doubt in tree.doubts if doubt.steps[:1] == ("plugins",)]
    try:
        PluginsShape.model_validate(section)
    except ValidationError as error:
        known = keys_in(lambda: file_schema()["$defs"]["PluginsShape"])
        mistakes += [tree.mistake(problem) for problem in problems_of(error, section, ("plugins",), known)]
    requirements, problems = requirements_in(tree.value)
    mistakes += [tree.mistake(problem) for problem in problems]
    if mistakes:
        raise AuditFileError(sorted(set(mistakes)))
    return requirements


def allowed_under(allowed: tuple[Requirement, ...], policy: tuple[Requirement, ...]) -> tuple[Requirement, ...]:
    """Return what may be imported under a policy: its own list, where both agree on the versions, and nothing else."""
    own = {canonicalize_name(item.name): item.specifier for item in allowed}
    return tuple(
        Requirement(f"{item.name}{item.specifier & own.get(canonicalize_name(item.name), SpecifierSet())}")
        for item in policy
    )


def requirements_in(value: Any) -> tuple[tuple[Requirement, ...], list[Problem]]:
    """Return the requirements that can be read, and what is wrong with the others."""
    section = value.get("plugins") if isinstance(value, dict) else None
    entries = section.get("allow") if isinstance(section, dict) else None
    found: dict[str, Requirement] = {}
    problems = []
    for number, text in enumerate(entries if isinstance(entries, list) else ()):
        steps = ("plugins", "allow", number)
        try:
            requirement = Requirement(text) if isinstance(text, str) else None
        except InvalidRequirement:
            message = f"'{shown(text)}' is not a distribution with its versions, such as acme>=2"
            problems.append(Problem(steps, f"{place_name(steps)}: {message}"))
            continue
        if requirement is None:
            continue
        name = canonicalize_name(requirement.name)
        if name in found:
            problems.append(Problem(steps, f"{place_name(steps)}: '{shown(requirement.name)}' is named twice"))
        found.setdefault(name, requirement)
    return tuple(found.values()), problems
