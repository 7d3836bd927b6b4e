"""Where an audit file differs from its policy: what it asks for on top, and what it asks for without effect."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from permaudit.config.words import listing, place_name
from permaudit.errors import shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from permaudit.config.words import Steps
    from permaudit.model import Catalogue
    from permaudit.plan import RuleUse

_LIMITS = ("min", "max")
_LONGEST = 300


def differences(
    value: Mapping[str, Any],
    policy: Mapping[str, Any],
    rules: Sequence[RuleUse],
    catalogue: Catalogue,
    at: Callable[[Steps], str],
) -> tuple[str, ...]:
    """Say in words where an audit differs from its policy; `at` writes where something stands.

    Everything has been checked already: what the policy does not allow is an error, and not among these.
    """
    boards = [use for use in rules if use.origin == "policy"]
    found = [text for use in rules if use.origin != "policy" for text in _rule(use, boards, catalogue)]
    found += _metrics(value, boards, catalogue, at)
    found += _seed(value, policy, at)
    found += _left_to_the_audit(value, at)
    return tuple(shown(text, _LONGEST) for text in found)


def _rule(use: RuleUse, boards: Sequence[RuleUse], catalogue: Catalogue) -> Iterator[str]:
    """Compare a rule of the audit file with those of the policy that demand something of the same thing."""
    alike = [other for other in boards if other.rule == use.rule and _rest(other) == _rest(use) and _meet(use, other)]
    own = f"{_place(use)} asks for {_words(use)}"
    for other in alike:
        for name in _LIMITS:
            mine, theirs = _limit(use, name), _limit(other, name)
            if mine is None or theirs is None or mine == theirs:
                continue
            if (mine > theirs) == (name == "min"):
                yield f"{own}: more than the policy's {name} {theirs:g} ({_place(other)})"
            else:
                yield f"{own}; the policy's {name} {theirs:g} ({_place(other)}) stays in force"
    if not alike:
        yield f"{own}, on top of the policy"
    if _scope(use, catalogue):
        yield f"{_place(use)} names the attributes that must be protected; only the policy can leave others out of reach"


def _metrics(
    value: Mapping[str, Any], boards: Sequence[RuleUse], catalogue: Catalogue, at: Callable[[Steps], str]
) -> Iterator[str]:
    """Name the metrics that the audit file leaves out and that the policy's rules need."""
    if "metrics" in value:
        needed = {name for use in boards for name in _needed(use, catalogue)} - set(value["metrics"])
        if needed:
            yield f"{at(('metrics',))} leaves out {listing(needed)}, computed all the same, since the policy needs it"


def _seed(value: Mapping[str, Any], policy: Mapping[str, Any], at: Callable[[Steps], str]) -> Iterator[str]:
    """Say whose seed is used where the audit file names one."""
    if "seed" in value and "seed" not in policy:
        yield f"{at(('seed',))} chooses the seed {value['seed']} itself: the policy sets none"
    elif "seed" in value and value["seed"] != policy["seed"]:
        yield f"{at(('seed',))} asks for the seed {value['seed']}; the policy's {policy['seed']} is used"


def _left_to_the_audit(value: Mapping[str, Any], at: Callable[[Steps], str]) -> Iterator[str]:
    """Name what the audit file decides by itself and what bears on the numbers."""
    for name in value.get("not-audited", {}):
        yield f"{at(('not-audited', name))} leaves the column {shown(name)} out, as the policy allows"
    if "holdout" in value:
        yield f"{at(('holdout',))} brings a holdout of its own choice, as the policy allows"
    if value.get("missing", "error") != "error":
        yield f"{at(('missing',))} treats missing values by {value['missing']}"
    for name, entry in value["attributes"].items():
        if isinstance(entry, dict) and entry.get("missing", "error") != "error":
            yield f"{at(('attributes', name, 'missing'))} treats missing values of {shown(name)} by {entry['missing']}"
        if isinstance(entry, dict) and "decimals" in entry:
            steps = ("attributes", name, "decimals")
            yield f"{at(steps)} rounds {shown(name)} to {entry['decimals']} decimals before it is ranked, as the policy allows"
        if isinstance(entry, dict) and "tolerance" in entry:
            steps = ("attributes", name, "tolerance")
            yield f"{at(steps)} counts values of {shown(name)} within {entry['tolerance']} as nearly the same"


def _place(use: RuleUse) -> str:
    return f"{use.place.file}:{use.place.line}" if use.place else place_name(("rules",))


def _words(use: RuleUse) -> str:
    """Write a rule with the parameters that were given."""
    given = {name: item for name, item in use.params.model_dump(mode="json").items() if item is not None}
    when = {name: item for name, item in (("kind", use.when.kind), ("candidate", use.when.candidate)) if item}
    parts = [f"{name} {shown(str(item))}" for name, item in (given | when).items()]
    return f"{use.rule} ({', '.join(parts)})" if parts else use.rule


def _rest(use: RuleUse) -> dict[str, Any]:
    """Return the parameters but for the limits: what the rule looks at."""
    return {name: item for name, item in use.params.model_dump(mode="json").items() if name not in _LIMITS}


def _meet(use: RuleUse, other: RuleUse) -> bool:
    """Tell whether two rules can apply to the same candidate."""
    return use.when.kind is None or other.when.kind is None or use.when.kind == other.when.kind


def _limit(use: RuleUse, name: str) -> float | None:
    limit = getattr(use.params, name, None)
    return limit if isinstance(limit, int | float) else None


def _scope(use: RuleUse, catalogue: Catalogue) -> bool:
    try:
        return bool(tuple(catalogue.rules[use.rule].scope(use.params)))
    except Exception:
        return False  # it will be an error when it judges


def _needed(use: RuleUse, catalogue: Catalogue) -> tuple[str, ...]:
    rule = catalogue.rules[use.rule]
    return (*rule.metrics(use.params, linked=True), *rule.metrics(use.params, linked=False))
