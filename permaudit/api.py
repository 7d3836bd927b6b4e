"""The Python call: the same audit as on the command line, on data frames."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from permaudit.config import check_references
from permaudit.errors import DataError, PermauditError, shown
from permaudit.plan import Attribute, Audit, GivenCandidate, RuleUse, TableSource, When
from permaudit.plugins import load_plugins
from permaudit.runner import run_audit

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pandas as pd

    from permaudit.model import Catalogue, Kind, LinkageName
    from permaudit.outcome import Outcome


def audit(  # noqa: PLR0913 - the keys of an audit file
    original: pd.DataFrame,
    release: pd.DataFrame,
    *,
    kind: Kind,
    linkage: LinkageName | None = None,
    attributes: Sequence[str] | None = None,
    identifiers: Sequence[str] = (),
    not_audited: Mapping[str, str] | None = None,
    metrics: Sequence[str] | None = None,
    rules: Sequence[Mapping[str, Any]] = (),
    seed: int = 0,
    allow: Sequence[str] = (),
    engine: str = "memory",
    title: str = "Audit of a data frame",
) -> Outcome:
    """Audit a release that is a data frame, and return the outcome.

    The arguments are the keys of an audit file. Records are paired by position: the index plays no part. Without
    `attributes`, all columns of the original are audited, but for identifiers and those not audited.
    """
    from packaging.requirements import Requirement  # noqa: PLC0415 - only needed with foreign plugins

    host = load_plugins([Requirement(text) for text in allow])
    left_out = {*identifiers, *(not_audited or {})}
    names = [str(name) for name in original.columns if name not in left_out] if attributes is None else list(attributes)
    plan = Audit(
        title=title,
        original=_source(original, "original", names),
        attributes=tuple(Attribute(name=name) for name in names),
        identifiers=tuple(identifiers),
        not_audited=dict(not_audited or {}),
        candidates=(
            GivenCandidate(
                name="release",
                source=_source(release, "release", names),
                kind=kind,
                linkage=linkage or ("row" if kind == "masked" else "none"),
            ),
        ),
        metrics=None if metrics is None else tuple(metrics),
        rules=tuple(_rule(number, rule, host.catalogue) for number, rule in enumerate(rules)),
        seed=seed,
    )
    mistakes = [f"{path}: {message}" for path, message in check_references(plan, host.catalogue)]
    if mistakes:
        raise PermauditError("\n".join(mistakes))
    return run_audit(plan, host, engine=engine)


def _source(frame: pd.DataFrame, shown_as: str, audited: Sequence[str]) -> TableSource:
    """Take the audited columns of a data frame; of the others only the names matter."""
    names = [str(name) for name in frame.columns]
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise DataError.one(shown_as, f"column '{shown(repeated[0])}' stands twice")
    columns = {}
    for name in names:
        if name not in audited:
            columns[name] = pa.nulls(len(frame))
            continue
        try:
            columns[name] = pa.array(frame[name], from_pandas=True)
        except (pa.ArrowException, TypeError, ValueError, OverflowError):
            # The text of arrow's errors quotes cells.
            raise DataError.one(shown_as, f"column '{shown(name)}' holds values of mixed or unknown types") from None
    return TableSource(table=pa.table(columns), shown=shown_as)


def _rule(number: int, given: Mapping[str, Any], catalogue: Catalogue) -> RuleUse:
    """Read one rule, written as in an audit file."""
    from pydantic import ValidationError  # noqa: PLC0415

    parameters = {name: value for name, value in given.items() if name not in {"rule", "when"}}
    where = f"rules[{number}]"
    rule = catalogue.rules.get(str(given.get("rule")))
    if rule is None:
        raise PermauditError(
            f"{where}: no rule '{shown(str(given.get('rule')))}'; known are {', '.join(catalogue.rules)}"
        )
    try:
        return RuleUse(
            rule=rule.card.id,
            params=rule.parameters.model_validate(parameters),
            when=When(**given.get("when", {})),
            origin=where,
        )
    except (ValidationError, TypeError) as error:
        raise PermauditError(f"{where}: {error}") from None
