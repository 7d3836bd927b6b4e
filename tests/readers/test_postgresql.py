"""The reader of SQL against a real server: a PostgreSQL of this machine, started for these tests and gone after them."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
from decimal import Decimal
from pathlib import Path

import pytest

from permaudit import DataError
from permaudit.data.load import extent_of, load
from permaudit.plan import QuerySource
from permaudit_plugins.readers.sql import SqlOptions

CODES = ["007", "NA", "010"]
AMOUNTS = ["1.10", "9007199254740993.25", None]


def programs() -> Path | None:
    """Return the folder of PostgreSQL's programs, which Debian does not put on the path."""
    found = shutil.which("initdb")
    return Path(found).parent if found else max(Path("/usr/lib/postgresql").glob("*/bin"), default=None)


@pytest.fixture(scope="module")
def server():
    """Start a server on the loopback interface, and return its address."""
    folder = programs()
    pytest.importorskip("psycopg", reason="needs a driver for PostgreSQL")
    sqlalchemy = pytest.importorskip("sqlalchemy", reason="needs the extra 'sql'")
    if folder is None:
        pytest.skip("no PostgreSQL on this machine: the reader was tried with SQLite only")
    # Not in pytest's own folders, which only their owner may enter.
    home = Path(tempfile.mkdtemp(prefix="permaudit-server-"))
    data = home / "data"
    data.mkdir()
    as_somebody = []
    if os.getuid() == 0:  # the server refuses to run as root
        shutil.chown(data, "postgres")
        home.chmod(0o755)
        as_somebody = ["runuser", "-u", "postgres", "--"]
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]

    def call(program: str, *arguments: str) -> None:
        command = [*as_somebody, str(folder / program), "-D", str(data), *arguments]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd="/", timeout=120)

    call("initdb", "-A", "trust", "-U", "audit", "-E", "UTF8", "--no-sync")
    call("pg_ctl", "-w", "-o", f"-p {port} -k {data} -c listen_addresses=127.0.0.1 -c fsync=off", "start")
    address = f"postgresql+psycopg://audit@127.0.0.1:{port}/postgres"
    try:
        engine = sqlalchemy.create_engine(address)
        with engine.begin() as connection:
            make = 'CREATE TABLE "Odd People" (code text, amount numeric(20, 2), born date, "n:o" bigint)'
            connection.execute(sqlalchemy.text(make.replace(":", r"\:")))
            for place, (code, amount) in enumerate(zip(CODES, AMOUNTS, strict=True)):
                row = {"c": code, "a": amount and Decimal(amount), "n": place}
                insert = """INSERT INTO "Odd People" VALUES (:c, :a, '2001-02-03', :n)"""
                connection.execute(sqlalchemy.text(insert), row)
            adds = """INSERT INTO "Odd People" VALUES ('added') RETURNING code"""
            connection.execute(sqlalchemy.text(f"CREATE FUNCTION adds() RETURNS text LANGUAGE sql AS $${adds}$$"))
        engine.dispose()
        yield address
    finally:
        call("pg_ctl", "-m", "immediate", "stop")
        shutil.rmtree(home)


@pytest.fixture
def source(server, monkeypatch):
    """Return a function that makes a source of the server."""
    monkeypatch.setenv("PEOPLE_DB", server)

    def make(**options):
        chosen = SqlOptions.model_validate({"url-env": "PEOPLE_DB", **options})
        return QuerySource(format="sql", options=chosen, shown="people")

    return make


def test_a_table_is_read_with_codes_as_text_and_decimals_to_the_last_digit(source, readers):
    loaded = load(source(table="Odd People"), ["code", "amount", "n:o"], readers)
    assert loaded.column_names == ("code", "amount", "born", "n:o")
    columns = loaded.table.to_pydict()
    assert columns["code"] == CODES
    assert columns["amount"] == [amount and Decimal(amount) for amount in AMOUNTS]
    assert columns["n:o"] == [0, 1, 2]


def test_the_server_counts_before_anything_is_read(source, readers):
    assert extent_of(source(table="Odd People"), ["code"], readers).records == len(CODES)
    query = 'SELECT code FROM "Odd People" WHERE amount IS NOT NULL'
    assert extent_of(source(query=query), ["code"], readers).records == len(CODES) - 1


@pytest.mark.parametrize(
    "query", ['SELECT no_such_column FROM "Odd People"', 'SELECT code::integer AS code FROM "Odd People"']
)
def test_what_the_driver_says_is_not_told(source, readers, query):
    """Its words quote cells: `invalid input syntax for type integer: "NA"`."""
    with pytest.raises(DataError) as refused:
        load(source(query=query), ["code"], readers)
    assert "the query failed" in str(refused.value)
    assert "NA" not in str(refused.value)
    assert "127.0.0.1" not in str(refused.value)


def test_what_a_function_of_the_server_writes_is_taken_back(source, readers):
    """One SELECT is let through, and what it may set off is never committed."""
    assert load(source(query="SELECT adds() AS code"), ["code"], readers).table.to_pydict() == {"code": ["added"]}
    assert load(source(table="Odd People"), ["code"], readers).records == len(CODES)
