"""What released categories tell beyond their ranks: those of equal marginality tie, and no rank metric tells them apart."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from permaudit.data.standard import standard_ranks
from permaudit.errors import shown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from permaudit.data.linkage import Match
    from permaudit.data.scales import EncodedColumn

    Encoded = Mapping[str, EncodedColumn]
    Places = NDArray[np.intp]

_TOLD = 0.1
"""This share of what the original says may be told by what ties, as by columns that nobody audits."""
_FAR = 6.0
"""So many standard deviations are no chance any more."""
_FEWEST = 4
"""So many records for each category at least, or every category tells its few records by chance."""
_UNUSED = 0.05
"""This share of the records may have categories that the original lacks, besides what chance explains."""


@dataclass(frozen=True, slots=True)
class Tied:
    """What the tied categories of one release tell."""

    own: Mapping[str, float] = field(default_factory=dict)
    """For each attribute whose own categories they tell though ranks do not: what share of these."""
    others: Mapping[str, str] = field(default_factory=dict)
    """For each attribute that tells something else: what."""


def told_by_ties(original: Encoded, release: Encoded, match: Match, *, linked: bool) -> Tied:
    """Look at the categories of a release that tie: what they tell of linked records, and whether they are the original's."""
    own: dict[str, float] = {}
    others: dict[str, str] = {}
    for name, column in release.items():
        if column.kinds is None:
            continue
        if linked and np.unique(column.kinds).size > np.unique(column.codes).size:
            shares = _shares(name, original, column, match)
            if name in shares:
                own[name] = shares.pop(name)
            if shares:
                most = max(shares, key=lambda one: shares[one])
                others[name] = (
                    f"tells {shares[most]:.0%} of the original's {shown(most)} by categories that rank alike, record by record"
                )
        allowed = _new_by_chance(original[name]) + _UNUSED
        if column.unused > allowed * column.codes.size:
            share = column.unused / column.codes.size
            others[name] = (
                f"has categories that rank alike, and that the original does not use, in {share:.0%} of the records"
            )
    return Tied(own, others)


def _shares(name: str, original: Encoded, column: EncodedColumn, match: Match) -> dict[str, float]:
    """Return what categories tell of each original attribute that their codes do not, where that is much."""
    assert column.kinds is not None  # noqa: S101 - for the type checker
    found = {}
    for other, source in original.items():
        values = source.codes if source.kinds is None else source.kinds
        rows = [_rows(match.original, values), _rows(match.release, column.kinds)]
        there = ~(_missing(source)[rows[0]] | _missing(column)[rows[1]])
        first, second = rows[0][there], rows[1][there]
        kinds, codes = (np.unique(side[second], return_inverse=True)[1] for side in (column.kinds, column.codes))
        by_kind, by_code = int(kinds.max(initial=0)) + 1, int(codes.max(initial=0)) + 1
        size = first.size
        if by_kind == by_code or size < _FEWEST * by_kind:
            continue
        told = _told_of_ranks if source.kinds is None else _told_of_categories
        whole, seen = told(values[first], kinds), told(values[first], codes)
        more = by_kind - by_code
        is_chance = (whole - seen) * (size - 1) <= more + _FAR * (2 * more) ** 0.5
        # What so many groups tell by chance is taken off.
        fair, fair_seen = _fair(whole, by_kind, size), _fair(seen, by_code, size)
        if not is_chance and fair - fair_seen > _TOLD:
            found[other] = fair if other == name else fair - fair_seen
    return found


def _fair(share: float, groups: int, size: int) -> float:
    """Return an explained share without what so many groups explain of anything."""
    return max(0.0, 1 - (1 - share) * (size - 1) / (size - groups))


def _told_of_ranks(values: NDArray[Any], groups: Places) -> float:
    """Return the share of the variance of ranks between the groups."""
    ranks = standard_ranks(values)
    sums, sizes = np.bincount(groups, ranks), np.bincount(groups)
    return float((sums**2 / np.maximum(sizes, 1)).sum())


def _told_of_categories(values: NDArray[Any], groups: Places) -> float:
    """Return the share of the variance of categories between the groups: the tau of Goodman and Kruskal (1954)."""
    kinds = np.unique(values, return_inverse=True)[1]
    shares = np.bincount(kinds) / kinds.size
    pairs, counts = np.unique(groups * (int(kinds.max()) + 1) + kinds, return_counts=True)
    sizes = np.bincount(groups)[pairs // (int(kinds.max()) + 1)]
    spread = 1 - float((shares**2).sum())
    inside = float((counts.astype(np.float64) ** 2 / sizes).sum()) / kinds.size
    return (inside - (1 - spread)) / spread if spread else 0.0


def _new_by_chance(original: EncodedColumn) -> float:
    """Return what share of other people has categories that the original lacks: that of those who are alone with theirs.

    So the share of what a sample has not seen is estimated (Good, "The population frequencies of species and the estimation
    of population parameters", 1953); doubled, since it is an estimate.
    """
    _, counts = np.unique(original.codes if original.kinds is None else original.kinds, return_counts=True)
    return 2 * float((counts == 1).sum()) / max(1, int(counts.sum()))


def _rows(rows: Places | None, values: NDArray[Any]) -> Places:
    """Return the rows of one side of a match."""
    return np.arange(values.size) if rows is None else rows


def _missing(column: EncodedColumn) -> NDArray[np.bool_]:
    """Mark the missing values."""
    return np.zeros(column.codes.size, bool) if column.missing is None else column.missing
