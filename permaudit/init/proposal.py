"""Data files -> what an audit file should say about them, and what only a person can say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from permaudit.data.missing import filled
from permaudit.errors import DataError
from permaudit.init.columns import describe
from permaudit.init.dialect import find
from permaudit.init.linkage import Files, guess_linkage
from permaudit.init.made import choose
from permaudit.init.sorting import SortedOut

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from permaudit.init.columns import Column
    from permaudit.init.dialect import Found
    from permaudit.init.linkage import Guess
    from permaudit.init.made import Starter
    from permaudit.model import Catalogue

MISSING: Final = "lowest"
"""What becomes of missing values until somebody decides: one more rank on both sides, and no record is lost."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Proposal:
    """All that the audit file will say."""

    original: Found
    columns: SortedOut
    release: Found | None = None
    linkage: Guess | None = None
    """How the release is linked."""
    made: Starter | None = None
    """The candidate where there is no release."""


def propose(original: Path, release: Path | None, catalogue: Catalogue) -> Proposal:
    """Look at the original and the release, and propose an audit."""
    first = find(original, catalogue.readers)
    table = first.loaded.table
    columns = [describe(table, name) for name in first.loaded.column_names]
    if release is None:
        sorted_out = SortedOut(columns, None)
        made = choose(sorted_out, table, catalogue.anonymizers)
        _afford(sorted_out, table.num_rows, first)
        return Proposal(original=first, columns=sorted_out, made=made)
    second = find(release, catalogue.readers, first.options.get("missing", ()))
    sorted_out = SortedOut(columns, second.loaded.table)
    linkage = _linkage(first, second, columns, sorted_out)
    _afford(sorted_out, linkage.records, first)
    return Proposal(original=first, columns=sorted_out, release=second, linkage=linkage)


def _linkage(first: Found, second: Found, columns: Sequence[Column], sorted_out: SortedOut) -> Guess:
    """Guess how the release is linked to the original."""
    both = [
        (item.name, filled(item.scale.original, MISSING), filled(item.release, MISSING))
        for item in sorted_out.attributes
        if item.release is not None
    ]
    shared = sorted_out.identifiers.keys() & set(second.loaded.column_names)
    files = Files(
        first.loaded.table,
        second.loaded.table,
        {name: original for name, original, _ in both},
        {name: release for name, _, release in both},
    )
    keys = [column for column in columns if column.name in shared and column.is_unique and not column.missing]
    return guess_linkage(files, columns, keys)


def _afford(sorted_out: SortedOut, records: int, original: Found) -> None:
    """Keep as many attributes as the records can bear: m attributes need 2 m + 2 records."""
    most = (records - 2) // 2
    if most < 1:
        raise DataError.one(
            original.loaded.shown, f"only {records} can be compared of its records, too few for any audit"
        )
    for item in sorted_out.attributes[most:]:
        sorted_out.drop(item, f"{records} records are too few to compare more than {most} attribute{'s' * (most != 1)}")
