"""Cases to judge, made by hand: one metric or several, of any standing."""

from __future__ import annotations

from typing import Any

from permaudit import Baseline, Case, MetricResult, Records
from permaudit.plan import RuleUse
from permaudit.plugins import load_plugins
from permaudit.verdict import judge, verdict_of

CATALOGUE = load_plugins().catalogue
BASELINE = Baseline(value=0.5, spread=0.01, draws=10, what="one random half of the original beside the other")


def measured(value: float | None = 0.4, status: str = "ok", **parts: Any) -> MetricResult:
    """A result with everything that a rule may look at, or with a reason why it does not count."""
    return MetricResult(
        status=status,
        value=value,
        replicates=[] if value is None else [value],
        reason=None if status == "ok" else "made up",
        **parts,
    )


def full(value: float = 0.4, status: str = "ok", **parts: Any) -> MetricResult:
    """A result on every scale."""
    given = {
        "null": 0.9,
        "calibrated": value / 0.9,
        "interval": (value - 0.1, value + 0.1),
        "baseline": BASELINE,
        "relative": value / 0.5,
        "details": {"p_value": 0.2, "least_protected": "FICA", "explained_by_release": {"FICA": 0.6, "FEDTAX": 0.1}},
    }
    return measured(value, status, **(given | parts))


def case_of(metrics: dict[str, MetricResult], *, linked: bool = True, **parts: Any) -> Case:
    """A candidate with these metrics and nothing else remarkable."""
    given: dict[str, Any] = {
        "name": "vendor-file",
        "kind": "masked" if linked else "synthetic",
        "linkage": "row" if linked else "none",
        "records": Records(original=200, released=200, compared=200),
        "declared_attributes": ("FICA", "FEDTAX"),
        "metrics": metrics,
        "limited": frozenset(),
        "released_columns": ("FICA", "FEDTAX"),
        "key": (),
        "identifiers": frozenset(),
        "not_audited": {},
        "unchanged": (),
        "compared": ("FICA", "FEDTAX"),
        "cards": {name: CATALOGUE.metrics[name].card for name in metrics},
    }
    return Case(**(given | parts))


def use_of(rule: str, **params: Any) -> RuleUse:
    """A rule with its parameters, as an audit file writes them."""
    model = CATALOGUE.rules[rule].parameters
    return RuleUse(rule=rule, params=model.model_validate(params))


def finding_of(rule: str, case: Case, **params: Any):
    """What the host hears from one rule."""
    found, _ = judge(case, [use_of(rule, **params)], CATALOGUE)
    return found


def verdict(case: Case, *uses: RuleUse) -> str:
    """The verdict if these were all the rules."""
    return verdict_of(judge(case, uses, CATALOGUE))
