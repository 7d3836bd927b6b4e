"""Columns as they stand in a file -> numbers that can be ranked, by the declared type of the attribute."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permaudit.data.scales.base import ColumnError, EncodedColumn, Scale, refuse
from permaudit.data.scales.boolean import BooleanScale
from permaudit.data.scales.dates import DateScale
from permaudit.data.scales.datetimes import DatetimeScale
from permaudit.data.scales.nominal import NominalScale
from permaudit.data.scales.numbers import numbers_of_piece
from permaudit.data.scales.numeric import NumericScale
from permaudit.data.scales.ordinal import OrdinalScale
from permaudit.data.scales.taxonomy import nested_taxonomy, read_taxonomy
from permaudit.data.scales.written import written

if TYPE_CHECKING:
    import pyarrow as pa

    from permaudit.plan import Attribute

__all__ = [
    "ColumnError",
    "DatetimeScale",
    "EncodedColumn",
    "NumericScale",
    "Scale",
    "nested_taxonomy",
    "numbers_of_piece",
    "read_taxonomy",
    "refuse",
    "scale_of",
    "written",
]


def scale_of(attribute: Attribute, original: pa.ChunkedArray) -> Scale:
    """Return the scale that the original defines for an attribute; raise `ColumnError` where it cannot."""
    match attribute.type:
        case "numeric":
            return NumericScale(attribute, original)
        case "date":
            return DateScale(attribute, original)
        case "datetime":
            return DatetimeScale(attribute, original)
        case "boolean":
            return BooleanScale(attribute, original)
        case "ordinal":
            return OrdinalScale(attribute, original)
        case "nominal":
            return NominalScale(attribute, original)
