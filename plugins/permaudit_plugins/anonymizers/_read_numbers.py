"""Numeric columns as numpy arrays, whole numbers as such, and back."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from permaudit_plugins.anonymizers._listed import refused_column

if TYPE_CHECKING:
    from numpy.typing import NDArray

WHOLE_FLOATS = 2**53
"""Up to here every whole number is a float."""


@dataclass(frozen=True, slots=True, eq=False)
class Numbers:
    """A numeric column."""

    values: NDArray[Any]
    """int64, uint64 or float64, all finite; where the value is missing, 0."""
    missing: NDArray[np.bool_]

    @property
    def present(self) -> NDArray[Any]:
        """Return the values that are there."""
        return self.values[~self.missing]


def read_numbers(name: str, column: pa.ChunkedArray) -> Numbers:
    """Read a numeric column; NaN is a missing value."""
    missing: NDArray[np.bool_] = column.is_null().to_numpy()
    values: NDArray[Any]
    kind = column.type
    if pa.types.is_null(kind):
        return Numbers(np.zeros(len(column), np.int64), missing)
    if pa.types.is_integer(kind):
        values = column.fill_null(0).to_numpy()
        return Numbers(values if values.dtype == np.uint64 else values.astype(np.int64), missing)
    if not (pa.types.is_floating(kind) or pa.types.is_decimal(kind)):
        raise refused_column(name, "is not numeric")
    values = column.cast(pa.float64()).fill_null(0.0).to_numpy()
    missing = missing | np.isnan(values)
    values = np.where(missing, 0.0, values)
    if not np.isfinite(values).all():
        raise refused_column(name, "has infinite values")
    return Numbers(values, missing)


def number_column(values: NDArray[Any], missing: NDArray[np.bool_]) -> pa.Array:
    """Return numbers as a column."""
    return pa.array(np.ascontiguousarray(values), mask=missing)


def mean_of(values: NDArray[Any]) -> float:
    """Return the mean, rounded once, whatever the size and the order of the values."""
    # A power of two changes no digit, and keeps the sum of the largest floats below infinity.
    scale = 0.5 ** values.size.bit_length()
    return math.fsum((values.astype(np.float64) * scale).tolist()) / (values.size * scale)
