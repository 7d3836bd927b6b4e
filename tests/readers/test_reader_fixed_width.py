"""Fixed-width text."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from permaudit_plugins.readers.fixed_width import FixedWidthOptions

CANARY = "c4n4ry"
LAYOUT = {"code": [1, 3], "country": [4, 3], "income": [8, 5]}


def test_columns_are_cut_by_their_place_and_lose_only_the_blanks_that_fill_them(put, read):
    path = put("a.fwf", "007NA  12.50\n010 ES    -9\n  1XX  0    \n")
    assert read(path, layout=LAYOUT).to_pydict() == {
        "code": ["007", "010", "1"],
        "country": ["NA", "ES", "XX"],
        "income": ["12.50", "-9", "0"],
    }


def test_missing_tokens_are_compared_without_the_blanks(put, read):
    path = put("a.dat", "007NA  12.50\n010 ES    -9\n011ES       \n")
    table = read(path, ["income", "country"], layout=LAYOUT, missing=["-9", "NA", ""])
    assert table.to_pydict() == {"income": ["12.50", None, None], "country": [None, "ES", "ES"]}


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252", "utf-16"])
def test_places_are_counted_in_characters(put, read, encoding):
    path = put("a.fwf", "äöü12\r\nßéx34\r\n".encode(encoding))
    layout = {"a": [1, 3], "b": [4, 2]}
    assert read(path, layout=layout, encoding=encoding).to_pydict() == {"a": ["äöü", "ßéx"], "b": ["12", "34"]}


def test_commas_and_quotation_marks_are_characters(put, read):
    assert read(put("a.fwf", '"a,b\n,"\'x'), layout={"a": [1, 4]})["a"].to_pylist() == ['"a,b', ",\"'x"]


def test_columns_may_overlap_and_need_not_cover_the_line(put, read):
    table = read(put("a.fwf", "20240131xyz\n"), layout={"year": [1, 4], "date": [1, 8]})
    assert table.to_pydict() == {"year": ["2024"], "date": ["20240131"]}


def test_short_lines_are_refused_with_their_numbers(put, refused):
    lines = [f"{CANARY}123456", "x", f"{CANARY}123456", "", *["y"] * 5]
    text = refused(put("a.fwf", "\n".join(lines) + "\n"), layout=LAYOUT)
    assert text.splitlines()[:2] == [
        ":2: is shorter than the 12 characters of the layout",
        ":4: is shorter than the 12 characters of the layout",
    ]
    assert text.splitlines()[-1] == "2 more lines are too short"


def test_what_is_no_text_is_refused(put, refused):
    assert ":2: has a NUL" in refused(put("a.fwf", "123\n1\x003\n"), layout={"a": [1, 3]})
    assert "encoding: cp1252" in refused(put("b.fwf", "12é\n".encode("cp1252")), layout={"a": [1, 3]})
    assert "control characters" in refused(put("c.fwf", "123\n1\x013\n"), layout={"a": [1, 3]})


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"layout": {}},
        {"layout": {"a": [0, 3]}},
        {"layout": {"a": [1, 0]}},
        {"layout": {"a": [1]}},
        {"layout": {"": [1, 2]}},
        {"layout": "layout.txt"},
    ],
)
def test_layouts_that_make_no_sense_are_refused(options):
    with pytest.raises(ValidationError):
        FixedWidthOptions.model_validate(options)
