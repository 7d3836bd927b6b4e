"""Databases on a server, through SQLAlchemy."""

from __future__ import annotations

import os
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from pydantic import AfterValidator, ConfigDict, Field

from permaudit import DataError, Extent, ReaderCard, hookimpl
from permaudit_plugins.readers._extra import needed
from permaudit_plugins.readers._queries import QueryOptions, by_column, count, require_table

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa

permaudit_api = 1

_BATCH = 10_000
_NO_CONNECTION = (
    "no connection: the address may be wrong, the server away, or its driver not installed (the driver's own words may "
    "hold the password and are withheld)"
)
_FAILED = "the query failed (the driver's own words may quote data and are withheld)"


def _variable(name: str) -> str:
    """Return the name if it can be that of an environment variable."""
    if not name.isidentifier() or not name.isascii():
        raise ValueError("must be the name of an environment variable that holds the address, not the address itself")
    return name


class SqlOptions(QueryOptions):
    """Where the database is, and what to read from it."""

    # An address that was written here by mistake must not come back in a message.
    model_config = ConfigDict(hide_input_in_errors=True)

    url_env: Annotated[str, AfterValidator(_variable)] = Field(
        alias="url-env", description="the environment variable that holds SQLAlchemy's URL of the database"
    )


class SqlReader:
    """Read a table or one SELECT of a database that SQLAlchemy knows."""

    card: ClassVar[ReaderCard] = ReaderCard(id="sql", title="Database through SQLAlchemy", suffixes=(), local=False)

    parameters: ClassVar[type[SqlOptions]] = SqlOptions

    def columns(self, path: object, options: SqlOptions) -> tuple[str, ...]:  # noqa: ARG002 - there is no path
        """Return the names of the table's or the result's columns."""
        from permaudit_plugins.readers._damage import checked_names  # noqa: PLC0415

        with _result(options, ()) as result:
            return checked_names(list(result.keys()))

    def extent(self, path: object, columns: tuple[str, ...], options: SqlOptions) -> Extent | None:  # noqa: ARG002
        """Let the database count; not every one counts the records of every query."""
        with _connected(options) as (alchemy, connection):
            if options.query is None:
                _require(alchemy, connection, options)
                counted = alchemy.select(alchemy.func.count()).select_from(alchemy.table(options.table))
                return Extent(connection.execute(counted).scalar_one())
            try:
                return Extent(connection.exec_driver_sql(count(options)).scalar_one())
            except alchemy.exc.SQLAlchemyError:
                return None

    def read(self, path: object, columns: tuple[str, ...], options: SqlOptions) -> pa.Table:  # noqa: ARG002
        """Return the columns, each with the one type that its cells have."""
        from permaudit_plugins.readers._typed import typed_table  # noqa: PLC0415

        with _result(options, columns) as result:
            cells = by_column(list(result.keys()), columns, result.partitions(_BATCH))
        return typed_table(cells)


@contextmanager
def _result(options: SqlOptions, columns: Sequence[str]) -> Iterator[Any]:
    """Run the query."""
    with _connected(options) as (alchemy, connection):
        if options.query is not None:
            found = connection.exec_driver_sql(options.query)
        else:
            about = _require(alchemy, connection, options)
            names = columns or [column["name"] for column in about.get_columns(options.table)]
            fields = [alchemy.column(name) for name in names]
            found = connection.execute(alchemy.select(*fields).select_from(alchemy.table(options.table)))
        with closing(found):  # a cursor may live on the server
            yield found


def _require(alchemy: Any, connection: Any, options: SqlOptions) -> Any:
    """Refuse a table that is not there; return what tells about the others."""
    about = alchemy.inspect(connection)
    require_table(options, [*about.get_table_names(), *about.get_view_names()])
    return about


@contextmanager
def _connected(options: SqlOptions) -> Iterator[tuple[Any, Any]]:
    """Give SQLAlchemy and a connection, in a transaction that is never committed."""
    alchemy = needed("sqlalchemy", "sql", "from a database")
    address = os.environ.get(options.url_env)
    if not address:
        raise DataError.one(
            "", f"the environment variable {options.url_env} is not set; it must hold the database's URL"
        )
    with _withheld(_NO_CONNECTION):
        engine = alchemy.create_engine(address, poolclass=alchemy.pool.NullPool, hide_parameters=True)
        connection = engine.connect().execution_options(stream_results=True)
    with connection, _withheld(_FAILED):
        try:
            yield alchemy, connection
        finally:
            connection.rollback()


@contextmanager
def _withheld(message: str) -> Iterator[None]:
    """Put our words in the place of the driver's, whatever it raises."""
    try:
        yield
    except DataError:
        raise
    except Exception:
        raise DataError.one("", message) from None


@hookimpl
def permaudit_readers() -> list[SqlReader]:
    """Provide the reader of databases."""
    return [SqlReader()]
