"""Columns as they stand in a file -> numbers that can be ranked, by the declared type of the attribute."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permaudit.data.scales.base import ColumnError, EncodedColumn, Scale
from permaudit.data.scales.boolean import BooleanScale
from permaudit.data.scales.numeric import NumericScale
from permaudit.data.scales.ordinal import OrdinalScale

if TYPE_CHECKING:
    import pyarrow as pa

    from permaudit.plan import Attribute

__all__ = ["ColumnError", "EncodedColumn", "Scale", "scale_of"]


def scale_of(attribute: Attribute, original: pa.ChunkedArray) -> Scale:
    """Return the scale that the original defines for an attribute; raise `ColumnError` where it cannot."""
    match attribute.type:
        case "numeric":
            return NumericScale(attribute, original)
        case "boolean":
            return BooleanScale(attribute, original)
        case "ordinal":
            return OrdinalScale(attribute, original)
        case _:
            raise ColumnError(f"is declared as {attribute.type}, which cannot be encoded yet")
