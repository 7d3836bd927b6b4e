"""CART synthesis by python-synthpop: a tree for each attribute, and values drawn from its leaves."""

from __future__ import annotations

from permaudit import hookimpl
from permaudit_synthpop.cart import Cart

permaudit_api = 1


@hookimpl
def permaudit_anonymizers() -> list[Cart]:
    """Provide CART synthesis."""
    return [Cart()]
