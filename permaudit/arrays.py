"""Between arrow and numpy without pandas, which pyarrow's own conversions import and which takes longer than small audits."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

if TYPE_CHECKING:
    from numpy.typing import NDArray


def to_numpy(column: pa.ChunkedArray) -> NDArray[Any]:
    """Return a column of numbers without missing values; one chunk without a copy."""
    chunks = chunks_to_numpy(column)
    return chunks[0] if len(chunks) == 1 else np.concatenate(chunks or [np.empty(0, column.type.to_pandas_dtype())])


def chunks_to_numpy(column: pa.ChunkedArray) -> list[NDArray[Any]]:
    """Return each chunk of a column of numbers without missing values, without a copy."""
    return [_viewed(chunk, np.dtype(column.type.to_pandas_dtype())) for chunk in column.chunks]


def to_arrow(values: NDArray[Any], missing: NDArray[np.bool_] | None = None) -> pa.Array:
    """Return numbers as an arrow array, with nulls where a value is missing."""
    plain = np.ascontiguousarray(values)
    valid = None
    if missing is not None:
        valid = pa.py_buffer(np.packbits(~missing, bitorder="little").tobytes())
    return pa.Array.from_buffers(pa.from_numpy_dtype(plain.dtype), plain.size, [valid, pa.py_buffer(plain)])


def _viewed(chunk: pa.Array, kind: np.dtype[Any]) -> NDArray[Any]:
    """Look at the memory of one chunk as numbers."""
    if not len(chunk):
        return np.empty(0, kind)
    whole = np.frombuffer(chunk.buffers()[1], kind)
    return whole[chunk.offset : chunk.offset + len(chunk)]
