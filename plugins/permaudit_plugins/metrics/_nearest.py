"""The original's record that is nearest to another one: the greatest distance in any attribute counts (Chebyshev)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from permaudit_plugins.metrics._keys import row_keys

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from permaudit.model import Floats

_MOST_LEADS = 8
"""In more dimensions a tree visits nearly all of its records."""
_CANDIDATES = 8
"""So many records that are nearest in the leading attributes are compared in all of them."""
_SEEN_FOR_LEADS = 4096
_BLOCK = 4096


@dataclass(frozen=True, slots=True, eq=False)
class Nearest:
    """For each record: how far its nearest original is, and which one."""

    distance: Floats
    record: NDArray[np.intp]
    """Its number among the distinct originals."""


class Index:
    """The distinct records of an original, in a tree (scipy's k-d tree).

    Equal records stand in it once, or a tree of tied data would be a list. Where there are more attributes than a tree can
    use, those that tell most beside each other lead to a few candidates, which are then compared in all attributes: what is
    found is near, if not always nearest. Strangers are looked up in the same way, so that the comparison stays fair.
    """

    def __init__(self, places: Floats) -> None:
        """Take one row of places for each original record."""
        from scipy.spatial import cKDTree  # noqa: PLC0415 - slow to import, and most audits never ask for it

        _, first, own, self.times = np.unique(
            row_keys(places), return_index=True, return_inverse=True, return_counts=True
        )
        self._own: NDArray[np.intp] = own
        self._distinct = places[first]
        self._leads = _leads(self._distinct)
        leading = self._distinct if self._leads is None else np.ascontiguousarray(self._distinct[:, self._leads])
        self._tree = cKDTree(leading, balanced_tree=False)

    def nearest(self, places: Floats) -> Nearest:
        """Look up records that are not in the original, or may be."""
        return self._search(places, None)

    def nearest_others(self, rows: NDArray[np.intp]) -> Nearest:
        """Look up some of the original's records, each among all others: what strangers would find."""
        own = self._own[rows]
        distance, record = np.zeros(own.size), own.copy()
        alone = np.flatnonzero(self.times[own] == 1)
        found = self._search(self._distinct[own[alone]], own[alone])
        distance[alone], record[alone] = found.distance, found.record
        return Nearest(distance, record)

    def _search(self, places: Floats, selves: NDArray[np.intp] | None) -> Nearest:
        """Find the nearest distinct records; with `selves`, other than these."""
        distance = np.empty(len(places))
        record = np.empty(len(places), np.intp)
        for start in range(0, len(places), _BLOCK):
            block = slice(start, start + _BLOCK)
            found = self._candidates(places[block], others=selves is not None)
            apart = np.abs(self._distinct[found] - places[block, None, :]).max(axis=2)
            if selves is not None:
                apart[found == selves[block, None]] = np.inf
            best = apart.argmin(axis=1)[:, None]
            distance[block] = np.take_along_axis(apart, best, axis=1)[:, 0]
            record[block] = np.take_along_axis(found, best, axis=1)[:, 0]
        return Nearest(distance, record)

    def _candidates(self, places: Floats, *, others: bool) -> NDArray[np.intp]:
        """Return the numbers of some distinct records that are near each place."""
        wanted = (1 if self._leads is None else _CANDIDATES) + others
        leading = places if self._leads is None else places[:, self._leads]
        _, found = self._tree.query(leading, k=min(wanted, len(self._distinct)), p=np.inf)
        return np.asarray(found, np.intp).reshape(len(places), -1)


def _leads(places: Floats) -> NDArray[np.intp] | None:
    """Choose the attributes that tell most beside each other; None for all."""
    if places.shape[1] <= _MOST_LEADS:
        return None
    from scipy.linalg import qr  # noqa: PLC0415 - as above

    seen = places[:: max(1, len(places) // _SEEN_FOR_LEADS)]
    # With pivoting, each next column is the one of which the columns before it explain least.
    order = qr(seen - seen.mean(axis=0), mode="r", pivoting=True)[1]
    return np.sort(np.asarray(order[:_MOST_LEADS], np.intp))
