"""Does a rule keep the contract? All that speaks against it, at once."""

from __future__ import annotations

import json
import pickle
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from permaudit.cards import Needs, RuleCard
from permaudit.fitness import PROTECTION
from permaudit.known import COPY, STRANGERS, known_case
from permaudit.measure import measure
from permaudit.outcome import Finding, MetricResult
from permaudit.testing.cards import check_card, check_parameters
from permaudit.testing.failures import Inspection
from permaudit.testing.material import built_ins, case_of, engine
from permaudit.testing.printing import nothing_printed
from permaudit.testing.randomness import untouched_randomness
from permaudit.testing.worker import check_worker

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from permaudit.model import Case, Metric, Rule
    from permaudit.outcome import Outcome

_OUTCOMES = ("pass", "fail", "review", "not-applicable", "error")
_LETS_THROUGH = ("pass", "not-applicable")
"""What leads to `release`."""
_METHODS = ("parameters", "metrics", "limits", "scope", "earlier", "judge")


def check_rule(  # noqa: PLR0913 - by name, and each can be left out
    rule: Rule,
    params: Mapping[str, Any] | None = None,
    *,
    metrics: Sequence[Metric] = (),
    earlier: Mapping[str, Outcome] | None = None,
    passes: Sequence[Case] = (),
    fails: Sequence[Case] = (),
) -> None:
    """Raise `ConformanceError` with all that is wrong with a rule.

    `params` are its parameters as an audit file writes them; without, each parameter's example is taken. `metrics` are
    those that it needs and that do not come with permaudit, `earlier` the results that it compares with, by path. It must
    pass each of `passes` and none of `fails`, which `permaudit.testing.case_of` makes.
    """
    found = Inspection(f"rule {getattr(getattr(rule, 'card', None), 'id', type(rule).__name__)!r}")
    with nothing_printed(found):
        if check_card(found, rule, RuleCard, _METHODS):
            chosen = check_parameters(found, rule.parameters, params)
            if chosen is not None:
                known = dict(built_ins().metrics) | {metric.card.id: metric for metric in metrics}
                if _check_announcements(found, rule, chosen, known):
                    _check_findings(found, rule, chosen, known, dict(earlier or {}))
                    _check_known_answers(found, rule, chosen, passes, fails)
    found.conclude()


def _check_announcements(found: Inspection, rule: Rule, params: Any, known: Mapping[str, Metric]) -> bool:
    """Look at what a rule says it needs before it judges."""
    said: dict[str, Any] = {}
    calls: dict[str, Callable[[], Any]] = {
        "metrics": lambda: (*rule.metrics(params, linked=True), *rule.metrics(params, linked=False)),
        "limits": lambda: rule.limits(params),
        "scope": lambda: rule.scope(params),
        "earlier": lambda: rule.earlier(params),
    }
    for name, call in calls.items():
        with found.during("announcements", f"{name}()"):
            said[name] = call()
            are_names = isinstance(said[name], tuple) and all(isinstance(one, str) for one in said[name])
            found.expect(are_names, "announcements", f"{name}() returns no tuple of names, but {said[name]!r}")
    if not found.is_clean:
        return False
    for name in sorted({*said["metrics"], *said["limits"]} - set(known)):
        found.fail("announcements", f"needs metric '{name}', which is not there; hand it over with metrics=[...]")
    missing = set(said["limits"]) - set(said["metrics"])
    advice = "else the metric is not computed, and the limit judges nothing"
    names = ", ".join(sorted(missing))
    found.expect(not missing, "announcements", f"limits {names} without naming it in metrics(); {advice}")
    return found.is_clean


# --------------------------------------------------------------------------- findings


def _check_findings(
    found: Inspection, rule: Rule, params: Any, known: Mapping[str, Metric], earlier: dict[str, Outcome]
) -> None:
    """Let the rule judge known releases, and the same without the numbers it needs."""
    missing = [path for path in rule.earlier(params) if path not in earlier]
    paths = ", ".join(missing)
    if not found.expect(not missing, "announcements", f"compares with {paths}; hand the result over with earlier=..."):
        return
    for linked in (True, False):
        names = tuple(dict.fromkeys(rule.metrics(params, linked=linked)))
        for what, case in _cases(names, known, linked=linked):
            finding = _judged(found, rule, params, replace(case, earlier=earlier), what)
            if finding is not None and what == COPY:
                _check_copy(found, rule, params, known, finding)
        for state in ("not-applicable", "error") if names else ():
            nothing = MetricResult(status=state, reason="made up")
            case = case_of(dict.fromkeys(names, nothing), linked=linked, cards=_cards(known), earlier=earlier)
            finding = _judged(found, rule, params, case, f"metrics that are {state}")
            if finding is not None:
                passes = finding.outcome == "pass"
                message = f"passes a candidate whose {', '.join(names)} {'is' if len(names) == 1 else 'are'} {state}"
                found.expect(not passes, "fails closed", f"{message}: what was not measured must not pass")


def _check_copy(found: Inspection, rule: Rule, params: Any, known: Mapping[str, Metric], finding: Finding) -> None:
    """See that a limit on protection stops a copy."""
    limited = [name for name in rule.limits(params) if known[name].card.measures in PROTECTION]
    if limited:
        message = f"limits {', '.join(limited)} and lets a verbatim copy of the original pass with these parameters"
        found.expect(finding.outcome != "pass", "direction", message)


def _cases(names: tuple[str, ...], known: Mapping[str, Metric], *, linked: bool) -> Iterator[tuple[str, Case]]:
    """Return a copy and strangers, with the numbers that the metrics have for them."""
    for what in (COPY, STRANGERS):
        results = {}
        for name in names:
            metric = known[name]
            compared = known_case(what, engine(), metric.card.needs, linked=linked)
            results[name] = measure(metric, compared, np.random.default_rng(0))
        compared = known_case(what, engine(), Needs(), linked=linked)
        columns = compared.attributes
        yield (
            what,
            case_of(
                results,
                linked=linked,
                cards=_cards(known),
                declared_attributes=columns,
                released_columns=columns,
                compared=columns,
                unchanged=compared.unchanged if linked else (),
            ),
        )


def _cards(known: Mapping[str, Metric]) -> dict[str, Any]:
    """Return what the metrics say of themselves."""
    return {name: metric.card for name, metric in known.items()}


def _judged(found: Inspection, rule: Rule, params: Any, case: Case, what: str) -> Finding | None:
    """Judge twice; return the finding if it is a proper one."""
    before, answers = pickle.dumps(case), []
    for seed in (1, 2):
        with untouched_randomness(found, seed), found.during("findings", f"judging {what}"):
            answers.append(rule.judge(params, case))
    found.expect(pickle.dumps(case) == before, "input", "changes the case that it judges")
    if len(answers) < 2:  # noqa: PLR2004 - both calls came back
        return None
    finding = answers[0]
    if not found.expect(isinstance(finding, Finding), "findings", f"returns {type(finding).__name__}, not a Finding"):
        return None
    found.expect(repr(finding) == repr(answers[1]), "deterministic", f"judges {what} differently the second time")
    outcomes = ", ".join(_OUTCOMES)
    is_told = isinstance(finding.message, str) and finding.message.strip()
    is_proper = [
        found.expect(finding.rule == rule.card.id, "findings", f"returns a finding of rule '{finding.rule}'"),
        found.expect(finding.outcome in _OUTCOMES, "findings", f"outcome is {finding.outcome!r}; known are {outcomes}"),
        found.expect(is_told, "findings", "has findings without a message"),
        found.expect(
            _is_plain(finding.evidence), "findings", "has evidence that is not plain finite numbers and texts"
        ),
    ]
    return finding if all(is_proper) else None


def _is_plain(evidence: Any) -> bool:
    """Tell whether evidence can be written to the result."""
    try:
        json.dumps(evidence, allow_nan=False)
    except (TypeError, ValueError):
        return False
    return isinstance(evidence, dict)


# --------------------------------------------------------------------------- known answers


def _check_known_answers(
    found: Inspection, rule: Rule, params: Any, passes: Sequence[Case], fails: Sequence[Case]
) -> None:
    """Let the rule judge the cases of which its author knows the answer; the first one also in another process."""
    for number, case in enumerate(passes, 1):
        finding = _judged(found, rule, params, case, f"case {number}, which must pass")
        if finding is not None:
            message = f"says {finding.outcome} of case {number} ({finding.message}), which must pass"
            found.expect(finding.outcome == "pass", "known answers", message)
    for number, case in enumerate(fails, 1):
        finding = _judged(found, rule, params, case, f"case {number}, which must not pass")
        if finding is not None:
            message = f"passes case {number}, which must not pass ({finding.message})"
            found.expect(finding.outcome not in _LETS_THROUGH, "known answers", message)
    case = next(iter((*passes, *fails)), None) or case_of()
    if found.is_clean:
        with found.during("findings", "judging a case without metrics"):
            check_worker(found, _answer, rule, params, case, here=_answer(rule, params, case))


def _answer(rule: Rule, params: Any, case: Case) -> Any:
    """Judge a case; a rule that cannot judge it says so the same way everywhere."""
    try:
        return rule.judge(params, case)
    except LookupError as error:
        return type(error).__name__
