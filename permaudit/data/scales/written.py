"""Numbers that stand in a file as text, held as numbers: a third of the room, and nothing else is different."""

from __future__ import annotations

from typing import Any

import pyarrow as pa


class WrittenNumbers(pa.ExtensionType):  # type: ignore[misc]  # arrow has no types
    """Whole numbers or floats that were text: unlike a column of floats it has no width that could differ."""

    def __init__(self, kind: pa.DataType) -> None:
        """Take the type of the numbers."""
        super().__init__(kind, "permaudit.written-numbers")

    def __arrow_ext_serialize__(self) -> bytes:
        """Say nothing more than the type of the numbers does."""
        return b""

    @classmethod
    def __arrow_ext_deserialize__(cls, storage_type: Any, serialized: Any) -> WrittenNumbers:
        """Come back from what was said."""
        return cls(storage_type)


def written(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Mark numbers as text that was read."""
    kind = WrittenNumbers(column.type)
    return pa.chunked_array([pa.ExtensionArray.from_storage(kind, chunk) for chunk in column.chunks], kind)


def as_written(column: pa.ChunkedArray) -> pa.ChunkedArray | None:
    """Return the numbers, where the column is marked so."""
    if not isinstance(column.type, WrittenNumbers):
        return None
    return pa.chunked_array([chunk.storage for chunk in column.chunks], column.type.storage_type)
