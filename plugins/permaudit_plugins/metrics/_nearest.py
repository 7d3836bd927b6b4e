"""The original's record that is nearest to another one: the greatest distance in any attribute counts (Chebyshev)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from permaudit.permutation.ranks import rank_columns
from permaudit_plugins.metrics._band import Band
from permaudit_plugins.metrics._keys import row_keys
from permaudit_plugins.metrics._line import Line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from scipy.spatial import cKDTree

    from permaudit.model import Floats

_MOST_LEADS = 6
"""In more dimensions a tree visits nearly all of its records."""
_CANDIDATES = 8
"""So many records that are nearest in the leading attributes are compared in all of them."""
_CELLS, _LEAF = 8, 16
_SEEN_FOR_LEADS = 4096
_BLOCK = 4096
_SMALL = 3_000
"""Up to so many records a band is as fast as a tree..."""
_BAND = 1.5
"""...which reaches this far beyond the distance at which half of the strangers would have found a neighbour."""
_CLOSE_CALLS = 3
"""One more than is asked for: floats of 32 bits may take the second for the third."""
_HALF = 0.5


@dataclass(frozen=True, slots=True, eq=False)
class Nearest:
    """For each record: how far its nearest original is, and how far the next one that differs from that."""

    first: Floats
    second: Floats


class Index:
    """The distinct records of an original, in a band or, where they are many, in a tree (scipy's k-d tree).

    Equal records stand in it once, or a tree of tied data would be a list. Where there are more attributes than a tree can
    use, those that tell most beside each other lead to a few candidates, which are then compared in all attributes: what is
    found is near, if not always nearest. Strangers are looked up in the same way, so that the comparison stays fair.
    """

    def __init__(self, places: Floats, lines: Sequence[Line] | None = None) -> None:
        """Take one row of places for each original record, and the places of each attribute in order, where they are known."""
        self._known_lines = lines
        keys = row_keys(places)
        ranked = rank_columns([keys], threads=1)
        self._own, self._distinct = np.arange(keys.size), places
        self._times = np.ones(keys.size, np.intp)
        if ranked.tied[0]:
            order = ranked.order[0]
            begins = np.concatenate([[True], keys[order[1:]] != keys[order[:-1]]])
            self._own[order] = np.cumsum(begins) - 1
            self._distinct = places[order[begins]]
            self._times = np.bincount(self._own)

    @cached_property
    def _band(self) -> Band:
        return Band(self._distinct)

    @cached_property
    def _tree(self) -> cKDTree:
        from scipy.spatial import cKDTree  # noqa: PLC0415 - slow to import, and small files never ask for it

        return cKDTree(self._leading(self._distinct), leafsize=_LEAF, balanced_tree=False)

    @cached_property
    def _leads(self) -> NDArray[np.intp] | None:
        return _leads(self._distinct)

    def _leading(self, places: Floats) -> Floats:
        """Return the attributes that lead to candidates."""
        return places if self._leads is None else np.ascontiguousarray(places[:, self._leads])

    @property
    def records(self) -> int:
        """Return how many different records there are."""
        return len(self._distinct)

    @property
    def total(self) -> int:
        """Return how many records there are."""
        return len(self._own)

    @cached_property
    def lines(self) -> Sequence[Line]:
        """Return the places of each attribute in order."""
        places = self._distinct if self.records == self.total else self._distinct[self._own]
        return [Line.of(column) for column in places.T] if self._known_lines is None else self._known_lines

    def rows(self, rows: NDArray[np.intp]) -> Floats:
        """Return the places of some rows."""
        return np.asarray(self._distinct[self._own[rows]])

    def kernel_sums(self, places: Floats, reach: float) -> Floats:
        """Return for each place the sum of max(0, 1 - distance / reach), multiplied over the attributes, to all records."""
        return self._band.kernel_sums(places, reach, self._times)

    def nearest(self, places: Floats, but: NDArray[np.intp] | None = None) -> Nearest:
        """Look up records; with `but`, each among all originals but the one in that row, unless that has a double."""
        first, second = np.empty(len(places)), np.empty(len(places))
        selves = None if but is None else np.where(self._times[self._own[but]] == 1, self._own[but], -1)
        for start in range(0, len(places), _BLOCK):
            block = slice(start, start + _BLOCK)
            found = self._candidates(places[block], None if selves is None else selves[block])
            apart = np.abs(self._distinct[found] - places[block, None, :]).max(axis=2)
            if selves is not None:
                apart[found == selves[block, None]] = np.inf
            apart.partition(1, axis=1)
            first[block], second[block] = apart[:, 0], apart[:, 1]
        return Nearest(first, second)

    def _candidates(self, places: Floats, selves: NDArray[np.intp] | None) -> NDArray[np.intp]:
        """Return the numbers of some distinct records that are near each place."""
        if self.records <= _SMALL:
            reach = _BAND * default_tolerance(*self._distinct.shape)
            return self._band.nearest(places, min(_CLOSE_CALLS, len(self._distinct)), reach, selves)
        wanted = (2 if self._leads is None else _CANDIDATES) + (selves is not None)
        asked, wanted = self._leading(places), min(wanted, len(self._distinct))
        order = np.lexsort(
            (asked * _CELLS).astype(np.int8).T
        )  # neighbours one after the other: what they meet stays near
        _, found = self._tree.query(asked[order], k=wanted, p=np.inf)
        candidates = np.empty((len(places), wanted), np.intp)
        candidates[order] = np.asarray(found).reshape(len(places), wanted)
        return candidates


def default_tolerance(records: int, attributes: int) -> float:
    """Return the rank distance within which half of all strangers would find an original, were the attributes independent.

    A box of this many ranks to both sides in every attribute holds half an original record on average.
    """
    return float(_HALF * (_HALF / records) ** (1 / attributes))


def _leads(places: Floats) -> NDArray[np.intp] | None:
    """Choose the attributes that tell most beside each other; None for all."""
    if places.shape[1] <= _MOST_LEADS:
        return None
    from scipy.linalg import qr  # noqa: PLC0415 - as above

    seen = places[:: max(1, len(places) // _SEEN_FOR_LEADS)]
    spread = seen.std(axis=0)
    weights = np.array([_variety(column) for column in seen.T]) / np.where(spread > 0, spread, np.inf)
    # With pivoting, each next column is the one of which the columns before it explain least.
    order = qr((seen - seen.mean(axis=0)) * weights, mode="r", pivoting=True)[1]
    return np.sort(np.asarray(order[:_MOST_LEADS], np.intp))


def _variety(column: Floats) -> float:
    """Return how likely two records differ: what most records share leads nowhere."""
    shares = np.unique(column, return_counts=True)[1] / column.size
    return float(1 - (shares**2).sum())
