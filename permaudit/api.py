"""The Python call: the same audit as on the command line, on data frames."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import pyarrow as pa

from permaudit.cards import Kind
from permaudit.config import (
    allowed_plugins,
    allowed_under,
    attributes_of,
    plugins_of,
    policy_of_call,
    rules_of,
    standing,
    waivers_of,
)
from permaudit.errors import DataError, PermauditError, shown
from permaudit.plan import RECORD, Audit, GivenCandidate, MissingPolicy, TableSource
from permaudit.plugins import load_plugins
from permaudit.runner import run_audit
from permaudit.today import utc_today

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence
    from os import PathLike

    import pandas as pd

    from permaudit.model import LinkageName
    from permaudit.outcome import Outcome


_LINKAGES = "linkage must be 'row', 'none', {'key': COLUMN} or {'key': COLUMN, 'map': FRAME}"


def audit(  # noqa: PLR0913 - the keys of an audit file
    original: pd.DataFrame,
    release: pd.DataFrame,
    *,
    kind: Kind,
    linkage: LinkageName | Mapping[str, Any] | None = None,
    attributes: Sequence[str] | Mapping[str, Any] | None = None,
    identifiers: Sequence[str] = (),
    not_audited: Mapping[str, str] | None = None,
    missing: MissingPolicy = "error",
    holdout: pd.DataFrame | None = None,
    metrics: Sequence[str] | None = None,
    policy: str | PathLike[str] | Mapping[str, Any] | None = None,
    rules: Sequence[Mapping[str, Any]] = (),
    waivers: Sequence[Mapping[str, Any]] = (),
    seed: int | None = None,
    allow: Sequence[str | Mapping[str, str]] = (),
    timeout: float = 60,
    memory: str = "2GB",
    engine: str = "memory",
    title: str = "Audit of a data frame",
) -> Outcome:
    """Audit a release that is a data frame, and return the outcome.

    The arguments are the keys of an audit file, and are written as there; `allow`, `timeout` and `memory` are those of
    `plugins`. Records are paired by position, or by key with `linkage={"key": "ID"}`, whose values for the released records may
    stand in a data frame of their own, `{"key": "ID", "map": frame}`: the index plays no part. Without `attributes`, all columns of the original are audited as
    numbers, but for identifiers, keys and those not audited. The candidate that waivers name is called `release`; the path
    of a policy is relative to the current directory. Without a seed, it is the policy's, or else 0.
    """
    for name, value, known in (("kind", kind, get_args(Kind)), ("missing", missing, get_args(MissingPolicy))):
        if value not in known:
            raise PermauditError(f"{name} must be one of {', '.join(known)}, not {value!r}")
    if seed is not None and (not isinstance(seed, int) or isinstance(seed, bool) or seed < 0):
        raise PermauditError("seed must be a whole number that is not negative")
    for name, given in (("rules", rules), ("waivers", waivers)):
        if not isinstance(given, list | tuple) or not all(isinstance(entry, Mapping) for entry in given):
            raise PermauditError(f"{name} must be a list of mappings, such as [{{'rule': 'threshold', ...}}]")
    board = policy_of_call(policy, Path.cwd())
    foreign = {"allow": list(allow), "timeout": timeout, "memory": memory}
    allowed, limits = plugins_of(foreign)
    host = load_plugins(allowed_under(allowed, allowed_plugins(board.tree)) if board.tree else allowed, limits)
    key, held = _key(linkage), _map(linkage)
    identifiers = [str(name) for name in identifiers]
    not_audited = {str(name): reason for name, reason in (not_audited or {}).items()}
    if attributes is None:
        left_out = {*identifiers, *key, *not_audited}
        attributes = dict.fromkeys((name for name in map(str, original.columns) if name not in left_out), "numeric")
    entries = _entries(attributes)
    read = [*entries, *key]
    plan = Audit(
        title=title,
        original=_source(original, "original", read, [*map(str, original.columns)] if not_audited else identifiers),
        attributes=attributes_of(entries, Path.cwd()),
        identifiers=tuple(identifiers),
        not_audited=not_audited,
        missing=missing,
        holdout=None if holdout is None else _source(holdout, "holdout", read),
        candidates=(
            GivenCandidate(
                name="release",
                source=_source(release, "release", [*entries] if held is not None else read, not_audited),
                kind=kind,
                linkage="key" if key or held is not None else _linkage(linkage, kind),
                key=key,
                map=None if held is None else _source(held, "map", key or (RECORD,)),
            ),
        ),
        metrics=None if metrics is None else tuple(metrics),
        rules=rules_of(rules, host.catalogue),
        seed=seed or 0,
    )
    said = {
        "attributes": entries,
        "not-audited": not_audited,
        "missing": missing,
        "plugins": foreign,
        "waivers": list(waivers_of(waivers)),
        "metrics": metrics,
        "holdout": "holdout" if holdout is not None else None,
        "seed": seed,
    }
    written: dict[str, Any] = {key: item for key, item in said.items() if item is not None}
    today = utc_today()
    return run_audit(standing(plan, written, board, host.catalogue, today), host, engine=engine, today=today)


def _entries(attributes: Sequence[Any] | Mapping[Any, Any]) -> dict[str, Any]:
    """Return the attributes by name; a column label may be a number."""
    names = [str(name) for name in attributes]
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise PermauditError(f"attributes: '{shown(repeated[0])}' is named twice")
    if not names:
        raise PermauditError("there is no attribute to audit")
    kinds = attributes.values() if isinstance(attributes, Mapping) else ["numeric"] * len(names)
    return dict(zip(names, kinds, strict=True))


def _key(linkage: object) -> tuple[str, ...]:
    """Return the key columns of a linkage by key."""
    key = linkage.get("key", ()) if isinstance(linkage, Mapping) else ()
    return tuple(map(str, key)) if isinstance(key, list | tuple) else (str(key),)


def _map(linkage: object) -> Any:
    """Return the map of a linkage; raise where it has parts that nobody knows."""
    if not isinstance(linkage, Mapping):
        return None
    if not linkage or linkage.keys() - {"key", "map"}:
        raise PermauditError(_LINKAGES)
    return linkage.get("map")


def _linkage(linkage: object, kind: Kind) -> LinkageName:
    """Return the linkage by name, or the usual one for the kind of release."""
    if linkage is None:
        return "row" if kind == "masked" else "none"
    if linkage not in ("row", "none"):
        raise PermauditError(_LINKAGES)
    return linkage


def _source(frame: pd.DataFrame, shown_as: str, audited: Sequence[str], looked_at: Collection[str] = ()) -> TableSource:
    """Take the audited columns of a data frame, and those that are looked at; of the others only the names matter."""
    if not hasattr(frame, "columns"):
        raise DataError.one(shown_as, f"must be a pandas data frame, not {type(frame).__name__}")
    names = [str(name) for name in frame.columns]
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise DataError.one(shown_as, f"column '{shown(repeated[0])}' stands twice")
    unwritable = [name for name in names if any("\ud800" <= character <= "\udfff" for character in name)]
    if unwritable:
        raise DataError.one(shown_as, f"column '{shown(unwritable[0])}' has a name that is no Unicode text")
    columns = {}
    for place, name in enumerate(names):
        if name not in audited and name not in looked_at:
            columns[name] = pa.nulls(len(frame))
            continue
        try:
            columns[name] = pa.array(frame.iloc[:, place], from_pandas=True)
        except (pa.ArrowException, TypeError, ValueError, OverflowError):
            if name not in audited:
                columns[name] = pa.array(frame.iloc[:, place].map(str), pa.string())
                continue
            # The text of arrow's errors quotes cells.
            raise DataError.one(shown_as, f"column '{shown(name)}' holds values of mixed or unknown types") from None
    return TableSource(table=pa.table(columns), shown=shown_as)
