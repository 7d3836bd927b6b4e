"""No metric may be worse than in the last released version."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from pydantic import Field

from permaudit import Parameters, RuleCard, hookimpl, shown
from permaudit_plugins.rules._base import BuiltInRule, listed

if TYPE_CHECKING:
    from permaudit import CandidateResult, Case, Finding, Outcome

permaudit_api = 1


class Earlier(Parameters, defer_build=True):
    """Parameters: the result of an earlier audit, and what of it must not get worse."""

    baseline: str = Field(min_length=1, description="the audit.json of the version that was released last")
    candidate: str | None = Field(
        default=None, description="its name in that audit; by default the same name, or else the only one of its kind"
    )
    tolerance: float = Field(default=0.0, ge=0, description="by how much a value may be worse")
    metrics: Annotated[list[str], Field(min_length=1)] | None = Field(
        default=None, description="the metrics to compare; by default all that were valid then"
    )


class NotBelow(BuiltInRule):
    """Fail when a metric is worse than it was; pass only when every one could be compared with a version that was released."""

    card: ClassVar[RuleCard] = RuleCard(
        id="not-below",
        title="Not worse than the last release",
        why="Whoever holds both versions has the weaker protection of the two, and users of the data expect no less than "
        "before.",
    )
    parameters: ClassVar[type[Earlier]] = Earlier

    def metrics(self, params: Earlier, *, linked: bool) -> tuple[str, ...]:  # noqa: ARG002
        """Need the metrics that are named; which others are compared, the earlier result tells."""
        return tuple(dict.fromkeys(params.metrics or ()))

    def earlier(self, params: Earlier) -> tuple[str, ...]:
        """Ask for the earlier result."""
        return (params.baseline,)

    def judge(self, params: Earlier, case: Case) -> Finding:
        """Compare metric by metric; what cannot be compared is for a person to decide."""
        earlier = case.earlier[params.baseline]
        then, unclear = _before(earlier, params.candidate, case)
        if then is None:
            evidence: dict[str, Any] = {
                "baseline": params.baseline,
                "candidates": [one.name for one in earlier.candidates],
            }
            return self.finding("review", unclear, "say with candidate: which one to compare with", evidence)
        names = params.metrics or [name for name, result in then.metrics.items() if result.status == "ok"]
        changes = [_change(name, then, case) for name in dict.fromkeys(names)]
        evidence = {
            "baseline": params.baseline,
            "candidate": then.name,
            "verdict": then.verdict,
            "tolerance": params.tolerance,
            "changes": {change.metric: [change.before, change.now] for change in changes},
        }
        worse = [change for change in changes if change.loss is not None and not change.loss <= params.tolerance]
        doubts = _doubts(case, then, params)
        if worse:
            # Told with it, since they may be why: other attributes give other numbers.
            said = "; ".join([*(change.words for change in worse), *doubts])
            message = f"worse than in {_name(params, then)}: {said}"
            return self.finding("fail", message, "protect (or keep) as much as the last release did", evidence)
        doubts += [change.words for change in changes if change.loss is None]
        if not changes:
            doubts.append("there is no metric to compare")
        if doubts:
            message = f"cannot be compared with {_name(params, then)}: {'; '.join(doubts)}"
            fix = "name a result of the version that was released, with the same attributes and metrics"
            return self.finding("review", message, fix, evidence)
        message = f"no worse than in {_name(params, then)}: {'; '.join(change.words for change in changes)}"
        return self.finding("pass", message, evidence=evidence)


@dataclass(frozen=True, slots=True)
class _Change:
    """A metric then and now."""

    metric: str
    before: float | None
    now: float | None
    loss: float | None
    """By how much it is worse; None where that cannot be said."""
    words: str


def _before(outcome: Outcome, wanted: str | None, case: Case) -> tuple[CandidateResult | None, str]:
    """Return the earlier candidate to compare with, or why there is none."""
    by_name = {candidate.name: candidate for candidate in outcome.candidates}
    name = case.name if wanted is None else wanted
    if name in by_name:
        return by_name[name], ""
    if wanted is not None:
        return None, f"the earlier audit has no candidate '{shown(wanted)}'"
    alike = [one for one in outcome.candidates if one.kind == case.kind]
    if len(alike) == 1:
        return alike[0], ""
    many = "several" if alike else "no"
    return None, f"the earlier audit has no candidate '{shown(case.name)}', and {many} other {case.kind} ones"


def _change(name: str, then: CandidateResult, case: Case) -> _Change:
    """Say how a metric changed; only valid values can be compared."""
    old, new = then.metrics.get(name), case.metrics.get(name)
    before = old.value if old is not None and old.status == "ok" else None
    now = new.value if new is not None and new.status == "ok" else None
    if before is None or now is None:
        when = "then" if before is None else "now"
        return _Change(name, before, now, None, f"{shown(name)} has no valid value {when}")
    loss = before - now if case.cards[name].better == "higher" else now - before
    return _Change(name, before, now, loss, f"{shown(name)} was {before:.4f} and is {now:.4f}")


def _doubts(case: Case, then: CandidateResult, params: Earlier) -> list[str]:
    """Say why a comparison with this version would prove nothing."""
    doubts = []
    if then.verdict != "release":
        doubts.append(f"its verdict was '{then.verdict}', not 'release'")
    if case.earlier[params.baseline].provenance.study:
        doubts.append("it was a study, which must not be released")
    if (then.linkage != "none") != case.linked:
        doubts.append("its records were linked otherwise")
    others = sorted(set(then.attributes) ^ set(case.compared))
    if others:
        doubts.append(f"not the same attributes were compared ({listed([shown(name) for name in others])})")
    return doubts


def _name(params: Earlier, then: CandidateResult) -> str:
    """Name the earlier candidate."""
    return f"'{shown(then.name)}' of {shown(params.baseline, 200)}"


@hookimpl
def permaudit_rules() -> list[NotBelow]:
    """Provide the rule."""
    return [NotBelow()]
