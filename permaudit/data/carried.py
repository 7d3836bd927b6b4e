"""What released columns carry that no metric sees: identifiers under another name, the original's values, or its order."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from permaudit.arrays import to_numpy
from permaudit.data.apart import MANY, numbers_the_rows, share_alone, told_apart
from permaudit.data.load import load
from permaudit.data.scales.base import plain
from permaudit.data.spellings import other_spelling
from permaudit.data.standard import standard_ranks
from permaudit.data.standing import are_inside, identifiers_in
from permaudit.data.written import texts
from permaudit.errors import shown
from permaudit.permutation import links_beyond_chance

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from permaudit.data.apart import Rows
    from permaudit.data.linkage import Match
    from permaudit.data.read import AuditData
    from permaudit.model import Columns, Reader
    from permaudit.plan import Audit, GivenCandidate

    Floats = NDArray[np.float64]

_MOST = 0.5
"""A column is a key if this share of the records are alone with their values."""
_NEARLY_ALL = 0.9
"""A column holds an attribute's values if this share of its cells are such."""
_TOLD = 0.1
"""This share of the variance of an attribute's ranks may be told by columns that nobody audits."""
_FAR = 6.0
"""So many standard deviations are no chance any more."""
_NO_LOOK = "has a type that cannot be looked at"
_MOST_ROWS = 20_000


@dataclass(frozen=True, slots=True)
class Carried:
    """What the columns of one release carry beside what is audited."""

    identifiers: Mapping[str, str] = field(default_factory=dict)
    """For each released column that stands for an identifier: how, and for which one."""
    originals: Mapping[str, str] = field(default_factory=dict)
    """For each released column that tells something of the original: what."""


NOTHING = Carried()


def carried_by_each(
    candidates: Iterable[GivenCandidate], audit: Audit, data: AuditData, readers: Mapping[str, Reader]
) -> dict[str, Carried]:
    """Look at the columns of every release that lies in a file; the original's identifiers are read once for all."""
    known = [name for name in audit.identifiers if name in data.original.column_names]
    identifiers = cache(lambda: load(audit.original, known, readers).table)
    return {candidate.name: _carried_by(candidate, audit, data, readers, identifiers) for candidate in candidates}


def _carried_by(
    candidate: GivenCandidate,
    audit: Audit,
    data: AuditData,
    readers: Mapping[str, Reader],
    read_identifiers: Callable[[], pa.Table],
) -> Carried:
    """Look at the released columns that are left out of the audit with a reason, and for identifiers in the others."""
    names = data.given[candidate.name].column_names
    known = [name for name in audit.identifiers if name in data.original.column_names]
    left_out = [name for name in audit.not_audited if name in names and name not in candidate.key]
    if not left_out:
        if not known:
            return NOTHING
        identifiers = read_identifiers()
        return Carried(
            _worded(candidate, audit, data, identifiers, readers) | _numbered(data, candidate.name, identifiers)
        )
    released = load(candidate.source, left_out, readers).table
    odd = {name: _NO_LOOK for name in left_out if not _can_be_read(released[name])}
    left_out = [name for name in left_out if name not in odd]
    counting = {name for name in left_out if numbers_the_rows(released[name])}
    # Rows that are counted in a file of which nobody knows the order say nothing.
    saying = left_out if candidate.linkage != "none" else [name for name in left_out if name not in counting]
    telling = _telling(released.select(saying))
    wanted = [*known, *(data.original.column_names if telling else ())]
    original = load(audit.original, wanted, readers).table if wanted else None
    whole = data.pairer.whole
    rows = rows_of(data.given[candidate.name].match, released.num_rows, len(next(iter(whole.values()))))
    linked = rows if candidate.linkage != "none" else None
    identifiers, numbered, apart = {}, {}, {}
    if original is not None:
        identifiers = identifiers_in(released.select(left_out), original.select(known), counting, linked)
        numbered = _worded(candidate, audit, data, original.select(known), readers)
        numbered |= _numbered(data, candidate.name, original.select(known))
        others = [name for name in telling if name not in identifiers]
        apart = _apart(released.select(others), original, {*known, *whole}, linked) if others else {}
    values = {
        name: numbers
        for name in left_out
        if name not in identifiers and (numbers := _numbers(released[name])) is not None
    }
    told = {} if rows is None else _order(values, whole, rows)
    return Carried(numbered | identifiers, odd | apart | told | _values(values, whole))


def _can_be_read(column: pa.ChunkedArray) -> bool:
    """Tell whether a column can be written as text."""
    try:
        texts(column)
    except pa.ArrowException:
        return False
    return True


# --------------------------------------------------------------------------- identifiers in audited columns


def _numbered(data: AuditData, candidate: str, identifiers: pa.Table) -> dict[str, str]:
    """Return the audited columns of numbers that hold an identifier's digits, where the original's own values do not."""
    found = {}
    known_by_order = {name for name, unit in data.units.items() if unit is None}
    numeric = [attribute.name for attribute in data.attributes if attribute.type == "numeric"]
    released = data.given[candidate].encoded
    for identifier in identifiers.column_names:
        digits = pc.replace_substring_regex(texts(identifiers[identifier]).drop_null(), "[^0-9]+", "")
        # No number rather than a filter: to compare with a Python value, pyarrow imports pandas.
        read = to_numpy(pc.replace_substring_regex(digits, "^$", "nan").cast(pa.float64(), safe=False))
        numbers = np.unique(read[~np.isnan(read)])
        for name in numeric:
            if name in found or name in known_by_order or name not in released:
                continue
            column = released[name]
            if _consists_of(column.codes, numbers, column.missing) and not _consists_of(
                data.pairer.whole[name], numbers
            ):
                found[name] = f"holds values of {shown(identifier)}"
    return found


def _worded(
    candidate: GivenCandidate, audit: Audit, data: AuditData, identifiers: pa.Table, readers: Mapping[str, Reader]
) -> dict[str, str]:
    """Return the audited columns of categories, days, ranges or sets that hold identifiers, where the original's do not."""
    found: dict[str, str] = {}
    encoded = data.given[candidate.name].encoded
    known = {name: texts(identifiers[name]) for name in identifiers.column_names}
    for attribute in data.attributes if known else ():
        name = attribute.name
        if attribute.type == "numeric" and encoded[name].named is None:
            continue  # plain numbers are looked at as such
        cells = texts(load(candidate.source, [name], readers).table[name])
        for identifier, values in known.items():
            if are_inside(cells, values) and not are_inside(
                texts(load(audit.original, [name], readers).table[name]), values
            ):
                found[name] = f"holds values of {shown(identifier)}"
                break
    return found


def _consists_of(values: NDArray[Any], numbers: NDArray[Any], missing: NDArray[np.bool_] | None = None) -> bool:
    """Tell whether most values are such numbers, each its own or nearly all of them; a missing one is none."""
    found = np.isin(values, numbers)
    there = values[found if missing is None else found & ~missing]
    return there.size > _MOST * values.size and np.unique(there).size > _MOST * min(values.size, numbers.size)


# --------------------------------------------------------------------------- people


def _telling(released: pa.Table) -> list[str]:
    """Return the columns that vary, if they together tell many records apart; else none."""
    varying = [name for name in released.column_names if len(released[name].unique()) > 1]
    return varying if varying and share_alone([released[name] for name in varying]) > MANY else []


def _apart(released: pa.Table, original: pa.Table, declared: Collection[str], rows: Rows | None) -> dict[str, str]:
    """Return the columns that tell the original's people apart, as they stand or in another spelling."""
    found = {}
    original = original.select([name for name in original.column_names if _can_be_read(original[name])])
    keys = {name: key for name in original.column_names if name not in declared and (key := _key(original[name]))}
    for column in released.column_names:
        if (cells := _key(released[column])) is None:
            continue
        for name, values in keys.items():
            if (how := other_spelling(cells, values)) is not None:
                found[column] = f"holds values of the original's {shown(name)} {how}"
                break
    apart = told_apart(released, original, rows)
    if apart is None:
        return found
    names, share = apart
    said = f"{share:.0%} of the records apart from all others, by what the original says of them"
    if len(names) == 1:
        return found | {names[0]: f"tells {said}"}
    others = {name: ", ".join(shown(other) for other in names if other != name) for name in names}
    return {name: f"tells with {others[name]} {said}" for name in names} | found


def _key(column: pa.ChunkedArray) -> pa.Array | None:
    """Return the values of a column with which most records are alone; else nothing.

    Where most are alone, fewer than half of the values of such a kind are taken: strangers meet no more of them by chance.
    """
    return texts(column).drop_null().unique() if share_alone([column]) > _MOST else None


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
        target = standard_ranks(values[first])
        share = float(((base.T @ target) ** 2).sum())
        if share > _TOLD and links_beyond_chance(1 - min(share, 1.0), base.shape[1], 1, len(first)) > _FAR:
            told[name] = share
    if not told:
        return {}
    most = max(told, key=lambda name: told[name])
    verb = "tells" if len(varying) == 1 else "tells with the others"
    text = f"{verb} {told[most]:.0%} of the variance of the original's ranks of {shown(most)}, record by record"
    return dict.fromkeys(varying, text)


def rows_of(match: Match, released: int, records: int) -> tuple[NDArray[np.intp], NDArray[np.intp]] | None:
    """Return which rows correspond: those known to, else by place where both files have as many; None where nobody knows."""
    if match.original is not None:
        return match.original, np.arange(released) if match.release is None else match.release
    return (np.arange(records), np.arange(records)) if released == records else None


def _numbers(column: pa.ChunkedArray) -> NDArray[Any] | None:
    """Read a column as numbers: its own, or else the places of its texts in their order; missing ones come first."""
    column = plain(column)
    if pa.types.is_null(column.type):
        return None
    if not (pa.types.is_integer(column.type) or pa.types.is_floating(column.type)):
        written = texts(column)
        try:
            column = written.cast(pa.float64())
        except pa.ArrowInvalid:
            codes = np.unique(np.asarray(written.fill_null("").to_pylist()), return_inverse=True)[1]
            return np.asarray(codes, np.float64)
    numbers = np.asarray(column.cast(pa.float64(), safe=False).to_numpy(), np.float64)
    return np.where(np.isnan(numbers), -np.inf, numbers)


def _orthonormal(columns: Sequence[NDArray[Any]]) -> Floats:
    """Return directions that span the columns' ranks, without those that others have already."""
    vectors, sizes, _ = np.linalg.svd(
        np.column_stack([standard_ranks(column) for column in columns]), full_matrices=False
    )
    return np.asarray(vectors[:, sizes > 1e-6 * sizes[0]]) if sizes.size and sizes[0] else vectors[:, :0]
