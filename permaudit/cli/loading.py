"""From the name of an audit file to an audit and the plugins that it may use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permaudit.config import allowed_plugins, build_audit, read_tree
from permaudit.plugins import load_plugins

if TYPE_CHECKING:
    from pathlib import Path

    from permaudit.plan import Audit
    from permaudit.plugins import Host


def load_audit(path: Path, root: Path | None = None) -> tuple[Audit, Host]:
    """Read an audit file: first which plugins it allows, then, with these, all the rest."""
    tree = read_tree(path, str(path))
    host = load_plugins(allowed_plugins(tree))
    return build_audit(tree, host.catalogue, root), host
