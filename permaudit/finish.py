"""What is done to a made release at the end: rounded as the original is, cut off where values cannot be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from permaudit.arrays import to_arrow, to_numpy

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from permaudit.model import Original

_MOST_DECIMALS = 9
_WHOLE_FLOATS = 2**53
"""Below it every whole number is a float."""


def finished(
    table: pa.Table, original: Original, *, to_decimals: bool, to_bounds: bool
) -> tuple[pa.Table, tuple[str, ...]]:
    """Round and clip the numeric columns of a release; return it with what was done, in words."""
    if not (to_decimals or to_bounds):
        return table, ()
    columns = dict(zip(table.column_names, table.columns, strict=True))
    clipped = 0
    numeric = [name for name in columns if _is_number(columns[name]) and _is_number(original.table[name])]
    numeric = [name for name in numeric if original.attributes[name].type == "numeric"]
    for name in numeric:
        values, missing = _numbers(columns[name])
        source, gaps = _numbers(original.table[name])
        source = source[~gaps]
        decimals = _decimals(source) if to_decimals else None
        if decimals is not None:
            values = np.round(values, decimals)
        if to_bounds and source.size:
            bounds = original.attributes[name].bounds or (source.min().item(), source.max().item())
            low, high = _reachable(bounds, 0 if values.dtype.kind != "f" else decimals)
            clipped += int(np.count_nonzero(((values < low) | (values > high)) & ~missing))
            values = _clipped(values, low, high)
        if decimals == 0 and values.dtype.kind == "f" and bool((np.abs(values) < _WHOLE_FLOATS).all()):
            values = values.astype(np.int64)
        columns[name] = to_arrow(values, missing if missing.any() else None)
    notes = []
    if to_decimals:
        what = f"{len(numeric)} column{' was' if len(numeric) == 1 else 's were'}"
        notes.append(f"{what} rounded to the decimals of the original")
    if to_bounds:
        what = f"{clipped} value{' was' if clipped == 1 else 's were'}"
        notes.append(f"{what} cut off at the bounds of their attribute")
    return pa.table(columns), tuple(notes)


def _is_number(column: pa.ChunkedArray) -> bool:
    """Tell whether a column holds numbers."""
    kind = column.type
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind))


def _numbers(column: pa.ChunkedArray) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """Return whole numbers as they are and others as floats, and which are missing: 0 stands there."""
    plain = column if pa.types.is_integer(column.type) else column.cast(pa.float64())
    missing = column.is_null().to_numpy() if column.null_count else np.zeros(len(column), bool)
    values = to_numpy(plain.fill_null(0))
    if values.dtype.kind == "f" and np.isnan(values).any():
        missing = missing | np.isnan(values)
        values = np.where(missing, 0.0, values)
    return values, missing


def _decimals(values: NDArray[Any]) -> int:
    """Return how many decimals the values have, at most nine."""
    if values.dtype.kind != "f":
        return 0
    return next((many for many in range(_MOST_DECIMALS) if (np.round(values, many) == values).all()), _MOST_DECIMALS)


def _reachable(bounds: tuple[float, float], decimals: int | None) -> tuple[float, float]:
    """Return the bounds, or the outermost values between them that have no more decimals."""
    low, high = bounds
    if decimals is None:
        return low, high
    step = 10**-decimals
    least, most = round(low, decimals), round(high, decimals)
    return (
        least if least >= low else round(least + step, decimals),
        most if most <= high else round(most - step, decimals),
    )


def _clipped(values: NDArray[Any], low: float, high: float) -> NDArray[Any]:
    """Cut values off; whole numbers stay whole, whatever their length."""
    if values.dtype.kind != "f":
        ends = np.iinfo(values.dtype)
        low, high = max(int(low), int(ends.min)), min(int(high), int(ends.max))
    clipped: NDArray[Any] = np.clip(values, low, high)
    return clipped
