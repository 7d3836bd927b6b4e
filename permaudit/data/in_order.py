"""Whether the records of a release stand in the order of the original, shifted, reversed, or with some taken out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from permaudit.columns import first as first_of
from permaudit.columns import length
from permaudit.data.standard import standard_ranks

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from permaudit.model import Columns, Order

    Floats = NDArray[np.float64]
    Spectra = NDArray[np.complex128]

_ORDERS: tuple[Order, ...] = ("in place", "shifted", "reversed")
_STRETCHES = 8
_LONGEST, _SHORTEST = 256, 40
"""How many records a stretch has."""
_MOST_RECORDS = 50_000
"""Of longer files the beginning is looked at."""
_MOST_ATTRIBUTES = 6
_FAR = 8.0
"""So many standard deviations are no chance any more, in however many places one looks."""
_ALONE = 0.6
"""What other places read, as a part of the best one: where several do, the order repeats itself and tells nothing."""
_NEIGHBOURS = 10


def order_of(original: Columns, release: Columns) -> Order | None:
    """Say how most stretches of the release stand in the original; None where they do not.

    Each stretch is moved along the original. Where it came from, all its records meet their own at once: the products of
    ranks add up there and nowhere else, not even one record further, as they would in files that are sorted.
    """
    names = [name for name in original if name in release][:_MOST_ATTRIBUTES]
    records = [min(length(file), _MOST_RECORDS) for file in (original, release)] if names else [0]
    size = min(_LONGEST, *(count // 2 for count in records))
    if size < _SHORTEST:
        return None
    first, second = (
        np.sqrt(count) * np.vstack([standard_ranks(first_of(file, name, count)) for name in names])
        for file, count in zip((original, release), records, strict=True)
    )
    starts = np.unique(np.linspace(0, second.shape[1] - size, _STRETCHES).astype(int))
    chance = float(np.sqrt(size * max((_likeness(first) * _likeness(second)).sum(), 1.0)))
    spectra = np.fft.rfft(first, records[0] + size)
    found = [
        _place(spectra, second[:, start : start + size], records[0], start, _FAR * chance) for start in starts.tolist()
    ]
    counts = {order: found.count(order) for order in _ORDERS}
    if counts["in place"] < len(starts) / 2 < counts["in place"] + counts["shifted"]:
        return "shifted"
    return next((order for order in _ORDERS if counts[order] > len(starts) / 2), None)


def _place(spectra: Spectra, stretch: Floats, records: int, start: int, least: float) -> Order | None:
    """Say where a stretch of the release stands in the original, of which the spectra are given."""
    for direction in (1, -1):
        sharp = _sharpened(_products(spectra, stretch[:, ::direction], records))
        best = int(sharp.argmax())
        others = np.delete(sharp, slice(max(0, best - 1), best + 2))
        if sharp[best] > least and (others.size == 0 or others.max() < _ALONE * sharp[best]):
            if direction == -1:
                return "reversed"
            return "in place" if best == start else "shifted"
    return None


def _products(spectra: Spectra, stretch: Floats, records: int) -> Floats:
    """Return the sum of products of a stretch with every part of the original of its length."""
    padded = records + stretch.shape[1]
    products = np.fft.irfft((spectra * np.conj(np.fft.rfft(stretch, padded))).sum(axis=0), padded)
    return np.asarray(products[: records - stretch.shape[1] + 1])


def _sharpened(products: Floats) -> Floats:
    """Take from each product the mean of those around it, which sorted files share."""
    window = np.ones(2 * _NEIGHBOURS + 1)
    window[_NEIGHBOURS - 1 : _NEIGHBOURS + 2] = 0
    counts = np.convolve(np.ones(products.size), window, "same")[: products.size]
    around = np.convolve(products, window, "same")[: products.size]
    return np.asarray(products - around / np.maximum(counts, 1))


def _likeness(columns: Floats) -> Floats:
    """Return the correlations of standardised columns."""
    return np.asarray(columns @ columns.T / columns.shape[1])
