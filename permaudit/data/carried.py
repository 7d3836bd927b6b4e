"""What released columns carry that nobody audits: identifiers under another name, the original's values, or its order."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from permaudit.data.linkage import match_by_key
from permaudit.data.load import load
from permaudit.data.scales.base import plain
from permaudit.errors import shown
from permaudit.permutation import links_beyond_chance

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from permaudit.data.read import AuditData
    from permaudit.model import Columns, Reader
    from permaudit.plan import Audit, GivenCandidate

    Floats = NDArray[np.float64]

_MOST = 0.5
"""A column holds identifiers if this share of its cells are such, and nearly as many different ones."""
_NEARLY_ALL = 0.9
"""A column holds an attribute's values if this share of its cells are such."""
_TOLD = 0.1
"""This share of the variance of an attribute's ranks may be told by columns that nobody audits."""
_FAR = 6.0
"""So many standard deviations are no chance any more."""
_NO_LOOK = "has a type that cannot be looked at"
_MOST_ROWS = 20_000
_MOST_TEXTS = 200_000
_TOKEN = re.compile(r"[^\W_]{4,}")
"""A word or number inside a text; shorter ones are in too many texts."""


@dataclass(frozen=True, slots=True)
class Carried:
    """What the columns of one release carry beside what is audited."""

    identifiers: Mapping[str, str] = field(default_factory=dict)
    """For each released column that holds values of an identifier: which one."""
    originals: Mapping[str, str] = field(default_factory=dict)
    """For each released column that tells something of the original: what."""


NOTHING = Carried()


def carried_by(candidate: GivenCandidate, audit: Audit, data: AuditData, readers: Mapping[str, Reader]) -> Carried:
    """Look at the released columns that are left out of the audit with a reason."""
    names = data.given[candidate.name].column_names
    left_out = [name for name in audit.not_audited if name in names and name not in candidate.key]
    if not left_out:
        return NOTHING
    known = [name for name in audit.identifiers if name in data.original.column_names]
    released = load(candidate.source, [*left_out, *candidate.key], readers).table
    odd = {name: _NO_LOOK for name in left_out if not _can_be_read(released[name])}
    left_out = [name for name in left_out if name not in odd]
    wanted = [*known, *candidate.key]
    original = load(audit.original, wanted, readers).table if wanted else None
    identifiers = {} if original is None else _identifiers(released.select(left_out), original.select(known))
    whole = data.pairer.whole
    values = {
        name: numbers
        for name in left_out
        if name not in identifiers and (numbers := _numbers(released[name])) is not None
    }
    found = _values(values, whole)
    rows = _rows(candidate, original, released, len(next(iter(whole.values()))))
    told = {} if rows is None else _order(values, whole, rows)
    return Carried(identifiers, odd | told | found)


def _can_be_read(column: pa.ChunkedArray) -> bool:
    """Tell whether a column can be written as text."""
    try:
        _texts(column)
    except pa.ArrowException:
        return False
    return True


# --------------------------------------------------------------------------- identifiers


def _identifiers(released: pa.Table, original: pa.Table) -> dict[str, str]:
    """Return which columns hold values of which identifier, as whole cells or inside texts."""
    known = {name: _texts(original[name]).drop_null().unique() for name in original.column_names}
    found = {}
    for column in released.column_names:
        cells = _texts(released[column]).drop_null()
        for name, values in known.items():
            if _are_values(cells, values) or _have_values(cells, values):
                found[column] = name
                break
    return found


def _are_values(cells: pa.ChunkedArray, values: pa.Array) -> bool:
    """Tell whether most cells are such values, each its own."""
    there = cells.filter(pc.is_in(cells, value_set=values))
    return len(there) > _MOST * len(cells) and len(there.unique()) > _MOST * len(cells)


def _have_values(cells: pa.ChunkedArray, values: pa.Array) -> bool:
    """Tell whether most texts have such a value inside."""
    texts = cells.slice(0, _MOST_TEXTS).to_pylist()
    known = {value for value in values.to_pylist() if _TOKEN.fullmatch(value)}
    found = [token for text in texts for token in _TOKEN.findall(text) if token in known] if known else []
    return len(found) > _MOST * len(texts) and len(set(found)) > _MOST * len(texts)


def _texts(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Write a column as text, whole numbers without a point, whatever they are held as."""
    column = plain(column)
    if pa.types.is_floating(column.type):
        numbers = column.to_numpy()
        kept = numbers[np.isfinite(numbers)]
        if kept.size and (kept == np.floor(kept)).all() and np.abs(kept).max() < 2.0**53:
            whole = pa.array(numbers, pa.float64(), from_pandas=True).cast(pa.int64(), safe=False)
            return pa.chunked_array([whole.cast(pa.large_string())])
    return pc.utf8_trim_whitespace(column.cast(pa.large_string()))


# --------------------------------------------------------------------------- the original's values and order


def _values(columns: Columns, whole: Columns) -> dict[str, str]:
    """Return which columns consist of values of an attribute, one for nearly every record."""
    found = {}
    for column, numbers in columns.items():
        if np.unique(numbers).size <= _MOST * numbers.size:
            continue
        for name, values in whole.items():
            if np.isin(numbers, values).mean() > _NEARLY_ALL:
                found[column] = f"holds the original's values of {shown(name)}"
                break
    return found


def _order(columns: Columns, whole: Columns, rows: tuple[Any, Any]) -> dict[str, str]:
    """Return what the columns, all together, tell of each attribute's order, record by record."""
    varying = {name: numbers for name, numbers in columns.items() if np.unique(numbers).size > 1}
    if not varying:
        return {}
    first, second = rows
    step = max(1, len(first) // _MOST_ROWS)
    first, second = first[::step], second[::step]
    base = _orthonormal([numbers[second] for numbers in varying.values()])
    told = {}
    for name, values in whole.items():
        target = _standard(values[first])
        share = float(((base.T @ target) ** 2).sum())
        if share > _TOLD and links_beyond_chance(1 - min(share, 1.0), base.shape[1], 1, len(first)) > _FAR:
            told[name] = share
    if not told:
        return {}
    most = max(told, key=lambda name: told[name])
    verb = "tells" if len(varying) == 1 else "tells with the others"
    text = f"{verb} {told[most]:.0%} of the variance of the original's ranks of {shown(most)}, record by record"
    return dict.fromkeys(varying, text)


def _rows(
    candidate: GivenCandidate, original: pa.Table | None, released: pa.Table, records: int
) -> tuple[NDArray[np.intp], NDArray[np.intp]] | None:
    """Return which rows correspond: by key, else by place where both files have as many; None where nobody knows."""
    if candidate.key and original is not None:
        match = match_by_key(original, released, candidate.key, "the original", candidate.source.shown)
        if match.original is not None and match.release is not None:
            return match.original, match.release
    if released.num_rows != records:
        return None
    return np.arange(records), np.arange(records)


def _numbers(column: pa.ChunkedArray) -> NDArray[Any] | None:
    """Read a column as numbers: its own, or else the places of its texts in their order; missing ones come first."""
    column = plain(column)
    if pa.types.is_null(column.type):
        return None
    if not (pa.types.is_integer(column.type) or pa.types.is_floating(column.type)):
        texts = _texts(column)
        try:
            column = texts.cast(pa.float64())
        except pa.ArrowInvalid:
            codes = np.unique(np.asarray(texts.fill_null("").to_pylist()), return_inverse=True)[1]
            return np.asarray(codes, np.float64)
    numbers = np.asarray(column.cast(pa.float64(), safe=False).to_numpy(), np.float64)
    return np.where(np.isnan(numbers), -np.inf, numbers)


def _standard(values: NDArray[Any]) -> Floats:
    """Return the ranks with mean 0 and length 1."""
    ordered = np.sort(values)
    ranks = (np.searchsorted(ordered, values, "left") + np.searchsorted(ordered, values, "right")) / 2.0
    centered = ranks - ranks.mean()
    size = float(np.sqrt((centered**2).sum()))
    return np.asarray(centered / size if size else centered)


def _orthonormal(columns: Sequence[NDArray[Any]]) -> Floats:
    """Return directions that span the columns' ranks, without those that others have already."""
    vectors, sizes, _ = np.linalg.svd(np.column_stack([_standard(column) for column in columns]), full_matrices=False)
    return np.asarray(vectors[:, sizes > 1e-6 * sizes[0]]) if sizes.size and sizes[0] else vectors[:, :0]
