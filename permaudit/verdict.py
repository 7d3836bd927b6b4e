"""Metrics + rules -> findings -> verdict; whatever goes wrong here blocks."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from permaudit.model import JUDGED
from permaudit.outcome import VERDICTS, Finding

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from permaudit.model import Case, Catalogue, Rule
    from permaudit.outcome import Verdict
    from permaudit.plan import RuleUse

_LOG = logging.getLogger("permaudit")

_VERDICT_OF: dict[str, Verdict] = {
    "pass": "release",
    "not-applicable": "release",
    "waived": "review",
    "review": "review",
    "fail": "block",
    "error": "block",
}


def metrics_of(rule: Rule, use: RuleUse, *, linked: bool) -> tuple[str, ...]:
    """Return the metrics that a rule needs; a rule that cannot say so will be an error when it judges."""
    try:
        return tuple(rule.metrics(use.params, linked=linked))
    except (Exception, SystemExit):
        _LOG.exception("rule %s cannot say which metrics it needs", use.rule)
        return ()


def limits_of(rule: Rule, use: RuleUse) -> tuple[str, ...]:
    """Return the metrics that a rule limits; a rule that cannot say so limits nothing."""
    try:
        return tuple(rule.limits(use.params))
    except (Exception, SystemExit):
        _LOG.exception("rule %s cannot say what it limits", use.rule)
        return ()


def judge(case: Case, rules: Sequence[RuleUse], catalogue: Catalogue) -> list[Finding]:
    """Let every rule judge the candidate; then ask whether a threshold was among them."""
    findings = [_judged(use, case, catalogue.rules[use.rule]) for use in rules]
    return [*findings, _judged_by_threshold(rules, findings, catalogue)]


def verdict_of(findings: Iterable[Finding]) -> Verdict:
    """Return the worst that any finding says; an outcome that is not known blocks."""
    return worst(_VERDICT_OF.get(finding.outcome, "block") for finding in findings)


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """Return the worst verdict; without any, nothing was judged, and that blocks."""
    return max(verdicts, key=VERDICTS.index, default="block")


def _judged(use: RuleUse, case: Case, rule: Rule) -> Finding:
    """Call one rule; a metric that it needs and that is not there, or a rule that raises, is an error."""
    try:
        needed = rule.metrics(use.params, linked=case.linked)
        broken = [name for name in needed if name not in case.metrics or case.metrics[name].status == "error"]
        if broken:
            reasons = "; ".join(f"{name}: {_reason(case, name)}" for name in broken)
            return _error(rule, f"cannot judge without {' and '.join(broken)} ({reasons})")
        finding = rule.judge(use.params, case)
    except (Exception, SystemExit) as error:
        _LOG.exception("rule %s raised on candidate %s", use.rule, case.name)
        return _error(rule, f"the rule raised {type(error).__name__}")
    if not isinstance(finding, Finding) or finding.outcome not in _VERDICT_OF or finding.rule != rule.card.id:
        return _error(rule, "the rule returned no valid finding")
    return finding


def _reason(case: Case, name: str) -> str:
    """Say why a metric is not there."""
    return (case.metrics[name].reason or "no reason given") if name in case.metrics else "not computed"


def _error(rule: Rule, message: str) -> Finding:
    """Return the finding of a rule that could not judge."""
    fix = "repair the metric or the rule; until then nothing can be released"
    return Finding(rule=rule.card.id, outcome="error", message=message, why=rule.card.why, fix=fix)


def _judged_by_threshold(rules: Sequence[RuleUse], findings: Sequence[Finding], catalogue: Catalogue) -> Finding:
    """Say whether some limit on a confidentiality or risk metric really judged this candidate."""
    judges = sorted(
        {
            metric
            for use, finding in zip(rules, findings, strict=True)
            if finding.outcome in {"pass", "fail"}
            for metric in limits_of(catalogue.rules[use.rule], use)
            if metric in catalogue.metrics and catalogue.metrics[metric].card.measures in {"confidentiality", "risk"}
        }
    )
    why = "Without a limit that somebody decided on, a number is no decision."
    if judges:
        return Finding(rule=JUDGED, outcome="pass", message=f"judged by a limit on {', '.join(judges)}", why=why)
    return Finding(
        rule=JUDGED,
        outcome="review",
        message="no threshold on a confidentiality metric judged this candidate",
        why=why,
        fix="add a threshold rule for this kind of release, or let a person decide",
    )
