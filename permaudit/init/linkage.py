"""Guess which released record comes from which original one, and say on what evidence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pyarrow as pa

from permaudit.data.linkage import match_by_key
from permaudit.errors import DataError, shown
from permaudit.init.identifiers import is_running_number
from permaudit.init.rows import FAR, equal_in_place, excess, found_again, places, same_values, unsorted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from permaudit.cards import Kind
    from permaudit.data.linkage import Match
    from permaudit.init.columns import Column
    from permaudit.init.rows import Columns

_MOST = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Guess:
    """How a release seems to be linked to the original."""

    kind: Kind
    linkage: str | dict[str, str]
    """As the audit file says it: row, none or {key: COLUMN}."""
    records: int
    """How many records the comparison will have."""
    evidence: str

    @property
    def is_linked(self) -> bool:
        """Tell whether it is known which record comes from which."""
        return self.linkage != "none"

    @property
    def is_by_key(self) -> bool:
        """Tell whether a column says so."""
        return isinstance(self.linkage, dict)


@dataclass(frozen=True, slots=True, eq=False)
class Files:
    """The two files: as they were read, and the columns that can be audited, as numbers."""

    original: pa.Table
    release: pa.Table
    original_columns: Columns
    release_columns: Columns

    @property
    def records(self) -> tuple[int, int]:
        """Return the number of records of both."""
        return self.original.num_rows, self.release.num_rows


def guess_linkage(files: Files, columns: Sequence[Column], keys: Sequence[Column]) -> Guess:
    """Look for a key, then for rows that correspond; `keys` are the columns that may be one."""
    return _by_key(files, keys) or _by_row(files, columns) or _unlinked(files)


def _by_key(files: Files, keys: Sequence[Column]) -> Guess | None:
    """Look for a column that both files share and that is different for every record."""
    for column in keys:
        match = _match(files, column.name)
        if match is None or match.original is None or match.release is None:
            continue
        matched, released = match.original.size, files.release.num_rows
        if matched < _MOST * released:
            continue
        agreement = excess(
            {name: values[match.original] for name, values in files.original_columns.items()},
            {name: values[match.release] for name, values in files.release_columns.items()},
        )
        if agreement <= FAR and is_running_number(column):
            continue  # two files that count their records share these numbers, whoever the records are
        evidence = (
            f"no value of {shown(column.name)} is there twice in either file, and {matched:,} of {released:,} released "
            f"records have one that is in the original; {_agreement('records with the same one', agreement)}"
        )
        return Guess(kind="masked", linkage={"key": column.name}, records=matched, evidence=evidence)
    return None


def _match(files: Files, name: str) -> Match | None:
    """Match the records by a column, if it can be a key."""
    try:
        return match_by_key(files.original, files.release, (name,), "", "")
    except DataError:
        return None


def _by_row(files: Files, columns: Sequence[Column]) -> Guess | None:
    """Look for rows that agree more than chance."""
    first, second = files.records
    if first != second:
        return None
    agreement = excess(*unsorted(files.original_columns, files.release_columns))
    if agreement > FAR:
        evidence = f"both files have {first:,} records; {_agreement('rows with the same number', agreement)}"
        return Guess(kind="masked", linkage="row", records=first, evidence=evidence)
    for name, equal, chance in _equal_columns(files, columns):
        evidence = (
            f"both files have {first:,} records, and {shown(name)} is equal in {equal:.0%} of the rows with the same number, "
            f"where chance would give {chance:.0%}"
        )
        return Guess(kind="masked", linkage="row", records=first, evidence=evidence)
    return None


def _equal_columns(files: Files, columns: Sequence[Column]) -> Iterator[tuple[str, float, float]]:
    """Yield the columns without a type that are equal in more rows than chance explains."""
    for column in columns:
        if column.scale is not None or column.name not in files.release.column_names:
            continue
        try:
            pair = places(files.original[column.name], files.release[column.name])
        except pa.ArrowException:  # of a type that cannot be compared
            continue
        if not unsorted({"": pair[0]}, {"": pair[1]})[0]:
            continue
        equal, chance, deviations = equal_in_place(*pair)
        if deviations > FAR:
            yield column.name, equal, chance


def _unlinked(files: Files) -> Guess:
    """Say why no linkage was found, and whether the values are the original ones all the same."""
    first, second = files.records
    rows = (
        "the rows with the same number agree no more than chance"
        if first == second
        else (f"the release has {second:,} records and the original {first:,}")
    )
    evidence = f"no column that both files share can be a key, and {rows}"
    kind: Kind = "synthetic"
    again = found_again(files.original_columns, files.release_columns)
    same = same_values(files.original_columns, files.release_columns)
    if again > _MOST:
        kind, evidence = (
            "masked",
            f"{evidence}; but {again:.0%} of the released records are original ones, in another order",
        )
    elif same:
        names = ", ".join(shown(name) for name in same[:3])
        kind, evidence = "masked", f"{evidence}; but the values of {names} are the original ones, in another order"
    return Guess(kind=kind, linkage="none", records=min(first, second), evidence=evidence)


def _agreement(what: str, deviations: float) -> str:
    """Say how well paired records agree."""
    if deviations <= FAR:
        return f"{what} agree no more than chance"
    return f"{what} agree in rank far beyond chance (Bartlett's statistic: {deviations:,.0f} standard deviations)"
