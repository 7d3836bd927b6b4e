"""Metrics that each break the contract in one way, and the reason for which the kit must refuse them."""

from __future__ import annotations

import os
import random
from dataclasses import replace
from typing import Any

import numpy as np

from permaudit import Measured, MetricCard, Needs, NotApplicable

BROKEN: list[tuple[type, str, str]] = []
"""The class, the part of the contract that it breaks, and words of the message."""

CARD = MetricCard(
    id="ACME",
    title="Rank distance",
    measures="confidentiality",
    better="higher",
    bounds=(0, 1),
    needs=Needs(linkage=True),
    reference="made up",
    summary="one minus the mean rank correlation of each attribute with itself",
    low="every record keeps its ranks",
    high="nobody does",
    blind_spots="much",
)


class Sound:
    """A metric that keeps the contract: the broken ones differ from it in one thing."""

    card: Any = CARD

    def compute(self, pair: Any, rng: Any) -> Measured:
        moments = pair.moments
        scales = np.sqrt(np.diag(moments.original) * np.diag(moments.release))
        own = np.divide(np.diag(moments.cross), scales, out=np.zeros_like(scales), where=scales > 0)
        return Measured(float(1 - np.clip(own, 0, 1).mean()))


def broken(check: str, words: str):
    def register(kind: type) -> type:
        BROKEN.append((kind, check, words))
        return kind

    return register


# --------------------------------------------------------------------------- what it says of itself


@broken("card", "has no MetricCard")
class WithoutCard(Sound):
    card = None


@broken("card", "has no compute")
class WithoutCompute:
    card = CARD


@broken("card", "title says nothing")
class WithoutTitle(Sound):
    card = replace(CARD, title=" ")


@broken("card", "id is no name")
class WithoutName(Sound):
    card = replace(CARD, id="")


@broken("card", "better is 'up'")
class WithoutDirection(Sound):
    card = replace(CARD, better="up")


@broken("card", "measures is 'privacy'")
class OfUnknownKind(Sound):
    card = replace(CARD, measures="privacy")


@broken("card", "bounds are (1, 0)")
class WithTurnedBounds(Sound):
    card = replace(CARD, bounds=(1, 0))


@broken("card", "invariant_to names 'weather'")
class OfUnknownInvariance(Sound):
    card = replace(CARD, invariant_to=("weather",))


# --------------------------------------------------------------------------- values


@broken("values", "other values for many comparisons at once")
class OtherValuesAtOnce(Sound):
    def values(self, moments: Any) -> Any:
        return np.zeros(len(moments))


@broken("values", "not finite")
class ReadsNan(Sound):
    def compute(self, pair: Any, rng: Any) -> Measured:
        return Measured(float("nan"))


@broken("values", "outside its bounds 0 to 1")
class LeavesItsBounds(Sound):
    def compute(self, pair: Any, rng: Any) -> Measured:
        return Measured(100 * super().compute(pair, rng).value)


@broken("values", "returned float, not a measurement")
class ReadsABareNumber(Sound):
    def compute(self, pair: Any, rng: Any) -> Any:
        return super().compute(pair, rng).value


@broken("values", "a value of type str")
class ReadsText(Sound):
    def compute(self, pair: Any, rng: Any) -> Measured:
        return Measured("0.5")


@broken("values", "details that are not plain")
class HasRecordsInItsDetails(Sound):
    def compute(self, pair: Any, rng: Any) -> Measured:
        return Measured(super().compute(pair, rng).value, {"cross": pair.moments.cross})


@broken("values", "raised ZeroDivisionError (float division by zero) on a constant")
class DividesByTheSpreadOfTheRelease(Sound):
    def compute(self, pair: Any, rng: Any) -> Measured:
        1.0 / float(pair.moments.release.trace())
        return super().compute(pair, rng)


@broken("values", "raised IndexError (index 1 is out of bounds")
class NeedsMoreAttributesThanItSays(Sound):
    def compute(self, pair: Any, rng: Any) -> Measured:
        assert pair.moments.original[1, 1] >= 0
        return super().compute(pair, rng)


@broken("values", "has no value for any known case")
class NeverApplies(Sound):
    def compute(self, pair: Any, rng: Any) -> Measured:
        raise NotApplicable("not today")


@broken("refuses", "gives no reason")
class RefusesWithoutReason(Sound):
    def compute(self, pair: Any, rng: Any) -> Measured:
        raise NotApplicable("")


@broken("needs", "does not declare: Needs(rows=True)")
class LooksAtRecordsInSecret(Sound):
    def compute(self, pair: Any, rng: Any) -> Measured:
        assert len(pair.rows.original)
        return super().compute(pair, rng)


# --------------------------------------------------------------------------- the same again


@broken("deterministic", "from the same generator; draw from the generator that is given")
class DrawsFreshEntropy(Sound):
    def compute(self, pair: Any, rng: Any) -> Measured:
        return Measured(super().compute(pair, rng).value * np.random.default_rng().uniform(0.99, 1))


@broken("global random state", "numpy's global random state")
class DrawsFromNumpysGlobalState(Sound):
    def compute(self, pair: Any, rng: Any) -> Measured:
        np.random.uniform()  # noqa: NPY002 - that is what is broken
        return super().compute(pair, rng)


@broken("global random state", "Python's global random state")
class DrawsFromPythonsGlobalState(Sound):
    def compute(self, pair: Any, rng: Any) -> Measured:
        random.random()
        return super().compute(pair, rng)


@broken("deterministic", "and then")
class Remembers(Sound):
    calls = 0

    def compute(self, pair: Any, rng: Any) -> Measured:
        Remembers.calls += 1
        return Measured(super().compute(pair, rng).value / Remembers.calls)


@broken("input", "changes what it was given")
class ChangesItsInput(Sound):
    def compute(self, pair: Any, rng: Any) -> Measured:
        value = super().compute(pair, rng)
        pair.moments.cross[:] = 0
        return value


@broken("worker", "cannot be sent to another process")
class HoldsALambda(Sound):
    def __init__(self) -> None:
        self.power = lambda value: value

    def compute(self, pair: Any, rng: Any) -> Measured:
        return Measured(self.power(super().compute(pair, rng).value))


@broken("worker", "gives another answer in another process")
class DependsOnHashes(Sound):
    def compute(self, pair: Any, rng: Any) -> Measured:
        share = hash("permaudit") % 1000 / 1000
        return Measured(super().compute(pair, rng).value, {"share": share})


@broken("values", "raised SystemExit (0) on")
class Exits(Sound):
    def compute(self, pair: Any, rng: Any) -> Measured:
        raise SystemExit(0)


@broken("worker", "ends the process it works in (exit code 3)")
class EndsOtherProcesses(Sound):
    def __init__(self) -> None:
        import os  # noqa: PLC0415

        self.home = os.getpid()

    def compute(self, pair: Any, rng: Any) -> Measured:
        import os  # noqa: PLC0415

        if os.getpid() != self.home:
            os._exit(3)
        return super().compute(pair, rng)


# --------------------------------------------------------------------------- known answers


@broken("direction", "does not tell a verbatim copy of the original (0) from the records of strangers")
class ThinksACopyIsSafe(Sound):
    card = replace(CARD, better="lower")


@broken("direction", "may not decide")
class IsAlwaysContent(Sound):
    def compute(self, pair: Any, rng: Any) -> Measured:
        return Measured(0.9)


@broken("direction", "reads 0.0 for a copy, which keeps everything")
class ThinksACopyIsUseless(Sound):
    card = replace(CARD, measures="utility")


@broken("direction", "the latter must be clearly worse")
class FindsEverythingUseful(Sound):
    card = replace(CARD, measures="utility")

    def compute(self, pair: Any, rng: Any) -> Measured:
        return Measured(1.0)


# --------------------------------------------------------------------------- what must not matter


@broken("linkage", "declare Needs(linkage=True)")
class ComparesByPlaceWithoutSayingSo(Sound):
    card = replace(CARD, needs=Needs())


class LooksAtRecords(Sound):
    card = replace(CARD, needs=Needs(linkage=True, rows=True))


@broken("row order", "with the records of both files in another order")
class DependsOnTheOrderOfRecords(LooksAtRecords):
    def compute(self, pair: Any, rng: Any) -> Measured:
        first = float(np.mean([column[0] > np.median(column) for column in pair.rows.original.values()]))
        return Measured(0.9 * super().compute(pair, rng).value + 0.1 * first)


@broken("units", "with attributes in other units")
class DependsOnUnits(LooksAtRecords):
    def compute(self, pair: Any, rng: Any) -> Measured:
        original, release = (np.column_stack(list(side.values())) for side in (pair.rows.original, pair.rows.release))
        distance = float(np.abs(original.astype(float) - release).mean())
        return Measured(distance / (distance + 100))


# --------------------------------------------------------------------------- what it prints


@broken("output", "prints to standard output while it is called")
class Prints(Sound):
    def compute(self, pair: Any, rng: Any) -> Measured:
        measured = super().compute(pair, rng)
        if measured.value == 0:
            print("a copy!")  # noqa: T201 - what is wrong with it
        return measured


@broken("output", "prints to standard output while it is called")
class LetsAnotherProgramPrint(Sound):
    def compute(self, pair: Any, rng: Any) -> Measured:
        os.system("echo computing")
        return super().compute(pair, rng)
