"""Map the values of a column to unsigned integers that sort in the same order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_ALL_BUT_SIGN = np.int64(0x7FFF_FFFF_FFFF_FFFF)
_WIDEST_FLOAT = 8
_SIGN = np.uint64(1 << 63)


def order_keys(column: NDArray[Any]) -> NDArray[np.uint64]:
    """Return unsigned keys, the smallest of them 0, equal where the values are equal and ordered as they are.

    Integers are never cast to float, so neighbours above 2^53 stay apart. The bits of a non-negative IEEE 754 number
    sort like an integer; those of a negative one sort the other way round, so they are flipped. -0.0 becomes 0.0 first.
    Raises `ValueError` for NaN and `TypeError` for values without an order that could be read from their bits.
    """
    kind = column.dtype.kind
    if kind in "bu":
        unsigned: NDArray[np.uint64] = column.astype(np.uint64)
        unsigned -= unsigned.min()
        return unsigned
    if kind == "i":
        signed: NDArray[np.int64] = column.astype(np.int64)
    elif kind == "f" and column.dtype.itemsize <= _WIDEST_FLOAT:
        signed = _float_keys(column)
    else:
        raise _no_order(column)
    # The difference may exceed int64 but not uint64: let it wrap, then read it as unsigned.
    signed -= signed.min()
    return signed.view(np.uint64)


def signed_bits(column: NDArray[Any]) -> tuple[NDArray[np.int64], bool]:
    """Return the values as 64-bit integers without a copy where possible, and whether they are the bits of floats.

    Unsigned integers keep their order when the first bit is turned and read as a sign.
    """
    kind = column.dtype.kind
    if kind == "f" and column.dtype.itemsize <= _WIDEST_FLOAT:
        return np.ascontiguousarray(column, np.float64).view(np.int64), True
    if kind == "u" and column.dtype.itemsize == _SIGN.itemsize:
        return (column ^ _SIGN).view(np.int64), False
    if kind in "biu":
        return np.ascontiguousarray(column, np.int64), False
    raise _no_order(column)


def _no_order(column: NDArray[Any]) -> TypeError:
    """Refuse values whose order cannot be read from their bits."""
    return TypeError(f"has dtype {column.dtype}; only integers, booleans and floats up to 64 bits can be ranked")


def _float_keys(column: NDArray[Any]) -> NDArray[np.int64]:
    """Return signed integers in the order of the floats."""
    values = column.astype(np.float64)
    values += 0.0
    smallest = values.min()
    if np.isnan(smallest):
        raise ValueError("has missing values (NaN); NaN has no rank")
    bits = values.view(np.int64)
    if smallest < 0:
        bits ^= (bits >> 63) & _ALL_BUT_SIGN
    return bits
