"""SQLite and DuckDB files, and databases through SQLAlchemy."""

from __future__ import annotations

import datetime as dt
import hashlib
import random
import sqlite3
from contextlib import closing
from decimal import Decimal
from types import SimpleNamespace

import pyarrow as pa
import pytest
from pydantic import ValidationError

from permaudit import DataError
from permaudit.data.load import load
from permaudit.plan import FileSource, QuerySource
from permaudit_plugins.readers._queries import QueryOptions
from permaudit_plugins.readers.sql import SqlOptions

CANARY = "c4n4ry"
PASSWORD = "s3cr3t"


@pytest.fixture
def sqlite(tmp_path):
    """Return a function that makes an SQLite file by a script."""

    def make(script, name="a.sqlite"):
        with closing(sqlite3.connect(tmp_path / name)) as database:
            database.executescript(script)
        return tmp_path / name

    return make


PEOPLE = f"""
    CREATE TABLE people (code TEXT, country TEXT, income REAL, children INTEGER, note BLOB);
    INSERT INTO people VALUES ('007', 'NA', 1.5, 2, x'00ff'), ('010', NULL, 2, 9007199254740993, NULL);
    CREATE TABLE "odd ""name""; --" ("a ""b"" c" INTEGER, "{CANARY}" INTEGER);
    INSERT INTO "odd ""name""; --" VALUES (1, 2);
    CREATE VIEW rich AS SELECT code FROM people WHERE income > 1.7;
"""

# --------------------------------------------------------------------------- SQLite


def test_a_table_is_read_with_the_types_of_its_cells(sqlite, read):
    path = sqlite(PEOPLE)
    assert read(path, ["income", "code"], table="people").column_names == ["income", "code"]
    assert read(path, table="people").to_pydict() == {
        "code": ["007", "010"],
        "country": ["NA", None],
        "income": [1.5, 2.0],
        "children": [2, 9007199254740993],
        "note": [b"\x00\xff", None],
    }


def test_views_queries_and_odd_names_are_read_too(sqlite, read):
    path = sqlite(PEOPLE, "a.db")
    assert read(path, table="rich").to_pydict() == {"code": ["010"]}
    assert read(path, table='odd "name"; --', columns=['a "b" c']).to_pydict() == {'a "b" c': [1]}
    query = (
        "WITH x AS (SELECT income * 2 AS twice, ';' AS mark FROM people ORDER BY income DESC) SELECT * FROM x; -- end"
    )
    assert read(path, query=query).to_pydict() == {"twice": [4.0, 3.0], "mark": [";", ";"]}


def test_a_table_without_records_is_a_table(sqlite, read):
    assert read(sqlite("CREATE TABLE t (a, b)"), table="t").num_rows == 0


def test_a_missing_table_is_refused_with_those_that_are_there(sqlite, refused):
    assert "has no table 'persons'; it has 'odd " in refused(sqlite(PEOPLE), table="persons")
    assert "has no table 't'; it has none" in refused(sqlite("CREATE TABLE t (a); DROP TABLE t", "b.db"), table="t")


def test_columns_of_several_kinds_are_refused_by_record(sqlite, refused):
    path = sqlite(f"CREATE TABLE t (a, b); INSERT INTO t VALUES (1, 1), (2, x'00'), ('{CANARY}', 'x'), (4, 5)")
    text = refused(path, table="t")
    assert "column 'a' holds numbers and text (first in record 3)" in text
    assert "column 'b' holds numbers and binary data (first in record 2)" in text


def test_a_query_that_fails_is_refused_without_the_words_of_the_database(sqlite, refused):
    path = sqlite(PEOPLE)
    for query in (f"SELECT {CANARY}x FROM people", f"SELECT '{CANARY}' FROM nowhere", "SELECT FROM"):
        assert "withheld" in refused(path, query=query)
    assert "withheld" in refused(
        sqlite("CREATE TABLE t (a); INSERT INTO t VALUES (CAST(x'ff' AS TEXT))", "b.db"), table="t"
    )


def test_repeated_names_in_a_result_are_refused(sqlite, refused):
    assert "column 'code' stands 2 times" in refused(sqlite(PEOPLE), query="SELECT code, code FROM people")


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM pragma_database_list",
        "SELECT load_extension('x')",
        "SELECT * FROM pragma_table_info('people')",
    ],
)
def test_a_query_can_only_read(sqlite, refused, query):
    path = sqlite(PEOPLE)
    before = path.read_bytes()
    assert "withheld" in refused(path, query=query)
    assert path.read_bytes() == before


def test_reading_leaves_nothing_beside_the_file(sqlite, read):
    path = sqlite("PRAGMA journal_mode=WAL; CREATE TABLE t (a, b); INSERT INTO t VALUES (1, 2);")
    read(path, table="t")
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


def test_changes_that_are_not_in_the_file_yet_are_refused(tmp_path, refused):
    path = tmp_path / "a.sqlite"
    with closing(sqlite3.connect(path)) as database:
        database.executescript("PRAGMA journal_mode=WAL; CREATE TABLE t (a); INSERT INTO t VALUES (1);")
        assert "unfinished changes in its -wal file" in refused(path, table="t")


def test_damaged_sqlite_files_are_refused(sqlite, put, read, refused):
    rows = ",".join(f"('{CANARY}{i}', {i})" for i in range(500))
    content = sqlite(f"CREATE TABLE t (a, b); INSERT INTO t VALUES {rows}").read_bytes()
    assert "damaged" in refused(put("b.db", content[:5000]), table="t")
    assert "damaged" in refused(put("b.db", f"a,b\n1,{CANARY}\n" * 100), table="t")
    chance = random.Random(20261118)
    for _ in range(100):
        damaged = bytearray(content)
        for _ in range(chance.choice([1, 3, 30])):
            damaged[chance.randrange(16, len(content))] = chance.randrange(256)
        try:
            read(put("b.db", bytes(damaged)), table="t")
        except DataError as error:
            assert CANARY not in str(error)  # noqa: PT017 - damage that hits nothing raises nothing


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"table": "a", "query": "SELECT 1"},
        {"table": ""},
        {"query": ""},
        {"query": "DELETE FROM t"},
        {"query": "SELECT 1; DROP TABLE t"},
        {"query": "/* SELECT */ UPDATE t SET a = 1"},
        {"query": "SELECT ';'; -- SELECT\nDELETE FROM t"},
        {"query": "selection"},
        {"query": "WITH x AS (SELECT 1) DELETE FROM people"},
        {"query": "WITH x AS (DELETE FROM people RETURNING *) SELECT * FROM x"},
        {"query": "SELECT * INTO copy FROM people"},
        {"query": "ATTACH 'x' AS y"},
    ],
)
def test_options_must_be_one_table_or_one_select(options):
    with pytest.raises(ValidationError):
        QueryOptions.model_validate(options)


def test_marks_in_quotes_and_comments_do_not_end_a_query():
    query = "-- first; this\nselect ';', \"a;b\" /* ; */ from t where x = 'it''s; delete' ;"
    assert QueryOptions(query=query).query == query.removesuffix(" ;")


def test_a_reader_that_cannot_do_without_options_says_so(sqlite, readers):
    with pytest.raises(DataError, match="the reader 'sqlite' cannot do without options:"):
        load(FileSource(path=sqlite(PEOPLE), shown="data"), ["code"], readers)


# --------------------------------------------------------------------------- DuckDB


@pytest.fixture
def duck(tmp_path):
    duckdb = pytest.importorskip("duckdb", reason="needs the extra 'duckdb'")

    def make(script, name="a.duckdb"):
        with closing(duckdb.connect(tmp_path / name)) as database:
            database.execute(script)
        return tmp_path / name

    return make


DUCKS = f"""
    CREATE TABLE people (code VARCHAR, income DECIMAL(10, 2), day DATE, big UBIGINT, "a ""b"" c" INTEGER);
    INSERT INTO people VALUES ('007', 1.5, DATE '2024-01-02', 18446744073709551615, 1), ('NA', NULL, NULL, 0, {2**31 - 1});
    CREATE VIEW few AS SELECT code FROM people LIMIT 1;
"""


def test_a_duckdb_table_is_read_with_its_types(duck, read):
    path = duck(DUCKS)
    table = read(path, table="people")
    assert table.to_pydict() == {
        "code": ["007", "NA"],
        "income": [Decimal("1.50"), None],
        "day": [dt.date(2024, 1, 2), None],
        "big": [2**64 - 1, 0],
        'a "b" c': [1, 2**31 - 1],
    }
    assert pa.types.is_decimal(table["income"].type)
    assert read(path, ["big", "code"], table="people").column_names == ["big", "code"]
    assert read(path, table="few").num_rows == 1
    assert read(path, query="SELECT big, code FROM people ORDER BY code DESC").to_pydict()["code"] == ["NA", "007"]
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


@pytest.mark.parametrize(
    "query",
    [
        "SELECT * FROM read_csv('{other}')",
        "SELECT * FROM '{other}'",
        "SELECT * FROM glob('/*')",
        "SELECT * FROM options",
        "SELECT * FROM nowhere",
        "SELECT CAST(code AS INTEGER) FROM people",
    ],
)
def test_a_duckdb_query_sees_its_own_database_and_nothing_else(duck, put, refused, query):
    path = duck(DUCKS)
    other = put("other.csv", f"a\n{CANARY}\n")
    before = hashlib.sha256(path.read_bytes()).hexdigest()
    text = refused(path, query=query.format(other=other))
    assert "withheld" in text or "not one SELECT" in text
    assert hashlib.sha256(path.read_bytes()).hexdigest() == before


def test_missing_tables_and_damaged_files_of_duckdb_are_refused(duck, put, refused):
    path = duck(DUCKS)
    assert "has no table 'persons'; it has 'few', 'people'" in refused(path, table="persons")
    assert "damaged" in refused(put("b.duckdb", path.read_bytes()[:9000]), table="people")
    assert "damaged" in refused(put("c.duckdb", f"a,b\n1,{CANARY}\n" * 100), table="people")
    assert "unfinished changes" in refused(put("a.duckdb.wal", "x").with_name("a.duckdb"), table="people")


# --------------------------------------------------------------------------- SQLAlchemy


@pytest.fixture
def server(sqlite, monkeypatch):
    """Stand in for a server: SQLite through SQLAlchemy."""
    pytest.importorskip("sqlalchemy", reason="needs the extra 'sql'")
    monkeypatch.setenv("PEOPLE_DB", f"sqlite:///{sqlite(PEOPLE)}")


@pytest.fixture
def fetch(readers):
    def table_of(columns=("code", "income"), **options):
        options.setdefault("url-env", "PEOPLE_DB")
        chosen = SqlOptions.model_validate(options)
        return load(QuerySource(format="sql", options=chosen, shown="people"), columns, readers)

    return table_of


def test_a_table_of_a_database_is_read_and_its_hash_is_kept(server, fetch):
    loaded = fetch(table="people")
    assert loaded.table.to_pydict() == {"code": ["007", "010"], "income": [1.5, 2.0]}
    assert loaded.column_names == ("code", "country", "income", "children", "note")
    assert loaded.input.path == "people"
    assert len(loaded.input.sha256) == 64
    assert fetch(table="people").input.sha256 == loaded.input.sha256
    ordered = "SELECT income, code FROM people ORDER BY income"
    assert fetch(query=ordered).input.sha256 == loaded.input.sha256
    assert fetch(query=ordered + " DESC").input.sha256 != loaded.input.sha256


def test_views_odd_names_and_colons_are_no_trouble(server, fetch):
    assert fetch(["code"], table="rich").table.num_rows == 1
    assert fetch(['a "b" c'], table='odd "name"; --').table.to_pydict() == {'a "b" c': [1]}
    assert fetch(["t"], query="SELECT 'a:b %s %' AS t FROM people").table["t"].to_pylist() == ["a:b %s %"] * 2


def test_a_query_that_fails_on_a_server_is_refused_without_the_words_of_the_driver(server, fetch):
    with pytest.raises(DataError, match=r"^people: the query failed") as caught:
        fetch(query=f"SELECT {CANARY} FROM people")
    assert CANARY not in str(caught.value)
    assert fetch(table="people").records == 2


def test_missing_columns_and_tables_are_refused_by_the_name_in_the_audit_file(server, fetch):
    with pytest.raises(DataError, match=r"^people: has no column 'Income'; did you mean 'income'"):
        fetch(["Income"], table="people")
    with pytest.raises(DataError, match=r"^people: has no table 'x'; it has "):
        fetch(table="x")


def test_a_variable_that_is_not_set_is_named(server, fetch, monkeypatch):
    monkeypatch.delenv("PEOPLE_DB")
    with pytest.raises(DataError, match="people: the environment variable PEOPLE_DB is not set"):
        fetch(table="people")


@pytest.mark.parametrize(
    "address",
    [
        f"postgresql://user:{PASSWORD}@127.0.0.1:1/x",
        f"nonsense://user:{PASSWORD}@h/x",
        f"user:{PASSWORD}",
        f"mysql+pymysql://u:{PASSWORD}@127.0.0.1:1/x",
        f"sqlite:////nowhere/{PASSWORD}/x.db",
        f"sqlite:///x.db?{PASSWORD}=1",
    ],
)
def test_no_part_of_an_address_is_ever_told(server, fetch, monkeypatch, address):
    monkeypatch.setenv("PEOPLE_DB", address)
    with pytest.raises(DataError) as caught:
        fetch(table="people")
    assert PASSWORD not in str(caught.value)
    assert "withheld" in str(caught.value) or "has no table" in str(caught.value)
    assert caught.value.__cause__ is None or PASSWORD not in str(caught.value.__cause__)


def test_an_address_in_the_audit_file_is_refused_and_not_repeated():
    with pytest.raises(ValidationError) as caught:
        SqlOptions.model_validate({"url-env": f"postgresql://u:{PASSWORD}@h/x", "table": "t"})
    assert PASSWORD not in str(caught.value)
    assert "not the address itself" in str(caught.value)


def test_a_reader_without_a_file_refuses_a_path_and_one_with_a_file_wants_it(put, readers):
    options = SimpleNamespace()
    with pytest.raises(DataError, match="the reader 'sql' reads no file; leave out path:"):
        load(FileSource(path=put("a.csv", "a\n1\n"), shown="data", format="sql", options=options), ["a"], readers)
    with pytest.raises(DataError, match="the reader 'csv' needs a path:"):
        load(QuerySource(format="csv", options=options, shown="data"), ["a"], readers)
