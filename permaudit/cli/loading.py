"""From the name of an audit file to an audit and the plugins that it may use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from permaudit.config import allowed_plugins, build_audit, read_tree

if TYPE_CHECKING:
    from pathlib import Path

    from packaging.requirements import Requirement

    from permaudit.config import Tree
    from permaudit.plan import Audit
    from permaudit.plugins import Host


@dataclass(frozen=True, slots=True, eq=False)
class AuditFile:
    """An audit file of which only the allowed plugins are known."""

    tree: Tree
    allow: tuple[Requirement, ...]

    def load(self, root: Path | None = None) -> tuple[Audit, Host]:
        """Import the allowed plugins and, with these, read all the rest."""
        from permaudit.plugins import load_plugins

        host = load_plugins(self.allow)
        return build_audit(self.tree, host.catalogue, root), host


def read_audit_file(path: Path) -> AuditFile:
    """Read an audit file as far as is possible without a plugin."""
    tree = read_tree(path, str(path))
    return AuditFile(tree, allowed_plugins(tree))


def load_audit(path: Path, root: Path | None = None) -> tuple[Audit, Host]:
    """Read an audit file: first which plugins it allows, then, with these, all the rest."""
    return read_audit_file(path).load(root)
