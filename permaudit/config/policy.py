"""The policy that an audit stands under: read before any plugin, checked with the audit file, never loosened by it."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from permaudit.config.allow import allowed_in
from permaudit.config.explain import problems_of
from permaudit.config.mentions import earlier_in, rules_in
from permaudit.config.paths import check_path, located
from permaudit.config.references import rule_mismatches, unknown
from permaudit.config.schema import keys_in, policy_file_schema
from permaudit.config.tree import POLICY, read_tree
from permaudit.config.words import Problem, place_name
from permaudit.errors import AuditFileError, shown

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from permaudit.config.references import RuleMention
    from permaudit.config.tree import Tree
    from permaudit.config.words import Steps
    from permaudit.errors import Mistake
    from permaudit.model import Catalogue

KEY = "permaudit-policy"
"""The key by which a policy is known."""


@dataclass(frozen=True, slots=True, eq=False)
class PolicyFile:
    """The policy of an audit as far as it could be read, or that there is none."""

    tree: Tree | None = None
    pinned: bool = False
    """Does the audit file say which content it must have?"""
    mistakes: tuple[Mistake, ...] = ()

    @property
    def value(self) -> dict[str, Any] | None:
        """Return what the policy says, where it can be understood at all."""
        return self.tree.value if self.tree is not None and isinstance(self.tree.value, dict) else None


def policy_of(tree: Tree, root: Path | None = None, demanded: Path | None = None) -> PolicyFile:
    """Read the policy that an audit file names, or the one that is demanded whatever the file says.

    What is wrong with the path itself is left to the checks of all paths.
    """
    entry = tree.value.get("policy") if isinstance(tree.value, dict) else None
    text, digest = (entry.get("path"), entry.get("sha256")) if isinstance(entry, dict) else (entry, None)
    where = os.path.join(os.path.dirname(tree.where), text) if isinstance(text, str) else ""  # noqa: PTH118, PTH120
    own = PolicyFile()
    if isinstance(text, str) and not check_path(text, (), tree.file.path.parent, root):
        steps: Steps = ("policy", "path") if isinstance(entry, dict) else ("policy",)
        own = _own_policy(tree, steps, located(text, tree.file.path.parent), where, digest)
    if demanded is None:
        return own
    try:
        board = PolicyFile(read_tree(demanded, str(demanded), POLICY))
    except AuditFileError as error:
        return replace(own, mistakes=(*own.mistakes, *error.mistakes))
    if own.tree is None:
        return replace(board, mistakes=own.mistakes)
    if board.tree is not None and own.tree.file.sha256 != board.tree.file.sha256:
        message = f"policy: '{shown(where)}' is not the policy that was demanded, '{shown(str(demanded))}'"
        wrong = tree.mistake(Problem(("policy",), message))
        return replace(own, mistakes=(*own.mistakes, wrong))
    return own


def _own_policy(tree: Tree, steps: Steps, path: Path, where: str, digest: Any) -> PolicyFile:
    """Read the policy that the audit file names, and hold it against the declared hash."""
    try:
        if os.path.realpath(path) == os.path.realpath(tree.file.path):
            return _wrong(tree, steps, "is the audit file itself; a policy is a file of its own")
        policy = read_tree(path, where, POLICY)
    except AuditFileError as error:
        return PolicyFile(mistakes=error.mistakes)
    if isinstance(digest, str) and digest.lower() != policy.file.sha256:
        message = f"does not fit: {shown(where)} has {policy.file.sha256}; it was changed, or is another policy"
        return replace(_wrong(tree, ("policy", "sha256"), message), tree=policy)
    return PolicyFile(policy, pinned=isinstance(digest, str))


def _wrong(tree: Tree, steps: Steps, message: str) -> PolicyFile:
    return PolicyFile(mistakes=(tree.mistake(Problem(steps, f"{place_name(steps)} {message}")),))


def is_policy(tree: Tree) -> bool:
    """Tell whether a file means to be a policy."""
    return isinstance(tree.value, dict) and KEY in tree.value


def policy_problems(
    tree: Tree, catalogue: Catalogue, root: Path | None = None
) -> tuple[tuple[RuleMention, ...], list[Problem]]:
    """Return the rules of a policy with their parameters, and everything that is wrong with the policy itself."""
    value = tree.value
    found, wrong_rules = rules_in(value, catalogue)
    rules = tuple(replace(rule, candidate=None) for rule in found)  # its shape has no candidate
    problems = [*_wrong_shape(value), *wrong_rules, *allowed_in(value)[1]]
    problems += [problem for rule in rules for problem in rule_mismatches(rule, (), None, catalogue)]
    problems += [
        problem
        for steps, text in earlier_in(rules, catalogue)
        for problem in check_path(text, steps, tree.file.path.parent, root)
    ]
    waivers = value.get("waivers") if isinstance(value, dict) else None
    names = waivers.get("allow") if isinstance(waivers, dict) else None
    listed = [
        (("waivers", "allow", number), name) for number, name in enumerate(names if isinstance(names, list) else ())
    ]
    problems += unknown("rule", [item for item in listed if isinstance(item[1], str)], catalogue.rules)
    return rules, problems


def _wrong_shape(value: Any) -> Iterator[Problem]:
    from permaudit.config.policy_shape import PolicyShape  # noqa: PLC0415 - pydantic's models, which most audits do not need

    try:
        PolicyShape.model_validate(value)
    except ValidationError as error:
        yield from problems_of(error, value, (), keys_in(policy_file_schema), "the policy")
