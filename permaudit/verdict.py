"""Metrics + rules -> findings -> verdict; whatever goes wrong here blocks."""

from __future__ import annotations

import json
import logging
import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from permaudit.cards import parts_of, scale_bounds
from permaudit.errors import shown
from permaudit.isolation.failure import CallFailedError
from permaudit.model import COMPUTED, JUDGED
from permaudit.outcome import VERDICTS, Finding

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from permaudit.cards import MetricCard
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

_JUDGEMENTS = ("pass", "fail", "review", "not-applicable", "error")
"""What a rule may say; only the host waives."""
_PROTECTION = frozenset({"confidentiality", "risk"})
_MOST_EVIDENCE = 1 << 20
_LONGEST_TEXT = 1000
_NEXT_TO_NOTHING = 0.01
"""So much of the way from the worst end of a scale is no demand yet."""


def metrics_of(rule: Rule, use: RuleUse, *, linked: bool) -> tuple[str, ...]:
    """Return the metrics that a rule needs; a rule that cannot say so will be an error when it judges."""
    try:
        return _ids(rule.metrics(use.params, linked=linked))
    except KeyboardInterrupt:
        raise
    except BaseException:
        _LOG.exception("rule %s cannot say which metrics it needs", use.rule)
        return ()


def limits_of(rule: Rule, use: RuleUse) -> tuple[str, ...]:
    """Return the metrics that a rule limits; a rule that cannot say so limits nothing, and is an error when it judges."""
    try:
        return _ids(rule.limits(use.params))
    except KeyboardInterrupt:
        raise
    except BaseException:
        _LOG.exception("rule %s cannot say what it limits", use.rule)
        return ()


def scope_of(rule: Rule, use: RuleUse) -> tuple[str, ...]:
    """Return the attributes to which a rule confines protection; one that cannot say so confines nothing."""
    try:
        return _ids(rule.scope(use.params))
    except KeyboardInterrupt:
        raise
    except BaseException:
        _LOG.exception("rule %s cannot say its scope", use.rule)
        return ()


def _ids(answer: Iterable[str]) -> tuple[str, ...]:
    """Return the ids that a rule named; raise where they are none."""
    ids = tuple(answer)
    if isinstance(answer, str) or not all(isinstance(name, str) for name in ids):
        raise TypeError("not a list of ids")
    return ids


def decides(use: RuleUse, *, under_policy: bool) -> bool:
    """Tell whether a rule counts where one is enough: where there is a policy, the audit file's only come on top."""
    return not under_policy or use.origin != "audit file"


def judge(case: Case, rules: Sequence[RuleUse], catalogue: Catalogue, *, under_policy: bool = False) -> list[Finding]:
    """Let every rule judge the candidate; then ask whether a threshold that decides was among them."""
    findings = [
        replace(_judged(use, case, catalogue.rules[use.rule]), origin=use.origin, place=use.place) for use in rules
    ]
    deciding = [
        (use, finding) for use, finding in zip(rules, findings, strict=True) if decides(use, under_policy=under_policy)
    ]
    whose = "of the policy " if under_policy else ""
    judged = _judged_by_threshold(deciding, catalogue, linked=case.linked, whose=whose)
    return [*findings, judged, *_failed_metrics(case, findings)]


def verdict_of(findings: Iterable[Finding]) -> Verdict:
    """Return the worst that any finding says; an outcome that is not known blocks."""
    return worst(_VERDICT_OF.get(finding.outcome, "block") for finding in findings)


def worst(verdicts: Iterable[Verdict]) -> Verdict:
    """Return the worst verdict; without any, nothing was judged, and that blocks."""
    return max(verdicts, key=VERDICTS.index, default="block")


def _judged(use: RuleUse, case: Case, rule: Rule) -> Finding:
    """Call one rule; a metric that it needs and that is not there, or a rule that raises, is an error."""
    try:
        _ids(rule.limits(use.params))
        needed = _ids(rule.metrics(use.params, linked=case.linked))
        broken = [name for name in needed if name not in case.metrics or case.metrics[name].status == "error"]
        if broken:
            reasons = "; ".join(f"{name}: {_reason(case, name)}" for name in broken)
            return _error(rule, f"cannot judge without {' and '.join(broken)} ({reasons})", {"metrics": broken})
        finding = _checked(rule, rule.judge(use.params, case))
    except KeyboardInterrupt:
        raise
    except CallFailedError as error:
        return _error(rule, f"the rule {error}", {"failed": str(error)})
    except BaseException as error:
        _LOG.exception("rule %s raised on candidate %s", use.rule, case.name)
        return _error(rule, f"the rule raised {type(error).__name__}", {"raised": type(error).__name__})
    return finding or _error(rule, "the rule returned no valid finding", {"returned": "no valid finding"})


def _failed_metrics(case: Case, findings: Sequence[Finding]) -> Iterator[Finding]:
    """Say which metrics failed, where no rule has said so: what goes wrong may not end in a release."""
    said = {name for finding in findings if finding.outcome == "error" for name in finding.evidence.get("metrics", ())}
    failed = [name for name, result in case.metrics.items() if result.status == "error" and name not in said]
    if failed:
        reasons = "; ".join(f"{name}: {_reason(case, name)}" for name in failed)
        yield Finding(
            rule=COMPUTED,
            outcome="error",
            message=f"metrics that were asked for have no value ({reasons})",
            why="Nobody knows what a metric would have shown that could not be computed.",
            fix=f"mend what went wrong, or leave {' and '.join(failed)} out of metrics",
            evidence={"metrics": failed},
        )


def _checked(rule: Rule, finding: object) -> Finding | None:
    """Return a finding with plain evidence and texts of one line, or None where it is no finding of this rule."""
    if not isinstance(finding, Finding) or finding.rule != rule.card.id or finding.outcome not in _JUDGEMENTS:
        return None
    texts = (finding.message, finding.why, finding.fix or "")
    if not all(isinstance(text, str) for text in texts) or not isinstance(finding.evidence, dict):
        return None
    names = finding.attributes
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        return None
    evidence = json.dumps(finding.evidence, allow_nan=False)
    if len(evidence) > _MOST_EVIDENCE:
        return None
    message, why, fix = (shown(text, _LONGEST_TEXT) for text in texts)
    # Only the host waives.
    return replace(finding, message=message, why=why, fix=fix or None, evidence=json.loads(evidence), waived=None)


def _reason(case: Case, name: str) -> str:
    """Say why a metric is not there."""
    return (case.metrics[name].reason or "no reason given") if name in case.metrics else "not computed"


def _error(rule: Rule, message: str, evidence: dict[str, Any]) -> Finding:
    """Return the finding of a rule that could not judge."""
    fix = "repair the metric or the rule; until then nothing can be released"
    return Finding(rule=rule.card.id, outcome="error", message=message, why=rule.card.why, fix=fix, evidence=evidence)


def demands_of(rule: Rule, use: RuleUse, catalogue: Catalogue, *, linked: bool) -> tuple[str, ...]:
    """Return the metrics of which a rule surely demands something: a limit that every value keeps demands nothing.

    Of several limits of which one is enough, each is a demand only if they all are on the same metric, or if records are
    linked: then they look at the links, or none of them does.
    """
    if parts_of(use.params) == (use.params,):
        named = tuple(name for name in limits_of(rule, use) if name in catalogue.metrics)
        return tuple(name for name in named if _can_fail(use.params, catalogue.metrics[name].card))
    named = _alternatives(use, catalogue, linked=linked)
    return named if linked or len(named) == 1 else ()


def _judges(rule: Rule, use: RuleUse, catalogue: Catalogue, *, linked: bool) -> tuple[str, ...]:
    """Return the metrics by which a rule judges how well a release protects; of several limits all must be on such metrics."""
    if parts_of(use.params) == (use.params,):
        named = demands_of(rule, use, catalogue, linked=linked)
        return tuple(name for name in named if catalogue.metrics[name].card.measures in _PROTECTION)
    named = _alternatives(use, catalogue, linked=linked)
    return named if all(catalogue.metrics[name].card.measures in _PROTECTION for name in named) else ()


def _alternatives(use: RuleUse, catalogue: Catalogue, *, linked: bool) -> tuple[str, ...]:
    """Return the metrics that can decide among several limits; none where one of them demands nothing, or is unknown."""
    parts = parts_of(use.params)
    if not all(part.metric in catalogue.metrics for part in parts):
        return ()
    cards = [(part, catalogue.metrics[part.metric].card) for part in parts]
    by_links = [pair for pair in cards if pair[1].needs.linkage]
    deciding = (by_links or cards) if linked else [pair for pair in cards if pair not in by_links]
    return tuple(dict.fromkeys(card.id for _, card in deciding)) if all(_can_fail(*pair) for pair in deciding) else ()


def _can_fail(params: object, card: MetricCard) -> bool:
    """Tell whether more than nothing is demanded; rules that have no `min` and no `max` know themselves.

    Where a metric reads from identical to unrelated files, its number is the part of the original's order that
    the release does not tell. Whoever is content with less than a hundredth accepts that an order is told to 99 %, as noise
    of a tenth of a standard deviation tells it: that is no demand.
    """
    least, most = (getattr(params, name, None) for name in ("min", "max"))
    if least is None and most is None:
        return True
    scale = getattr(params, "on", "value")
    low, high = scale_bounds(scale, card)
    width = 1.0 if scale == "relative" else high - low  # a baseline is 1 on its own scale
    nothing = 0.0 if math.isinf(width) else _NEXT_TO_NOTHING * width
    # Calibrated values grow with protection, whatever the metric does.
    if card.better == "higher" or scale == "calibrated":
        return least is not None and least > low and least >= low + nothing
    return most is not None and most < high and most <= high - nothing


def _judged_by_threshold(
    deciding: Sequence[tuple[RuleUse, Finding]], catalogue: Catalogue, *, linked: bool, whose: str
) -> Finding:
    """Say whether some limit on a valid confidentiality or risk metric really judged this candidate."""
    judges = sorted(
        {
            metric
            for use, finding in deciding
            if finding.outcome in {"pass", "fail"}
            for metric in _judges(catalogue.rules[use.rule], use, catalogue, linked=linked)
        }
    )
    why = "Without a limit that somebody decided on, a number is no decision."
    evidence = {"metrics": judges}
    if judges:
        message = f"judged by a limit on {', '.join(judges)}"
        return Finding(rule=JUDGED, outcome="pass", message=message, why=why, evidence=evidence)
    return Finding(
        rule=JUDGED,
        outcome="review",
        message=f"no threshold {whose}on a confidentiality metric judged this candidate",
        why=why,
        evidence=evidence,
        fix=f"{'have the board' if whose else ''} add a threshold that a bad release would not pass, or let a person decide".strip(),
    )
