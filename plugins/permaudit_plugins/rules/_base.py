"""What most built-in rules share: no parameters, no metrics, no limits, and findings that name the rule."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from permaudit import Finding, Parameters

if TYPE_CHECKING:
    from collections.abc import Sequence

    from permaudit import RuleCard
    from permaudit.outcome import RuleOutcome


class BuiltInRule:
    """A rule that, unless it says otherwise, takes no parameters, needs no metric and sets no limit."""

    card: ClassVar[RuleCard]
    parameters: ClassVar[type[Parameters]] = Parameters

    def metrics(self, params: Any, *, linked: bool) -> tuple[str, ...]:  # noqa: ARG002
        """Need no metric."""
        return ()

    def limits(self, params: Any) -> tuple[str, ...]:  # noqa: ARG002
        """Set no limit."""
        return ()

    def scope(self, params: Any) -> tuple[str, ...]:  # noqa: ARG002
        """Leave no attribute out of scope."""
        return ()

    def earlier(self, params: Any) -> tuple[str, ...]:  # noqa: ARG002
        """Need no earlier result."""
        return ()

    def finding(
        self,
        outcome: RuleOutcome,
        message: str,
        fix: str | None = None,
        evidence: dict[str, Any] | None = None,
        attributes: Sequence[str] = (),
    ) -> Finding:
        """Return a finding of this rule."""
        return Finding(
            rule=self.card.id,
            outcome=outcome,
            message=message,
            why=self.card.why,
            fix=fix,
            evidence=evidence or {},
            attributes=list(attributes),
        )


def listed(names: list[str], most: int = 5) -> str:
    """Write names as a list, the first few of them."""
    rest = len(names) - most
    return ", ".join(names[:most]) + (f" and {rest} more" if rest > 0 else "")
