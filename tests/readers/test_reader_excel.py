"""Excel workbooks."""

from __future__ import annotations

import datetime as dt
import random
import re
import zipfile

import pyarrow as pa
import pytest

from permaudit import DataError

openpyxl = pytest.importorskip("openpyxl", reason="needs the extra 'excel'")

CANARY = "c4n4ry"
DAY = dt.datetime(2024, 1, 2)  # noqa: DTZ001 - Excel knows no time zones


@pytest.fixture
def workbook(tmp_path):
    """Return a function that writes a workbook with these rows, and what a test does to the sheet."""

    def write(rows, change=None, name="a.xlsx"):
        book = openpyxl.Workbook()
        for row in rows:
            book.active.append(row)
        if change:
            change(book.active)
        book.save(tmp_path / name)
        return tmp_path / name

    return write


def rewritten(path, pattern, replacement, member="xl/worksheets/sheet1.xml"):
    """Change a part of the workbook behind openpyxl's back."""
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    assert re.search(pattern, parts[member])
    parts[member] = re.sub(pattern, replacement, parts[member], count=1)
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return path


def test_cells_keep_their_types_and_text_stays_text(workbook, read):
    path = workbook(
        [
            ["code", "country", "income", "count", "flag", "day", "nothing"],
            ["007", "NA", 1.5, 3, True, DAY, None],
            ["010", None, 2, 4, False, None, None],
        ]
    )
    table = read(path)
    assert table.to_pydict() == {
        "code": ["007", "010"],
        "country": ["NA", None],
        "income": [1.5, 2.0],
        "count": [3, 4],
        "flag": [True, False],
        "day": [DAY, None],
        "nothing": [None, None],
    }
    assert table["count"].type == pa.int64()
    assert read(path, ["count", "code"]).column_names == ["count", "code"]


def test_declared_tokens_are_missing(workbook, read):
    path = workbook([["a", "b"], [1, "NA"], ["-", "x"], [2.5, "-"]])
    assert read(path, missing=["-"]).to_pydict() == {"a": [1.0, None, 2.5], "b": ["NA", "x", None]}


def test_an_empty_row_is_a_record_but_not_at_the_end(workbook, read):
    path = workbook([["a", "b"], [1, 2], [], [3, None], [None, None]])
    assert read(path).to_pydict() == {"a": [1, None, 3], "b": [2, None, None]}


def test_a_text_that_begins_with_an_equals_sign_is_text(workbook, read):
    def as_text(sheet):
        sheet["A2"].value, sheet["A2"].data_type = "=1+1", "s"

    assert read(workbook([["a", "b"], ["x", 1]], as_text))["a"].to_pylist() == ["=1+1"]


def test_the_sheet_must_be_named_where_there_are_several(workbook, read, refused):
    def more(sheet):
        sheet.title = "2023"
        sheet.parent.create_sheet("2024\u202e").append(["b"])
        sheet.parent.worksheets[1].append([7])

    path = workbook([["a"], [CANARY]], more)
    assert "has 2 sheets: '2023', '2024\\u202e'; say which with sheet:" in refused(path)
    assert "has no sheet '2025'; it has '2023', " in refused(path, sheet="2025")
    assert read(path, sheet="2024\u202e").to_pydict() == {"b": [7]}


def test_formulas_are_refused_by_address_wherever_they_stand(workbook, refused):
    text = refused(workbook([["a", "b"], [1, "=A2+1"], [2, 3]]), ["a"])
    assert text == "cell B2 holds a formula; save the sheet with values only"
    many = [["a", "b"], *([f"=HYPERLINK({CANARY!r})", 1] for _ in range(8))]
    assert "cells A2, A3, A4, A5, A6 and 3 more hold formulas" in refused(workbook(many))
    assert "cell B1 holds a formula" in refused(workbook([["a", "=A1"], [1, 2]]))


def test_merged_cells_are_refused_by_address(workbook, refused):
    path = workbook([["a", "b"], [CANARY, 1], [None, 2]], lambda sheet: sheet.merge_cells("A2:A3"))
    assert "cell A2:A3 is merged" in refused(path)


def test_error_values_are_refused_by_address(workbook, refused):
    assert "cell A2 holds an error" in refused(workbook([["a", "b"], ["#N/A", CANARY]]))


def test_a_column_of_two_kinds_is_refused_with_the_first_cell_that_differs(workbook, refused):
    text = refused(workbook([["a", "b"], [1, 1], [CANARY, 2], ["x", 3]]))
    assert text == "column 'a' holds numbers and text (first in cell A3)"
    assert "holds truth values and numbers" in refused(workbook([["a", "b"], [True, 1], [2, 2]]))


def test_cells_without_a_name_above_are_refused_by_address(workbook, refused):
    assert "cell C3 has no column name above it" in refused(workbook([["a", "b"], [1, 2], [1, 2, CANARY]]))


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([["a", None, "c"], [1, 2, 3]], "column 2 has no name"),
        ([["a", "a"], [1, 2]], "column 'a' stands 2 times"),
        ([[], ["a"], [1]], "the first row of the sheet is empty"),
        ([], "the first row of the sheet is empty"),
        ([["a", 1.5], [1, 2]], "cell B1 is no name of a column"),
        ([["a", DAY], [1, 2]], "cell B1 is no name of a column"),
    ],
)
def test_headers_that_name_no_columns_are_refused(workbook, refused, rows, message):
    assert message in refused(workbook(rows))


def test_a_year_can_be_a_name(workbook, read):
    assert read(workbook([["a", 2024], [1, 2]])).column_names == ["a", "2024"]


def test_macros_and_old_workbooks_are_refused(workbook, refused, put):
    path = workbook([["a"], [CANARY]])
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("xl/vbaProject.bin", b"x")
    assert "holds macros" in refused(path)
    assert "no reader for '.xlsm' files" in refused(put("a.xlsm", path.read_bytes()))
    assert "old or encrypted Office document" in refused(put("b.xlsx", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(99)))


def test_a_row_far_below_all_sheets_does_not_fill_the_memory(workbook, refused):
    path = rewritten(
        workbook([["a"], [CANARY]]), rb'<row r="2">(.*?)r="A2"', rb'<row r="99999999999">\1r="A99999999999"'
    )
    assert "not in order" in refused(path)


def test_rows_out_of_order_are_refused_and_not_dropped(workbook, refused):
    path = rewritten(workbook([["a"], [1], [2]]), rb'<row r="2"(.*?)r="A2"', rb'<row r="9"\1r="A9"')
    assert "not in order" in refused(path)


def test_a_false_dimension_is_not_believed(workbook, read):
    path = rewritten(
        workbook([["a", "b"], [1, 2]]), rb'<dimension ref="A1:B2" ?/>', b'<dimension ref="A1:XFD1048576"/>'
    )
    assert read(path).to_pydict() == {"a": [1], "b": [2]}


def test_an_entity_bomb_is_refused(workbook, refused):
    entities = b"".join(b'<!ENTITY e%d "%s">' % (i, b"&e%d;" % (i - 1) * 20) for i in range(1, 9))
    bomb = b'<!DOCTYPE worksheet [<!ENTITY e0 "ha">' + entities + b"]><worksheet"
    path = rewritten(workbook([["aaa"], [1]]), rb"<worksheet", bomb)
    path = rewritten(path, rb"<t>aaa</t>", b"<t>&e8;</t>")
    assert "damaged" in refused(path)


def test_a_zip_bomb_is_refused_before_it_is_opened(tmp_path, refused):
    path = tmp_path / "a.xlsx"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/sharedStrings.xml", bytes(300 << 20))
    assert path.stat().st_size < 400_000
    assert "it may be a bomb" in refused(path)


def test_any_other_zip_archive_is_refused(tmp_path, refused):
    with zipfile.ZipFile(tmp_path / "a.xlsx", "w") as archive:
        archive.writestr("a.csv", CANARY)
    assert "is not an Excel workbook" in refused(tmp_path / "a.xlsx")


def test_damage_anywhere_is_an_error_or_goes_unseen_and_nothing_else(workbook, read, put):
    path = workbook([["a", "b"], *([f"{CANARY}{i}", i] for i in range(50))])
    content = path.read_bytes()
    chance = random.Random(20261118)
    for _ in range(100):
        damaged = bytearray(content)
        for _ in range(chance.choice([1, 3, 30])):
            damaged[chance.randrange(4, len(content))] = chance.randrange(256)
        try:
            read(put("b.xlsx", bytes(damaged)))
        except DataError as error:
            assert CANARY not in str(error)  # noqa: PT017 - damage that hits nothing raises nothing
