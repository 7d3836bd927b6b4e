"""Categorical columns as places in a list of categories."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from permaudit import Taxonomy
from permaudit_plugins.anonymizers._listed import refused_column

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from permaudit import Attribute
    from permaudit.plan import AttributeType

CATEGORICAL: tuple[AttributeType, ...] = ("ordinal", "nominal", "boolean")

_BOOLEANS = {"false": 0, "0": 0, "true": 1, "1": 1}


@dataclass(frozen=True, slots=True, eq=False)
class Categories:
    """A categorical column: its categories, and which of them each record has."""

    names: Sequence[str]
    """Of an ordinal attribute the declared order, of a boolean one false and true, else those that occur, sorted."""
    places: NDArray[np.intp]
    """For each record the place of its category; -1 where it is missing."""


def read_categories(attribute: Attribute, column: pa.ChunkedArray) -> Categories:
    """Read a categorical column; an empty text is missing."""
    texts, index = _texts(attribute.name, column)
    if attribute.type == "boolean":
        known = {text: _BOOLEANS[text.lower()] for text in texts if text.lower() in _BOOLEANS}
        return Categories(("false", "true"), _placed(attribute.name, texts, index, known, "neither true nor false"))
    if attribute.type == "ordinal":
        order = {name: place for place, name in enumerate(attribute.order)}
        return Categories(attribute.order, _placed(attribute.name, texts, index, order, "not in the declared order"))
    names = sorted(texts)
    places = {name: place for place, name in enumerate(names)}
    return Categories(names, _placed(attribute.name, texts, index, places, "unknown"))


def read_nodes(attribute: Attribute, column: pa.ChunkedArray) -> tuple[Taxonomy, NDArray[np.intp]]:
    """Read a nominal column as nodes of its taxonomy; -1 stands for a missing value."""
    if not isinstance(attribute.taxonomy, Taxonomy):
        raise refused_column(attribute.name, "is nominal and has no taxonomy: its categories cannot be generalized")
    texts, index = _texts(attribute.name, column)
    nodes = {name: node for node, name in enumerate(attribute.taxonomy.names)}
    return attribute.taxonomy, _placed(attribute.name, texts, index, nodes, "not in the taxonomy")


def _texts(name: str, column: pa.ChunkedArray) -> tuple[list[str], NDArray[np.intp]]:
    """Return the distinct texts of a column, and which of them each record has."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        # Slices may share a dictionary that is not theirs alone: by value, never by index.
        column, kind = column.cast(kind.value_type), kind.value_type
    if pa.types.is_null(kind):
        return [], np.full(len(column), -1, np.intp)
    if pa.types.is_floating(kind):
        # A data frame holds whole numbers with gaps as floats.
        column = pc.if_else(pc.is_nan(column), pa.scalar(None, kind), column)
        try:
            column = column.cast(pa.int64())
        except pa.ArrowInvalid:
            raise refused_column(name, "has fractions, which are not categories") from None
    elif not (_is_text(kind) or pa.types.is_integer(kind) or pa.types.is_boolean(kind)):
        raise refused_column(name, "is not categorical")
    column = column.cast(pa.large_string())
    encoded = pc.if_else(pc.equal(column, ""), pa.scalar(None, column.type), column).combine_chunks()
    encoded = encoded.dictionary_encode()
    return encoded.dictionary.to_pylist(), encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.intp)


def _is_text(kind: pa.DataType) -> bool:
    """Tell whether a column holds text."""
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind))


def _placed(
    name: str, texts: Sequence[str], index: NDArray[np.intp], known: Mapping[str, int], what: str
) -> NDArray[np.intp]:
    """Give each record the place of its text; refuse texts that have none."""
    unknown = np.array([text not in known for text in texts] + [False])[index]
    if unknown.any():
        count, first = int(np.count_nonzero(unknown)), int(np.argmax(unknown)) + 1
        verb = "value that is" if count == 1 else "values that are"
        raise refused_column(name, f"has {count} {verb} {what} (first in record {first})")
    return np.array([known[text] for text in texts] + [-1], np.intp)[index]
