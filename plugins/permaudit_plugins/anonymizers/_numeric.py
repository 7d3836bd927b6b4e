"""What the numeric anonymizers ask of an original: complete numbers, and a domain for each attribute."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from permaudit import DataError, Made, Mistake, shown, to_arrow, to_numpy

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from permaudit import Attribute, Original

HEADROOM = 1.5
"""Without bounds the domain ends at so many times the maximum, as in the paper."""


def complete_numbers(original: Original) -> dict[str, NDArray[np.float64]]:
    """Return the columns as floats; raise with every attribute that is not numeric or has missing values."""
    columns, mistakes = {}, []
    for name in original.table.column_names:
        try:
            columns[name] = _complete(original.attributes[name], original.table[name])
        except ValueError as error:
            mistakes.append(Mistake("", None, None, f"attribute '{shown(name)}' {error}"))
    if mistakes:
        raise DataError(mistakes)
    return columns


def made_of(columns: dict[str, NDArray[np.float64]]) -> Made:
    """Return a release of floats."""
    return Made(pa.table({name: to_arrow(values) for name, values in columns.items()}))


def _complete(attribute: Attribute, column: pa.ChunkedArray) -> NDArray[np.float64]:
    """Return one column as floats; what speaks against it follows the attribute's name."""
    if attribute.type != "numeric" or not _holds_numbers(column.type):
        what = "text" if attribute.type == "numeric" else attribute.type
        raise ValueError(f"is {what}; this anonymizer works on numeric attributes only")
    try:
        values = to_numpy(_filled(column.cast(pa.float64())))
    except pa.ArrowInvalid:
        raise ValueError("has numbers too large for double precision") from None
    missing = np.count_nonzero(~np.isfinite(values))
    if missing:
        raise ValueError(f"has {missing} missing values; this anonymizer cannot work on gaps")
    return values


def _filled(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Write missing values as NaN."""
    return column.fill_null(float("nan")) if column.null_count else column


def _holds_numbers(kind: pa.DataType) -> bool:
    """Tell whether these are numbers, and not text that looks like numbers."""
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind))


def domains(original: Original, columns: dict[str, NDArray[np.float64]]) -> dict[str, tuple[float, float]]:
    """Return the domain of each attribute: its bounds, else 0 to 1.5 times its maximum.

    Raise with every attribute that has no such domain, or values outside of it.
    """
    found, mistakes = {}, []
    for name, values in columns.items():
        try:
            found[name] = _domain(original.attributes[name], values)
        except ValueError as error:
            mistakes.append(Mistake("", None, None, f"attribute '{shown(name)}' {error}"))
    if mistakes:
        raise DataError(mistakes)
    return found


def _domain(attribute: Attribute, values: NDArray[np.float64]) -> tuple[float, float]:
    """Return the domain of one attribute; what speaks against it follows the attribute's name."""
    if attribute.bounds is not None:
        low, high = attribute.bounds
        outside = np.count_nonzero((values < low) | (values > high))
        if outside:
            raise ValueError(f"has {outside} values outside its bounds")
        return low, high
    if values.min() < 0:
        raise ValueError("has negative values and no bounds; declare its bounds, the domain that everybody may know")
    high = HEADROOM * float(values.max())
    if high == 0:
        raise ValueError("is 0 in every record and has no bounds; declare its bounds")
    return 0.0, high
