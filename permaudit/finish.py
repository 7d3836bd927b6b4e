"""What is done to a made release at the end: rounded as the original is, cut off where values cannot be."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from permaudit.model import Original

_MOST_DECIMALS = 9


def finished(
    table: pa.Table, original: Original, *, to_decimals: bool, to_bounds: bool
) -> tuple[pa.Table, tuple[str, ...]]:
    """Round and clip the numeric columns of a release; return it with what was done, in words."""
    if not (to_decimals or to_bounds):
        return table, ()
    columns, clipped, rounded = {}, 0, 0
    for name in table.column_names:
        column = table[name]
        if original.attributes[name].type != "numeric" or not _is_number(column.type):
            columns[name] = column
            continue
        missing = column.is_null().to_numpy()
        values = column.cast(pa.float64()).to_numpy()
        source = original.table[name].drop_null().cast(pa.float64()).to_numpy()
        if to_decimals:
            decimals = _decimals(source)
            values, rounded = np.round(values, decimals), rounded + 1
        if to_bounds:
            low, high = original.attributes[name].bounds or (source.min(), source.max())
            clipped += int(np.count_nonzero((values < low) | (values > high)))
            values = np.clip(values, low, high)
        whole = to_decimals and decimals == 0 and bool((np.abs(values[~missing]) < 2**53).all())
        kept = np.where(missing, 0, values)
        columns[name] = pa.array(kept.astype(np.int64) if whole else kept, mask=missing)
    notes = []
    if to_decimals:
        notes.append(f"{rounded} columns were rounded to the decimals of the original")
    if to_bounds:
        notes.append(f"{clipped} values were cut off at the bounds of their attribute")
    return pa.table(columns), tuple(notes)


def _is_number(kind: pa.DataType) -> bool:
    """Tell whether a column holds numbers."""
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind))


def _decimals(values: NDArray[np.float64]) -> int:
    """Return how many decimals the values have, at most nine."""
    return next((many for many in range(_MOST_DECIMALS) if (np.round(values, many) == values).all()), _MOST_DECIMALS)
