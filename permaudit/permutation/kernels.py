"""The inner loops of ranking and of comparing by key, compiled: the numbers of the numpy versions, sooner.

Importing this module needs numba, and compiles for the only types that occur, or loads what was compiled before: it is kept
beside this file or, where that cannot be written, in the user's cache. `fast.py` says when that pays.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast

import numba
import numpy as np
from llvmlite import ir
from numba.extending import intrinsic

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

F = TypeVar("F", bound="Callable[..., object]")

MISSING = -1
"""The column has NaN."""
TOO_ALIKE = -2
"""Too many values agree in the leading bits: another sort is faster."""

_PASS = 11
_PASSES = 3
_BUCKETS = 2**_PASS
_COARSE = _PASS * _PASSES
"""So many leading bits of the key are sorted by; with the number of the record they fill 64 bits."""
_NUMBER = 64 - _COARSE
_LONGEST_RUN = 64
"""Up to so many records that agree in the leading bits are sorted by insertion."""
_ASKED = 128
"""Memory is asked for so many rows at a time: as much as fits into the nearest cache."""
_ALL_BUT_SIGN = 2**63 - 1
_INFINITY = 0x7FF << 52
"""The bits of the infinite float, and with all others but the sign turned those of the negative one, minus one."""


def _reads(kind: Any, dimensions: int, layout: Literal["A", "C"] = "C") -> Any:
    """Return the type of an array that is only read: any array will do."""
    return numba.types.Array(kind, dimensions, layout, readonly=True)


def _compiled(signature: Any) -> Callable[[F], F]:
    """Compile a function for these types; threads run it side by side."""

    def compile_now(function: F) -> F:
        try:
            return cast("F", numba.njit(signature, cache=True, nogil=True)(function))
        except RuntimeError:  # no directory can be written
            return cast("F", numba.njit(signature, nogil=True)(function))

    return compile_now


_I32, _I64, _U64, _F64, _BOOL = numba.int32, numba.int64, numba.uint64, numba.float64, numba.boolean


def _asking(_: Any, rows: Any, place: Any) -> Any:
    """Have the processor fetch the memory of one element, counted row by row, without waiting for it."""

    def generate(context: Any, builder: Any, _: Any, arguments: Any) -> Any:
        array = context.make_array(rows)(context, builder, arguments[0])
        pointer, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [pointer, number, number, number])
        prefetch = builder.module.declare_intrinsic("llvm.prefetch", [pointer], kind)
        address = builder.bitcast(builder.gep(array.data, [arguments[1]]), pointer)
        to_read, to_keep, of_data = (ir.Constant(number, value) for value in (0, 3, 1))
        builder.call(prefetch, [address, to_read, to_keep, of_data])
        return context.get_dummy_value()

    return numba.void(rows, place), generate


_ask_for: Any = intrinsic(_asking)


# --------------------------------------------------------------------------- ranks


@_compiled(_I64(_I64, _BOOL))
def _signed_key(bits: int, is_float: bool) -> int:  # noqa: FBT001 - compiled
    """Return an integer in the order of the values; see `keys.py`."""
    if not is_float:
        return bits
    key = bits ^ ((bits >> 63) & _ALL_BUT_SIGN)
    return 0 if key == -1 else key  # -1 would be -0.0


@_compiled(_I64(_U64))
def _bit_length(number: np.uint64) -> int:
    """Return the number of binary digits."""
    length = 0
    while number:
        number >>= np.uint64(1)
        length += 1
    return length


@_compiled(_I64[::1](_reads(_I64, 1), _BOOL))
def _span(bits: NDArray[np.int64], is_float: bool) -> NDArray[np.int64]:  # noqa: FBT001 - compiled
    """Return the lowest and the highest key, and the bits in which any two differ."""
    first = _signed_key(bits[0], is_float)
    low, high, differ = first, first, 0
    for i in range(bits.size):  # eight times as fast as over the elements
        key = _signed_key(bits[i], is_float)
        low = min(low, key)
        high = max(high, key)
        differ |= key ^ first
    return np.array([low, high, differ])


@_compiled(_I64(_reads(_I64, 1), _BOOL, _I64, _I64, _I64, _U64[:, ::1]))
def _arrange(  # noqa: PLR0913, PLR0917 - compiled
    bits: NDArray[np.int64],
    is_float: bool,  # noqa: FBT001 - compiled
    low: int,
    shift: int,
    passes: int,
    room: NDArray[np.uint64],
) -> int:
    """Write the shifted keys, each with the number of its record below it, in order (radix sort, stable); return to which row.

    Least significant digits first; the counts of all digits are taken in one go.
    """
    size = bits.size
    here, there = room[0], room[1]
    counts = np.zeros((_PASSES, _BUCKETS), np.int64)
    base, away, number = np.uint64(low), np.uint64(shift), np.uint64(_NUMBER)
    digit = np.uint64(_BUCKETS - 1)
    for i in range(size):
        key = (np.uint64(_signed_key(bits[i], is_float)) - base) >> away
        here[i] = (key << number) | np.uint64(i)
        counts[0, key & digit] += 1
        counts[1, (key >> np.uint64(_PASS)) & digit] += 1
        counts[2, (key >> np.uint64(2 * _PASS)) & digit] += 1
    for turn in range(passes):
        places = counts[turn]
        total = 0
        for bucket in range(_BUCKETS):
            total, places[bucket] = total + places[bucket], total
        away = np.uint64(_NUMBER + turn * _PASS)
        for i in range(size):
            packed = here[i]
            bucket = (packed >> away) & digit
            there[places[bucket]] = packed
            places[bucket] += 1
        here, there = there, here
    return passes % 2


@_compiled(_BOOL(_reads(_I64, 1), _BOOL, _U64[::1]))
def _settled(bits: NDArray[np.int64], is_float: bool, run: NDArray[np.uint64]) -> bool:  # noqa: FBT001 - compiled
    """Sort records that agree in their leading bits by all bits; False where they are too many for that."""
    number = np.uint64(2**_NUMBER - 1)
    first = _signed_key(bits[run[0] & number], is_float)
    for i in range(1, run.size):
        if _signed_key(bits[run[i] & number], is_float) != first:
            break
    else:
        return True
    if run.size > _LONGEST_RUN:
        return False
    for i in range(1, run.size):
        packed = run[i]
        key = _signed_key(bits[packed & number], is_float)
        place = i
        while place > 0 and _signed_key(bits[run[place - 1] & number], is_float) > key:
            run[place] = run[place - 1]
            place -= 1
        run[place] = packed
    return True


@_compiled(_I64(_reads(_I64, 1), _BOOL, _U64[::1], _I64, _I64))
def _group_end(bits: NDArray[np.int64], is_float: bool, arranged: NDArray[np.uint64], start: int, stop: int) -> int:  # noqa: FBT001 - compiled
    """Return where the group of equal values ends that begins at the start."""
    number = np.uint64(2**_NUMBER - 1)
    key = _signed_key(bits[arranged[start] & number], is_float)
    end = start + 1
    while end < stop and _signed_key(bits[arranged[end] & number], is_float) == key:
        end += 1
    return end


@_compiled(_I64(_reads(_I64, 1), _BOOL, _I32[::1], _I32[:, ::1], _I64, _U64[:, ::1]))
def rank_column(  # noqa: PLR0913, PLR0917 - compiled
    bits: NDArray[np.int64],
    is_float: bool,  # noqa: FBT001 - compiled
    order: NDArray[np.int32],
    doubled: NDArray[np.int32],
    index: int,
    room: NDArray[np.uint64],
) -> int:
    """Write the order of a column and its doubled centred ranks; return whether there are ties, 0 or 1, or why not done.

    The room is for two 64-bit numbers for each record.
    """
    size = bits.size
    low, high, differ = _span(bits, is_float)
    if is_float and (high > _INFINITY or low < -_INFINITY - 1):
        return MISSING
    width = _bit_length(np.uint64(high) - np.uint64(low))
    empty = max(_bit_length(np.uint64(differ & -differ)) - 1, 0)  # trailing bits that all keys share
    shift = max(empty, width - _COARSE)
    row = _arrange(bits, is_float, low, shift, (width - shift + _PASS - 1) // _PASS, room)
    arranged, ranks = room[row], room[1 - row].view(np.int32)
    tied = 0
    coarse, number = np.uint64(_NUMBER), np.uint64(2**_NUMBER - 1)
    start = 0
    while start < size:
        lead = arranged[start] >> coarse
        stop = start + 1
        if stop == size or arranged[stop] >> coarse != lead:  # as most records of most files stand
            record = arranged[start] & number
            order[start] = record
            ranks[record] = start + stop - size
            start = stop
            continue
        while stop < size and arranged[stop] >> coarse == lead:
            stop += 1
        in_doubt = shift > empty
        if in_doubt and not _settled(bits, is_float, arranged[start:stop]):
            return TOO_ALIKE
        while start < stop:
            end = _group_end(bits, is_float, arranged, start, stop) if in_doubt else stop
            tied |= end - start > 1
            for place in range(start, end):
                record = arranged[place] & number
                order[place] = record
                ranks[record] = start + end - size
            start = end
    for i in range(size):  # scattering straight into the rows would miss the cache at every record
        doubled[i, index] = ranks[i]
    return tied


# --------------------------------------------------------------------------- comparing by key


@_compiled(numba.void(_reads(_I32, 1, "A"), _reads(_I32, 1, "A"), _I32[::1]))
def pair_up(order_x: NDArray[np.int32], order_y: NDArray[np.int32], partners: NDArray[np.int32]) -> None:
    """Write for each record of x the record of y at its place."""
    for place in range(order_x.size):
        partners[order_x[place]] = order_y[place]


@_compiled(numba.void(_reads(_I32, 2), _reads(_I32, 2, "A"), _F64[:, ::1]))
def lay_beside(doubled: NDArray[np.int32], partners: NDArray[np.int32], rows: NDArray[np.float64]) -> None:
    """Write the doubled ranks of the partners, one line of them for each key, side by side.

    They are in no place near each other: memory is asked for many of them before the first one is read.
    """
    keys, records = partners.shape
    attributes = doubled.shape[1]
    for key in range(keys):
        column = key * attributes
        for start in range(0, records, _ASKED):
            stop = min(start + _ASKED, records)
            for record in range(start, stop):
                first = np.int64(partners[key, record]) * attributes
                _ask_for(doubled, first)
                _ask_for(doubled, first + attributes - 1)
            for record in range(start, stop):
                partner = np.uint32(partners[key, record])
                for j in range(attributes):
                    rows[record, column + j] = doubled[partner, j]


@_compiled(_BOOL[::1](_reads(_I32, 2), _reads(_I32, 1, "A"), _I64))
def group_begins(doubled: NDArray[np.int32], order: NDArray[np.int32], key: int) -> NDArray[np.bool_]:
    """Tell for each place in the key's order whether a group of equal values begins there."""
    size = order.size
    begins = np.zeros(size, np.bool_)
    begins[0] = True
    before = doubled[order[0], key]
    for place in range(1, size):
        here = doubled[order[place], key]
        begins[place] = here != before
        before = here
    return begins


@_compiled(_I64[:, ::1](_reads(_I32, 2), _reads(_I32, 1, "A"), _reads(_BOOL, 1), _I64))
def group_sums(
    doubled: NDArray[np.int32], order: NDArray[np.int32], begins: NDArray[np.bool_], groups: int
) -> NDArray[np.int64]:
    """Return the sums of the doubled ranks over groups of some places, or of all.

    The sums are fewer than the records and nearer to the processor: all records are added in the order of the file.
    """
    records, attributes = doubled.shape
    sums = np.zeros((groups, attributes), np.int64)
    group = -1
    if order.size < records:
        for place in range(order.size):
            group += begins[place]
            for j in range(attributes):
                sums[group, j] += doubled[order[place], j]
        return sums
    of_record = np.empty(records, np.int32)
    for place in range(records):
        group += begins[place]
        of_record[order[place]] = group
    for record in range(records):
        for j in range(attributes):
            sums[of_record[record], j] += doubled[record, j]
    return sums
