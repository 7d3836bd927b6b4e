"""The categories of a text column that may be written down: those that many records share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow.compute as pc

from permaudit.data.scales.base import is_text

if TYPE_CHECKING:
    from permaudit.init.columns import Column

_FEWEST_RECORDS, _LEAST_SHARE = 10, 0.01
_MOST_CATEGORIES = 50
_LONGEST = 60


@dataclass(frozen=True, slots=True)
class Categories:
    """What may be said of a column's categories."""

    common: tuple[str, ...]
    """In alphabetical order; nothing that fewer than 10 records or 1 % of them have."""
    withheld: int
    """How many more there are."""


def categories_of(column: Column) -> Categories | None:
    """Return the categories of a column; None where it has too many different values to be one of categories."""
    if not is_text(column.values.type) or not 0 < column.distinct <= _MOST_CATEGORIES:
        return None
    found = {item["values"].as_py(): item["counts"].as_py() for item in pc.value_counts(column.values)}
    needed = max(_FEWEST_RECORDS, _LEAST_SHARE * column.records)
    common = sorted(text for text, count in found.items() if count >= needed and len(text) <= _LONGEST and text.strip())
    return Categories(tuple(common), len(found) - len(common))
