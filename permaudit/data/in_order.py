"""Whether the records of a release stand in the order of the original, shifted, reversed, or with many taken out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from permaudit.columns import first, last, length
from permaudit.data.standard import standard_ranks
from permaudit.permutation.exact import SERIAL

if TYPE_CHECKING:
    from collections.abc import Iterable

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
_NEIGHBOURS = 10
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
    second = _scores(first(release, name, records[-1]) for name in names)
    starts = np.unique(np.linspace(0, second.shape[1] - size, _STRETCHES).astype(int))
    stretches = np.stack([second[:, start : start + size] for start in starts.tolist()])
    begin = _scores(first(original, name, records[0]) for name in names)
    found = _found(begin, stretches, starts)
    if found is None:
        end = begin
        if length(original) > records[0]:
            end = _scores(last(original, name, records[0]) for name in names)
        found = "reversed" if _found(end, stretches[:, :, ::-1], None) else None
    return found


def _scores(columns: Iterable[NDArray[Any]]) -> Floats:
    """Return columns as ranks of mean 0 and variance 1."""
    return np.vstack([np.sqrt(column.size) * standard_ranks(column) for column in columns]).astype(np.float32)


def _found(original: Floats, stretches: Floats, starts: NDArray[np.intp] | None) -> Order | None:
    """Say where most stretches stand; where it is not asked in which place they should, shifted means anywhere."""
    size = stretches.shape[2]
    mixed = stretches[:: max(1, len(stretches) // _MIXTURES)][:_MIXTURES][:, :, _other_order(size)]
    blocks = _sharpened(_products(original, np.concatenate([stretches, mixed])))
    by_chance = float(np.mean([_laid(one).max() for one in blocks[len(stretches) :]]))
    deviation = float(np.sqrt(size * max((_likeness(original) * _likeness(np.hstack(list(stretches)))).sum(), 1.0)))
    least = by_chance + max((_BEYOND - 1) * by_chance, _FAR * deviation)
    counts = dict.fromkeys(_ORDERS, 0)
    for number, one in enumerate(blocks[: len(stretches)]):
        laid = _laid(one)
        best = int(laid.argmax())
        others = np.delete(laid, slice(max(0, best - _AROUND), best + _AROUND + 1))
        if laid[best] > least and (others.size == 0 or others.max() < _ALONE * laid[best]):
            here = starts is not None and _straight(one, int(starts[number])) > _IN_PLACE * laid[best]
            counts["in place" if here else "shifted"] += 1
    if 2 * sum(counts.values()) <= len(stretches):
        return None
    return "in place" if 2 * counts["in place"] > len(stretches) else "shifted"


def _other_order(size: int) -> NDArray[np.intp]:
    """Return an order in which records stand near their places, and not beside their neighbours; always the same one."""
    rng = np.random.default_rng(0)
    return np.concatenate([start + rng.permutation(min(_MIXED, size - start)) for start in range(0, size, _MIXED)])


def _products(original: Floats, stretches: Floats) -> Floats:
    """Return the sum of products of each block of each stretch with every part of the original of its length.

    In pieces so small that BLAS stays in this thread: on a busy machine, its threads wait for each other ten times as long.
    """
    many, attributes, size = stretches.shape
    blocks = stretches.reshape(many, attributes, size // _BLOCK, _BLOCK)
    sums = np.zeros((many * (size // _BLOCK), original.shape[1] - _BLOCK + 1), np.float32)
    step = max(1, SERIAL // (_BLOCK * len(sums)))
    pieces = [slice(start, start + step) for start in range(0, sums.shape[1], step)]
    for place, column in enumerate(original):
        windows = np.ascontiguousarray(sliding_window_view(column, _BLOCK).T)
        rows = np.ascontiguousarray(blocks[:, place]).reshape(-1, _BLOCK)
        for piece in pieces:
            sums[:, piece] += rows @ windows[:, piece]
    return sums.reshape(many, size // _BLOCK, -1)


def _sharpened(products: Floats) -> Floats:
    """Take from each product the mean of those around it, which sorted files share."""
    places = products.shape[-1]
    # With as many before the first and behind the last as are looked at beside each.
    up_to = np.zeros((*products.shape[:-1], places + 1 + 2 * _NEIGHBOURS))
    sums = up_to[..., _NEIGHBOURS + 1 : _NEIGHBOURS + 1 + places]
    np.cumsum(products, axis=-1, out=sums)
    up_to[..., _NEIGHBOURS + 1 + places :] = sums[..., -1:]
    steps = (-_NEIGHBOURS, -1, 2, _NEIGHBOURS + 1)
    far, near, beyond, end = (up_to[..., _NEIGHBOURS + by : _NEIGHBOURS + by + places] for by in steps)
    around = end - beyond + near - far
    here = np.arange(places)
    first, left, right, last = (np.clip(here + by, 0, places) for by in steps)
    return np.asarray(products - around / np.maximum(last - right + left - first, 1), np.float32)


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


def _likeness(columns: Floats) -> NDArray[np.float64]:
    """Return the correlations of standardised columns."""
    return np.asarray(columns @ columns.T / columns.shape[1], np.float64)
