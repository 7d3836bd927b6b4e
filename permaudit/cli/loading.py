"""From the name of an audit file to an audit and the plugins that it may use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from permaudit.config import allowed_plugins, allowed_under, build_audit, limits_in, policy_of, read_tree
from permaudit.deadline import at_most
from permaudit.errors import AuditFileError

if TYPE_CHECKING:
    from pathlib import Path

    from permaudit.allowed import Allowed
    from permaudit.config import PolicyFile, Tree
    from permaudit.isolation.limits import Limits
    from permaudit.plan import Audit
    from permaudit.plugins import Host

_LEAST_TO_LOAD = 600.0
"""So many seconds are given for loading at least, however short the calls must be: there may be several distributions."""


@dataclass(frozen=True, slots=True, eq=False)
class AuditFile:
    """An audit file of which only the policy and the allowed plugins are known."""

    tree: Tree
    policy: PolicyFile
    allow: tuple[Allowed, ...]
    limits: Limits
    root: Path | None

    def load(self) -> tuple[Audit, Host]:
        """Import the allowed plugins and, with these, read all the rest."""
        from permaudit.plugins import load_plugins

        with at_most(max(self.limits.in_host, _LEAST_TO_LOAD), "loading the plugins"):
            host = load_plugins(self.allow, self.limits)
            return build_audit(self.tree, host.catalogue, self.root, policy=self.policy), host


def read_audit_file(path: Path, root: Path | None = None, policy: Path | None = None) -> AuditFile:
    """Read an audit file, and its policy or the one that is demanded, as far as is possible without a plugin."""
    tree = read_tree(path, str(path))
    allow = allowed_plugins(tree)
    board = policy_of(tree, root, policy)
    if board.tree is not None:
        allow = allowed_under(allow, allowed_plugins(board.tree))
    if board.mistakes and allow:
        # Without a policy that is in order nobody knows whether these plugins may be imported.
        raise AuditFileError(board.mistakes)
    return AuditFile(tree, board, allow, limits_in(tree), root)


def load_audit(path: Path, root: Path | None = None, policy: Path | None = None) -> tuple[Audit, Host]:
    """Read an audit file: first which plugins it and its policy allow, then, with these, all the rest."""
    return read_audit_file(path, root, policy).load()
