"""Anonymizers that each break the contract in one way, and the reason for which the kit must refuse them."""

from __future__ import annotations

import os
import random
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
from pydantic import BaseModel, Field

from permaudit import AnonymizerCard, DataError, Made, NotApplicable, Parameters

BROKEN: list[tuple[type, str, str]] = []

CARD = AnonymizerCard(
    id="acme-noise", title="Noise", kind="masked", linked=True, reference="made up", summary="adds noise"
)


class Amount(Parameters):
    share: float = Field(gt=0, examples=[0.5], description="how much noise, as a share of the spread")


class Sound:
    """An anonymizer that keeps the contract: the broken ones differ from it in one thing."""

    card: Any = CARD
    parameters: Any = Amount

    def anonymize(self, original: Any, params: Any, rng: Any) -> Made:
        return Made(pa.table(self.noisy(original, rng)))

    def noisy(self, original: Any, rng: Any) -> dict[str, Any]:
        columns = {}
        for name, attribute in original.attributes.items():
            if attribute.type != "numeric" or original.table[name].null_count:
                raise DataError.one("", f"attribute '{name}' is not numeric or not complete")
            values = np.asarray(original.table[name].to_pylist(), dtype=float)
            columns[name] = values + rng.normal(0, 0.5 * values.std() + 1, values.size)
        return columns


def broken(check: str, words: str):
    def register(kind: type) -> type:
        BROKEN.append((kind, check, words))
        return kind

    return register


@broken("card", "has no AnonymizerCard")
class WithoutCard(Sound):
    card = None


@broken("card", "kind is 'secret'")
class OfUnknownKind(Sound):
    card = replace(CARD, kind="secret")


@broken("card", "summary says nothing")
class WithoutSummary(Sound):
    card = replace(CARD, summary="")


# --------------------------------------------------------------------------- parameters


@broken("parameters", "is no pydantic model")
class WithoutModel(Sound):
    parameters = dict


class Undescribed(Parameters):
    share: float = 0.5


@broken("parameters", "parameter share has no description")
class WithoutDescription(Sound):
    parameters = Undescribed


class Lenient(BaseModel):
    share: float = Field(default=0.5, description="how much noise")


@broken("parameters", "take a name that they do not know")
class TakesAnyName(Sound):
    parameters = Lenient


class WithoutExample(Parameters):
    share: float = Field(description="how much noise")


@broken("parameters", "cannot be read from {}, because of share")
class CannotBeTried(Sound):
    parameters = WithoutExample


# --------------------------------------------------------------------------- the release


@broken("release", "returned Table, not a release")
class ReturnsABareTable(Sound):
    def anonymize(self, original: Any, params: Any, rng: Any) -> Any:
        return super().anonymize(original, params, rng).table


@broken("release", "other columns")
class LosesAColumn(Sound):
    def anonymize(self, original: Any, params: Any, rng: Any) -> Made:
        columns = self.noisy(original, rng)
        columns.popitem()
        return Made(pa.table(columns))


@broken("release", "number changed")
class LosesARecord(Sound):
    def anonymize(self, original: Any, params: Any, rng: Any) -> Made:
        return Made(super().anonymize(original, params, rng).table.slice(1))


@broken("release", "releases every record as it was")
class DoesNothing(Sound):
    def anonymize(self, original: Any, params: Any, rng: Any) -> Made:
        return Made(original.table)


@broken("release", "raised ZeroDivisionError (division by zero)")
class Raises(Sound):
    def anonymize(self, original: Any, params: Any, rng: Any) -> Made:
        return 1 / 0


@broken("release", "raised SystemExit (0)")
class Exits(Sound):
    def anonymize(self, original: Any, params: Any, rng: Any) -> Made:
        raise SystemExit(0)


@broken("refuses", "raised NotApplicable (only for dogs); where the data rule a release out, raise DataError")
class RefusesAsAMetricWould(Sound):
    def anonymize(self, original: Any, params: Any, rng: Any) -> Made:
        if any(column.null_count for column in original.table.columns):
            raise NotApplicable("only for dogs")
        return super().anonymize(original, params, rng)


@broken("release", "releases no record at all")
class ReleasesNobody(Sound):
    card = replace(CARD, kind="synthetic", linked=False)

    def anonymize(self, original: Any, params: Any, rng: Any) -> Made:
        return Made(original.table.slice(0, 0))


@broken("release", "notes that are no tuple of texts")
class HasNumbersForNotes(Sound):
    def anonymize(self, original: Any, params: Any, rng: Any) -> Made:
        return replace(super().anonymize(original, params, rng), notes=(1,))


@broken("linkage", "declares linked=False")
class MasksAndCallsItSynthetic(Sound):
    card = replace(CARD, kind="synthetic", linked=False)


# --------------------------------------------------------------------------- the same again


@broken("deterministic", "different releases from the same generator")
class DrawsFreshEntropy(Sound):
    def anonymize(self, original: Any, params: Any, rng: Any) -> Made:
        return super().anonymize(original, params, np.random.default_rng())


@broken("global random state", "numpy's global random state")
class DrawsFromNumpysGlobalState(Sound):
    def anonymize(self, original: Any, params: Any, rng: Any) -> Made:
        return super().anonymize(original, params, np.random.mtrand._rand)  # noqa: SLF001


@broken("global random state", "Python's global random state")
class DrawsFromPythonsGlobalState(Sound):
    def anonymize(self, original: Any, params: Any, rng: Any) -> Made:
        random.random()
        return super().anonymize(original, params, rng)


@broken("input", "changes what it was given")
class ChangesItsInput(Sound):
    def anonymize(self, original: Any, params: Any, rng: Any) -> Made:
        made = super().anonymize(original, params, rng)
        original.attributes.pop(next(iter(original.attributes)))
        return made


@broken("worker", "cannot be sent to another process")
class HoldsALambda(Sound):
    def __init__(self) -> None:
        self.change = lambda value: value


# --------------------------------------------------------------------------- what the release follows


@broken("row order", "when the records are in another order")
class PromisesToFollowTheOrder(Sound):
    card = replace(CARD, invariant_to=("row-order",))


@broken("units", "when attributes are in other units")
class PromisesToFollowUnits(Sound):
    card = replace(CARD, invariant_to=("units",))

    def noisy(self, original: Any, rng: Any) -> dict[str, Any]:
        return {name: np.round(values) for name, values in super().noisy(original, rng).items()}


# --------------------------------------------------------------------------- refusals


@broken("refuses", "given a nominal attribute, it raised ValueError")
class ChokesOnText(Sound):
    def noisy(self, original: Any, rng: Any) -> dict[str, Any]:
        columns = {name: original.table[name].to_pylist() for name in original.table.column_names}
        return {
            name: np.asarray([value or 0 for value in values], dtype=float) + rng.normal(0, 99, len(values))
            for name, values in columns.items()
        }


@broken("refuses", "quotes a value of the data when it refuses negative values")
class QuotesTheData(Sound):
    def noisy(self, original: Any, rng: Any) -> dict[str, Any]:
        columns = super().noisy(original, rng)
        for name in columns:
            least = min(original.table[name].to_pylist())
            if least < 0:
                raise DataError.one("", f"attribute '{name}' is negative: {least}")
        return columns


@broken("refuses", "refuses negative values without a reason")
class RefusesWithoutReason(Sound):
    def noisy(self, original: Any, rng: Any) -> dict[str, Any]:
        columns = super().noisy(original, rng)
        if min(min(original.table[name].to_pylist()) for name in columns) < 0:
            raise DataError.one("", "")
        return columns


@broken("values", "that are NaN or infinite")
class ReleasesNan(Sound):
    def noisy(self, original: Any, rng: Any) -> dict[str, Any]:
        return {name: np.where(values > 0, values, np.nan) for name, values in super().noisy(original, rng).items()}


# --------------------------------------------------------------------------- what it prints


@broken("output", "prints to standard output while it is called")
class Prints(Sound):
    def noisy(self, original: Any, rng: Any) -> dict[str, Any]:
        os.write(1, b"a record\n")
        return super().noisy(original, rng)
