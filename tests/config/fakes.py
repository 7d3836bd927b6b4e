"""Small plugins and files for the tests of the audit file."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from permaudit.cards import AnonymizerCard, MetricCard, ReaderCard, RuleCard
from permaudit.config import build_audit
from permaudit.config.tree import parse_tree
from permaudit.errors import AuditFileError
from permaudit.model import Catalogue

if TYPE_CHECKING:
    from pathlib import Path


def metric(name: str, bounds: tuple[float, float] = (0, 1)) -> Any:
    card = MetricCard(
        id=name,
        title=f"metric {name}",
        measures="confidentiality",
        better="higher",
        bounds=bounds,
        reference="nowhere",
        summary=f"measures {name}",
        low="bad",
        high="good",
        blind_spots="many",
    )
    return SimpleNamespace(card=card)


class Closed(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class Limit(Closed):
    metric: str
    min: float | None = None
    max: float | None = None

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.min is not None and self.max is not None and self.min > self.max:
            raise ValueError("min is above max: nothing could pass")
        return self


class Nested(Closed):
    class Step(Closed):
        size: int = Field(ge=1, le=5)

    steps: list[Step] = []
    since: dt.date | None = None
    choice: int | str = 0


class Forgetful(BaseModel):
    """Does not say that unknown keys are wrong."""

    factor: float = 1.0


class Broken(Closed):
    anything: int = 0

    @model_validator(mode="after")
    def _raise(self) -> Self:
        raise KeyError("a bug in the plugin")


@dataclass
class Rule:
    card: RuleCard
    parameters: type[BaseModel] = Closed
    needed: tuple[str, ...] = ()

    def metrics(self, params: Any, *, linked: bool) -> tuple[str, ...]:  # noqa: ARG002
        return (params.metric,) if isinstance(params, Limit) else self.needed

    def limits(self, params: Any) -> tuple[str, ...]:
        return (params.metric,) if isinstance(params, Limit) else ()


def rule(
    name: str, parameters: type[BaseModel] = Closed, needed: tuple[str, ...] = (), *, always: bool = False
) -> Rule:
    return Rule(RuleCard(id=name, title=f"rule {name}", why=f"because of {name}", always_on=always), parameters, needed)


class Noise(Closed):
    alpha: float = Field(gt=0, le=1)


def anonymizer(name: str, parameters: type[BaseModel]) -> Any:
    card = AnonymizerCard(
        id=name, title=f"anonymizer {name}", kind="masked", linked=True, reference="nowhere", summary=f"does {name}"
    )
    return SimpleNamespace(card=card, parameters=parameters)


def by_id(*things: Any) -> dict[str, Any]:
    return {thing.card.id: thing for thing in things}


def reader(name: str) -> Any:
    return SimpleNamespace(card=ReaderCard(id=name, title=name, suffixes=(f".{name}",)), parameters=Closed)


CATALOGUE = Catalogue(
    metrics=by_id(metric("UM"), metric("CM1"), metric("CM2"), metric("CM3"), metric("distance", (0, 100))),
    anonymizers=by_id(anonymizer("additive-noise", Noise), anonymizer("plain", Closed)),
    rules=by_id(
        rule("threshold", Limit),
        rule("no-identifiers", always=True),
        rule("nested", Nested),
        rule("forgetful", Forgetful),
        rule("broken", Broken),
        rule("needy", needed=("not-installed",)),
    ),
    readers=by_id(reader("csv"), reader("parquet")),
    engines={},
    templates={},
)

VALID = """\
permaudit: 1
title: Income microdata
original: income.csv
attributes:
  FICA: numeric
  AGE: {type: numeric}
identifiers: [NAME, SSN]
not-audited: {WEIGHT: public design weight}
candidates:
  vendor-file: {path: release.csv, kind: masked, linkage: row}
  synthetic: {path: release.csv, kind: synthetic}
  noisy:
    anonymizer: additive-noise
    params: {alpha: 0.5}
    replicates: 20
metrics: [UM, CM1, CM2, CM3]
rules:
  - {rule: threshold, metric: CM2, min: 0.05, when: {kind: masked}}
  - {rule: threshold, metric: CM3, min: 0.3, when: {candidate: synthetic}}
  - {rule: no-identifiers}
seed: 20261118
plugins: {allow: [acme-anonymizers>=2]}
"""


def mistakes_in(text: str | bytes, folder: Path, root: Path | None = None) -> list[str]:
    """Return the lines of the error, none where the file is right."""
    data = text.encode() if isinstance(text, str) else text
    try:
        build_audit(parse_tree(data, folder / "audit.yaml", "audit.yaml"), CATALOGUE, root)
    except AuditFileError as error:
        return [str(mistake) for mistake in error.mistakes]
    return []
