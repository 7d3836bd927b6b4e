"""Columns of numbers that are read in pieces: held as numbers, and the same to the last digit as if they were text."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from permaudit import DataError
from permaudit.data import pieces
from permaudit.data.load import load
from permaudit.data.pieces import read_pieces
from permaudit.data.scales import ColumnError, scale_of
from permaudit.plan import Attribute, FileSource
from permaudit_plugins.readers import _records, _text

NUMERIC = Attribute(name="A")
TEXTS = st.one_of(
    st.integers(-9, 9).map(str),
    st.floats(-1e6, 1e6).map(repr),
    st.integers(2**53 - 1, 2**64 + 1).map(str),
    st.sampled_from(
        ["", "-0", "+5", ".5", "1e3", "007", "0x1F", "nan", "inf", "0.10000000000000001", "12345678901234567.25"]
    ),
)
NASTY = st.sampled_from(
    [
        *(
            " 5",
            "5 ",
            "\t5",
            "1 5",
            "1,234",
            "0X1f",
            "-0x1F",
            "NaN",
            "-inf",
            "1e400",
            "1e-400",
            "-1e20",
            "--1",
            "1e",
            ".",
        ),
        *("-0.0", "+0", "-.5", "5.", "00.5", "NA", "true", "9007199254740993.0", "-9007199254740993"),
        *("123456789012345.67", "-0.12345678901234567", "-0.123456789012345678", "1234567890123456.78e-3"),
    ]
)
RELEASED = st.one_of(TEXTS, st.sampled_from(["20-29", "*", "{1,2}", "five"]))


@dataclass
class Sliced:
    """A reader of one column that gives so many records at a time."""

    column: pa.Array
    size: int
    whole: int = 0

    def read(self, path, columns, options):  # noqa: ARG002
        self.whole += 1
        return pa.table({"A": self.column})

    def pieces(self, path, columns, options):  # noqa: ARG002
        table = pa.table({"A": self.column})
        return (table.slice(start, self.size) for start in range(0, len(table), self.size))


@dataclass
class SlicedTable:
    """The same of several columns."""

    table: pa.Table
    size: int

    def read(self, path, columns, options):  # noqa: ARG002
        return self.table.select(columns)

    def pieces(self, path, columns, options):  # noqa: ARG002
        chosen = self.table.select(columns)
        return (chosen.slice(start, self.size) for start in range(0, len(chosen), self.size))


@pytest.fixture(autouse=True)
def _every_piece_is_worth_a_look(monkeypatch):
    monkeypatch.setattr(pieces, "_ENOUGH", 1)


def text(cells):
    return pa.array(cells, pa.string())


def in_pieces(cells, size=2):
    return read_pieces(Sliced(text(cells), size), None, ["A"], None, ["A"])["A"]


def told(call, *arguments):
    """Return all there is to know of an encoded column, or what is wrong with it."""
    try:
        column = call(*arguments)
    except ColumnError as error:
        return str(error), None if error.wrong is None else error.wrong.tolist()
    missing = np.zeros(len(column.codes), bool) if column.missing is None else column.missing
    # Whole numbers stay whole: compared as Python's own numbers, which never round.
    codes = [None if gap else code for code, gap in zip(column.codes.tolist(), missing, strict=True)]
    return codes, column.codes.dtype, column.statements


@given(st.lists(TEXTS, min_size=1, max_size=8), st.integers(1, 4))
def test_an_original_in_pieces_is_the_same_as_its_text(cells, size):
    expected = told(lambda: scale_of(NUMERIC, pa.chunked_array([text(cells)])).original)
    assert told(lambda: scale_of(NUMERIC, in_pieces(cells, size)).original) == expected


@given(st.lists(RELEASED, min_size=1, max_size=8), st.sampled_from([["1", "2", "30"], ["0.5", "7"]]), st.integers(1, 4))
def test_a_release_in_pieces_is_the_same_as_its_text(cells, original, size):
    scale = scale_of(NUMERIC, pa.chunked_array([text(original)]))
    expected = told(scale.encode, pa.chunked_array([text(cells)]))
    assert told(scale.encode, in_pieces(cells, size)) == expected


@given(
    st.lists(st.tuples(TEXTS, RELEASED, TEXTS), min_size=1, max_size=12), st.integers(1, 4), st.sampled_from([2, 3, 8])
)
def test_columns_are_the_same_whatever_the_number_of_threads(rows, size, threads):
    table = pa.table({name: text(cells) for name, cells in zip("ABC", zip(*rows, strict=True), strict=True)})

    def read(count):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(pieces, "available", lambda: count)
            return read_pieces(SlicedTable(table, size), None, ["A", "B", "C"], None, ["A", "B"])

    assert read(threads).equals(read(1))


@pytest.mark.parametrize(
    ("cells", "again"),
    [
        (["1", "2", "3", "4"], 0),
        (["1", "2", "3.5", ""], 0),
        (["*", "2", "3", "4"], 0),  # seen at once: text is kept
        (["1", "2", "3", "*"], 1),
        (["9007199254740993", "2", "3.5", "4"], 1),  # a whole number that no float holds, among floats
    ],
)
def test_text_that_is_needed_after_all_is_read_again(cells, again):
    reader = Sliced(text(cells), 2)
    read_pieces(reader, None, ["A"], None, ["A"])
    assert reader.whole == again


@pytest.mark.parametrize(
    ("cells", "is_kept"),
    [
        (["-inf", "0.5"], True),
        (["0.5", "nan"], True),
        (["-9007199254740993", "0.5"], True),  # its neighbours are the same float
        (["-9007199254740991", "0.5"], False),
        (["1.23456789012345678", "0.5"], True),  # a digit more than a float tells apart
        (["", "-0.12345678901234567"], False),
        (["0x1F", "-5"], True),
        (["", "007"], False),
    ],
)
def test_text_of_one_piece_is_kept_only_where_its_numbers_do_not_say_the_same(cells, is_kept):
    assert pa.types.is_string(in_pieces(cells).type) == is_kept


def test_the_width_of_floats_is_said_of_typed_files_only():
    """Text has no width: a file of text beside one of 32-bit floats is no finding."""
    original = scale_of(NUMERIC, pa.chunked_array([pa.array([0.5, 1.5], pa.float32())]))
    assert original.encode(in_pieces(["0.5", "1.5"])).statements == ()


# --------------------------------------------------------------------------- delimited files


@pytest.fixture
def wide(tmp_path):
    """Write a file of more than one piece, with three records that are wrong in the notation `1.234,5`."""
    path = tmp_path / "wide.csv"
    rng = np.random.default_rng(3)
    numbers = rng.normal(size=(250_000, 2))
    np.savetxt(path, numbers, fmt="%.17g", delimiter=";", header="A;B", comments="")
    return path, numbers


def test_numbers_of_a_large_file_are_not_held_as_text(wide, readers):
    path, numbers = wide
    options = readers["csv"].parameters(delimiter=";")
    source = FileSource(path=path, shown="wide.csv", format="csv", options=options)
    assert len(list(readers["csv"].pieces(path, ("A", "B"), options))) > 2
    as_text = load(source, ["A", "B"], readers)
    assert pa.types.is_string(as_text.table["A"].type)
    loaded = load(source, ["A", "B"], readers, numbers=["A"])
    assert loaded.table["A"].nbytes == 8 * len(numbers)
    assert pa.types.is_string(loaded.table["B"].type)
    assert np.array_equal(scale_of(NUMERIC, loaded.table["A"]).original.codes, numbers[:, 0])


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.tuples(st.one_of(TEXTS, NASTY), st.one_of(TEXTS, TEXTS, NASTY)), min_size=1, max_size=12),
    st.integers(4, 60),
    st.booleans(),
)
def test_numbers_of_a_file_in_parts_are_those_of_its_text(tmp_path, readers, rows, size, quoted):
    mark = '"' if quoted else ""
    path = tmp_path / "a.csv"
    path.write_text("A;B\n" + "".join(f"{mark}{a}{mark};{b}\n" for a, b in rows), encoding="utf-8")
    options = readers["csv"].parameters(delimiter=";", missing=["NA"])
    whole = readers["csv"].read(path, ("A", "B"), options)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_text, "CHUNK", size)
        patch.setattr(_records, "_ENOUGH", size)
        parted = read_pieces(readers["csv"], path, ["A", "B"], options, ["A", "B"])
    for name in "AB":
        expected = told(lambda name=name: scale_of(NUMERIC, whole[name]).original)
        assert told(lambda name=name: scale_of(NUMERIC, parted[name]).original) == expected


def test_mistakes_of_notation_are_counted_over_all_pieces(wide, readers):
    path, numbers = wide
    with pytest.raises(DataError) as refused:
        list(readers["csv"].pieces(path, ("B",), readers["csv"].parameters(delimiter=";", decimal=",")))
    assert f"column 'B' has {len(numbers)} cells" in str(refused.value)
    assert "(first in record 1)" in str(refused.value)


def test_a_ragged_record_in_the_last_piece_is_refused(wide, readers):
    path, numbers = wide
    with path.open("a") as stream:
        stream.write("1;2;3\n")
    with pytest.raises(DataError, match=f"{len(numbers) + 2}: has 3 fields where the header has 2"):
        readers["csv"].read(path, ("A",), readers["csv"].parameters(delimiter=";"))
