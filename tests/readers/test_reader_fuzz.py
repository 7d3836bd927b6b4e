"""Arbitrary bytes: a table or a `DataError`, never anything else, and never for long."""

from __future__ import annotations

import gzip
from datetime import timedelta

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from permaudit import DataError

EXAMPLES = 400
"""For each test below."""

thorough = settings(
    max_examples=EXAMPLES,
    deadline=timedelta(seconds=2),
    suppress_health_check=[HealthCheck.function_scoped_fixture],
    derandomize=True,
)
pieces = st.sampled_from(
    [
        *(
            b"a",
            b"b",
            b"1",
            b",",
            b";",
            b"\t",
            b'"',
            b'""',
            b"'",
            b"\n",
            b"\r",
            b"\r\n",
            b"\0",
            b"\xff",
            b"\xc3\xa9",
            b" ",
        ),
        *(b"\xef\xbb\xbf", b"\xff\xfe", b"1.234,5", b"1,5", b"=1", b"\x1f\x8b\x08", b"PK\x03\x04", b"PAR1", b"\x01"),
    ]
)
files = st.one_of(st.binary(max_size=300), st.lists(pieces, max_size=60).map(b"".join))
encodings = st.sampled_from(
    ["utf-8", "cp1252", "latin-1", "utf-16", "utf-16-le", "utf-32", "utf-7", "gb18030", "cp037"]
)
any_options = st.fixed_dictionaries(
    {
        "encoding": encodings,
        "delimiter": st.sampled_from([",", ";", "\t", "|", " "]),
        "quote": st.sampled_from(['"', "'", None]),
        "decimal": st.sampled_from([".", ","]),
        "thousands": st.sampled_from([None, "\u202f", "_"]),
        "missing": st.sampled_from([[], ["1", ""]]),
    }
)


def read_or_refuse(read, path, **options):
    """Read what can be read, and look at every cell; let no other error pass."""
    try:
        table = read(path, **options)
    except DataError:
        return
    assert len(set(table.column_names)) == table.num_columns > 0
    table.to_pydict()


@thorough
@given(content=files)
@example(content=b"")
@example(content=b"\n")
@example(content=b'"')
@example(content=b"a\r")
@example(content=b'a,b\n"\n')
@example(content=b"\xef\xbb\xbf\n1")
def test_any_bytes_called_csv_are_read_or_refused(put, read, content):
    read_or_refuse(read, put("a.csv", content))


@thorough
@given(content=files, options=any_options)
def test_any_bytes_are_read_or_refused_under_any_options(put, read, content, options):
    read_or_refuse(read, put("a.tsv", content), **options)


@thorough
@given(content=files, damage=st.one_of(st.none(), st.tuples(st.integers(0, 400), st.integers(0, 255))))
def test_any_packed_bytes_are_read_or_refused(put, read, content, damage):
    packed = bytearray(gzip.compress(content, mtime=0))
    if damage is not None:
        packed[damage[0] % len(packed)] = damage[1]
    read_or_refuse(read, put("a.csv.gz", bytes(packed)))


@thorough
@given(content=files, place=st.tuples(st.integers(1, 10), st.integers(1, 10)), encoding=encodings)
def test_any_bytes_of_fixed_width_are_read_or_refused(put, read, content, place, encoding):
    read_or_refuse(read, put("a.fwf", content), layout={"a": place, "b": [1, 1]}, encoding=encoding)


cells = st.text(alphabet=st.sampled_from("ab1,;\"\n\r é'=."), max_size=6)


@thorough
@given(st.integers(1, 4).flatmap(lambda width: st.lists(st.lists(cells, min_size=width, max_size=width), min_size=1)))
def test_whatever_is_written_as_rfc_4180_wants_is_read_back_cell_by_cell(put, read, rows):
    names = [f"column {place}" for place in range(len(rows[0]))]
    quoted = ["\r\n".join(",".join('"' + cell.replace('"', '""') + '"' for cell in row) for row in [names, *rows])]
    table = read(put("a.csv", quoted[0]))
    assert [list(row.values()) for row in table.to_pylist()] == rows


@pytest.mark.parametrize("suffix", [".parquet", ".feather", ".xlsx", ".duckdb", ".db"])
@settings(thorough, max_examples=40)
@given(content=st.binary(min_size=1, max_size=300))
def test_any_bytes_under_the_name_of_a_binary_format_are_refused(put, read, suffix, content):
    options = {"table": "t"} if suffix in {".duckdb", ".db"} else {}
    with pytest.raises(DataError):
        read(put(f"a{suffix}", content), **options)
