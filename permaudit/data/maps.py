"""The map of a release: a table that stays with the controller, and says whose record each released one is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from permaudit.data.linkage import match_by_key
from permaudit.data.load import load
from permaudit.errors import DataError
from permaudit.plan import RECORD

if TYPE_CHECKING:
    from collections.abc import Mapping

    from permaudit.data.linkage import Match, Rows
    from permaudit.data.load import Loaded
    from permaudit.model import Reader
    from permaudit.plan import GivenCandidate

_MOST = 0.9
"""A map follows a direction if this share of its steps does."""


def map_of(candidate: GivenCandidate, readers: Mapping[str, Reader]) -> Loaded | None:
    """Read the map of a candidate, where it has one."""
    return None if candidate.map is None else load(candidate.map, candidate.mapped_key, readers)


def match_by_map(candidate: GivenCandidate, held: Loaded, original: Loaded, release: Loaded) -> Match:
    """Match the records by the keys that the map gives the released ones, in their order; raise where it is no map of them."""
    if held.records != release.records:
        text = (
            f"has {held.records} records and {release.shown} has {release.records}: a map has one for each released record, "
            "in the same order"
        )
        raise DataError.one(held.shown, text)
    known = original.table if candidate.key else _numbered(original.records)
    return match_by_key(known, held.table, candidate.mapped_key, original.shown, held.shown)


def follows_a_direction(originals: Rows) -> bool:
    """Tell whether original records stand in the order of their file, or from its end."""
    steps = np.diff(originals)
    return bool(steps.size) and max((steps > 0).mean(), (steps < 0).mean()) > _MOST


def map_table(rows: Rows | None, records: int) -> pa.Table:
    """Return the map of a release that was made from these records of the original; None stands for all, in order."""
    return pa.table({RECORD: np.arange(1, records + 1) if rows is None else np.asarray(rows) + 1})


def _numbered(records: int) -> pa.Table:
    """Return a table with the number of each record."""
    return map_table(None, records)
