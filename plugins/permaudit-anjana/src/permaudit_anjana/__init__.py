"""k-anonymity by anjana, which runs in an environment of its own: its pins conflict with permaudit's."""

from __future__ import annotations

from permaudit import hookimpl
from permaudit_anjana.anonymize import KAnonymity

permaudit_api = 1


@hookimpl
def permaudit_anonymizers() -> list[KAnonymity]:
    """Provide k-anonymity."""
    return [KAnonymity()]
