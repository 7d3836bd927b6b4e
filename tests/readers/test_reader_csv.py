"""Delimited text: what is kept, what is refused, and with which line."""

from __future__ import annotations

import csv
import gzip
import io

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from permaudit_plugins.readers import _text
from permaudit_plugins.readers._quotes import Quotes
from permaudit_plugins.readers.csv import CsvOptions, CsvReader

CANARY = "c4n4ry"

# --------------------------------------------------------------------------- what is kept


def test_every_cell_stays_the_text_that_it_is(put, read):
    path = put("a.csv", 'code,country,number,note\n007,NA,1e3," a ""b"", c"\n010,,+.5,nan\n')
    assert read(path).to_pydict() == {
        "code": ["007", "010"],
        "country": ["NA", ""],
        "number": ["1e3", "+.5"],
        "note": [' a "b", c', "nan"],
    }


def test_only_declared_tokens_are_missing_and_only_whole_cells(put, read):
    path = put("a.csv", 'a,b\nNA,-9\n"NA", NA\nNAM,-99\n,x\n')
    assert read(path, missing=["NA", "-9"]).to_pydict() == {
        "a": [None, None, "NAM", ""],
        "b": [None, " NA", "-99", "x"],
    }
    assert read(path, missing=[""])["a"].to_pylist() == ["NA", "NA", "NAM", None]


def test_columns_come_in_the_order_in_which_they_are_asked_for(put, read):
    assert read(put("a.csv", "a,b,c\n1,2,3\n"), ["c", "a"]).to_pydict() == {"c": ["3"], "a": ["1"]}


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_may_end_as_on_any_system(put, read, end):
    assert read(put("a.csv", end.join(["a,b", "1,2", "3,4"]))).to_pydict() == {"a": ["1", "3"], "b": ["2", "4"]}


def test_a_quoted_cell_may_hold_delimiters_quotes_and_lines(put, read):
    cells = ['x,"y"\n\nz', "\r\n", '"', "", ","]
    stream = io.StringIO()
    csv.writer(stream).writerows([["a", "b"], *([cell, "1"] for cell in cells)])
    assert read(put("a.csv", stream.getvalue()))["a"].to_pylist() == cells


def test_a_quotation_mark_inside_an_unquoted_cell_is_a_character(put, read):
    assert read(put("a.csv", 'a,b\n5" pipe,1\n6 feet,2\n'))["a"].to_pylist() == ['5" pipe', "6 feet"]


def test_an_empty_line_is_a_record_where_there_is_one_column_and_nothing_elsewhere(put, read):
    assert read(put("a.csv", "a\n1\n\n2\n"))["a"].to_pylist() == ["1", "", "2"]
    assert read(put("b.csv", "a,b\n1,2\n\n3,4\n"))["a"].to_pylist() == ["1", "3"]


def test_a_header_alone_is_a_table_without_records(put, read):
    assert read(put("a.csv", "a,b")).num_rows == 0
    assert read(put("b.csv", "a,b\n")).num_rows == 0


@pytest.mark.parametrize(("delimiter", "quote"), [(";", '"'), ("|", "'"), ("\t", '"'), (" ", '"')])
def test_delimiter_and_quote_can_be_declared(put, read, delimiter, quote):
    path = put("a.csv", f"a{delimiter}b\n{quote}x{delimiter}y{quote}{delimiter}2\n")
    assert read(path, delimiter=delimiter, quote=quote).to_pydict() == {"a": [f"x{delimiter}y"], "b": ["2"]}


def test_without_a_quote_character_quotation_marks_are_characters(put, read):
    assert read(put("a.csv", 'a,b\n"x,1\ny",2\n'), quote=None).to_pydict() == {"a": ['"x', 'y"'], "b": ["1", "2"]}


def test_tsv_files_are_delimited_by_tabs(put, read):
    assert read(put("a.tsv", "a,x\tb\n1\t2\n")).to_pydict() == {"a,x": ["1"], "b": ["2"]}
    assert read(put("a.tsv.gz", gzip.compress(b"a\tb\n1\t2\n"))).column_names == ["a", "b"]


def test_gzip_files_read_like_plain_ones_also_in_several_members(put, read):
    path = put("a.csv.gz", gzip.compress(b"a,b\n1,2\n") + gzip.compress(b"3,4\n"))
    assert read(path).to_pydict() == {"a": ["1", "3"], "b": ["2", "4"]}


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "cp1252", "latin-1", "utf-16", "utf-16-le", "utf-32", "UTF8"]
)
def test_text_is_transcoded_from_the_declared_encoding(put, read, encoding):
    path = put("a.csv", "größe,b\nä é,1\n".encode(encoding))
    assert read(path, encoding=encoding).to_pydict() == {"größe": ["ä é"], "b": ["1"]}


def test_a_byte_order_mark_is_no_part_of_the_first_name_even_if_that_is_quoted(put, read):
    assert read(put("a.csv", b'\xef\xbb\xbf"a",b\n1,2\n')).column_names == ["a", "b"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "gb18030"])
@pytest.mark.parametrize("size", range(3, 9))
def test_characters_may_lie_across_the_chunks(put, monkeypatch, encoding, size):
    monkeypatch.setattr(_text, "CHUNK", size)
    text = "ä\n\né\n😀\n\n\nü"
    path = put("a.csv", text.encode(encoding))
    assert b"".join(_text.utf8_chunks(path, encoding)) == text.encode()


@pytest.mark.parametrize(
    "text", ['a,"b"\n"",""\n"""",\n"\n,"', '"a""",b', 'a,"b', 'a,b"', '"a"b,c', '"a" ,"b"', '"""', '""""']
)
def test_quotation_marks_are_seen_alike_however_the_text_is_cut(text):
    whole = Quotes(",", '"')
    whole.feed(text.encode() + b"\n")
    for first in range(len(text)):
        for second in range(first, len(text)):
            cut = Quotes(",", '"')
            for piece in (text[:first], text[first:second], text[second:], "\n"):
                cut.feed(piece.encode())
            assert (cut.regular, cut.count) == (whole.regular, text.count('"'))
    try:
        list(csv.reader(io.StringIO(text, newline=""), strict=True))
    except csv.Error:
        assert not whole.regular


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ('"a"\n"b"\n', 8),
        ('"a\n"\n"', 5),
        ('"a""\r"\r\n"\n', 8),
        ('a,"b"\r"c"', 6),
        ("a\rb\r", 2),  # a line feed may follow
        ('"\n', 0),
        ("a,b", 0),
    ],
)
def test_lines_end_outside_of_quotes(text, end):
    assert Quotes(",", '"').feed(text.encode()) == end


@given(st.binary(max_size=400).map(lambda some: bytes(b'"",;\n\ra'[byte % 7] for byte in some)), st.integers(0, 400))
def test_quotation_marks_are_seen_as_one_by_one_however_many_they_are(text, cut):
    """Count them one at a time, in plain Python: what may stand beside each, and which line ends are outside."""
    check = Quotes(",", '"')
    ends = [start + check.feed(piece) for start, piece in ((0, text[:cut]), (len(text[:cut]), text[cut:]))]
    check.feed(b"\n")
    around = b"\n" + text + b"\n\n"
    inside, ordered, outside = False, True, []
    for place, byte in enumerate(around[1:-1], 1):
        if byte == ord('"'):
            inside = not inside
            beside = around[place - 1] if inside else around[place + 1]
            ordered = ordered and beside in b',\r\n"'
        if not inside and (byte == ord("\n") or (byte == ord("\r") and place not in {len(text[:cut]), len(text)})):
            outside.append(place)
    assert check.count == text.count(b'"')
    assert check.regular == (ordered and not inside)
    assert ends == [
        max((end for end in outside if first < end <= last), default=first)
        for first, last in ((0, len(text[:cut])), (len(text[:cut]), len(text)))
    ]


def test_a_large_file_is_read_whole_and_the_same_by_all_ways(put, read):
    rows = [f"{i},{i * 7919 % 104729 / 100},é{i}" for i in range(300_000)]
    text = "\n".join(["a,b,c", *rows]) + "\n"
    plain = read(put("a.csv", text))
    assert plain.num_rows == 300_000
    assert plain["c"][-1].as_py() == "é299999"
    assert read(put("b.csv", text.encode("cp1252")), encoding="cp1252").equals(plain)
    assert read(put("c.csv.gz", gzip.compress(text.encode(), 1))).equals(plain)


# --------------------------------------------------------------------------- decimal and thousands marks


def test_decimal_commas_and_thousands_points_become_canonical_numbers(put, read):
    path = put("a.csv", "a;b\n1,5;1.234,5\n-0,25;1.234.567\n+,5;12\n1,5e3;x 1,5\n2;1,\n")
    table = read(path, delimiter=";", decimal=",", thousands=".")
    assert table["a"].to_pylist() == ["1.5", "-0.25", "+.5", "1.5e3", "2"]
    assert table["b"].to_pylist() == ["1234.5", "1234567", "12", "x 1,5", "1."]


def test_thousands_commas_are_removed_from_whole_numbers_in_groups_of_three_only(put, read):
    path = put("a.csv", 'a\n"1,234"\n"12,345.6"\n"1,5"\n"1234,567"\n7\n')
    assert read(path, thousands=",")["a"].to_pylist() == ["1234", "12345.6", "1,5", "1234,567", "7"]


def test_blanks_of_any_width_can_be_the_thousands_mark(put, read):
    assert read(put("a.csv", "a;b\n1\u202f234,5;x\n"), delimiter=";", decimal=",", thousands="\u202f")[
        "a"
    ].to_pylist() == ["1234.5"]


def test_a_point_that_is_not_the_declared_notation_is_a_mistake_and_never_a_number(put, refused):
    text = refused(put("a.csv", "a;b\n1,5;1\n7.25;2\n8.25;3\n"), delimiter=";", decimal=",")
    assert "column 'a' has 2 cells with a point" in text
    assert "first in record 2" in text
    assert "7.25" not in text
    assert "thousands:" in text
    assert "first in record 1" in refused(put("b.csv", "a;b\n1.25;1\n"), delimiter=";", decimal=",", thousands=".")


def test_codes_are_left_as_they_stand(put, read):
    path = put("a.csv", "nace;value\n01.11;1,5\n62.010;2,5\n")
    table = read(path, delimiter=";", decimal=",", thousands=".", codes=["nace"])
    assert table.to_pydict() == {"nace": ["01.11", "62.010"], "value": ["1.5", "2.5"]}


def test_missing_tokens_are_compared_before_marks_are_rewritten(put, read):
    assert read(put("a.csv", "a;b\n-9,9;1\n-9;2\n"), delimiter=";", decimal=",", missing=["-9,9"])["a"].to_pylist() == [
        None,
        "-9",
    ]


# --------------------------------------------------------------------------- what is refused


def test_an_empty_file_is_refused(put, refused):
    assert "is empty" in refused(put("a.csv", b""))
    assert "is empty" in refused(put("b.csv", b"\xef\xbb\xbf"))
    assert "is empty" in refused(put("c.csv.gz", gzip.compress(b"")))


def test_a_blank_first_line_is_refused(put, refused):
    assert refused(put("a.csv", "\na,b\n1,2\n")).startswith(":1: is blank")


@pytest.mark.parametrize(("mark", "hint"), [(";", "';'"), ("\t", r'"\t"'), ("|", "'|'")])
def test_a_wrong_delimiter_is_refused_with_the_one_that_would_do(put, refused, mark, hint):
    text = refused(put("a.csv", f"a{mark}b\n{CANARY}{mark}2\n"))
    assert f"one column; to have several, say delimiter: {hint}" in text


def test_a_comma_file_called_tsv_is_refused_with_the_delimiter(put, refused):
    assert "say delimiter: ','" in refused(put("a.tsv", f"a,b\n1,{CANARY}\n"))


def test_a_file_of_one_column_is_not_suspected_for_a_mark_in_its_name(put, read):
    assert read(put("a.csv", "income; euro\n1\n2\n")).num_rows == 2


def test_a_repeated_name_is_refused(put, refused):
    assert "1: column 'a' stands 3 times in the header" in refused(put("a.csv", f"a,b,a,a\n1,2,3,{CANARY}\n"))


def test_a_nameless_column_is_refused_and_a_trailing_delimiter_is_named(put, refused):
    text = refused(put("a.csv", f"a,b,\n1,{CANARY},\n"))
    assert "column 3 has no name; give it one, or remove it" in text
    assert "the line ends with a delimiter" in text
    assert "column 1 has no name" in refused(put("b.csv", f",a\n0,{CANARY}\n"))


def test_a_ragged_first_record_is_refused_with_its_line(put, refused):
    assert ":2: has 3 fields where the header has 2" in refused(put("a.csv", f"a,b\n{CANARY},1,2\n3,4\n"))


def test_ragged_records_are_named_by_line_and_the_others_counted(put, refused):
    bad = "".join(f"{CANARY}\n" for _ in range(9))
    text = refused(put("a.csv", f'a,b\n"x\ny",1\n\n{bad}1,2\n'))
    lines = text.splitlines()
    assert lines[0] == ":5: has 1 field where the header has 2"
    assert lines[4].startswith(":9:")
    assert lines[5] == "4 more lines have a wrong number of fields"


def test_an_open_quote_is_refused_with_the_line_where_it_opens(put, refused):
    assert ":3: a quotation mark is opened here and never closed" in refused(
        put("a.csv", f'a,b\n1,2\n"{CANARY},3\n4,5\n')
    )
    assert ":4: a quotation mark is opened here" in refused(put("b.csv", f'a,b\n5" pipe,1\n2,3\n1,"{CANARY}\n4,5\n'))
    assert ":3: a quotation mark is opened here" in refused(put("c.csv", f'a,b\n5" pipe,1\n1,"{CANARY}'))


def test_an_open_quote_in_a_large_file_does_not_become_one_cell(put, refused):
    rest = f"{CANARY},1\n" * 50_000
    assert ":2: a cell that begins here has more than" in refused(put("a.csv", f'a,b\n"x,1\n{rest}'))


def test_an_open_quote_in_the_header_is_refused(put, refused):
    assert ":1: a quotation mark is opened here" in refused(put("a.csv", f'a,"b\n1,{CANARY}\n'))


def test_text_after_a_closing_quote_is_refused(put, refused):
    assert ":2: a quoted cell goes on" in refused(put("a.csv", f'a,b\n"{CANARY}"x,1\n'))


def test_a_nul_is_refused_with_its_line(put, refused):
    assert refused(put("a.csv", f"a,b\n1,2\n{CANARY}\0,3\n")).startswith(":3: has a NUL")
    assert refused(put("b.csv", "a\0,b\n1,2\n")).startswith(":1: has a NUL")


def test_other_encodings_are_refused_with_a_hint(put, refused):
    text = refused(put("a.csv", f"a,b\n1,2\n{CANARY}é,3\n".encode("cp1252")))
    assert text == ":3: has bytes that are not utf-8 text; it may be encoding: cp1252"
    assert "encoding: utf-16" in refused(put("b.csv", f"a,b\n1,{CANARY}\n".encode("utf-16")))
    assert "encoding: utf-16-le" in refused(put("c.csv", f"a,b\n1,{CANARY}\n".encode("utf-16-le")))
    assert "encoding: utf-16-be" in refused(put("d.csv", f"a,b\n1,{CANARY}\n".encode("utf-16-be")))
    assert "say which it is" in refused(put("e.csv", f"a,b\n1,{CANARY}\x81\n".encode("latin-1")))


def test_a_wrong_declared_encoding_is_refused(put, refused):
    path = put("a.csv", f"a,b\n1,{CANARY}\x81\n".encode("latin-1"))
    assert refused(path, encoding="cp1252").startswith(":2: has bytes that are not cp1252 text")
    assert "not ascii text" in refused(put("b.csv", "a,b\n1,é\n"), encoding="ascii")
    assert "not utf-16 text" in refused(put("c.csv", "a,b\n1,2\nx"), encoding="utf-16")
    assert "utf-8" in refused(put("d.csv", b"a,b\n1,\xc3"))


def test_a_line_without_end_is_refused(put, refused):
    assert "bytes or more" in refused(put("a.csv", "a,b\n1,2\n" + CANARY * 2_000_000))
    assert "bytes or more" in refused(put("b.csv", CANARY * 2_000_000))


def test_a_record_longer_than_a_chunk_is_refused(put, refused):
    cell = f"{CANARY}\n" * 3_000_000
    assert "longer than" in refused(put("a.csv", f'a,b\n1,"{cell}"\n'))


# --------------------------------------------------------------------------- the options


@pytest.mark.parametrize(
    "options",
    [
        {"delimiter": ";;"},
        {"delimiter": ""},
        {"delimiter": "\n"},
        {"delimiter": "a"},
        {"delimiter": "§"},
        {"quote": ","},
        {"quote": "''"},
        {"decimal": "'"},
        {"decimal": ".", "thousands": "."},
        {"thousands": "1"},
        {"encoding": "rot13"},
        {"encoding": "base64"},
        {"encoding": "unicode_escape"},
        {"encoding": "idna"},
        {"encoding": "nonsense"},
        {"encoding": "x" * 4000},
        {"encoding": "a\0b"},
        {"missing": "NA"},
        {"missing": [1]},
        {"comment": "#"},
    ],
)
def test_options_that_make_no_sense_are_refused(options):
    with pytest.raises(ValidationError):
        CsvOptions.model_validate(options)


def test_what_pandas_writes_is_read_back(put, read, tmp_path):
    frame = pd.DataFrame({"a": [1.5, -2e-300, 1e17], "b": ["x,y", 'q"', "line\nbreak"], "c": [2**63 - 1, 0, -(2**63)]})
    frame.to_csv(tmp_path / "a.csv", index=False)
    table = read(tmp_path / "a.csv")
    assert table["a"].cast(pa.float64()).to_pylist() == frame["a"].tolist()
    assert table["b"].to_pylist() == frame["b"].tolist()
    assert table["c"].cast(pa.int64()).to_pylist() == frame["c"].tolist()


def test_the_reader_says_what_it_is():
    assert CsvReader.card.local
    assert CsvReader.card.suffixes == (".csv", ".tsv", ".csv.gz", ".tsv.gz")
