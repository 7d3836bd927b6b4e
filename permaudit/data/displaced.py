"""Stretches of a linked release that fit other original records far better than those they are linked to."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from permaudit.columns import length, select, taken
from permaudit.data.standard import likeness, scores, sharpened
from permaudit.model import Displaced

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from permaudit.data.standard import Scores
    from permaudit.model import Columns

    Rows = NDArray[np.intp]

_LONGEST, _SHORTEST = 256, 48
"""How many records a stretch has..."""
_STRETCHES = 12
"""...of a file that is not longer than so many of the longest ones."""
_FEWEST_STRETCHES = 4
_STEPS = 4
"""Stretches of short files begin at each quarter of another one; a displaced part is not cut in two by all of them."""
_MOST_RECORDS = 30_000
"""Of longer files so many records are looked at, in stretches that are spread evenly."""
_MOST_ATTRIBUTES = 6
_MOST_LAID = 6
"""So many stretches, those that fit least, are laid along the original..."""
_MOST_AROUND = 12
"""...of a long file around so many of them."""
_LITTLE = 0.5
"""A stretch does not fit if it reads less than this part of what most stretches do, or of what it reads elsewhere."""
_FAR = 6.0
"""So many standard deviations are no chance, wherever a stretch is laid..."""
_FAR_WITHOUT = 3.0
"""...nor are so many without any one of the attributes: one alone may repeat itself, such as the number of a wave."""
_AS_OTHERS = 0.6
"""A stretch that is laid where it belongs reads this part, at least, of what most stretches do."""
_NORMAL = 1.4826
"""The standard deviation of a normal distribution, in median absolute deviations."""


def displaced(original: Columns, release: Columns, order: Rows | None = None) -> Displaced | None:
    """Count the stretches of linked records that stand for others; None where noise or size rule that out.

    A stretch that fits nothing may have been drawn anew or suppressed, as it is good practice for a part of a file. One that
    fits other records, shifted, moved or from its end, as well as the rest fits its own, is linked to strangers.
    """
    names = [name for name in original if name in release][:_MOST_ATTRIBUTES]
    records = length(original) if names else 0
    size = max(_SHORTEST, min(_LONGEST, records // _STRETCHES))
    if records < _FEWEST_STRETCHES * size:
        return None
    starts = _starts(records, size)
    is_short = records <= _MOST_RECORDS
    rows = np.arange(records) if is_short else np.unique(starts[:, None] + np.arange(size))
    first, second = (_scores(side, names, order, rows) for side in (original, release))
    second *= np.where((first * second).sum(axis=1, keepdims=True) < 0, -1, 1)  # whatever points downwards now
    places = np.searchsorted(rows, starts)
    fits = np.array([_fit(first[:, at : at + size], second[:, at : at + size]) for at in places.tolist()])
    usual = float(np.median(fits))
    deviation = float(np.sqrt(size * max((likeness(first) * likeness(second)).sum(), 1.0)))
    if usual < _FAR * deviation:
        return None
    doubted = np.argsort(fits, kind="stable")[:_MOST_AROUND]
    doubted = doubted[fits[doubted] < _LITTLE * usual]
    if doubted.size and not is_short:
        around = np.unique(np.concatenate([_around(starts, one, records) for one in doubted.tolist()]))
        every = np.union1d(rows, around)
        first = _scores(original, names, order, every)[:, np.searchsorted(every, around)]
    else:
        around = rows
    sharp = sharpened(first)
    found = 0
    for one in doubted[:_MOST_LAID].tolist():
        stretch = second[:, places[one] : places[one] + size]
        own = int(np.searchsorted(around, starts[one]))
        found += any(_belongs(_laid(sharp, turned), own, usual) for turned in (stretch, stretch[:, ::-1]))
    return Displaced(found, int(starts.size))


def _starts(records: int, size: int) -> Rows:
    """Say where stretches begin: all through a short file, and spread evenly over a long one."""
    if records <= _MOST_RECORDS:
        return np.arange(0, records - size + 1, max(1, size // _STEPS))
    return np.linspace(0, records - size, _MOST_RECORDS // size).astype(np.intp)


def _around(starts: Rows, one: int, records: int) -> Rows:
    """Return the records up to the stretches on both sides: those that were moved came from where others were."""
    gap = int(starts[1] - starts[0])
    return np.arange(max(0, int(starts[one]) - gap), min(records, int(starts[one]) + gap))


def _scores(columns: Columns, names: list[str], order: Rows | None, rows: Rows) -> Scores:
    """Return some records of the first columns, in an order of them."""
    found = taken(select(columns, names), rows if order is None else order[rows])
    return scores(found[name] for name in names)


def _fit(first: Scores, second: Scores) -> float:
    """Return how much the products of ranks add up to, whatever level a stretch has as a whole."""
    return float(((first - first.mean(axis=1, keepdims=True)) * second).sum())


class _Laid(NamedTuple):
    """What a stretch reads at each place of the original."""

    all_together: NDArray[np.float64]
    by_attribute: NDArray[np.float64]


def _laid(original: Scores, stretch: Scores) -> _Laid:
    """Lay a stretch along the original."""
    sums = [np.correlate(one.astype(float), other.astype(float)) for one, other in zip(original, stretch, strict=True)]
    by_attribute = np.stack(sums)
    return _Laid(by_attribute.sum(axis=0), by_attribute)


def _belongs(laid: _Laid, own: int, usual: float) -> bool:
    """Tell whether a stretch belongs to another place than its own."""
    together, best = laid.all_together, int(laid.all_together.argmax())
    if together[best] < _AS_OTHERS * usual or together[own] > _LITTLE * together[best]:
        return False
    without = [together - one for one in laid.by_attribute] if len(laid.by_attribute) > 1 else []
    return _deviations(together, best) > _FAR and all(_deviations(one, best) > _FAR_WITHOUT for one in without)


def _deviations(sums: NDArray[np.float64], place: int) -> float:
    """Return by how many standard deviations a place reads more than places do."""
    center = float(np.median(sums))
    spread = _NORMAL * float(np.median(np.abs(sums - center)))
    return float(sums[place] - center) / spread if spread else 0.0
