"""DuckDB databases, opened for reading, without access to anything else."""

from __future__ import annotations

from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any, ClassVar

from permaudit import DataError, Extent, ReaderCard, hookimpl, shown
from permaudit_plugins.readers._extra import needed
from permaudit_plugins.readers._queries import QueryOptions, count, require_table, select

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import pyarrow as pa

permaudit_api = 1

_FAILED = "is damaged, or the query does not fit it (the database's own words may quote data and are withheld)"
_CONFINED = {
    "enable_external_access": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "python_enable_replacements": "false",  # or a query could name our own variables
    "temp_directory": "",
    "lock_configuration": "true",
}

_OTHERS = {
    "comments": "SELECT (SELECT count(comment) FROM duckdb_tables() WHERE NOT internal)"
    " + (SELECT count(comment) FROM duckdb_columns() WHERE NOT internal)",
    "macros": "SELECT count(*) FROM duckdb_functions() WHERE NOT internal",
    "sequences": "SELECT count(*) FROM duckdb_sequences()",
    "types of its own": "SELECT count(*) FROM duckdb_types() WHERE NOT internal",
}
"""What else can be in a database, and how to count it."""


class DuckdbReader:
    """Read a table or one SELECT of a DuckDB database."""

    card: ClassVar[ReaderCard] = ReaderCard(id="duckdb", title="DuckDB database", suffixes=(".duckdb",))

    parameters: ClassVar[type[QueryOptions]] = QueryOptions

    def columns(self, path: Path, options: QueryOptions) -> tuple[str, ...]:
        """Return the names of the table's or the result's columns."""
        from permaudit_plugins.readers._damage import checked_names  # noqa: PLC0415

        with _opened(path, options) as database:
            return checked_names(database.sql(select(options)).columns)

    def extent(self, path: Path, columns: tuple[str, ...], options: QueryOptions) -> Extent:  # noqa: ARG002
        """Let the database count."""
        with _opened(path, options) as database:
            return Extent(*database.execute(count(options)).fetchone())

    def read(self, path: Path, columns: tuple[str, ...], options: QueryOptions) -> pa.Table:
        """Return the columns with their types in the database."""
        with _opened(path, options) as database:
            return database.sql(select(options, columns)).to_arrow_table().select(list(columns))

    def unread(self, path: Path, options: QueryOptions) -> tuple[str, ...]:
        """Name other tables and views, and what is written beside the cells of the table."""
        with _opened(path, options) as database:
            return tuple(_beside(database, options.table or ""))


def _beside(database: Any, table: str) -> Iterator[str]:
    """Say what a database holds beside one table."""
    found = database.execute("SELECT table_schema, table_name, table_type FROM information_schema.tables").fetchall()
    chosen = ("main", table) if ("main", table, "BASE TABLE") in found else None
    for schema, name, kind in found:
        if (schema, name) != chosen:
            yield f"{'view' if kind == 'VIEW' else 'table'} '{shown(name)}'"
    for noun, query in _OTHERS.items():
        if database.execute(query).fetchone()[0]:
            yield noun


@contextmanager
def _opened(path: Path, options: QueryOptions) -> Iterator[Any]:
    """Open the file for reading, and for nothing else."""
    duckdb = needed("duckdb", "duckdb", ".duckdb files")
    from permaudit_plugins.readers._damage import damage_is  # noqa: PLC0415

    log = path.with_name(path.name + ".wal")
    if log.exists() and log.stat().st_size:
        raise DataError.one("", "has unfinished changes in its .wal file; close the database where it is in use")
    place = str(path.resolve())  # an absolute path: names such as md:x are addresses to DuckDB
    with (
        damage_is(_FAILED, duckdb.Error),
        closing(duckdb.connect(place, read_only=True, config=_CONFINED)) as database,
    ):
        if options.query is not None:
            _require_select(duckdb, options.query)
        known = database.execute("SELECT table_name FROM information_schema.tables").fetchall()
        require_table(options, [name for (name,) in known])
        yield database


def _require_select(duckdb: Any, query: str) -> None:
    """Refuse what DuckDB itself does not take for one SELECT."""
    statements = duckdb.extract_statements(query)
    if [statement.type for statement in statements] != [duckdb.StatementType.SELECT]:
        raise DataError.one("", "the query is not one SELECT")


@hookimpl
def permaudit_readers() -> list[DuckdbReader]:
    """Provide the reader of DuckDB databases."""
    return [DuckdbReader()]
