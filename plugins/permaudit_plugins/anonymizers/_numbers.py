"""Between arrow tables and numpy matrices, for anonymizers of numeric attributes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from permaudit import DataError, Made, Mistake, shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray


def numeric_columns(table: pa.Table) -> Iterator[tuple[str, NDArray[np.float64]]]:
    """Yield each column as floats; say which one is not numeric."""
    for name, column in zip(table.column_names, table.columns, strict=True):
        try:
            yield name, column.cast(pa.float64()).to_numpy()
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            raise DataError([Mistake("", None, None, f"column '{shown(name)}' is not numeric")]) from None


def made_of(columns: dict[str, NDArray[np.float64]]) -> Made:
    """Return a release of floats."""
    return Made(pa.table({name: pa.array(np.ascontiguousarray(values)) for name, values in columns.items()}))
