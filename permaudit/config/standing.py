"""An audit and its policy, both checked -> the audit that stands under the policy."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from permaudit.config.differences import differences
from permaudit.config.under import most_days, waivable
from permaudit.errors import PermauditError, shown
from permaudit.outcome import Place
from permaudit.plan import Policy, RuleUse, When

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Literal

    from permaudit.config.policy import PolicyFile
    from permaudit.config.references import RuleMention
    from permaudit.config.tree import Tree
    from permaudit.config.words import Steps
    from permaudit.model import Catalogue
    from permaudit.plan import Audit


def standing_under(  # noqa: PLR0913, PLR0917 - what the two files say, and how to name places in the first
    audit: Audit,
    value: Mapping[str, Any],
    policy: PolicyFile,
    rules: tuple[RuleMention, ...],
    catalogue: Catalogue,
    at: Callable[[Steps], str],
) -> Audit:
    """Return the audit with the policy's rules before its own, with the policy's seed, and with its differences."""
    tree = policy.tree
    if tree is None:
        return audit
    board: Mapping[str, Any] = tree.value
    uses = (*uses_of(tree, rules, "policy"), *audit.rules)
    return replace(
        audit,
        rules=uses,
        seed=board.get("seed", audit.seed),
        files=(*audit.files, tree.file),
        documents={**audit.documents, tree.where: tree.text},
        policy=Policy(
            title=board["title"],
            file=tree.file,
            pinned=policy.pinned,
            waivable=waivable(board),
            most_days=most_days(board),
            seed=board.get("seed"),
            holdout=board.get("holdout") == "required",
            differences=differences(value, board, uses, catalogue, at),
        ),
    )


def with_seed(audit: Audit, seed: int) -> Audit:
    """Return the audit with the seed of the command line; raise where its policy sets another one."""
    policy = audit.policy
    if policy is None:
        return replace(audit, seed=seed)
    if policy.seed is not None and policy.seed != seed:
        raise PermauditError(f"--seed {seed}: the policy '{shown(policy.file.shown)}' sets the seed {policy.seed}")
    if policy.seed is None:
        policy = replace(policy, differences=(*policy.differences, f"the command line chooses the seed {seed}"))
    return replace(audit, seed=seed, policy=policy)


def uses_of(tree: Tree, rules: tuple[RuleMention, ...], origin: Literal["audit file", "policy"]) -> tuple[RuleUse, ...]:
    """Return the rules of a file, with their places in it."""
    return tuple(
        RuleUse(
            rule=str(mention.rule),
            params=mention.params,
            when=When(**tree.value["rules"][number].get("when", {})),
            origin=origin,
            place=place_in(tree, mention.steps),
            folder=tree.file.path.parent,
        )
        for number, mention in enumerate(rules)
    )


def place_in(tree: Tree, steps: Steps) -> Place:
    """Return where a value stands."""
    line, column = tree.values[steps]
    return Place(file=tree.where, line=line, column=column)
