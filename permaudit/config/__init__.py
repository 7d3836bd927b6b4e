"""audit.yaml -> Audit: the only room that knows the file's shape, and that of a policy."""

from __future__ import annotations

from permaudit.config.allow import allowed_plugins, allowed_under, limits_in
from permaudit.config.call import attributes_of, plugins_of, policy_of_call, rules_of, standing, waivers_of
from permaudit.config.load import build_audit, check_policy
from permaudit.config.policy import PolicyFile, is_policy, policy_of
from permaudit.config.references import check_references
from permaudit.config.schema import audit_schema, policy_schema
from permaudit.config.standing import with_seed
from permaudit.config.tree import Tree, read_tree

__all__ = [
    "PolicyFile",
    "Tree",
    "allowed_plugins",
    "allowed_under",
    "attributes_of",
    "audit_schema",
    "build_audit",
    "check_policy",
    "check_references",
    "is_policy",
    "limits_in",
    "plugins_of",
    "policy_of",
    "policy_of_call",
    "policy_schema",
    "read_tree",
    "rules_of",
    "standing",
    "waivers_of",
    "with_seed",
]
