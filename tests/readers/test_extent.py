"""How much there is to read, told before it is read."""

from __future__ import annotations

import gzip
import sqlite3
from contextlib import closing

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from permaudit.data import files
from permaudit.data.files import check_unpacked
from permaudit.data.load import extent_of
from permaudit.plan import FileSource, QuerySource, TableSource
from permaudit_plugins.readers.sql import SqlOptions

RECORDS = 300


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(1)
    return pd.DataFrame({"A": rng.normal(size=RECORDS), "B": rng.integers(9, size=RECORDS), "C": ["x\ny"] * RECORDS})


def to_sqlite(frame, path):
    with closing(sqlite3.connect(path)) as database:
        frame.to_sql("people", database, index=False)


def to_duckdb(frame, path):
    duckdb = pytest.importorskip("duckdb", reason="needs the extra 'duckdb'")
    with closing(duckdb.connect(path)) as database:
        database.sql("CREATE TABLE people AS SELECT * FROM frame")


def to_excel(frame, path):
    pytest.importorskip("openpyxl", reason="needs the extra 'excel'")
    frame.to_excel(path, index=False)


def by_pyreadstat(writer):
    def write(frame, path):
        pyreadstat = pytest.importorskip("pyreadstat", reason="needs the extra 'stat'")
        getattr(pyreadstat, writer)(frame, path)

    return write


WRITERS = {
    "a.csv": lambda frame, path: frame.to_csv(path, index=False),
    "a.parquet": lambda frame, path: frame.to_parquet(path, row_group_size=70),
    "a.feather": lambda frame, path: frame.to_feather(path, chunksize=70),
    "a.sqlite": to_sqlite,
    "a.duckdb": to_duckdb,
    "a.xlsx": to_excel,
    "a.sav": by_pyreadstat("write_sav"),
    "a.dta": by_pyreadstat("write_dta"),
}
DATABASES = {"a.sqlite": "sqlite", "a.duckdb": "duckdb"}


def source_of(path, form=None, options=None):
    return FileSource(path=path, shown="the file", format=form, options=options)


@pytest.fixture
def look(tmp_path, readers):
    """Return a function that says how much there is in a file."""

    def extent(name, columns=("A", "B"), form=None, **options):
        form = form or DATABASES.get(name)
        chosen = readers[form].parameters.model_validate(options) if form else None
        return extent_of(source_of(tmp_path / name, form, chosen), columns, readers)

    return extent


@pytest.mark.parametrize("name", WRITERS)
def test_every_format_tells_its_records(tmp_path, look, frame, name):
    WRITERS[name](frame, tmp_path / name)
    options = {"table": "people"} if name in DATABASES else {}
    found = look(name, **options)
    header = name == "a.csv"
    assert found.records == RECORDS + header


@pytest.mark.parametrize("name", DATABASES)
def test_the_records_of_a_query_are_counted_by_the_database(tmp_path, look, frame, name):
    WRITERS[name](frame, tmp_path / name)
    expected = int((frame["B"] > 3).sum())
    query = "SELECT A, B FROM people WHERE B > 3 ORDER BY A; -- those"
    assert look(name, query=query).records == expected


@pytest.mark.parametrize("suffix", [".por", ".xpt"])
def test_a_format_that_does_not_say_tells_nothing(tmp_path, look, frame, suffix):
    pyreadstat = pytest.importorskip("pyreadstat", reason="needs the extra 'stat'")
    {".por": pyreadstat.write_por, ".xpt": pyreadstat.write_xport}[suffix](frame[["A"]], tmp_path / f"a{suffix}")
    assert look(f"a{suffix}") is None


def test_the_server_counts_the_records_of_tables_and_queries(tmp_path, readers, frame, monkeypatch):
    pytest.importorskip("sqlalchemy", reason="needs the extra 'sql'")
    to_sqlite(frame, tmp_path / "a.sqlite")
    monkeypatch.setenv("PLACE", f"sqlite:///{tmp_path / 'a.sqlite'}")

    def count(**options):
        source = QuerySource(
            format="sql", options=SqlOptions.model_validate({"url-env": "PLACE", **options}), shown="there"
        )
        return extent_of(source, ["A"], readers)

    assert count(table="people").records == RECORDS
    assert count(query="SELECT A FROM people WHERE B < 0").records == 0
    assert count(query="SELECT no_such_column FROM people") is None
    assert count(table="nobody") is None


def test_what_columns_of_text_take_is_told_for_those_that_are_wanted(tmp_path, look):
    texts = [f"{number:01000}" for number in range(2000)]
    table = pa.table({"A": texts, "B": range(2000), "A.B": texts, "N": [{"x": text, "y": 1} for text in texts]})
    pq.write_table(table, tmp_path / "a.parquet", use_dictionary=False)
    size = 2000 * 1000
    assert look("a.parquet", ["B"]).bytes < 20_000
    assert size < look("a.parquet", ["A"]).bytes < 2.5 * size
    assert size < look("a.parquet", ["A.B"]).bytes < 1.5 * size
    assert size < look("a.parquet", ["N"]).bytes < 1.5 * size


def test_cells_of_a_sheet_are_counted_and_not_what_the_sheet_says_of_itself(tmp_path, look, monkeypatch):
    openpyxl = pytest.importorskip("openpyxl", reason="needs the extra 'excel'")
    book = openpyxl.Workbook()
    for row in [["A", "B"], *([number, f"text {number}"] for number in range(40)), [None, None]]:
        book.active.append(row)
    book.active.row_dimensions[1_000_000].height = 3  # an empty row, far below
    book.save(tmp_path / "a.xlsx")
    for size in (1 << 20, 7, 50):
        monkeypatch.setattr("permaudit_plugins.readers._sheet._CHUNK", size)
        assert look("a.xlsx").records == 40


def test_line_ends_inside_of_quotes_make_no_records(tmp_path, readers):
    text = b"A,C\n" + b'1,"x\ny\nz"\n' * 1000
    (tmp_path / "a.csv").write_bytes(text)
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(text))
    assert extent_of(source_of(tmp_path / "a.csv"), ["A"], readers).records == 1001
    packed = source_of(tmp_path / "a.csv.gz")
    assert extent_of(packed, ["A"], readers) is None
    told = []
    check_unpacked(packed, tell=told.append)
    assert told[-1].records == 1001


def test_a_packed_file_is_counted_while_it_is_unpacked(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "_CHUNK", 1000)
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(b"A\n" + b"1\n" * 5000) + gzip.compress(b"2\n" * 5000))
    told = []
    check_unpacked(source_of(tmp_path / "a.csv.gz"), tell=told.append)
    counts = [extent.records for extent in told]
    assert counts == sorted(counts)
    assert len(counts) > 10
    assert counts[-1] == 10_001


@pytest.mark.parametrize("name", ["a.parquet", "a.feather", "a.xlsx", "a.sav", "a.dta", "a.sqlite", "a.csv"])
def test_a_file_that_cannot_be_read_tells_nothing(tmp_path, look, name):
    options = {"table": "people"} if name in DATABASES else {}
    assert look(name, **options) is None
    (tmp_path / name).write_bytes(b"\0" * 500)
    assert look(name, **options) is None


def test_a_table_in_memory_is_counted(readers):
    assert extent_of(TableSource(table=pa.table({"A": [1, 2, 3]}), shown="the frame"), ["A"], readers).records == 3
