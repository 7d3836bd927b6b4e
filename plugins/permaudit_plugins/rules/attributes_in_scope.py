"""The attributes that must be protected, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self

from pydantic import Field, model_validator

from permaudit import Parameters, RuleCard, hookimpl, shown
from permaudit_plugins.rules._base import BuiltInRule, listed

if TYPE_CHECKING:
    from permaudit import Case, Finding

permaudit_api = 1

Part = Annotated[float, Field(gt=0, lt=1)]


class Scope(Parameters, defer_build=True):
    """Parameters: the attributes that must be protected, and how much of their order a release may tell."""

    attributes: Annotated[list[str], Field(min_length=1)] = Field(
        description="the attributes that must be protected; others enter no metric"
    )
    max_explained: Part | dict[str, Part] | None = Field(
        default=None,
        alias="max-explained",
        description="the greatest part of an attribute's order that all released attributes together may tell, from 0 to 1: "
        "one number for all, or one for each",
    )

    @model_validator(mode="after")
    def _names_are_in_scope(self) -> Self:
        if len(set(self.attributes)) < len(self.attributes):
            raise ValueError("an attribute is named twice")
        if isinstance(self.max_explained, dict) and not set(self.max_explained) <= set(self.attributes):
            raise ValueError("max-explained limits an attribute that is not among attributes")
        return self

    def most(self, attribute: str) -> float | None:
        """Return the greatest part of an attribute's order that may be told."""
        return self.max_explained.get(attribute) if isinstance(self.max_explained, dict) else self.max_explained


class AttributesInScope(BuiltInRule):
    """Fail when an attribute that must be protected escaped the audit, keeps its order, or can be told too well."""

    card: ClassVar[RuleCard] = RuleCard(
        id="attributes-in-scope",
        title="Named attributes are protected",
        why="Some attributes are public anyway, and one of them left as it is would make every link look perfect. Which ones "
        "must be protected is for the controller to say, and none of these may slip out of the audit.",
    )
    parameters: ClassVar[type[Scope]] = Scope

    def metrics(self, params: Scope, *, linked: bool) -> tuple[str, ...]:
        """Need CM2, which tells how much of each attribute's order the release gives away, where that is limited."""
        return ("CM2",) if linked and params.max_explained is not None else ()

    def scope(self, params: Scope) -> tuple[str, ...]:
        """Confine protection to the named attributes."""
        return tuple(params.attributes)

    def judge(self, params: Scope, case: Case) -> Finding:
        """Look at every named attribute."""
        found = {name: said for name in params.attributes if (said := _escape(name, case)) is not None}
        doubts: list[str] = []
        if case.linked and params.max_explained is not None:
            told, doubts = _told_too_well(params, case, found)
            found |= told
        evidence: dict[str, Any] = {"attributes": list(found)}
        note = _without_effect(params, case)
        if found:
            message = "; ".join(f"{shown(name)} {said}" for name, (said, _) in found.items())
            fix = "; ".join(dict.fromkeys(how.format(shown(name)) for name, (_, how) in found.items()))
            return self.finding("fail", message + note, fix, evidence, list(found))
        if doubts:
            return self.finding("review", "; ".join(doubts) + note, "let a person decide", evidence)
        names = listed([shown(name) for name in params.attributes])
        if params.max_explained is not None and not case.linked:
            note += "; max-explained is for linked releases, and this one is not linked"
        return self.finding("pass", f"audited, and not in the original order: {names}{note}", evidence=evidence)


def _escape(name: str, case: Case) -> tuple[str, str] | None:
    """Say how an attribute escaped protection, and what to do; None where it did not."""
    if name in case.not_audited:
        return "is listed under not-audited", "list {} under attributes"
    if name not in case.declared_attributes:
        return "is not audited", "list {} under attributes"
    if name not in case.compared:
        return "entered no metric", "see why {} was left out, and let the board say whether it is in scope"
    if name in case.unchanged:
        return "keeps its rank order", "mask {}"
    return None


def _told_too_well(
    params: Scope, case: Case, escaped: dict[str, tuple[str, str]]
) -> tuple[dict[str, tuple[str, str]], list[str]]:
    """Return the attributes of whose order too much can be told, and those of which that cannot be said."""
    result = case.metrics["CM2"]
    told = result.details.get("explained_by_release", {}) if result.status == "ok" else {}
    found, doubts = {}, []
    for name in params.attributes:
        most, explained = params.most(name), told.get(name)
        if most is None or name in escaped:
            continue
        if explained is None:
            doubts.append(f"how much of the order of {shown(name)} can be told is not known")
        elif not explained <= most:
            found[name] = (
                f"can be told too well: {explained:.0%} of its order, more than {most:.0%}",
                "protect {} more",
            )
    return found, doubts


def _without_effect(params: Scope, case: Case) -> str:
    """Say so where the host does not confine the audit to these attributes: a policy decides, and no audit file."""
    if case.scope is None:
        return (
            "; naming them here has no effect on what is compared: the policy decides the scope, and it is everything"
        )
    named = set(params.attributes)
    outside = listed([shown(name) for name in params.attributes if name not in case.scope])
    others = listed([shown(name) for name in sorted(case.scope - named)])
    note = f"; naming {outside} here has no effect on what is compared: the policy decides the scope" if outside else ""
    return note + (f"; in scope are also {others}, as other rules say" if others else "")


@hookimpl
def permaudit_rules() -> list[AttributesInScope]:
    """Provide the rule."""
    return [AttributesInScope()]
