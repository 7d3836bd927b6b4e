"""Sort unsigned keys: the order of the records and where neighbours in it are equal."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

Unsigned = TypeVar("Unsigned", np.uint32, np.uint64)

_BYTE = 8
_WORD = 16
_COARSE = 2 * _WORD
_LARGE = 2**19
"""Beyond this size the passes over the whole array wait for memory more than they compute."""
_WORTHWHILE = 2**15
_MANY = 4
"""If more than one in this many records is left in doubt by the leading bits, sort all of them by every bit."""


def sort_keys(keys: NDArray[np.uint64]) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
    """Return an order of the keys and, for each neighbouring pair in it, whether the two keys are equal.

    Large arrays are first dealt into parts by their leading byte; each part is sorted nearer to the processor.
    """
    if keys.size <= _LARGE:
        return _sort_part(keys)
    shift = max(0, int(keys.max()).bit_length() - _BYTE)
    leading = (keys >> np.uint64(shift)).astype(np.uint8)
    dealt = np.argsort(leading, kind="stable")
    arranged = keys.take(dealt, mode="clip")
    order = dealt.astype(np.int32)
    parts = _parts(np.bincount(leading))
    del keys, leading, dealt  # memory counts here more than anywhere else
    equal = np.zeros(order.size, dtype=bool)  # neighbours in two parts differ in their leading byte
    for part in parts:
        inside, alike = _sort_part(arranged[part] - arranged[part].min())
        order[part] = order[part].take(inside, mode="clip")
        equal[part][:-1] = alike
    return order, equal[:-1]


def _parts(sizes: NDArray[np.intp]) -> list[slice]:
    """Put neighbouring heaps together until they are worth a call."""
    parts, start, stop = [], 0, 0
    for size in sizes.tolist():
        if stop - start >= _WORTHWHILE:
            parts.append(slice(start, stop))
            start = stop
        stop += size
    return [*parts, slice(start, stop)]


def _sort_part(keys: NDArray[np.uint64]) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
    """Sort keys in two radix passes over the leading 32 bits that vary, and settle what these leave in doubt.

    numpy's stable sort of 16-bit integers *is* a radix sort, several times faster than any of its comparison sorts.
    """
    span = int(np.bitwise_or.reduce(keys))
    empty = (span & -span).bit_length() - 1 if span else 0  # trailing bits that are zero in every key
    width = span.bit_length() - empty
    shift = empty + max(0, width - _COARSE)
    order, arranged = _radix((keys >> np.uint64(shift)).astype(np.uint32), min(width, _COARSE))
    equal = arranged[1:] == arranged[:-1]
    if width > _COARSE:
        order, equal = _settle(keys, order, equal, width=width, empty=empty)
    return order, equal


def _radix(keys: NDArray[Unsigned], width: int) -> tuple[NDArray[np.int32], NDArray[Unsigned]]:
    """Return an order of keys of so many bits, and the keys in that order: stable passes, least significant word first."""
    order = np.arange(keys.size, dtype=np.int32)
    for at in range(0, width, _WORD):
        step = np.argsort((keys >> keys.dtype.type(at)).astype(np.uint16), kind="stable")
        # mode="clip" skips a check of the places, which are a permutation
        keys = keys.take(step, mode="clip")
        order = order.take(step, mode="clip") if at else step.astype(np.int32)
    return order, keys


def _settle(
    keys: NDArray[np.uint64], order: NDArray[np.int32], alike: NDArray[np.bool_], *, width: int, empty: int
) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
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
        order, arranged = _radix(keys >> np.uint64(empty), width)
        return order, arranged[1:] == arranged[:-1]
    run = np.repeat(np.arange(starts.size), lengths)
    places = np.arange(run.size) + np.repeat(starts - np.cumsum(lengths) + lengths, lengths)
    members = order.take(places)
    order[places] = members.take(np.lexsort((keys.take(members), run)))
    equal = alike.copy()
    equal[near] = keys.take(order.take(near)) == keys.take(order.take(near + 1))
    return order, equal
