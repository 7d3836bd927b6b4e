"""Released records from whose cells an original record can be pieced together, without knowing whose they are.

For every released record with generalized or missing cells an original one is looked for that has, in nearly all attributes
that are left, a value that the cell names or is. Records whose cells a crowd shares are left alone: in a group of several
people somebody is at the ends of its ranges now and then. By chance this is found as often as with cells that changed places
with those of other records, any or such with nearly the same rank.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from permaudit.data.missing import gaps_of
from permaudit.data.readings import CROWD, Axis, cells_of
from permaudit.model import OwnValues

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.random import Generator
    from numpy.typing import NDArray

    from permaudit.data.scales import EncodedColumn

    Places = NDArray[np.intp]
    Mask = NDArray[np.bool_]

_MOST_ROWS = 5_000
_MOST_ORIGINALS = 1_000_000
"""So many released and original records are looked at; of a release that gives its records away, enough are among them."""
_MOST_PAIRS = 4_000_000
"""So many pairs of records are compared at a time; what is common to more tells nobody apart."""
_FEW = 8
"""Up to so many attributes all but one must fit, and above it half of them."""
_NEAR = 0.02
"""Cells change places with those of records within this share of the ranks."""
_SHARES = (0.5, *(part / 10 for part in (1, 2, 3, 4, 6, 7, 8, 9)), 0.25, 0.75, 1 / 3, 2 / 3)
"""At these shares of the way from one end to the other a value can be hidden in a range."""
_GAP = -2
"""What is written for a cell that is missing, or means any value."""


def pieced_together(
    original: Mapping[str, EncodedColumn], release: Mapping[str, EncodedColumn], rng: Generator
) -> Iterator[OwnValues]:
    """Count the released records that name an original one: with all that is left of them, or with nearly all."""
    rows = _drawn(_alone(release), _MOST_ROWS, rng)
    if not rows.size:
        return
    originals = _drawn(np.arange(next(iter(original.values())).codes.size), _MOST_ORIGINALS, rng)
    shown = [_column(original[name], originals, release[name], rows) for name in release]
    apart = [column.taken(rng.permutation(rows.size)) for column in shown]
    beside = [column.taken(_moved(column.order, rng)) for column in shown]
    counts = zip(_counts(shown), _counts(apart), _counts(beside), strict=True)
    for how, (found, *chance) in zip(("all attributes", "nearly all attributes"), counts, strict=True):
        what = f"what cells name or are fits one original record in {how}"
        yield OwnValues(tuple(release), what, found, rows.size, float(max(chance)), float(np.sqrt(max(chance))))


@dataclass(frozen=True, slots=True, eq=False)
class _Column:
    """One attribute: the original's records by value, and what each released cell is or names."""

    owners: Places
    """The original's records in the order of their values."""
    starts: NDArray[np.int64]
    """Where those with each value begin."""
    own: Places
    """For each original record the place of its value; -1 where it has none."""
    first: NDArray[np.int64]
    """For each text where its places begin, and where those of the last one end."""
    named: Places
    """The places that the texts name, in order within each."""
    cell: Places
    """For each released record: a text, or -1 for a plain value and -2 for none."""
    place: Places
    """For each released record: the place of its plain value; -1 where it has none, or one that the original has not."""
    order: NDArray[np.float64]
    """By what released records are near each other."""

    def taken(self, rows: Places) -> _Column:
        """Return some released records."""
        parts = (self.cell[rows], self.place[rows], self.order[rows])
        return _Column(self.owners, self.starts, self.own, self.first, self.named, *parts)

    def many(self) -> NDArray[np.int64]:
        """Return for each released record how many original ones fit in this attribute."""
        counts = np.diff(self.starts)
        sums = np.concatenate([[0], np.cumsum(counts[self.named])])
        by_text = np.append(sums[self.first[1:]] - sums[self.first[:-1]], 0)
        plain = np.where(self.place >= 0, counts[self.place], 0)
        return np.where(self.cell >= 0, by_text[np.maximum(self.cell, -1)], np.where(self.cell == _GAP, 0, plain))

    def partners(self, rows: Places) -> tuple[NDArray[np.int64], Places]:
        """Return the original records that fit to some released ones in this attribute, pair by pair."""
        texts = self.cell[rows] >= 0
        cells = np.where(texts, self.cell[rows], 0)
        first = self.first[cells]
        sizes = (
            np.where(texts, self.first[cells + 1] - first, self.place[rows] >= 0)
            if self.named.size
            else ((self.place[rows] >= 0).astype(np.int64))
        )
        which, offset = _ranges(sizes)
        wanted = self.place[rows][which]
        if self.named.size:
            at = np.minimum(first[which] + offset, self.named.size - 1)
            wanted = np.where(texts[which], self.named[at], wanted)
        again, within = _ranges(np.diff(self.starts)[wanted])
        return rows[which[again]], self.owners[self.starts[wanted[again]] + within]

    def fits(self, rows: NDArray[np.int64], originals: Places) -> Mask:
        """Tell for pairs of records whether they fit in this attribute."""
        own, cell = self.own[originals], self.cell[rows]
        plain = (cell == -1) & (own >= 0) & (own == self.place[rows])
        if not self.named.size:
            return np.asarray(plain)
        width = self.starts.size
        texts = np.repeat(np.arange(self.first.size - 1), np.diff(self.first))
        keys = texts * width + self.named
        wanted = np.maximum(cell, 0) * width + own
        at = np.minimum(np.searchsorted(keys, wanted), keys.size - 1)
        return np.asarray(plain | ((cell >= 0) & (own >= 0) & (keys[at] == wanted)))


def _drawn(rows: Places, most: int, rng: Generator) -> Places:
    """Return all of the rows, or so many of them at random."""
    return np.sort(rng.choice(rows, most, replace=False)) if rows.size > most else rows


def _column(original: EncodedColumn, originals: Places, release: EncodedColumn, rows: Places) -> _Column:
    """Bring some records of one attribute of both files together."""
    codes, there = _codes(original, originals)
    axis = Axis(codes[there])
    own = np.where(there, axis.equal(codes), -1)
    owners = np.argsort(own, kind="stable")[np.count_nonzero(~there) :]
    starts = np.concatenate([[0], np.cumsum(axis.counts)])
    released, is_there = _codes(release, rows)
    cell = np.where(is_there, -1, _GAP).astype(np.intp)
    first, named = np.zeros(1, np.int64), np.zeros(0, np.intp)
    if release.named is not None:
        named_in = release.named.at(rows)
        cell = np.where(is_there & (named_in.cells >= 0), named_in.cells, cell)
        cell = np.where(named_in.suppressed, _GAP, cell)
        cells = cells_of(named_in, axis)
        many = named_in.is_set.size
        texts = np.concatenate([cells.owner, *([np.arange(many)] * len(_SHARES))])
        places = np.concatenate([cells.places, *(cells.between_ends(axis, share) for share in _SHARES)])
        keys = np.unique((texts * starts.size + places)[places >= 0])
        first = np.concatenate([[0], np.cumsum(np.bincount(keys // starts.size, minlength=many))])
        named = keys % starts.size
    place = np.where(cell == -1, axis.equal(released), -1)
    return _Column(owners, starts, own, first, named, cell, place, released)


def _codes(column: EncodedColumn, rows: Places) -> tuple[NDArray[np.float64], Mask]:
    """Return the codes of some records as floats, and which of them have one; what stands in gaps depends on who read the file."""
    there = np.ones(rows.size, bool) if column.missing is None else ~column.missing[rows]
    return np.where(there, column.codes[rows].astype(np.float64), -np.inf), there


def _alone(release: Mapping[str, EncodedColumn]) -> Places:
    """Return the released records with a cell that is no plain value, and whose cells no crowd shares."""
    groups = groups_of(release)
    odd, left = np.zeros(groups.size, bool), np.zeros(groups.size, np.int64)
    for column in release.values():
        gaps = gaps_of(column)
        left += 1 if gaps is None else ~gaps
        if gaps is not None:
            odd |= gaps
        if column.named is not None:
            odd |= column.named.cells >= 0
    return np.flatnonzero(odd & (left > 1) & (np.bincount(groups)[groups] < CROWD))


def groups_of(release: Mapping[str, EncodedColumn]) -> Places:
    """Give released records with the same values and cells in every attribute the same number."""
    keys: Places | int = 0
    for column in release.values():
        codes = np.unique(column.codes, return_inverse=True)[1]
        if column.named is not None:
            codes = np.where(column.named.cells >= 0, column.named.cells + codes.max(initial=0) + 1, codes)
        if column.missing is not None:
            codes = np.where(column.missing, 0, codes + 1)
        keys = np.unique(keys * (int(codes.max(initial=0)) + 1) + codes, return_inverse=True)[1]
    return np.asarray(keys, np.intp)


def _counts(columns: Sequence[_Column]) -> tuple[int, int]:
    """Count the released records that an original one fits in all attributes that are left, and in nearly all."""
    left = np.sum([column.cell != _GAP for column in columns], axis=0)
    nearly = np.where(left > _FEW, left // 2, np.maximum(left - 1, 2))
    many = np.stack([np.where(column.cell == _GAP, np.iinfo(np.int64).max, column.many()) for column in columns])
    # Whoever fits in all attributes but one fits in one of the two that fit the fewest.
    choices = np.argsort(many, axis=0)[: 2 if len(columns) <= _FEW else len(columns) // 2 + 1]
    most = np.zeros(left.size, np.int64)
    for choice in choices:
        for number, column in enumerate(columns):
            rows = np.flatnonzero((choice == number) & (most < left) & (column.cell != _GAP))
            rows = rows[np.cumsum(column.many()[rows]) <= _MOST_PAIRS]
            first, second = column.partners(rows)
            np.maximum.at(most, first, np.sum([other.fits(first, second) for other in columns], axis=0))
    several = left > 1
    return int((several & (most >= left)).sum()), int((several & (most >= nearly)).sum())


def _moved(order: NDArray[np.float64], rng: Generator) -> Places:
    """Return for each record another one with nearly the same rank."""
    by_rank = np.argsort(order, kind="stable")
    reach = max(CROWD, _NEAR * order.size)
    others = np.argsort(np.arange(order.size) + rng.uniform(-reach, reach, order.size))
    moved = np.empty(order.size, np.intp)
    moved[by_rank] = by_rank[others]
    return moved


def _ranges(sizes: NDArray[np.int64]) -> tuple[Places, NDArray[np.int64]]:
    """Return for ranges of these sizes, one after the other, which range it is and the place within."""
    which = np.repeat(np.arange(sizes.size), sizes)
    before = np.cumsum(sizes) - sizes
    return which, np.arange(which.size) - before[which]
