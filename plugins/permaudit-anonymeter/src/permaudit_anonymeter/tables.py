"""What anonymeter is given: places instead of values, so that no number is negative and no unit matters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from permaudit import NotApplicable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.random import Generator
    from numpy.typing import NDArray

    from permaudit import Rows

SIDES = ("original", "release", "holdout")
_GROUPS = 20
"""A guess counts as right within so many equal parts of the population: anonymeter's 5 %, but of records, not of the value."""

Table = dict[str, "NDArray[np.int64]"]


def tables_of(rows: Rows) -> dict[str, Table]:
    """Return the three files with the place of each value among all values, and the records in an order of their own."""
    given = {"original": rows.original, "release": rows.release, "holdout": rows.holdout or {}}
    tables: dict[str, Table] = {side: {} for side in SIDES}
    for name in rows.original:
        columns = [np.asarray(given[side][name], dtype=float) for side in SIDES]
        together = np.concatenate(columns)
        if not np.isfinite(together).all():
            raise NotApplicable(
                "there are missing values, for which anonymeter's distances and guesses are not defined"
            )
        places = np.unique(together, return_inverse=True)[1].reshape(-1)
        ends = np.cumsum([len(column) for column in columns])[:-1]
        for side, part in zip(SIDES, np.split(places, ends), strict=True):
            tables[side][name] = part.astype(np.int64)
    return {side: _sorted(table) for side, table in tables.items()}


def _sorted(table: Table) -> Table:
    """Put the records in an order that does not depend on the file's: targets and ties are drawn by position."""
    return taken(table, np.lexsort(list(table.values())))


def taken(table: Table, records: Any) -> Table:
    """Return some records."""
    return {name: column[records] for name, column in table.items()}


def distinct(table: Table) -> Table:
    """Return each record once."""
    records = np.unique(np.column_stack(list(table.values())), axis=0, return_index=True)[1]
    return taken(table, np.sort(records))


def as_many(table: Table, records: int, rng: Generator) -> Table:
    """Draw so many records where there are more."""
    there = len(next(iter(table.values())))
    return table if there <= records else taken(table, np.sort(rng.choice(there, records, replace=False)))


def groups_of(tables: Mapping[str, Table], name: str) -> dict[str, list[int]]:
    """Return the twentieth of the population in which each value lies; few values stay as they are."""
    people = np.concatenate([tables["original"][name], tables["holdout"][name]])
    if len(np.unique(people)) <= _GROUPS:
        return {side: tables[side][name].tolist() for side in SIDES}
    edges = np.quantile(people, np.arange(1, _GROUPS) / _GROUPS)
    return {side: np.searchsorted(edges, tables[side][name], side="right").tolist() for side in SIDES}
