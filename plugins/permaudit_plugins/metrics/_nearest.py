"""The original's record that is nearest to another one: the greatest distance in any attribute counts (Chebyshev)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from permaudit.permutation.ranks import rank_columns
from permaudit_plugins.metrics._band import Band
from permaudit_plugins.metrics._cells import Cells
from permaudit_plugins.metrics._keys import row_keys
from permaudit_plugins.metrics._line import Line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from scipy.spatial import cKDTree

    from permaudit.model import Floats

    Kinds = tuple[NDArray[np.intp], NDArray[np.intp]]
    """For each record the number of its kind, equal records being of one kind, and for each kind the row of a record."""

_EXACT = 6
"""In more dimensions a tree visits ever more of its records..."""
_SLACK, _FOR_EACH = 2.0, 1 / 8
"""...so that what it finds may then be farther than the nearest by so many times its distance, and in many dimensions more."""
_CELLS, _LEAF = 8, 16
_SMALL = 3_000
"""Up to so many records a band is as fast as a tree..."""
_BAND = 1.5
"""...which reaches this far beyond the distance at which half of the strangers would have found a neighbour."""
_CLOSE_CALLS = 3
"""One more than is asked for: floats of 32 bits may take the second for the third."""
_FEW = 2**16
"""Up to so many records a band tells which are in reach as fast as a grid."""
_HALF = 0.5


@dataclass(frozen=True, slots=True, eq=False)
class Nearest:
    """For each record: how far its nearest original is, and how far the next one that differs from that."""

    first: Floats
    second: Floats


class Index:
    """The distinct records of an original, in a band or, where they are many, in a tree (scipy's k-d tree).

    Equal records stand in it once, or a tree of tied data would be a list. Where there are many attributes, the tree leaves out
    what could only be a little nearer than what it has found: whatever is nearer than the next by the slack is found for
    certain, and what single out somebody are such records. Strangers are looked up in the same way, so that the comparison
    stays fair.
    """

    def __init__(self, places: Floats, lines: Sequence[Line] | None = None, kinds: Kinds | None = None) -> None:
        """Take one row of places for each original record; the places of each attribute in order and the kinds, if known."""
        self._known_lines = lines
        self._own, rows = _kinds_of(places) if kinds is None else kinds
        self._distinct = places if rows.size == len(places) else places[rows]
        self._times = np.bincount(self._own)

    @cached_property
    def _band(self) -> Band:
        return Band(self._distinct)

    @cached_property
    def _cells(self) -> Cells:
        return Cells(self._distinct)

    @cached_property
    def _tree(self) -> cKDTree:
        from scipy.spatial import cKDTree  # noqa: PLC0415 - slow to import, and small files never ask for it

        return cKDTree(self._turned(self._distinct), leafsize=_LEAF, balanced_tree=False, compact_nodes=False)

    @cached_property
    def _turn(self) -> NDArray[np.intp]:
        """Put the attributes in an order of their own: the tree cuts them in turn, and must not depend on that of the file."""
        return np.argsort(self._distinct.sum(axis=1) @ self._distinct, kind="stable")

    def _turned(self, places: Floats) -> Floats:
        """Return places as the tree has them; where it is exact, the order of the attributes does not matter."""
        return np.ascontiguousarray(places if places.shape[1] <= _EXACT else places[:, self._turn])

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
        searched = self._cells if self.records > _FEW else self._band
        return searched.kernel_sums(places, reach, self._times)

    def nearest(self, places: Floats, but: NDArray[np.intp] | None = None) -> Nearest:
        """Look up records; with `but`, each among all originals but the one in that row, unless that has a double."""
        selves = None if but is None else np.where(self._times[self._own[but]] == 1, self._own[but], -1)
        look_up = self._in_band if self.records <= _SMALL else self._in_tree
        found, apart = look_up(places, selves)
        if selves is not None:
            apart[found == selves[:, None]] = np.inf
        apart.partition(1, axis=1)
        return Nearest(apart[:, 0].copy(), apart[:, 1].copy())

    def _in_band(self, places: Floats, selves: NDArray[np.intp] | None) -> tuple[NDArray[np.intp], Floats]:
        """Return the numbers of the nearest distinct records, and their distances."""
        reach = _BAND * default_tolerance(*self._distinct.shape)
        found = self._band.nearest(places, min(_CLOSE_CALLS, self.records), reach, selves)
        return found, np.stack([np.abs(self._distinct[one] - places).max(axis=1) for one in found.T], axis=1)

    def _in_tree(self, places: Floats, selves: NDArray[np.intp] | None) -> tuple[NDArray[np.intp], Floats]:
        """Do the same for neighbours one after the other: what they meet stays near to the processor."""
        attributes, places = places.shape[1], self._turned(places)
        order = np.lexsort((places[:, :_EXACT] * _CELLS).astype(np.int8).T)
        slack = 0.0 if attributes <= _EXACT else max(_SLACK, _FOR_EACH * attributes)
        near, numbers = self._tree.query(places[order], k=2 if selves is None else 3, p=np.inf, eps=slack)
        found, apart = np.empty_like(numbers), np.empty_like(near)
        found[order], apart[order] = numbers, near
        return found, apart


def _kinds_of(places: Floats) -> Kinds:
    """Tell which records are equal."""
    keys = row_keys(places)
    ranked = rank_columns([keys], threads=1)
    if not ranked.tied[0]:
        return np.arange(keys.size), np.arange(keys.size)
    order = ranked.order[0]
    begins = np.concatenate([[True], keys[order[1:]] != keys[order[:-1]]])
    numbers = np.empty(keys.size, np.intp)
    numbers[order] = np.cumsum(begins) - 1
    return numbers, order[begins].astype(np.intp)


def default_tolerance(records: int, attributes: int) -> float:
    """Return the rank distance within which half of all strangers would find an original, were the attributes independent.

    A box of this many ranks to both sides in every attribute holds half an original record on average.
    """
    return float(_HALF * (_HALF / records) ** (1 / attributes))
