"""What stands for a foreign rule: the same card and parameters, and judgements that are passed in its own process."""

from __future__ import annotations

import pickle
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from permaudit.isolation.failure import CallFailedError

if TYPE_CHECKING:
    from pydantic import BaseModel

    from permaudit.cards import RuleCard
    from permaudit.isolation.nursery import Nursery
    from permaudit.model import Case
    from permaudit.outcome import Finding


@dataclass(frozen=True, slots=True, eq=False)
class IsolatedRule:
    """A rule of somebody else.

    What it announces depends on its parameters alone and is asked for again and again: each question is put to it once, and
    one that hung is not asked to hang again.
    """

    card: RuleCard
    parameters: type[BaseModel]
    nursery: Nursery
    _announced: dict[bytes, Any] = field(default_factory=dict)

    def metrics(self, params: Any, *, linked: bool) -> tuple[str, ...]:
        """Return the ids of the metrics without which the rule cannot judge."""
        return self._announcement("metrics", params, linked=linked)

    def limits(self, params: Any) -> tuple[str, ...]:
        """Return the ids of the metrics on which the rule sets a limit."""
        return self._announcement("limits", params)

    def scope(self, params: Any) -> tuple[str, ...]:
        """Return the attributes that must be protected, where the rule says that others need not be."""
        return self._announcement("scope", params)

    def earlier(self, params: Any) -> tuple[str, ...]:
        """Return the paths of earlier results that the rule compares with."""
        return self._announcement("earlier", params)

    def judge(self, params: Any, case: Case) -> Finding:
        """Let the rule judge in its own process; the host checks what comes back."""
        finding: Finding = self.nursery.call("rule", self.card.id, "judge", params, case)
        return finding

    def _announcement(self, method: str, params: Any, **named: bool) -> tuple[str, ...]:
        """Return what the rule said the first time, or raise what came of asking it."""
        question = pickle.dumps((method, params, named))
        if question not in self._announced:
            try:
                self._announced[question] = self.nursery.call("rule", self.card.id, method, params, **named)
            except CallFailedError as error:
                self._announced[question] = error
        answer: tuple[str, ...] | CallFailedError = self._announced[question]
        if isinstance(answer, CallFailedError):
            raise CallFailedError(str(answer))
        return answer
