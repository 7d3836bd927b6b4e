"""Released columns that stand for an identifier: by its values, in another spelling, or as a pseudonym."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
import pyarrow.compute as pc

from permaudit.data.apart import codes_of
from permaudit.data.spellings import other_spelling, same_digits
from permaudit.data.written import texts
from permaudit.errors import shown

if TYPE_CHECKING:
    from collections.abc import Collection

    import pyarrow as pa

    from permaudit.data.apart import Rows

_MOST = 0.5
"""A column holds identifiers if this share of its cells are such, and nearly as many different ones."""
_NEARLY_ALL = 0.9
"""A column is a pseudonym if it has one value for each identifier in this share of the records."""
_MOST_TEXTS = 200_000
_TOKEN = re.compile(r"[^\W_]{4,}")
"""A word or number inside a text; shorter ones are in too many texts."""
_MEMBERS = re.compile(r"[\[\](){},;/]|\.\.|[<>=\u2264\u2265]")
_HYPHENS = re.compile(r"(?<=\d)\s*[-\u2013]\s*(?=\d)")
"""What stands between the ends of a range, as these between the members of a set."""
_NO_FRACTION = re.compile(r"^\+|^0+(?=\d)|\.0*$")
_VALUES = "holds values of {}"
_PSEUDONYM = "has one value for each {}: a pseudonym"


def identifiers_in(
    released: pa.Table, original: pa.Table, counting: Collection[str], rows: Rows | None
) -> dict[str, str]:
    """Return which columns stand for which identifier, and how.

    What only counts the rows of a file says no more than their order: it is held against a linked original alone.
    """
    known = {name: texts(original[name]) for name in original.column_names}
    found = {}
    for column in released.column_names:
        cells = texts(released[column])
        for name, values in known.items():
            if column not in counting:
                how = how_it_stands_for(cells, values, rows)
            else:
                how = _VALUES if rows is not None and same_digits(cells.take(rows[1]), values.take(rows[0])) else None
            if how is not None:
                found[column] = how.format(shown(name))
                break
    return found


def how_it_stands_for(cells: pa.ChunkedArray, values: pa.ChunkedArray, rows: Rows | None) -> str | None:
    """Say how a column stands for an identifier: by its values, in another spelling, or as a pseudonym."""
    filled, distinct = cells.drop_null(), values.drop_null().unique()
    if _are_values(filled, distinct) or _have_values(filled, distinct):
        return _VALUES
    different = len(filled.unique())
    is_key = different > _MOST * len(filled) or different > _MOST * len(distinct)
    if is_key and (how := other_spelling(filled, distinct)):
        return f"{_VALUES} {how}"
    return _PSEUDONYM if rows is not None and _one_to_one(cells, values, rows) else None


def are_inside(cells: pa.ChunkedArray, values: pa.ChunkedArray) -> bool:
    """Tell whether most cells are such a value, or have one as an end of a range or a member of a set."""
    known = {_bare(value) for value in values.drop_null().unique().to_pylist()} - {""}
    found, records = set(), 0
    for text, many in ((one["values"], one["counts"]) for one in cells.drop_null().value_counts().to_pylist()):
        parts = [text, *_MEMBERS.split(text)]
        inside = known.intersection(_bare(end) for part in parts for end in (part, *_HYPHENS.split(part)))
        found |= inside
        records += many if inside else 0
    return records > _MOST * len(cells) and len(found) > _MOST * min(len(cells), len(known))


def _bare(text: str) -> str:
    """Write a value without what numbers and names may have around them."""
    return _NO_FRACTION.sub("", text.strip().casefold())


def _are_values(cells: pa.ChunkedArray, values: pa.Array) -> bool:
    """Tell whether most cells are such values, each its own or nearly all of them."""
    there = cells.filter(pc.is_in(cells, value_set=values))
    return len(there) > _MOST * len(cells) and len(there.unique()) > _MOST * min(len(cells), len(values))


def _have_values(cells: pa.ChunkedArray, values: pa.Array) -> bool:
    """Tell whether most texts have such a value inside."""
    some = cells.slice(0, _MOST_TEXTS).to_pylist()
    known = {value for value in values.to_pylist() if _TOKEN.fullmatch(value)}
    found = [token for text in some for token in _TOKEN.findall(text) if token in known] if known else []
    return len(found) > _MOST * len(some) and len(set(found)) > _MOST * min(len(some), len(values))


def _one_to_one(cells: pa.ChunkedArray, values: pa.ChunkedArray, rows: Rows) -> bool:
    """Tell whether nearly all linked records have one value for each identifier and one identifier for each value."""
    beside, own = codes_of(values.take(rows[0]))[0], codes_of(cells.take(rows[1]))[0]
    pairs, counts = np.unique(np.column_stack([beside, own]), axis=0, return_counts=True)
    if np.unique(pairs[:, 1]).size == 1:
        return False
    pairs, counts = pairs[(order := np.argsort(-counts, kind="stable"))], counts[order]
    first, second = (np.unique(side, return_index=True)[1] for side in pairs.T)
    return bool(counts[np.intersect1d(first, second)].sum() > _NEARLY_ALL * counts.sum())
