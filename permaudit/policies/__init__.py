"""Example policies: to be copied, decided on by a review board, and owned by it."""

from __future__ import annotations

from importlib import resources

NAMES = ("public-use", "research-use", "synthetic-public")
"""From masked files for anybody over masked files under a contract to synthetic ones for anybody."""


def policy_text(name: str) -> str:
    """Return the text of an example policy."""
    if name not in NAMES:
        raise ValueError(f"no example policy '{name}'")
    return resources.files(__package__).joinpath(f"{name}.yaml").read_text(encoding="utf-8")
