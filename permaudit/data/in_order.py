"""Whether the records of a release stand in the order of the original, shifted, reversed, or with many taken out."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from permaudit.columns import first, last, length
from permaudit.data.standard import AROUND, likeness, scores, sharpened
from permaudit.permutation.exact import SERIAL
from permaudit.permutation.threads import run_each, workers

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from permaudit.model import Columns, Order

    Floats = NDArray[np.float32]

_ORDERS: tuple[Order, ...] = ("in place", "shifted", "reversed")
_STRETCHES = 5
_LONGEST, _SHORTEST = 256, 48
"""How many records a stretch has."""
_BLOCK = 16
"""A stretch is laid along the original in blocks of so many records, one after the other..."""
_TAKEN_OUT, _PUT_IN = 4, 2
"""...between which so many may have been taken out of the release, or put in."""
_MOST_RECORDS = 30_000
"""Of longer files the beginning is looked at, and the end of the original where the release begins with it."""
_MOST_ATTRIBUTES = 6
_BEYOND, _FAR = 1.25, 2.0
"""So many times as much as a stretch in another order is no chance any more, and at least so many standard deviations more."""
_ALONE = 0.9
"""What other places read, as a part of the best one: where several do, the order repeats itself and tells nothing."""
_IN_PLACE = 0.5
"""What a stretch reads at its own place, as a part of the best one: noise makes another path better by a little."""
_AROUND = (_TAKEN_OUT + _PUT_IN) * _LONGEST // _BLOCK
"""So far from the best place the same blocks may still be laid."""
_MIXED, _MIXTURES = 32, 2
"""In how long pieces stretches are put in another order, and how many of them."""


def order_of(original: Columns, release: Columns) -> Order | None:
    """Say how most stretches of the release stand in the original; None where they do not.

    Each stretch is moved along the original, in blocks that stay one after the other. Where it came from, its records meet
    their own: the products of ranks add up there and nowhere else, not even one record further, as they would in files that
    are sorted. How much they add up to by chance, stretches tell whose records changed places with their neighbours.
    """
    names = [name for name in original if name in release][:_MOST_ATTRIBUTES]
    records = [min(length(file), _MOST_RECORDS) for file in (original, release)] if names else [0]
    size = min(_LONGEST, *(count // 2 for count in records)) // _BLOCK * _BLOCK
    if size < _SHORTEST:
        return None
    second = scores(first(release, name, records[-1]) for name in names)
    starts = np.unique(np.linspace(0, second.shape[1] - size, _STRETCHES).astype(int))
    stretches = np.stack([second[:, start : start + size] for start in starts.tolist()])
    begin = scores(first(original, name, records[0]) for name in names)
    found = _found(begin, stretches, starts)
    if found is None:
        end = begin
        if length(original) > records[0]:
            end = scores(last(original, name, records[0]) for name in names)
        found = "reversed" if _found(end, stretches[:, :, ::-1], None) else None
    return found


def _found(original: Floats, stretches: Floats, starts: NDArray[np.intp] | None) -> Order | None:
    """Say where most stretches stand; where it is not asked in which place they should, shifted means anywhere."""
    size = stretches.shape[2]
    mixed = stretches[:: max(1, len(stretches) // _MIXTURES)][:_MIXTURES][:, :, _other_order(size)]
    windows = _windows(original)
    places = [None] * len(stretches) if starts is None else starts.tolist()
    tried = [*zip(stretches, places, strict=True), *((one, None) for one in mixed)]
    found = run_each(lambda one: _along(windows, *one), tried, workers(None, original.shape[1]))
    by_chance = float(np.mean([one.best for one in found[len(stretches) :]]))
    deviation = float(np.sqrt(size * max((likeness(original) * likeness(np.hstack(list(stretches)))).sum(), 1.0)))
    least = by_chance + max((_BEYOND - 1) * by_chance, _FAR * deviation)
    counts = dict.fromkeys(_ORDERS, 0)
    for one in found[: len(stretches)]:
        if one.best > least and one.elsewhere < _ALONE * one.best:
            counts["in place" if one.in_place > _IN_PLACE * one.best else "shifted"] += 1
    if 2 * sum(counts.values()) <= len(stretches):
        return None
    return "in place" if 2 * counts["in place"] > len(stretches) else "shifted"


def _other_order(size: int) -> NDArray[np.intp]:
    """Return an order in which records stand near their places, and not beside their neighbours; always the same one."""
    rng = np.random.default_rng(0)
    return np.concatenate([start + rng.permutation(min(_MIXED, size - start)) for start in range(0, size, _MIXED)])


def _windows(original: Floats) -> Floats:
    """Return every part of a block's length, one beside the other: the scores of its records by each attribute.

    From each the mean of those around it is taken, which sorted files share. But for the ends, these are parts of the scores
    from which the mean of those around each was taken.
    """
    plain, sharp = (sliding_window_view(one, _BLOCK, axis=1).swapaxes(1, 2) for one in (original, sharpened(original)))
    windows = np.array(sharp, np.float32, order="C")
    near = 2 * AROUND + 1
    windows[..., :AROUND] = sharpened(plain[..., :near])[..., :AROUND]
    windows[..., -AROUND:] = sharpened(plain[..., -near:])[..., -AROUND:]
    return windows.reshape(-1, windows.shape[2])


class _Along(NamedTuple):
    """How much the products of ranks add up to where a stretch is laid along the original."""

    best: float
    elsewhere: float
    """The most of any place that is not near the best one."""
    in_place: float
    """At the stretch's own place, without gaps; nothing where it is not known."""


def _along(windows: Floats, stretch: Floats, start: int | None) -> _Along:
    """Lay a stretch along the original."""
    products = _products(windows, stretch)
    laid = _laid(products)
    best = int(laid.argmax())
    others = np.delete(laid, slice(max(0, best - _AROUND), best + _AROUND + 1))
    in_place = 0.0 if start is None else _straight(products, start)
    return _Along(float(laid[best]), float(others.max(initial=-np.inf)), in_place)


def _products(windows: Floats, stretch: Floats) -> Floats:
    """Return the sum of products of each block of a stretch with every part of the original of its length.

    In pieces so small that BLAS stays in this thread: on a busy machine, its threads wait for each other ten times as long.
    """
    attributes, size = stretch.shape
    blocks = stretch.reshape(attributes, size // _BLOCK, _BLOCK).swapaxes(0, 1).reshape(size // _BLOCK, -1)
    sums = np.empty((len(blocks), windows.shape[1]), np.float32)
    step = max(1, SERIAL // blocks.size)
    for start in range(0, sums.shape[1], step):
        sums[:, start : start + step] = blocks @ windows[:, start : start + step]
    return sums


def _laid(blocks: Floats) -> Floats:
    """Return for each place of the last block how much all of them add up to, laid one after the other as well as can be."""
    laid: Floats = blocks[0]
    for block in blocks[1:]:
        before = np.full_like(laid, -np.inf)
        for step in range(_BLOCK - _PUT_IN, _BLOCK + _TAKEN_OUT + 1):
            np.maximum(before[step:], laid[:-step], out=before[step:])
        laid = np.asarray(block + before, np.float32)
    return laid


def _straight(blocks: Floats, start: int) -> float:
    """Return how much the blocks add up to at their own place, without gaps."""
    places = start + _BLOCK * np.arange(len(blocks))
    inside = places < blocks.shape[1]
    return float(blocks[np.flatnonzero(inside), places[inside]].sum())
