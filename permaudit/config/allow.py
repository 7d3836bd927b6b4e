"""`plugins`: the distributions whose plugins may be imported, and what a call may take, read before anything else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from permaudit.config.explain import problems_of
from permaudit.config.schema import file_schema, keys_in
from permaudit.config.shape import PluginsShape
from permaudit.config.words import Problem, place_name
from permaudit.errors import AuditFileError, shown
from permaudit.isolation.limits import Limits

if TYPE_CHECKING:
    from permaudit.allowed import Allowed
    from permaudit.config.tree import Tree


_UNITS = {"MB": 1 << 20, "GB": 1 << 30}


def allowed_plugins(tree: Tree) -> tuple[Allowed, ...]:
    """Return what `plugins.allow` allows; raise `AuditFileError` where it, or the rest of `plugins`, is wrong or in doubt."""
    section = tree.value.get("plugins", {}) if isinstance(tree.value, dict) else {}
    mistakes = [doubt.mistake for doubt in tree.doubts if doubt.steps[:1] == ("plugins",)]
    try:
        PluginsShape.model_validate(section)
    except ValidationError as error:
        known = keys_in(lambda: file_schema()["$defs"]["PluginsShape"])
        mistakes += [tree.mistake(problem) for problem in problems_of(error, section, ("plugins",), known)]
    allowed, problems = allowed_in(tree.value)
    mistakes += [tree.mistake(problem) for problem in problems]
    if mistakes:
        raise AuditFileError(sorted(set(mistakes)))
    return allowed


def limits_in(tree: Tree) -> Limits:
    """Return what a call of a foreign plugin may take, from a section that `allowed_plugins` found in order."""
    section = tree.value.get("plugins", {}) if isinstance(tree.value, dict) else {}
    return limits_of(section.get("timeout"), section.get("memory"))


def limits_of(timeout: float | None, memory: str | None) -> Limits:
    """Return limits as they are written in an audit file; None for the usual one."""
    usual = Limits()
    number, unit = (memory[:-2].strip(), memory[-2:]) if memory is not None else ("", "")
    return Limits(
        usual.seconds if timeout is None else float(timeout),
        usual.memory if memory is None else int(float(number) * _UNITS[unit]),
    )


def allowed_under(allowed: tuple[Allowed, ...], policy: tuple[Allowed, ...]) -> tuple[Allowed, ...]:
    """Return what may be imported under a policy: its own list, where both agree on versions and content, and nothing else."""
    own = {item.name: item for item in allowed}
    return tuple(_both(item, own[item.name]) if item.name in own else item for item in policy)


def _both(one: Allowed, other: Allowed) -> Allowed:
    """Return what two files allow together."""
    from packaging.requirements import Requirement  # noqa: PLC0415 - most audits list nobody

    from permaudit.allowed import Allowed  # noqa: PLC0415

    versions = one.requirement.specifier & other.requirement.specifier
    return Allowed(Requirement(f"{one.requirement.name}{versions}"), tuple(dict.fromkeys((*one.sha256, *other.sha256))))


def allowed_in(value: Any) -> tuple[tuple[Allowed, ...], list[Problem]]:
    """Return the distributions that can be read, and what is wrong with the others."""
    section = value.get("plugins") if isinstance(value, dict) else None
    entries = section.get("allow") if isinstance(section, dict) else None
    if not isinstance(entries, list) or not entries:
        return (), []
    from packaging.requirements import InvalidRequirement, Requirement  # noqa: PLC0415 - most audits list nobody

    from permaudit.allowed import Allowed  # noqa: PLC0415

    found: dict[str, Allowed] = {}
    problems = []
    for number, entry in enumerate(entries):
        is_long = isinstance(entry, dict)
        steps = ("plugins", "allow", number, *(("name",) if is_long else ()))
        text, digest = (entry.get("name"), entry.get("sha256")) if is_long else (entry, None)
        try:
            requirement = Requirement(text) if isinstance(text, str) else None
        except InvalidRequirement:
            message = f"'{shown(text)}' is not a distribution with its versions, such as acme>=2"
            problems.append(Problem(steps, f"{place_name(steps)}: {message}"))
            continue
        if requirement is None:
            continue
        allowed = Allowed(requirement, (digest.lower(),) if isinstance(digest, str) else ())
        if allowed.name in found:
            problems.append(Problem(steps, f"{place_name(steps)}: '{shown(requirement.name)}' is named twice"))
        found.setdefault(allowed.name, allowed)
    return tuple(found.values()), problems
