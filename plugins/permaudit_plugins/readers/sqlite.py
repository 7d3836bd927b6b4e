"""SQLite databases, opened so that nothing can change them."""

from __future__ import annotations

from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, ClassVar

from permaudit import DataError, Extent, ReaderCard, hookimpl, shown
from permaudit_plugins.readers._queries import (
    QueryOptions,
    by_column,
    count,
    has_comment,
    quoted,
    require_table,
    select,
)

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator
    from pathlib import Path

    import pyarrow as pa

permaudit_api = 1

_BATCH = 10_000
_FAILED = "is damaged, or the query does not fit it (the database's own words may quote data and are withheld)"


class SqliteReader:
    """Read a table or one SELECT of an SQLite database."""

    card: ClassVar[ReaderCard] = ReaderCard(
        id="sqlite", title="SQLite database", suffixes=(".sqlite", ".db"), magic=(b"SQLite format 3\0",)
    )

    parameters: ClassVar[type[QueryOptions]] = QueryOptions

    def columns(self, path: Path, options: QueryOptions) -> tuple[str, ...]:
        """Return the names of the table's or the result's columns."""
        from permaudit_plugins.readers._damage import checked_names  # noqa: PLC0415

        with _opened(path, options) as database:
            return checked_names(_names(database.execute(select(options))))

    def extent(self, path: Path, columns: tuple[str, ...], options: QueryOptions) -> Extent:  # noqa: ARG002
        """Let the database count."""
        with _opened(path, options) as database:
            return Extent(*database.execute(count(options)).fetchone())

    def read(self, path: Path, columns: tuple[str, ...], options: QueryOptions) -> pa.Table:
        """Return the columns, each with the one type that its cells have."""
        from permaudit_plugins.readers._typed import typed_table  # noqa: PLC0415

        with _opened(path, options) as database:
            cursor = database.execute(select(options, columns))
            batches = iter(lambda: cursor.fetchmany(_BATCH), [])
            return typed_table(by_column(_names(cursor), columns, batches))

    def unread(self, path: Path, options: QueryOptions) -> tuple[str, ...]:
        """Name other tables, deleted content, and what is written beside the cells of the table."""
        with _opened(path, options) as database:
            return tuple(_beside(database, path, options.table or ""))


def _beside(database: sqlite3.Connection, path: Path, table: str) -> Iterator[str]:
    """Say what a database holds beside one table."""
    database.set_authorizer(None)
    found = database.execute("SELECT type, name, coalesce(sql, ''), tbl_name FROM sqlite_master").fetchall()
    for kind, name, sql, owner in found:
        if name != table and not (kind == "index" and owner == table and not sql):
            yield f"{kind} '{shown(name)}'"
        elif name == table and kind == "view":
            yield f"what the view '{shown(name)}' makes of its tables"
        elif has_comment(sql):
            yield f"comments in the definition of '{shown(name)}'"
        elif name == table and not _counts_rows(database, table):
            yield "row ids that do more than count the rows"
    pages, free, size = (
        database.execute(f"PRAGMA {what}").fetchone()[0] for what in ("page_count", "freelist_count", "page_size")
    )
    if free or path.stat().st_size > pages * size:
        yield "pages that no table uses and that may hold deleted records (VACUUM removes them)"


def _counts_rows(database: sqlite3.Connection, table: str) -> bool:
    """Tell whether the hidden row ids are 1, 2, 3 and so on; a table without any has nothing hidden there."""
    import sqlite3  # noqa: PLC0415

    name = quoted(table)
    try:
        counted, last = database.execute(f"SELECT count(*), max(rowid) FROM {name}").fetchone()  # noqa: S608 - quoted
    except sqlite3.OperationalError:
        return True
    shown_too = any(
        kind.upper() == "INTEGER" and key for _, _, kind, _, _, key in database.execute(f"PRAGMA table_info({name})")
    )
    return bool(shown_too or counted == (last or 0))


@contextmanager
def _opened(path: Path, options: QueryOptions) -> Iterator[sqlite3.Connection]:
    """Open the file as one that nobody changes, for reading and for nothing else."""
    import sqlite3  # noqa: PLC0415

    from permaudit_plugins.readers._damage import damage_is  # noqa: PLC0415

    for log in ("-wal", "-journal"):
        beside = path.with_name(path.name + log)
        if beside.exists() and beside.stat().st_size:
            raise DataError.one("", f"has unfinished changes in its {log} file; close the database where it is in use")
    reading = {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}
    address = f"{path.resolve().as_uri()}?mode=ro&immutable=1"
    with damage_is(_FAILED, sqlite3.Error, sqlite3.Warning), closing(sqlite3.connect(address, uri=True)) as database:
        database.set_authorizer(lambda action, *_: sqlite3.SQLITE_OK if action in reading else sqlite3.SQLITE_DENY)
        known = database.execute("SELECT name FROM sqlite_master WHERE type IN ('table', 'view')").fetchall()
        require_table(options, [name for (name,) in known])
        yield database


def _names(cursor: sqlite3.Cursor) -> list[str]:
    """Return the names of a result's columns."""
    return [column[0] for column in cursor.description]


@hookimpl
def permaudit_readers() -> list[SqliteReader]:
    """Provide the reader of SQLite databases."""
    return [SqliteReader()]
