"""What the checks work on: made-up people, and cases of which everybody knows what must be said."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from permaudit.cards import Needs
from permaudit.census_like import census_like
from permaudit.known import Files, compared_files
from permaudit.model import Case, Original
from permaudit.outcome import MetricResult, Records
from permaudit.plan import Attribute, Audit, GivenCandidate, TableSource
from permaudit.plugins import load_plugins

if TYPE_CHECKING:
    from collections.abc import Mapping

    from permaudit.cards import Kind, MetricCard
    from permaudit.model import Catalogue, Comparison, Engine, LinkageName
    from permaudit.plan import MissingPolicy

_ENGINE = "memory"
_PEOPLE = 120


@cache
def built_ins() -> Catalogue:
    """Return what permaudit itself provides."""
    return load_plugins().catalogue


def engine() -> Engine:
    """Return the engine that compares."""
    return built_ins().engines[_ENGINE]


def comparison_of(
    original: Mapping[str, Any],
    release: Mapping[str, Any],
    *,
    linked: bool = True,
    needs: Needs | None = None,
    holdout: Mapping[str, Any] | None = None,
) -> Comparison:
    """Compare two files of numbers, each given as columns: what a metric that needs this is handed over."""
    sides = [None if side is None else _columns(side) for side in (original, release, holdout)]
    files = Files(sides[0] or {}, sides[1] or {}, sides[2])
    [comparison] = compared_files(files, engine(), needs or Needs(), linked=linked).comparisons
    return comparison


def _columns(side: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns as arrays."""
    return {name: np.asarray(values) for name, values in side.items()}


def original_of(
    columns: Mapping[str, Any] | None = None, *, attributes: Mapping[str, Attribute] | None = None, study: bool = True
) -> Original:
    """Return an original for anonymizers: these columns, or else made-up people with four numeric attributes.

    What `attributes` does not describe is numeric where it holds numbers, and nominal where it does not.
    """
    table = pa.table(dict(columns if columns is not None else census_like(_PEOPLE)))
    described = {name: Attribute(name=name, type=_type(table[name].type)) for name in table.column_names}
    return Original(table, described | dict(attributes or {}), study)


def _type(kind: pa.DataType) -> Any:
    """Return the type of an attribute that nobody described."""
    return "numeric" if pa.types.is_integer(kind) or pa.types.is_floating(kind) else "nominal"


def audit_of(  # noqa: PLR0913 - the parts of an audit file that the checks need
    original: Mapping[str, Any],
    release: Mapping[str, Any],
    *,
    kind: Kind,
    key: tuple[str, ...] = (),
    missing: MissingPolicy = "error",
    name: str = "release",
    title: str = "conformance",
) -> Audit:
    """Return an audit of two files of numbers, each given as columns, linked by row, by key, or not at all."""
    sources = [
        TableSource(table=pa.table(dict(side)), shown=shown)
        for side, shown in ((original, "original"), (release, "release"))
    ]
    linkage: LinkageName = "key" if key else "row" if kind == "masked" else "none"
    return Audit(
        title=title,
        original=sources[0],
        attributes=tuple(Attribute(name=column, type="numeric") for column in original if column not in key),
        identifiers=key,
        missing=missing,
        candidates=(GivenCandidate(name=name, source=sources[1], kind=kind, linkage=linkage, key=key),),
    )


def case_of(
    metrics: Mapping[str, MetricResult | float] | None = None,
    *,
    linked: bool = True,
    cards: Mapping[str, MetricCard] | None = None,
    **parts: Any,
) -> Case:
    """Return a candidate for a rule to judge: these metrics, as results or as bare values, and nothing remarkable else.

    Every other part of a `Case` can be given by its name.
    """
    results = {
        name: value if isinstance(value, MetricResult) else MetricResult(status="ok", value=value, replicates=[value])
        for name, value in (metrics or {}).items()
    }
    known = {name: metric.card for name, metric in built_ins().metrics.items()} | dict(cards or {})
    names = ("AGE", "INCOME")
    given: dict[str, Any] = {
        "name": "candidate",
        "kind": "masked" if linked else "synthetic",
        "linkage": "row" if linked else "none",
        "records": Records(original=_PEOPLE, released=_PEOPLE, compared=_PEOPLE),
        "declared_attributes": names,
        "metrics": results,
        "limited": frozenset(),
        "released_columns": names,
        "key": (),
        "identifiers": frozenset(),
        "not_audited": {},
        "unchanged": (),
        "compared": names,
        "cards": {name: known[name] for name in results if name in known},
    }
    return Case(**(given | parts))
