"""Findings + waivers -> findings of which some do not decide; a waived rule never turns into a passed one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from permaudit.errors import shown
from permaudit.model import HOST_RULES, WAIVERS
from permaudit.outcome import Finding, Waived, WaiverResult
from permaudit.verdict import verdict_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import date

    from permaudit.outcome import CandidateResult, WaiverState
    from permaudit.plan import Policy, Waiver

_WAIVABLE = frozenset({"fail", "review"})
"""Whoever could not judge at all said nothing that could be waived."""
_LONGEST_REASON = 1000
_LONGEST_NAME = 200


@dataclass(frozen=True, slots=True)
class _Fate:
    """What becomes of a waiver, and why."""

    state: WaiverState
    message: str


def apply_waivers(
    results: Sequence[CandidateResult],
    waivers: Sequence[Waiver],
    policy: Policy | None,
    limits: Mapping[str, Sequence[Sequence[str]]],
    today: date,
) -> tuple[list[CandidateResult], list[WaiverResult]]:
    """Return the results with the waived findings marked as such, and what became of every waiver.

    `limits` has, by candidate, the metrics that each of its findings is about, as far as they come from rules. Waivers of
    candidates that were not audited are left out.
    """
    done: list[CandidateResult] = []
    fates: dict[int, _Fate] = {}
    for result in results:
        own = [(number, waiver) for number, waiver in enumerate(waivers) if waiver.candidate == result.name]
        if not own:
            done.append(result)
            continue
        desk = _Desk(result, dict(own), limits[result.name], policy, today)
        done.append(desk.judged())
        fates |= desk.fates
    return done, [_record(waivers[number], fates[number]) for number in sorted(fates)]


class _Desk:
    """The waivers of one candidate beside its findings."""

    def __init__(
        self,
        result: CandidateResult,
        waivers: Mapping[int, Waiver],
        limits: Sequence[Sequence[str]],
        policy: Policy | None,
        today: date,
    ) -> None:
        """Take the waivers by their number, and put those aside that do not hold."""
        self._result = result
        self._waivers = waivers
        # The host's own findings come after those of the rules, and are about no metric.
        rest = len(result.rules) - len(limits)
        self._findings = list(zip(result.rules, (*limits, *([()] * rest)), strict=True))
        barred = {number: _barred(waiver, result, policy, today) for number, waiver in waivers.items()}
        self.fates: dict[int, _Fate] = {number: fate for number, fate in barred.items() if fate is not None}
        self._live = {number: waiver for number, waiver in waivers.items() if barred[number] is None}

    def judged(self) -> CandidateResult:
        """Return the result with its waived findings, the host's word on the waivers, and the verdict of all that."""
        findings = [self._seen(finding, metrics) for finding, metrics in self._findings]
        for number, waiver in self._live.items():
            self.fates.setdefault(number, self._unused(waiver))
        findings.append(self._in_order())
        return replace(self._result, rules=findings, verdict=verdict_of(findings))

    def _seen(self, finding: Finding, metrics: Sequence[str]) -> Finding:
        """Return the finding, waived where waivers cover all that it is about."""
        if finding.outcome not in _WAIVABLE or finding.rule in HOST_RULES:
            return finding
        covering = {
            number: waiver
            for number, waiver in self._live.items()
            if waiver.rule == finding.rule and self._covers(number, waiver, finding, metrics)
        }
        named = {waiver.attribute for waiver in covering.values()}
        missing = [name for name in finding.attributes if name not in named]
        if missing or not covering:
            short = _Fate("unused", f"not applied: the rule speaks also against {_listed(missing)}")
            for number in covering:
                self.fates.setdefault(number, short)
            return finding
        self.fates |= dict.fromkeys(covering, _APPLIED)
        return replace(finding, outcome="waived", waived=_waived(finding, list(covering.values())))

    def _covers(self, number: int, waiver: Waiver, finding: Finding, metrics: Sequence[str]) -> bool:
        """Tell whether a waiver is for this finding of its rule; one that leaves open for what exactly is refused."""
        if waiver.metric is not None and waiver.metric not in metrics:
            return False
        if finding.attributes and waiver.attribute is None:
            broad = f"too broad: the rule is about {_listed(finding.attributes)}; give one for each attribute"
            self.fates.setdefault(number, _Fate("refused", broad))
            return False
        if waiver.attribute is not None:
            return waiver.attribute in finding.attributes
        against = {
            tuple(about) for other, about in self._findings if other.rule == waiver.rule and other.outcome in _WAIVABLE
        }
        if waiver.metric is None and len(against) > 1:
            names = sorted({name for about in against for name in about})
            broad = f"too broad: the rule is about {_listed(names)}; say which with metric"
            self.fates.setdefault(number, _Fate("refused", broad))
            return False
        return True

    def _unused(self, waiver: Waiver) -> _Fate:
        """Say why a waiver that holds was not applied."""
        own = [finding for finding in self._result.rules if finding.rule == waiver.rule]
        if any(finding.outcome == "error" for finding in own):
            return _Fate("refused", "not applied: the rule could not judge, and that cannot be waived")
        against = [finding for finding in own if finding.outcome in _WAIVABLE]
        if not own:
            return _Fate("unused", "not needed: the rule does not apply to this candidate")
        if not against:
            return _Fate("unused", "not needed: the rule does not speak against this candidate")
        names = list(dict.fromkeys(name for finding in against for name in finding.attributes))
        return _Fate("unused", f"not applied: what the rule found is about {_listed(names) or 'something else'}")

    def _in_order(self) -> Finding:
        """Say whether every waiver of this candidate was applied."""
        why = "A waiver that is not needed, or does not hold, shows that somebody expected another result."
        idle = [
            f"{shown(waiver.rule)}{f' for {shown(waiver.attribute)}' if waiver.attribute else ''}: {fate.message}"
            for number, waiver in self._waivers.items()
            if (fate := self.fates[number]).state != "applied"
        ]
        if not idle:
            return Finding(rule=WAIVERS, outcome="pass", message="every waiver of this candidate was applied", why=why)
        message = shown(f"waivers that were not applied: {'; '.join(idle)}", _LONGEST_REASON)
        fix = "remove them, or have them approved anew for what was found"
        evidence = {"states": [fate.state for _, fate in sorted(self.fates.items())]}
        return Finding(rule=WAIVERS, outcome="review", message=message, why=why, fix=fix, evidence=evidence)


def _listed(names: Sequence[str]) -> str:
    """Write names with commas between."""
    return ", ".join(map(shown, names))


_APPLIED = _Fate("applied", "applied: the rule does not decide, and a person must")


def _barred(waiver: Waiver, result: CandidateResult, policy: Policy | None, today: date) -> _Fate | None:
    """Say why a waiver does not hold, whatever was found."""
    if waiver.rule in HOST_RULES:
        return _Fate("refused", "not applied: this rule cannot be waived")
    if policy is not None and policy.waivable is not None and waiver.rule not in policy.waivable:
        return _Fate("refused", "not applied: the policy does not allow this rule to be waived")
    if policy is not None and policy.most_days is not None and (waiver.expires - today).days > policy.most_days:
        return _Fate("refused", f"not applied: it holds for more than the {policy.most_days} days of the policy")
    if waiver.expires < today:
        return _Fate("expired", f"not applied: it expired on {waiver.expires.isoformat()}")
    if waiver.sha256 is not None and waiver.sha256 != result.sha256:
        return _Fate("mismatched", "not applied: it was given for a release with other content")
    return None


def _waived(finding: Finding, waivers: Sequence[Waiver]) -> Waived:
    """Put together why, by whom and until when a finding is waived."""
    several = len(waivers) > 1
    reasons = [
        f"{waiver.attribute}: {waiver.reason}" if several and waiver.attribute else waiver.reason for waiver in waivers
    ]
    return Waived(
        outcome=finding.outcome,
        reason=shown("; ".join(reasons), _LONGEST_REASON),
        approved_by=list(
            dict.fromkeys(shown(name, _LONGEST_NAME) for waiver in waivers for name in waiver.approved_by)
        ),
        expires=min(waiver.expires for waiver in waivers).isoformat(),
    )


def _record(waiver: Waiver, fate: _Fate) -> WaiverResult:
    """Write down what became of a waiver."""
    return WaiverResult(
        rule=waiver.rule,
        candidate=waiver.candidate,
        attribute=waiver.attribute,
        metric=waiver.metric,
        reason=shown(waiver.reason, _LONGEST_REASON),
        approved_by=[shown(name, _LONGEST_NAME) for name in waiver.approved_by],
        expires=waiver.expires.isoformat(),
        sha256=waiver.sha256,
        state=fate.state,
        message=fate.message,
        place=waiver.place,
    )
