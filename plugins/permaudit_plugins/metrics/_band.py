"""Records sorted by one attribute: what is near lies in a band, which numpy compares as a whole.

For small files this is as fast as a tree, needs no import, and sums over all records that are near as easily as it finds the
nearest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from permaudit.model import Floats

    Numbers = NDArray[np.intp]

_CELLS = 2**17
"""So many pairs are compared at a time: what fits into the processor's cache."""
_MODERATE, _FAR = 8.0, 1e30
"""Up to the first of these, floats of 32 bits tell places well enough; up to the second, they hold them."""
_SEEN = 1024
_FEWEST_ROWS = 8
_SPAN = 0.6
"""A block spans so much of the reach at most: the wider, the more records are compared for nothing."""


class Band:
    """Records by the attribute with most values."""

    def __init__(self, places: Floats) -> None:
        """Sort them."""
        seen = places[:: max(1, len(places) // _SEEN)]
        self._lead = int(np.argmax([np.unique(column).size for column in seen.T]))
        self._order = np.argsort(places[:, self._lead], kind="stable")
        moderate = bool(np.abs(places).max(initial=0) <= _MODERATE)
        kind = np.float32 if moderate else np.float64
        self._columns = np.stack([column.astype(kind).take(self._order) for column in places.T])

    def nearest(self, places: Floats, wanted: int, reach: float, but: Numbers | None) -> Numbers:
        """Return the numbers of the nearest records (Chebyshev, mostly in floats of 32 bits), without one for each place if asked to.

        They are looked for within reach, and among all records where fewer are there.
        """
        found = np.empty((len(places), wanted), np.intp)
        far = []
        for rows, band in self._bands(places, np.arange(len(places)), reach):
            last = self._nearest_of(places, rows, band, but, found)
            far.append(rows[~(last <= reach)])
        rest = np.concatenate(far) if far else np.zeros(0, np.intp)
        for rows, band in self._bands(places, rest, np.inf):
            self._nearest_of(places, rows, band, but, found)
        return found

    def _nearest_of(self, places: Floats, rows: Numbers, band: slice, but: Numbers | None, found: Numbers) -> Floats:
        """Write the numbers of the nearest records in a band, and return the distance of the last of them."""
        records = self._columns[:, band]
        if records.shape[1] < found.shape[1]:
            return np.full(len(rows), np.inf)
        some = self._alike(places[rows])
        apart = np.abs(records[0] - some[:, :1])
        further = np.empty_like(apart)
        for column, values in zip(records[1:], some.T[1:], strict=True):
            np.subtract(column, values[:, None], out=further)
            np.abs(further, out=further)
            np.maximum(apart, further, out=apart)
        if but is not None:
            apart[self._order[band] == but[rows, None]] = np.inf
        line, last = np.arange(len(rows)), np.zeros(len(rows))
        for number in range(found.shape[1]):
            place = apart.argmin(axis=1)
            last = apart[line, place]
            found[rows, number] = self._order[band][place]
            apart[line, place] = np.inf
        return np.asarray(last)

    def kernel_sums(self, places: Floats, reach: float, times: Numbers) -> Floats:
        """Return for each place the sum of max(0, 1 - distance / reach), multiplied over the attributes, to all records."""
        sums = np.empty(len(places))
        scaled = self._columns * np.asarray(1 / reach, self._columns.dtype)
        weights = times[self._order].astype(scaled.dtype)
        for rows, band in self._bands(places, np.arange(len(places)), reach):
            some = self._alike(places[rows] / reach)
            kernel = np.broadcast_to(weights[band], (len(rows), band.stop - band.start)).copy()
            apart = np.empty_like(kernel)
            for column, values in zip(scaled[:, band], some.T, strict=True):
                np.subtract(column, values[:, None], out=apart)
                np.abs(apart, out=apart)
                np.subtract(1, apart, out=apart)
                np.maximum(apart, 0, out=apart)
                kernel *= apart
            sums[rows] = kernel.sum(axis=1, dtype=np.float64)
        return sums

    def _alike(self, places: Floats) -> Floats:
        """Return places in floats of the same width; what is too far for them is far."""
        if self._columns.dtype == np.float64:
            return places
        return np.asarray(np.clip(places, -_FAR, _FAR), np.float32)

    def _bands(self, places: Floats, rows: Numbers, reach: float) -> Iterator[tuple[Numbers, slice]]:
        """Return the rows in blocks of neighbours, each with the records that may be within reach of any of them."""
        lead, values = self._columns[self._lead], places[rows, self._lead]
        order = np.argsort(values, kind="stable")
        rows, values = rows[order], values[order]
        low, high = np.searchsorted(lead, values - reach, "left"), np.searchsorted(lead, values + reach, "right")
        start = 0
        while start < len(rows):
            size = max(_FEWEST_ROWS, _CELLS // max(1, int(high[start] - low[start])))
            neighbours = int(np.searchsorted(values, values[start] + _SPAN * reach, "right"))
            stop = min(len(rows), start + size, max(neighbours, start + 1))
            yield rows[start:stop], slice(int(low[start]), int(high[stop - 1]))
            start = stop
