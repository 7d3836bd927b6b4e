"""Files that are not written as a comma-separated file of this program would be."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from permaudit.errors import DataError

RNG = np.random.default_rng(8)
FRAME = pd.DataFrame(
    {"A": RNG.normal(0, 1000, 60).round(2), "B": RNG.normal(0, 1, 60).round(3), "T": ["Zoë", "Jürgen"] * 30}
)


@pytest.fixture
def dialect(begin, put):
    """Return a function that writes a frame and returns what the audit file says of the original."""

    def of(name="original.csv", frame=FRAME, **how):
        begun = begin(put(name, frame, **how))
        assert begun.attributes == {"A": "numeric", "B": "numeric"}
        return begun.value["original"]

    return of


def test_an_ordinary_file_needs_no_options(dialect):
    assert dialect() == "original.csv"


@pytest.mark.parametrize("mark", [";", "\t", "|"])
def test_the_delimiter_is_found(dialect, mark):
    assert dialect(sep=mark) == {"path": "original.csv", "format": "csv", "options": {"delimiter": mark}}


def test_the_delimiter_of_a_suffix_needs_no_options(dialect):
    assert dialect("original.tsv", sep="\t") == "original.tsv"


def test_commas_in_names_do_not_hide_the_delimiter(begin, put):
    begun = begin(put("original.csv", FRAME.rename(columns={"A": "A, gross", "B": "B, net"}), sep=";"))
    assert list(begun.attributes) == ["A, gross", "B, net"]


def test_a_decimal_comma_is_found_and_is_to_be_confirmed(begin, put):
    begun = begin(put("original.csv", FRAME, sep=";", decimal=","))
    assert begun.value["original"]["options"] == {"delimiter": ";", "decimal": ","}
    assert begun.attributes == {"A": "numeric", "B": "numeric"}
    assert "CONFIRM: numbers are written with a comma before the decimals" in begun.words


@pytest.mark.parametrize(
    ("write", "options"),
    [
        ("{:,.2f}".format, {"thousands": ","}),
        (lambda number: f"{number:,.2f}".translate(str.maketrans(",.", ".,")), {"decimal": ",", "thousands": "."}),
        (lambda number: f"{number:,.2f}".translate(str.maketrans(",.", " ,")), {"decimal": ",", "thousands": " "}),
        (lambda number: f"{number:,.2f}".replace(",", "'"), {"thousands": "'"}),
    ],
)
def test_marks_between_thousands_are_found(begin, put, write, options):
    frame = pd.DataFrame({"A": [write(number) for number in RNG.normal(0, 10**6, 60)], "B": np.arange(60) % 7})
    begun = begin(put("original.csv", frame, sep=";"))
    assert begun.value["original"]["options"] == {"delimiter": ";", **options}
    assert begun.attributes == {"A": "numeric", "B": "numeric"}


def test_phone_numbers_in_groups_of_three_are_no_amounts(begin, put):
    frame = FRAME.assign(T=[f"612 345 {number}" for number in range(600, 630)] * 2)
    begun = begin(put("original.csv", frame))
    assert begun.value["original"] == "original.csv"
    assert begun.identifiers == ["T"]


def test_a_comma_that_can_be_read_both_ways_is_said_to_be(begin, put):
    frame = pd.DataFrame({"A": [f"{number},{number + 100}" for number in range(1, 61)], "B": FRAME["B"] // 1})
    assert "the comma may also be read the other way" in begin(put("original.csv", frame, sep=";")).words


def test_a_column_with_points_in_a_file_with_decimal_commas_stays_as_it_stands(begin, put):
    frame = FRAME.assign(A=[f"{number}".replace(".", ",") for number in FRAME["A"]])
    begun = begin(put("original.csv", frame, sep=";"))
    assert begun.value["original"]["options"] == {"delimiter": ";", "decimal": ",", "codes": ["B"]}
    assert begun.attributes == {"A": "numeric", "B": "numeric"}


@pytest.mark.parametrize("encoding", ["cp1252", "utf-16"])
def test_the_encoding_is_found_and_is_to_be_confirmed(begin, put, encoding):
    begun = begin(put("original.csv", FRAME, encoding=encoding))
    assert begun.value["original"]["options"] == {"encoding": encoding}
    assert f"CONFIRM: the file is not UTF-8, but can be read as {encoding}" in begun.words
    assert "order: [Jürgen, Zoë]" in begun.text


def test_the_usual_names_of_missing_values_are_found_and_to_be_confirmed(begin, put):
    frame = FRAME.assign(B=["NA", *FRAME["B"][1:]])
    begun = begin(put("original.csv", frame), put("release.csv", frame))
    assert begun.value["original"]["options"] == {"missing": ["NA"]}
    assert begun.attributes == {"A": "numeric", "B": "numeric"}
    assert "CONFIRM: cells that read NA are taken for missing values, in every column of this file" in begun.words
    assert begun.value["missing"] == "lowest"


def test_a_country_that_is_called_like_a_missing_value_is_none(begin, put):
    begun = begin(put("original.csv", FRAME.assign(T=["NA", "AT"] * 30)))
    assert begun.value["original"] == "original.csv"
    assert "order: [AT, NA]" in begun.text


def test_both_files_have_options_of_their_own(begin, put):
    files = [put("original.csv", FRAME, sep=";", decimal=","), put("release.csv", FRAME + FRAME, sep="|", na_rep="-")]
    begun = begin(*files)
    assert begun.value["original"]["options"] == {"delimiter": ";", "decimal": ","}
    assert begun.release["options"] == {"delimiter": "|"}


def test_a_packed_file_is_read(begin, put):
    path = put("original.csv.gz", gzip.compress(FRAME.to_csv(index=False, sep=";").encode()))
    assert begin(path).value["original"]["options"] == {"delimiter": ";"}


def test_a_single_column_may_hold_what_delimits_others(begin, put):
    begun = begin(put("original.csv", "A\n" + "".join(f"{number},5\n" for number in range(40))))
    assert begun.value["original"]["options"] == {"delimiter": ";", "decimal": ","}


def test_text_with_an_unknown_suffix_is_taken_for_delimited(dialect):
    assert dialect("original.dat") == {"path": "original.dat", "format": "csv"}
    assert dialect("original.xyz") == {"path": "original.xyz", "format": "csv"}


def test_what_no_reader_can_read_alone_is_refused_in_words(begin, put):
    with pytest.raises(DataError, match="'fixed-width' cannot do without options"):
        begin(put("original.dat", "ab12\ncd34\n"))
    with pytest.raises(DataError, match="no reader for"):
        begin(put("original.xyz", "ab12\ncd34\n"))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "is empty"),
        ("A,B\n", "has no records"),
        ("A,B\n1,2\n3\n", "has 1 field where the header has 2"),
        ('A,B\n1,"2\n', "never closed"),
        ("A,A\n1,2\n", "stands 2 times"),
        (b"\x80\x04\x95pickle", "holds a pickle"),
        (b"A,B\n1,\x00\n", "NUL"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_in_the_reader_s_words(begin, put, content, message):
    with pytest.raises(DataError, match=message) as refused:
        begin(put("original.csv", content))
    assert "original.csv" in str(refused.value)


def test_a_file_that_is_not_there_is_refused(begin, tmp_path):
    with pytest.raises(DataError, match="No such file"):
        begin(tmp_path / "none.csv")


@pytest.mark.parametrize(
    "content",
    ["c4n4ry,17.5,3\nb,18.5,4\na,11.0,5\n", "17.5,3\n18.5,4\n11.0,5\n", "c4n4ry@example.org,x\na@example.org,y\n"],
)
def test_a_record_in_the_place_of_the_header_is_not_written_down(permaudit, put, tmp_path, content):
    ran = permaudit("init", put("original.csv", content * 1), "-o", tmp_path / "audit.yaml")
    assert ran.code == 2
    assert "original.csv:1: looks like a record, not like the names of the columns" in ran.err
    assert "c4n4ry" not in ran.err + ran.out + ran.log
    assert not (tmp_path / "audit.yaml").exists()


@pytest.mark.parametrize("names", [["0", "1"], ["1", "2"], ["2019", "2020"], ["1e3", "B"]])
def test_numbers_may_be_names(begin, names):
    frame = pd.DataFrame(RNG.normal(size=(30, 2)), columns=names)
    assert list(begin(frame).attributes) == names


@pytest.mark.parametrize(
    ("write", "said"),
    [
        (lambda frame, path: frame.to_parquet(path.with_suffix(".parquet")), "people"),
        (lambda frame, path: frame.to_csv(path.with_suffix(".csv"), index=False), "people"),
        (
            lambda frame, path: frame.to_csv(path.with_suffix(".csv"), index=False, sep=";", decimal=","),
            {"path": "people", "format": "csv", "options": {"delimiter": ";", "decimal": ","}},
        ),
    ],
)
def test_a_table_in_several_files_is_read_as_its_first_file_is_written(begin, put, write, said):
    folder = put("release.csv", FRAME).with_name("people")
    folder.mkdir()
    for number in range(3):
        write(FRAME.iloc[20 * number : 20 * (number + 1)], folder / f"part-{number}")
    begun = begin(folder, folder.with_name("release.csv"))
    assert begun.value["original"] == said
    assert begun.attributes == {"A": "numeric", "B": "numeric"}
    assert begun.release["linkage"] == "row"


@pytest.mark.parametrize("address", ["https://example.org/people.csv", "s3://bucket/people.parquet"])
def test_an_address_is_refused_as_one(begin, address):
    with pytest.raises(DataError, match="is a URL; only local files are read"):
        begin(Path(address))


def test_doubts_about_a_release_are_told_from_those_about_the_original(begin, put):
    files = [put(f"{name}.csv", FRAME, sep=";", decimal=",") for name in ("original", "release")]
    words = begin(*files).words
    assert "CONFIRM: numbers are written with a comma before the decimals" in words
    assert "CONFIRM: release.csv: numbers are written with a comma before the decimals" in words
