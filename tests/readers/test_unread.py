"""Whoever releases a file releases all of it: readers say what it holds beside the columns."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import feather, parquet

FRAME = pd.DataFrame({"A": [1, 2, 3, 4], "TOWN": ["here", "there", "here", "there"]})
TABLE = pa.Table.from_pandas(FRAME)


@pytest.fixture
def unread(readers):
    """Return a function that says what a reader does not read of a file."""

    def said(form, path, **options):
        reader = readers[form]
        return reader.unread(path, reader.parameters.model_validate(options))

    return said


# --------------------------------------------------------------------------- Arrow


def _with_attributes():
    frame = FRAME.copy()
    frame.attrs["note"] = "everybody"
    return frame


def _field_note(table):
    field = table.schema.field("TOWN").with_metadata({"note": "everybody"})
    return table.cast(pa.schema([table.schema.field("A"), field]))


def _more_towns():
    return pd.Categorical(FRAME["TOWN"], categories=["here", "there", "elsewhere"])


def test_a_value_that_is_listed_twice_is_named(tmp_path, unread):
    """Which of the two a record has could be anything about it; Parquet lists each value once whatever it is given."""
    towns = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, 1]), pa.array(["a", "b", "a"]))
    path = tmp_path / "a.feather"
    feather.write_feather(pa.table({"TOWN": towns}), path)
    assert unread("feather", path) == ("values of column 'TOWN' that are listed twice",)


@pytest.mark.parametrize("write", [parquet.write_table, feather.write_feather], ids=["parquet", "feather"])
@pytest.mark.parametrize(
    ("change", "names"),
    [
        (lambda table: table, ""),
        (lambda table: table.replace_schema_metadata(None), ""),
        (lambda _: pa.Table.from_pandas(FRAME.astype({"TOWN": "category"})), ""),
        (lambda _: pa.Table.from_pandas(FRAME.assign(B=pd.Timestamp("2020-01-01", tz="UTC"))), ""),
        (lambda table: table.replace_schema_metadata({"note": "everybody"}), "'note'"),
        (lambda table: table.replace_schema_metadata({"pandas": '{"note": "everybody"}'}), "pandas"),
        (lambda _: pa.Table.from_pandas(_with_attributes()), "pandas"),
        (_field_note, "column 'TOWN'"),
        (lambda _: pa.Table.from_pandas(FRAME.assign(TOWN=_more_towns())), "'TOWN' that no record has"),
    ],
    ids=["pandas", "plain", "category", "time zone", "note", "false pandas", "attrs", "field", "categories"],
)
def test_arrow_files_hold_types_and_what_somebody_wrote_there(unread, tmp_path, write, change, names):
    path = tmp_path / "release"
    write(change(TABLE), path)
    said = unread("parquet" if write is parquet.write_table else "feather", path)
    assert bool(said) == bool(names)
    assert names in " ".join(said)


# --------------------------------------------------------------------------- databases


@pytest.mark.parametrize(
    ("script", "names"),
    [
        ("", ""),
        ("CREATE TABLE people (name)", "table 'people'"),
        ("CREATE VIEW people AS SELECT 1", "view 'people'"),
        ("CREATE INDEX people ON released (A)", "index 'people'"),
        ("CREATE TRIGGER t AFTER INSERT ON released BEGIN SELECT 1; END", "trigger 't'"),
        ("UPDATE released SET rowid = rowid + 100", "row ids"),
        ("CREATE TABLE people AS SELECT hex(randomblob(9000)) AS a; DROP TABLE people", "deleted"),
    ],
)
def test_a_sqlite_file_holds_more_than_a_table(unread, tmp_path, script, names):
    path = tmp_path / "release.db"
    with closing(sqlite3.connect(path)) as database:
        FRAME.to_sql("released", database, index=False)
        database.executescript(script)
    said = unread("sqlite", path, table="released")
    assert bool(said) == bool(names)
    assert names in " ".join(said)


def test_a_view_and_comments_are_named_and_a_shown_key_is_not(unread, tmp_path):
    path = tmp_path / "release.db"
    with closing(sqlite3.connect(path)) as database:
        database.execute("CREATE TABLE released (K INTEGER PRIMARY KEY, A /* everybody */)")
        database.execute("INSERT INTO released VALUES (700, 1)")
        database.execute("CREATE VIEW seen AS SELECT random() AS A FROM released")
        database.commit()
    assert "comments in the definition of 'released'" in unread("sqlite", path, table="released")
    assert not any("row ids" in said for said in unread("sqlite", path, table="released"))
    assert "what the view 'seen' makes of its tables" in unread("sqlite", path, table="seen")


def test_a_duckdb_file_holds_more_than_a_table(unread, tmp_path):
    duckdb = pytest.importorskip("duckdb", reason="needs the extra 'duckdb'")
    path = tmp_path / "release.duckdb"

    def after(*statements):
        with closing(duckdb.connect(str(path))) as database:
            for statement in statements:
                database.execute(statement)
        return unread("duckdb", path, table="released")

    assert after("CREATE TABLE released AS SELECT 1 AS A") == ()
    assert after("CREATE VIEW seen AS SELECT 2") == ("view 'seen'",)
    assert "table 'people'" in after("CREATE TABLE people AS SELECT 'x' AS name")
    assert "comments" in after("COMMENT ON TABLE released IS 'everybody'")
    assert "macros" in after("CREATE MACRO everybody() AS 'x'")
    assert unread("duckdb", path, table="seen")


@pytest.mark.parametrize("form", ["sqlite", "duckdb"])
def test_a_query_cannot_stand_for_a_released_file(write_audit, permaudit, form):
    original, release = (
        {"path": name, "format": form, "options": {"query": "SELECT random() AS A"}}
        for name in ("original.csv", "masked.csv")
    )
    checked = permaudit("check", write_audit(original=original, candidates={"one": release | {"kind": "masked"}}))
    assert checked.code == 2
    assert checked.err.count("name the table with table:") == 1
    assert "candidates.one.options.query" in checked.err


# --------------------------------------------------------------------------- text, workbooks, statistics


def test_characters_outside_the_layout_are_named(unread, put):
    layout = {"A": [1, 2], "B": [4, 2]}
    assert unread("fixed-width", put("plain.dat", "11 22\n33 44   \n"), layout=layout) == ()
    said = unread("fixed-width", put("more.dat", "11 22 Ann\n33x44\n"), layout=layout)
    assert said == ("characters 3 to 3 of the lines", "characters from 6 on of the lines")
    assert unread("fixed-width", put("right.dat", " 1 22\n33  4\n"), layout=layout) == ()
    said = unread("fixed-width", put("both.dat", " 1 2 \n3  4 \n"), layout=layout)
    assert said == ("blanks before some cells of 'A' and after others",)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("A,B\n1,2\n3,4\n\n\n", ()),
        ("A,B\r\n1,2\r\n3,4", ()),
        ('"A","B"\n1,"x"\n3,"y"\n', ()),
        ('A,B\n1,"x,y"\n3,x\n1,"p\n\nq"\n', ()),
        ('A,B\n1,"x"\n3,\n', ()),
        ("A,B\n1,2\n\n3,4\n", ("empty lines between records",)),
        ("A,B\r\n1,2\r\n\r\n\r\n3,4\r\n", ("empty lines between records",)),
        ("A,B\n1,2\r\n3,4\n", ("line ends of several kinds",)),
        ('A,B\n1,"x"\n3,x\n', ("cells of column 'B' that are the same with and without quotation marks",)),
        ('A,B\n1,""\n3,\n', ("cells of column 'B' that are the same with and without quotation marks",)),
        ('A,B\n"1",x\n1,y', ("cells of column 'A' that are the same with and without quotation marks",)),
        ("A\n1\n\n2\n", ()),
    ],
)
def test_lines_and_quotation_marks_that_say_more_than_the_cells_are_named(unread, put, text, names):
    assert unread("csv", put("release.csv", text)) == names


def test_quotation_marks_are_followed_through_a_long_file(unread, put):
    rows = [f'{number},"town {number % 700}"' for number in range(90_000)]
    assert unread("csv", put("plain.csv", "\n".join(["A,TOWN", *rows]))) == ()
    rows[-1] = "89999,town 5"
    assert unread("csv", put("more.csv", "\n".join(["A,TOWN", *rows]))) != ()


def test_a_workbook_holds_more_than_a_sheet(unread, tmp_path):
    openpyxl = pytest.importorskip("openpyxl", reason="needs the extra 'excel'")

    def after(change):
        book = openpyxl.Workbook()
        for row in [list(FRAME), *FRAME.to_numpy().tolist()]:
            book.active.append(row)
        book.active.title = "released"
        change(book)
        book.save(tmp_path / "release.xlsx")
        return unread("excel", tmp_path / "release.xlsx", sheet="released")

    def hide(book):
        book.create_sheet("people").sheet_state = "hidden"

    def remark(book):
        book.active["A1"].comment = openpyxl.comments.Comment("everybody", "somebody")

    def paint(book):
        book.active["A3"].font = openpyxl.styles.Font(color="FF0000")

    def link(book):
        book.active["A3"].hyperlink = "https://people.example/7"

    def allow(book):
        allowed = openpyxl.worksheet.datavalidation.DataValidation(type="list", formula1='"Ann,Bob"')
        allowed.add("A2")
        book.active.add_data_validation(allowed)

    def mix(book):
        parts = openpyxl.cell.rich_text
        bold = openpyxl.cell.text.InlineFont(b=True)
        book.active["B3"] = parts.CellRichText("the", parts.TextBlock(bold, "re"))

    assert after(lambda book: setattr(book.active["A1"], "font", openpyxl.styles.Font(bold=True))) == ()
    assert after(paint) == ("formats that differ within a column (A)",)
    assert after(link) == ("links",)
    assert after(allow) == ("validation lists",)
    assert after(mix) == ("texts with formats of their own",)
    assert after(lambda book: setattr(book.active.oddHeader.left, "text", "Ann")) == ("headers and footers",)
    assert after(lambda book: setattr(book.active.row_dimensions[3], "height", 16)) == (
        "rows of different heights or looks",
    )
    assert after(lambda _: None) == ()
    assert after(hide) == ("sheet 'people'",)
    assert any("comments" in said for said in after(remark))
    assert after(lambda book: setattr(book.properties, "description", "everybody")) == ("properties of the document",)


def test_notes_and_lists_of_people_among_the_labels_are_named(unread, tmp_path):
    pyreadstat = pytest.importorskip("pyreadstat", reason="needs the extra 'stat'")
    frame = pd.DataFrame({"A": range(50), "SEX": [1, 2] * 25})
    path = tmp_path / "release.sav"
    labels = {"SEX": {1: "female", 2: "male", 9: "unknown"}}
    pyreadstat.write_sav(frame, path, variable_value_labels=labels)
    assert unread("spss", path) == ()
    people = {"A": {number: f"person {number}" for number in range(50)}}
    pyreadstat.write_sav(frame, tmp_path / "more.sav", variable_value_labels=labels | people, note="everybody")
    assert unread("spss", tmp_path / "more.sav") == ("notes", "50 value labels of 'A'")


# --------------------------------------------------------------------------- what becomes of it


def test_a_person_must_look_at_what_was_not_audited(write_audit, permaudit, masked, tmp_path):
    audit = write_audit(candidates={"noisy": {"path": "masked.parquet", "kind": "masked"}})
    table = pa.Table.from_pandas(masked)
    parquet.write_table(table, audit.parent / "masked.parquet")
    assert permaudit("run", audit, "--out", tmp_path / "plain").code == 0
    more = {**table.schema.metadata, b"people": b"c4n4ry"}
    parquet.write_table(table.replace_schema_metadata(more), audit.parent / "masked.parquet")
    ran = permaudit("run", audit, "--out", tmp_path / "out")
    assert ran.code == 3
    assert "metadata 'people'" in " ".join(ran.out.split())
    assert "c4n4ry" not in ran.out + (tmp_path / "out" / "audit.json").read_text()
