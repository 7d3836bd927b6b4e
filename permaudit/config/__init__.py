"""audit.yaml -> Audit: the only room that knows the file's shape."""

from __future__ import annotations

from permaudit.config.allow import allowed_plugins
from permaudit.config.call import attributes_of, rules_of
from permaudit.config.load import build_audit
from permaudit.config.references import check_references
from permaudit.config.schema import audit_schema
from permaudit.config.tree import Tree, read_tree

__all__ = [
    "Tree",
    "allowed_plugins",
    "attributes_of",
    "audit_schema",
    "build_audit",
    "check_references",
    "read_tree",
    "rules_of",
]
