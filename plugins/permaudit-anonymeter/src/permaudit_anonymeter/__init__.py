"""Singling out, linkability and inference by anonymeter, which runs in an environment of its own: it wants an older numpy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permaudit import hookimpl
from permaudit_anonymeter.attacks import ATTACKS

if TYPE_CHECKING:
    from permaudit_anonymeter.attacks import Attack

permaudit_api = 1


@hookimpl
def permaudit_metrics() -> list[Attack]:
    """Provide one metric for each attack."""
    return list(ATTACKS)
