"""What a column of the original holds: its type, how many values differ, and what makes them so."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from permaudit.data.scales import ColumnError, scale_of
from permaudit.data.scales.base import blanks_to_nulls, is_text, plain, type_name
from permaudit.plan import Attribute

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from permaudit.data.scales import EncodedColumn, Scale
    from permaudit.plan import AttributeType

SAMPLE = 100_000
"""So many values are looked at to guess a type; what was guessed is then held against all of them."""
_TYPES: tuple[AttributeType, ...] = ("numeric", "boolean", "date", "datetime")
"""The types that values show by themselves, in the order in which they are tried: 0 and 1 are numbers."""

_LEADING_ZERO = r"^[+-]?0[0-9]"
_NUMBER = r"^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$"
LIKE_DATE = r"^(\d{4}[./-]\d{1,2}[./-]\d{1,2}|\d{1,2}[./-]\d{1,2}[./-](\d{2}|\d{4}))([ T]|$)"
"""Dates in any notation."""
_MOST = 0.5
_EXACT_FLOATS = 2.0**53


@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """A column of the original."""

    name: str
    cells: pa.ChunkedArray
    """As it stands in the file."""
    values: pa.ChunkedArray
    """The cells that are not missing."""
    distinct: int
    type: AttributeType | None = None
    """None for text, and for what no type of attribute fits."""
    scale: Scale | None = None
    """The scale of that type."""
    why_untyped: str = ""
    """Why it almost has a type, or can have none; empty for plain text."""

    @property
    def missing(self) -> int:
        """Return how many values are missing."""
        return self.records - len(self.values)

    @property
    def records(self) -> int:
        """Return how many records there are."""
        return len(self.cells)

    @property
    def is_text(self) -> bool:
        """Tell whether it holds text that is nothing else."""
        return self.type is None and is_text(self.values.type)

    @property
    def is_constant(self) -> bool:
        """Tell whether every record has the same value."""
        return self.distinct <= 1 and not self.missing

    @property
    def is_unique(self) -> bool:
        """Tell whether no value is there twice."""
        return self.distinct == len(self.values) > 1

    def whole_numbers(self) -> NDArray[Any] | None:
        """Return the values in file order if all of them are whole numbers."""
        if self.type != "numeric" or self.scale is None:
            return None
        numbers = present_codes(self.scale.original)
        if self.scale.original.statements:  # too many digits: held by their order
            return None if is_text(self.values.type) and _any(self.values, r"[.eE]") else numbers
        if numbers.dtype.kind != "f":
            return numbers
        is_whole = bool((np.abs(numbers) < _EXACT_FLOATS).all() and (numbers == np.floor(numbers)).all())
        return numbers.astype(np.int64) if is_whole else None


def describe(table: pa.Table, name: str) -> Column:
    """Look at a column."""
    column = plain(table[name])
    present = present_values(column)
    common: dict[str, Any] = {"name": name, "cells": column, "values": present}
    if not len(present):
        return Column(**common, distinct=0, why_untyped="it has no value at all")
    try:
        kind, scale, why = _typed(column, present)
        if scale is None or (kind == "numeric" and is_text(present.type) and _any(present, _LEADING_ZERO)):
            return Column(**common, distinct=int(pc.count_distinct(present).as_py()), why_untyped=why)
    except pa.ArrowException:  # such as a list or a structure, which nothing compares
        return Column(**common, distinct=len(present), why_untyped=f"it is of type {type_name(column.type)}")
    return Column(**common, distinct=np.unique(present_codes(scale.original)).size, type=kind, scale=scale)


def present_values(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return the values that are not missing."""
    column = plain(column)
    if is_text(column.type):
        column = blanks_to_nulls(column)
    elif pa.types.is_floating(column.type):
        column = column.filter(pc.invert(pc.fill_null(pc.is_nan(column), fill_value=True)))
    return column.drop_null()


def present_codes(encoded: EncodedColumn) -> NDArray[Any]:
    """Return the codes of the values that are not missing."""
    return encoded.codes if encoded.missing is None else encoded.codes[~encoded.missing]


def share(values: pa.ChunkedArray, pattern: str) -> float:
    """Return the share of texts that match a pattern."""
    return float(pc.mean(pc.match_substring_regex(values, pattern).cast(pa.float64())).as_py() or 0)


def cell_type(values: pa.ChunkedArray) -> AttributeType | None:
    """Return the type that all of these cells show, or None for text; numbers with leading zeros are text."""
    found = next((kind for kind in _types(values) if _scale(kind, values)[0] is not None), None)
    return None if found == "numeric" and is_text(values.type) and _any(values, _LEADING_ZERO) else found


def _typed(column: pa.ChunkedArray, present: pa.ChunkedArray) -> tuple[AttributeType | None, Scale | None, str]:
    """Return the first type that fits a sample and then the whole, or why none does."""
    sample = present.slice(0, SAMPLE)
    for kind in _types(column):
        if _scale(kind, sample)[0] is None:
            continue
        scale, why = _scale(kind, column)
        if scale is not None:
            return kind, scale, ""
        return None, None, f"its first values are {kind}, but it {why}"
    if not is_text(column.type):
        return None, None, f"it is of type {type_name(column.type)}"
    if share(sample, LIKE_DATE) >= _MOST:
        return None, None, "it looks like dates that are not written as YYYY-MM-DD"
    if share(sample, _NUMBER) >= _MOST:
        return None, None, f"most of it is numeric, but it {_scale('numeric', column)[1]}"
    return None, None, ""


def _types(column: pa.ChunkedArray) -> tuple[AttributeType, ...]:
    """Return the types to try."""
    return ("boolean",) if pa.types.is_boolean(column.type) else _TYPES


def _scale(kind: AttributeType, column: pa.ChunkedArray) -> tuple[Scale | None, str]:
    """Return the scale that a column defines, or why it defines none."""
    try:
        return scale_of(Attribute(name="", type=kind), column), ""
    except ColumnError as error:
        return None, str(error)


def _any(values: pa.ChunkedArray, pattern: str) -> bool:
    """Tell whether any text matches a pattern."""
    return bool(pc.any(pc.match_substring_regex(values, pattern)).as_py())
