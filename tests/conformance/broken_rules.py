"""Rules that each break the contract in one way, and the reason for which the kit must refuse them."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import count
from typing import Any

import numpy as np
from pydantic import Field

from permaudit import Finding, Parameters, RuleCard

BROKEN: list[tuple[type, str, str]] = []

CARD = RuleCard(id="acme-limit", title="A limit", why="It is a limit.")


class Least(Parameters):
    min: float = Field(default=0.3, description="what CM2 must reach")


class Sound:
    """A rule that keeps the contract: the broken ones differ from it in one thing."""

    card: Any = CARD
    parameters: Any = Least

    def metrics(self, params: Any, *, linked: bool) -> tuple[str, ...]:
        return ("CM2",)

    def limits(self, params: Any) -> tuple[str, ...]:
        return ("CM2",)

    def scope(self, params: Any) -> tuple[str, ...]:
        return ()

    def earlier(self, params: Any) -> tuple[str, ...]:
        return ()

    def judge(self, params: Any, case: Any) -> Finding:
        result = case.metrics["CM2"]
        if result.status != "ok":
            return self.found("review", "CM2 is not valid here")
        return self.found("pass" if result.value >= params.min else "fail", "compared CM2 with the limit")

    def found(self, outcome: Any, message: str, **others: Any) -> Finding:
        return Finding(rule=self.card.id, outcome=outcome, message=message, why=self.card.why, **others)


def broken(check: str, words: str):
    def register(kind: type) -> type:
        BROKEN.append((kind, check, words))
        return kind

    return register


@broken("card", "has no RuleCard")
class WithoutCard(Sound):
    card = None


@broken("card", "why says nothing")
class WithoutReason(Sound):
    card = replace(CARD, why="")


@broken("card", "has no earlier")
class WithoutEarlier:
    card = CARD
    parameters = Least
    metrics = Sound.metrics
    limits = Sound.limits
    scope = Sound.scope
    judge = Sound.judge


# --------------------------------------------------------------------------- announcements


@broken("announcements", "limits() returns no tuple of names, but 'CM2'")
class LimitsABareName(Sound):
    def limits(self, params: Any) -> Any:
        return "CM2"


@broken("announcements", "limits CM1 without naming it in metrics()")
class LimitsWhatItDoesNotNeed(Sound):
    def limits(self, params: Any) -> tuple[str, ...]:
        return ("CM1",)


@broken("announcements", "needs metric 'ACME', which is not there")
class NeedsAnUnknownMetric(Sound):
    def metrics(self, params: Any, *, linked: bool) -> tuple[str, ...]:
        return ("CM2", "ACME")


@broken("announcements", "metrics() raised AttributeError")
class CannotSayWhatItNeeds(Sound):
    def metrics(self, params: Any, *, linked: bool) -> tuple[str, ...]:
        return params.metric


# --------------------------------------------------------------------------- findings


@broken("findings", "returns bool, not a Finding")
class SaysYesOrNo(Sound):
    def judge(self, params: Any, case: Any) -> Any:
        return True


@broken("findings", "outcome is 'waived'")
class WaivesItself(Sound):
    def judge(self, params: Any, case: Any) -> Finding:
        return self.found("waived", "never mind")


@broken("findings", "a finding of rule 'threshold'")
class SpeaksForAnother(Sound):
    def judge(self, params: Any, case: Any) -> Finding:
        return replace(super().judge(params, case), rule="threshold")


@broken("findings", "without a message")
class SaysNothing(Sound):
    def judge(self, params: Any, case: Any) -> Finding:
        return replace(super().judge(params, case), message="")


@broken("findings", "evidence that is not plain")
class HasNanForEvidence(Sound):
    def judge(self, params: Any, case: Any) -> Finding:
        return replace(super().judge(params, case), evidence={"value": float("nan")})


@broken("findings", "raised TypeError")
class ForgetsThatThereMayBeNoValue(Sound):
    def judge(self, params: Any, case: Any) -> Finding:
        is_high = case.metrics["CM2"].value >= params.min
        return self.found("pass" if is_high else "fail", "compared CM2 with the limit")


# --------------------------------------------------------------------------- what it must never do


@broken("fails closed", "passes a candidate whose CM2 is not-applicable")
class PassesWhatWasNotMeasured(Sound):
    def judge(self, params: Any, case: Any) -> Finding:
        value = case.metrics["CM2"].value
        is_low = value is not None and value < params.min
        return self.found("fail" if is_low else "pass", "compared CM2 with the limit")


@broken("direction", "lets a verbatim copy of the original pass")
class LimitsFromTheWrongSide(Sound):
    def judge(self, params: Any, case: Any) -> Finding:
        value = case.metrics["CM2"].value
        if value is None:
            return self.found("review", "no value")
        return self.found("pass" if value <= params.min else "fail", "compared CM2 with the limit")


# --------------------------------------------------------------------------- the same again


@broken("global random state", "numpy's global random state")
class DrawsLots(Sound):
    def judge(self, params: Any, case: Any) -> Finding:
        return self.found("fail" if np.random.uniform() > 0.5 else "review", "drew a lot")  # noqa: NPY002


@broken("deterministic", "differently the second time")
class Counts(Sound):
    numbers = count()

    def judge(self, params: Any, case: Any) -> Finding:
        return replace(super().judge(params, case), message=f"judgement {next(self.numbers)}")


@broken("global random state", "Python's global random state")
class DrawsFromPythonsGlobalState(Sound):
    def judge(self, params: Any, case: Any) -> Finding:
        random.random()
        return super().judge(params, case)


@broken("input", "changes the case")
class ChangesTheCase(Sound):
    def judge(self, params: Any, case: Any) -> Finding:
        finding = super().judge(params, case)
        case.metrics.clear()
        return finding


@broken("worker", "cannot be sent to another process")
class HoldsALambda(Sound):
    def __init__(self) -> None:
        self.compare = lambda value: value


# --------------------------------------------------------------------------- what it prints


@broken("output", "prints to standard output while it is called")
class Prints(Sound):
    def judge(self, params: Any, case: Any) -> Finding:
        print(case.name)  # noqa: T201 - what is wrong with it
        return super().judge(params, case)
