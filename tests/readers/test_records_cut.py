"""Delimited text that threads parse in parts: the same table, or the same mistakes, wherever it is cut."""

from __future__ import annotations

import gzip
from datetime import timedelta

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from permaudit import DataError
from permaudit_plugins.readers import _delimited, _quotes, _records, _text

thorough = settings(
    max_examples=300,
    deadline=timedelta(seconds=5),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    derandomize=True,
)
ENDS = st.sampled_from(["\n", "\r\n", "\r", "\n\n"])
QUOTED = st.text(alphabet='ab1,"\n\ré\ufeff', max_size=5).map(lambda cell: '"' + cell.replace('"', '""') + '"')
CELLS = st.one_of(QUOTED, st.sampled_from(["", "1", "2.5", "NA", '"NA"', "é", "\ufeffx", "'"]))
ODD = st.sampled_from(['5" pipe', '"a"b', '"', "1,2,3"])
"""Marks that leave open where quotes are, or never close, and a record with too many fields."""

CUTS = st.tuples(st.integers(1, 40), st.integers(1, 3))
"""How many bytes are read at once, and how many of such chunks are parsed at once."""


def texts(cells):
    rows = st.lists(st.tuples(cells, cells, ENDS), min_size=1, max_size=12)
    return st.tuples(rows, st.booleans()).map(
        lambda one: "a,b\n" + "".join(f"{x},{y}{end}" for x, y, end in one[0]) + ("1,2" if one[1] else "")
    )


def told(path, *, names=("a", "b"), quote='"', encoding="utf-8", missing=("NA", "")):
    """Return the parsed table, or what is wrong."""
    text = _delimited.Delimited(path=path, encoding=encoding, delimiter=",", quote=quote, names=names, missing=missing)
    try:
        tables = list(_delimited.pieces(text, names))
    except DataError as error:
        return [(mistake.line, mistake.message) for mistake in error.mistakes]
    return {name: [cell for table in tables for cell in table[name].to_pylist()] for name in names}


def told_in_parts(path, size, together=1, threads=2, **options):
    """The same with chunks of so many bytes, some of which are put together."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_text, "CHUNK", size)
        patch.setattr(_records, "_ENOUGH", together * size)
        patch.setattr(_quotes, "_PIECE", max(1, size // 2))
        patch.setattr(_delimited, "available", lambda: threads)
        return told(path, **options)


@thorough
@given(texts(CELLS), CUTS, st.sampled_from([1, 2, 5]), st.sampled_from(['"', "'", None]))
@example('a,b\n"\n",1\r\n"",2\r3,4', (1, 1), 2, '"')
@example("a,b\n1,2\n\ufeff3,4\n", (4, 1), 2, '"')
def test_a_text_is_the_same_wherever_it_is_cut(put, text, cut, threads, quote):
    path = put("a.csv", text)
    assert told_in_parts(path, *cut, threads=threads, quote=quote) == told(path, quote=quote)


@thorough
@given(texts(st.one_of(CELLS, CELLS, CELLS, ODD)), CUTS)
def test_what_is_wrong_is_the_same_wherever_a_text_is_cut(put, text, cut):
    path = put("a.csv", text)
    assert told_in_parts(path, *cut) == told(path)


@thorough
@given(st.lists(st.tuples(CELLS, ENDS), max_size=12), st.integers(1, 20))
def test_empty_lines_of_one_column_are_records_wherever_they_are_cut(put, rows, size):
    path = put("a.csv", "a\n" + "".join(cell + end for cell, end in rows))
    assert told_in_parts(path, size, names=("a",), missing=()) == told(path, names=("a",), missing=())


@thorough
@given(texts(CELLS), st.integers(2, 40), st.sampled_from(["utf-16", "gb18030"]), st.booleans())
def test_other_encodings_and_packed_texts_are_the_same_wherever_they_are_cut(put, text, size, encoding, packed):
    data = text.encode(encoding)
    path = put("a.csv.gz", gzip.compress(data, mtime=0)) if packed else put("a.csv", data)
    assert told_in_parts(path, size, encoding=encoding) == told(path, encoding=encoding)


@pytest.mark.parametrize(
    ("enough", "expected"),
    [
        (1, ["a,b\r\n", '"x\r\n","y"\r\n', "1,2\r\n", '3,"""\n"\n', "4,5"]),
        (8, ['a,b\r\n"x\r\n","y"\r\n', '1,2\r\n3,"""\n"\n', "4,5"]),
    ],
)
def test_parts_are_whole_records_and_together_the_text(put, enough, expected):
    text = 'a,b\r\n"x\r\n","y"\r\n1,2\r\n3,"""\n"\n4,5'
    path = put("a.csv", text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_text, "CHUNK", 3)
        patch.setattr(_records, "_ENOUGH", enough)
        records = _records.WholeRecords(path, "utf-8", ",", '"')
        parts = [part.decode() for part in records]
    assert parts == expected
    assert (records.given, records.are_all) == (len(text), True)


def test_nothing_is_cut_behind_a_mark_inside_an_unquoted_cell(put):
    path = put("a.csv", 'a,b\n1,2\n5" pipe,3\n4,"5\n"\n')
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_text, "CHUNK", 8)
        records = _records.WholeRecords(path, "utf-8", ",", '"')
        assert list(records) == [b"a,b\n1,2\n"]
    assert (records.given, records.are_all) == (8, False)
    assert told_in_parts(path, 8) == told(path) == {"a": ["1", '5" pipe', "4"], "b": ["2", "3", "5\n"]}


def test_a_mark_that_is_never_closed_comes_before_records_that_are_ragged(put):
    path = put("a.csv", 'a,b\n1\n2\n3,"4\n')
    assert told_in_parts(path, 4) == [(4, "a quotation mark is opened here and never closed")]


def test_what_is_no_text_comes_before_everything_else(put):
    path = put("a.csv", b'a,b\n1\n5" pipe,"\n2,\xff\n')
    assert told_in_parts(path, 4)[0][1].startswith("has bytes that are not utf-8 text")
