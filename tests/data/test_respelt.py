"""Values that are spelt in several ways, and spellings that follow from the values."""

from __future__ import annotations

import pyarrow as pa
import pytest
from pyarrow import parquet

from permaudit.data.load import as_written
from permaudit.data.respelt import respelt_in
from permaudit.plan import Attribute, FileSource, TableSource
from permaudit_plugins.readers.csv import CsvOptions, CsvReader
from permaudit_plugins.readers.parquet import ParquetReader

ORDER = ("low", "middle", "high")


def told(kind, *texts):
    attribute = Attribute(name="A", type=kind, order=ORDER if kind == "ordinal" else ())
    found = respelt_in(TableSource(table=pa.table({"A": list(texts)}), shown="release"), [attribute], {})
    return found.get("A", "")


@pytest.mark.parametrize(
    ("kind", "one", "another"),
    [
        ("numeric", "7", "7.0"),
        ("numeric", "7.5", "7.50"),
        ("numeric", "007", "7"),
        ("numeric", "100000", "1e+05"),
        ("numeric", "1e5", "1E5"),
        ("numeric", "0.0", "-0.0"),
        ("numeric", "", "nan"),
        ("numeric", "20-29", "[20,29]"),
        ("numeric", "65+", ">=65"),
        ("numeric", "[65, inf)", "[65, inf]"),
        ("numeric", "{1,2}", "{2,1}"),
        ("numeric", "5", "{5}"),
        ("boolean", "true", "TRUE"),
        ("boolean", "true", "1"),
        ("date", "2020-02", "2020-02-01/2020-02-29"),
        ("datetime", "2020-01-01T00:00:00", "2020-01-01 00:00:00"),
        ("datetime", "2020-01-01T00:00:00Z", "2020-01-01T00:00:00.000Z"),
        ("ordinal", "low..middle", "[low, middle]"),
        ("nominal", "{nurse,baker}", "{baker, nurse}"),
    ],
)
def test_one_value_in_two_spellings_is_found(kind, one, another):
    assert told(kind, one, another, one, another) == "spells 1 value in more than one way"
    assert not told(kind, one, one)
    assert not told(kind, another, another)


@pytest.mark.parametrize(
    ("kind", "texts"),
    [
        ("numeric", ["1", "2", "-30", "0"]),
        ("numeric", ["1", "2.5", "-30.25", "0"]),
        ("numeric", ["1.0", "2.5", "1e-05", "1.5e+16", "-0.0001"]),
        ("numeric", ["1.00", "2.50", "-0.01", "0.00"]),
        ("numeric", ["1.00", "-0.00", "0.00", "-0.01"]),  # rounded from just below zero
        ("numeric", ["007", "070", "700"]),
        ("numeric", ["1e+05", "99999", "100001"]),
        ("numeric", ["20-29", "[20,30)", "*", "25"]),
        ("boolean", ["TRUE", "FALSE"]),
        ("date", ["2020-01-01", "2020-02", ""]),
        ("datetime", ["2020-01-01T00:00:00", "2020-01-01T00:00:00.5"]),
        ("nominal", ["nurse", "{nurse,baker}", "Nurse"]),
    ],
)
def test_spellings_that_follow_from_the_value_are_not(kind, texts):
    assert not told(kind, *texts, *texts)


def test_marks_that_are_declared_are_understood(tmp_path):
    path = tmp_path / "release.csv"

    def found(text):
        path.write_text(f"A;B\n{text}", "utf-8")
        options = CsvOptions(delimiter=";", decimal=",", thousands=".", missing=("-99",))
        source = FileSource(path=path, shown="release.csv", options=options)
        return respelt_in(source, [Attribute(name="A"), Attribute(name="B")], {"csv": CsvReader()})

    assert found("1.000,5;1\n2,25;-99\n-99;2\n") == {}
    assert found("1.000,5;1\n1000,5;2\n") == {"A": "spells 1 value in more than one way"}
    assert found("2,5;1\n2,50;1,0\n").keys() == {"A", "B"}


def test_groups_of_records_are_looked_at_one_after_the_other(tmp_path):
    """A file that does not fit into memory is never read as a whole; what one group spells otherwise than another is found."""
    path = tmp_path / "r.parquet"
    parquet.write_table(pa.table({"A": ["7"] * 9 + ["7.0"], "B": ["1", "2"] * 5}), path, row_group_size=5)
    source = FileSource(path=path, shown="r.parquet")
    attributes = [Attribute(name=name, type="numeric") for name in ("A", "B")]
    readers = {"parquet": ParquetReader()}
    assert [len(piece) for piece in as_written(source, ["A"], readers)] == [5, 5]
    found = respelt_in(source, attributes, readers)
    assert found == {"A": "spells 1 value in more than one way"}


def test_numbers_that_are_typed_as_such_are_not_even_read(tmp_path):
    seen = []

    class Noting(ParquetReader):
        """The reader of Parquet; it notes what is read."""

        def read_group(self, path, group, columns, options):
            seen.append(columns)
            return super().read_group(path, group, columns, options)

    path = tmp_path / "r.parquet"
    parquet.write_table(pa.table({"A": [1.5, 2.5], "B": ["1", "1.0"], "C": [True, None]}), path)
    attributes = [Attribute(name="A"), Attribute(name="B"), Attribute(name="C", type="boolean")]
    found = respelt_in(FileSource(path=path, shown="r.parquet"), attributes, {"parquet": Noting()})
    assert found == {"B": "spells 1 value in more than one way"}
    assert set(seen) == {("B",)}
