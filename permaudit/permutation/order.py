"""Sort unsigned keys: the order of the records and where neighbours in it are equal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

_WORD = 16
_COARSE = 2 * _WORD
_MANY = 4
"""If more than one in this many records is left in doubt by the leading bits, sort all of them by every bit."""


def sort_keys(keys: NDArray[np.uint64]) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """Return an order of the keys and, for each neighbouring pair in it, whether the two keys are equal.

    Two radix passes sort by the leading 32 bits that vary; numpy's stable sort of 16-bit integers *is* a radix sort,
    several times faster than any of its comparison sorts. What these bits leave in doubt is settled by the full keys.
    """
    span = int(np.bitwise_or.reduce(keys))
    empty = (span & -span).bit_length() - 1 if span else 0  # trailing bits that are zero in every key
    width = span.bit_length() - empty
    shift = empty + max(0, width - _COARSE)
    leading = (keys >> np.uint64(shift)).astype(np.uint32)
    order = _radix(_words(leading, min(width, _COARSE)))
    arranged = leading.take(order)
    equal = arranged[1:] == arranged[:-1]
    if width > _COARSE:
        order, equal = _settle(keys, order, equal, width=width, empty=empty)
    return order, equal


def _words(keys: NDArray[np.uint32] | NDArray[np.uint64], width: int) -> list[NDArray[np.uint16]]:
    """Cut the keys into 16-bit words, the least significant first."""
    return [(keys >> keys.dtype.type(at)).astype(np.uint16) for at in range(0, max(width, 1), _WORD)]


def _radix(words: Iterable[NDArray[np.uint16]]) -> NDArray[np.intp]:
    """Sort by the last word, then the one before, and so on: stable passes from the least significant word up."""
    first, *others = words
    order = np.argsort(first, kind="stable")
    for word in others:
        order = order.take(np.argsort(word.take(order), kind="stable"))
    return order


def _settle(
    keys: NDArray[np.uint64], order: NDArray[np.intp], alike: NDArray[np.bool_], *, width: int, empty: int
) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """Sort by the full keys inside each run of records that are alike in their leading bits."""
    near = np.flatnonzero(alike)
    differ = keys.take(order.take(near)) != keys.take(order.take(near + 1))
    if not differ.any():
        return order, alike
    opens = np.flatnonzero(np.diff(near, prepend=-2) != 1)  # a run of alike neighbours begins here
    doubtful = np.logical_or.reduceat(differ, opens)
    lengths = np.diff(opens, append=near.size)[doubtful] + 1
    starts = near[opens[doubtful]]
    if _MANY * int(lengths.sum()) > keys.size:
        order = _radix(_words(keys >> np.uint64(empty), width))
        arranged = keys.take(order)
        return order, arranged[1:] == arranged[:-1]
    run = np.repeat(np.arange(starts.size), lengths)
    places = np.arange(run.size) + np.repeat(starts - np.cumsum(lengths) + lengths, lengths)
    members = order.take(places)
    order[places] = members.take(np.lexsort((keys.take(members), run)))
    equal = alike.copy()
    equal[near] = keys.take(order.take(near)) == keys.take(order.take(near + 1))
    return order, equal
