"""What the files of Arrow and Parquet hold beside the cells of their columns."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from permaudit import shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_FORMAT_KEYS = {b"ARROW:schema", b"pandas"}
"""What every writer adds to say of which types the columns are."""
_FIELD_KEYS = {b"PARQUET:field_id"}
_PANDAS_KEYS = {"index_columns", "column_indexes", "columns", "partition_columns", "creator", "pandas_version"}
_PANDAS_OF_COLUMNS = {"num_categories", "ordered", "encoding", "timezone", "unit"}


def beside_the_cells(schema: pa.Schema, more: Mapping[bytes, bytes] | None = None) -> Iterator[str]:
    """Say what the schema and the file hold beside names and types; `more` is what the file has of its own."""
    metadata = {**(schema.metadata or {}), **(more or {})}
    for key in metadata.keys() - _FORMAT_KEYS:
        yield f"metadata '{shown(key.decode(errors='replace'))}'"
    if not _is_pandas_own(metadata.get(b"pandas", b"{}")):
        yield "metadata that pandas was given, and does not write by itself"
    for field in schema:
        if (field.metadata or {}).keys() - _FIELD_KEYS:
            yield f"metadata of column '{shown(field.name)}'"


def has_dictionaries(schema: pa.Schema) -> list[str]:
    """Return the columns whose values are kept in a list of their own."""
    return [field.name for field in schema if pa.types.is_dictionary(field.type)]


def unused_values(table: pa.Table) -> Iterator[str]:
    """Name the columns that list values which no record has, or one value twice: which of the two a record has is not its value."""
    for name in table.column_names:
        chunks = table[name].chunks
        if any(len(chunk.indices.drop_null().unique()) < len(chunk.dictionary) for chunk in chunks):
            yield f"values of column '{shown(name)}' that no record has"
        if any(len(chunk.dictionary.unique()) < len(chunk.dictionary) for chunk in chunks):
            yield f"values of column '{shown(name)}' that are listed twice"


def _is_pandas_own(text: bytes) -> bool:
    """Tell whether pandas' description of a table says no more than it always does."""
    try:
        said = json.loads(text)
        columns = [*said.get("columns", []), *said.get("column_indexes", [])]
        return said.keys() <= _PANDAS_KEYS | {"attributes"} and not said.get("attributes") and _are_plain(columns)
    except (ValueError, AttributeError, TypeError):
        return False


def _are_plain(columns: list[dict[str, Any]]) -> bool:
    """Tell whether what is said of each column is about its type."""
    return all((column.get("metadata") or {}).keys() <= _PANDAS_OF_COLUMNS for column in columns)
