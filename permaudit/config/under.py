"""What an audit under a policy may not do: everything that could loosen the policy and that it does not allow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from permaudit.config.allow import allowed_in
from permaudit.config.waivers import last_day, waivers_in
from permaudit.config.words import Problem, listing, place_name
from permaudit.errors import shown

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Iterator, Mapping

    from permaudit.config.words import Steps

ANY = "any"


def refused_by(policy: Mapping[str, Any], value: Any, today: dt.date) -> Iterator[Problem]:
    """Yield everything in an audit that its policy does not allow; both may have other mistakes, too."""
    audit = value if isinstance(value, dict) else {}
    yield from _holdout(policy, audit)
    yield from _not_audited(policy, audit)
    yield from _decimals(policy, audit)
    yield from _plugins(policy, audit)
    yield from _waivers(policy, audit, today)


def allowed_names(allowed: Any) -> tuple[str, ...] | None:
    """Return the names of a list that a policy allows; None for any, nothing where it says nothing."""
    if allowed == ANY:
        return None
    return tuple(name for name in allowed if isinstance(name, str)) if isinstance(allowed, list) else ()


def waivable(policy: Mapping[str, Any]) -> tuple[str, ...] | None:
    """Return the rules that a policy allows to waive; None for any."""
    waivers = policy.get("waivers")
    return allowed_names(waivers.get("allow") if isinstance(waivers, dict) else None)


def most_days(policy: Mapping[str, Any]) -> int | None:
    """Return for how many days from today a waiver may be given."""
    waivers = policy.get("waivers")
    days = waivers.get("most-days") if isinstance(waivers, dict) else None
    return days if isinstance(days, int) else None


def _holdout(policy: Mapping[str, Any], audit: Mapping[str, Any]) -> Iterator[Problem]:
    if policy.get("holdout") == "required" and "holdout" not in audit:
        yield Problem((), "the audit file needs the key 'holdout': the policy demands one", "key")
    if "holdout" not in policy and "holdout" in audit:
        # Whoever chooses the strangers chooses what counts as chance.
        message = "is not allowed by the policy, which would have to say holdout: allowed"
        yield Problem(("holdout",), f"holdout {message}", "key")


def _not_audited(policy: Mapping[str, Any], audit: Mapping[str, Any]) -> Iterator[Problem]:
    allowed = allowed_names(policy.get("not-audited"))
    columns = audit.get("not-audited")
    for name in columns if isinstance(columns, dict) and allowed is not None else ():
        if name not in (allowed or ()):
            steps = ("not-audited", name)
            what = f"the policy allows only {listing(allowed or ())}" if allowed else "the policy allows no such column"
            yield Problem(steps, f"{place_name(steps)} may not be left out: {what}", "key")


def _decimals(policy: Mapping[str, Any], audit: Mapping[str, Any]) -> Iterator[Problem]:
    allowed = allowed_names(policy.get("decimals"))
    attributes = audit.get("attributes")
    for name, entry in attributes.items() if isinstance(attributes, dict) and allowed is not None else ():
        if isinstance(entry, dict) and "decimals" in entry and name not in (allowed or ()):
            # Of numbers that are rounded to few values a small change is none, and a link looks weaker than it is.
            steps = ("attributes", name, "decimals")
            what = f"the policy allows only {listing(allowed or ())}" if allowed else "the policy allows no rounding"
            yield Problem(steps, f"{place_name(steps)}: '{shown(name)}' may not be rounded: {what}", "key")


def _plugins(policy: Mapping[str, Any], audit: Mapping[str, Any]) -> Iterator[Problem]:
    allowed = {item.name for item in allowed_in(policy)[0]}
    section = audit.get("plugins")
    entries = section.get("allow") if isinstance(section, dict) else None
    for number, entry in enumerate(entries if isinstance(entries, list) else ()):
        for item in allowed_in({"plugins": {"allow": [entry]}})[0]:
            if item.name not in allowed:
                steps = ("plugins", "allow", number)
                name = shown(item.requirement.name)
                yield Problem(steps, f"{place_name(steps)}: '{name}' is not among the policy's plugins")


def _waivers(policy: Mapping[str, Any], audit: Mapping[str, Any], today: dt.date) -> Iterator[Problem]:
    allowed, days = waivable(policy), most_days(policy)
    for steps, entry in waivers_in(audit):
        rule = entry.get("rule")
        if isinstance(rule, str) and allowed is not None and rule not in allowed:
            where: Steps = (*steps, "rule")
            what = f"it allows only {listing(allowed)}" if allowed else "it allows no waivers"
            yield Problem(where, f"{place_name(where)}: '{shown(rule)}' cannot be waived under the policy; {what}")
        day = last_day(entry)
        if day is not None and days is not None and (day - today).days > days:
            where = (*steps, "expires")
            what = f"is {(day - today).days} days from now; the policy allows at most {days}"
            yield Problem(where, f"{place_name(where)} {what}")
