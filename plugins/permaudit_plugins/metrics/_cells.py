"""Records by the cells of a coarse grid: where few places are looked up among many records, putting these in order takes longest.

A grid over four attributes takes one pass over each of them and a sort of numbers of 16 bits. Only the cells within reach of a
place are read, and in these most records are out of reach in one of the next attributes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from permaudit.model import Floats

    Numbers = NDArray[np.intp]

_GRID, _STEPS = 4, 16
"""So many attributes make the grid, each cut into so many steps: as many cells as numbers of 16 bits."""
_SEEN = 1024


class Cells:
    """Records on the scale from 0 to 1, by cell; what is outside of it is in the cells at the ends."""

    def __init__(self, places: Floats) -> None:
        """Sort them by cell, on the attributes with most values."""
        seen = places[:: max(1, len(places) // _SEEN)]
        variety = np.array([np.unique(column).size for column in seen.T])
        self._attributes = np.argsort(-variety, kind="stable")
        self._places = places
        cells = np.zeros(len(places), np.uint16)
        for place in self._attributes[:_GRID]:
            cells *= np.uint16(_STEPS)
            cells += _step(places[:, place]).astype(np.uint16)
        self._order = np.argsort(cells, kind="stable")
        several = _STEPS ** min(_GRID, places.shape[1])
        self._begins = np.concatenate([[0], np.cumsum(np.bincount(cells, minlength=several))])

    def kernel_sums(self, places: Floats, reach: float, times: Numbers) -> Floats:
        """Return for each place the sum of max(0, 1 - distance / reach), multiplied over the attributes, to all records."""
        return np.array([self._kernel_sum(place, reach, times) for place in places])

    def _kernel_sum(self, place: Floats, reach: float, times: Numbers) -> float:
        rows = self._within(place, reach)
        kernel = times[rows].astype(np.float64)
        for attribute in self._attributes:
            close = 1 - np.abs(self._places[rows, attribute] - place[attribute]) / reach
            near = np.flatnonzero(close > 0)
            rows, kernel = rows[near], kernel[near] * close[near]
        return float(kernel.sum())

    def _within(self, place: Floats, reach: float) -> Numbers:
        """Return the records in the cells within reach, which follow each other along the last attribute of the grid."""
        grid = place[self._attributes[:_GRID]]
        low, high = _step(grid - reach).tolist(), _step(grid + reach).tolist()
        lines = np.zeros(1, np.intp)
        for first, last in zip(low[:-1], high[:-1], strict=True):
            lines = (lines[:, None] * _STEPS + np.arange(first, last + 1)).ravel()
        begins, ends = self._begins[lines * _STEPS + low[-1]], self._begins[lines * _STEPS + high[-1] + 1]
        return np.concatenate([self._order[begin:end] for begin, end in zip(begins, ends, strict=True)])


def _step(places: Floats) -> NDArray[np.intp]:
    """Return on which step of the grid places are; rising, so that whatever is between two places is between their steps."""
    return np.clip(places * _STEPS, 0, _STEPS - 1).astype(np.intp)
