"""Files of SPSS, Stata and SAS.

pyreadstat writes all of them but .sas7bdat, which `sas_writer` lays out byte by byte, and catalogues (`sas_catalogue`).
"""

from __future__ import annotations

import datetime as dt
import hashlib
import random
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from permaudit import DataError
from permaudit_plugins.readers._statistics_child import is_bomb

from .sas_catalogue import sas7bcat
from .sas_writer import Column, sas7bdat

pyreadstat = pytest.importorskip("pyreadstat", reason="needs the extra 'stat'")

CANARY = "c4n4ry"
DAY = dt.date(2024, 1, 2)
MOMENT = dt.datetime(2024, 1, 2, 3, 4, 5)  # noqa: DTZ001 - these formats know no time zones
SUFFIXES = [".sav", ".zsav", ".por", ".dta", ".xpt", ".sas7bdat"]
SAS_BEGINS = dt.datetime(1960, 1, 1)  # noqa: DTZ001 - as above


def write(frame, path, **options):
    writers = {
        ".sav": pyreadstat.write_sav,
        ".zsav": lambda *args, **kwargs: pyreadstat.write_sav(*args, compress=True, **kwargs),
        ".por": pyreadstat.write_por,
        ".dta": pyreadstat.write_dta,
        ".xpt": pyreadstat.write_xport,
        ".sas7bdat": write_sas7bdat,
    }
    writers[path.suffix](frame, path, **options)
    return path


def write_sas7bdat(frame, path):
    columns = []
    for name in frame:
        cells = frame[name].tolist()
        if isinstance(cells[0], dt.datetime):
            seconds = [(cell.to_pydatetime() - SAS_BEGINS).total_seconds() for cell in cells]
            columns.append(Column(name, seconds, "DATETIME"))
        elif isinstance(cells[0], dt.date):
            columns.append(Column(name, [float((cell - SAS_BEGINS.date()).days) for cell in cells], "DATE"))
        else:
            columns.append(Column(name, [None if cell != cell else cell for cell in cells]))  # noqa: PLR0124 - NaN
    path.write_bytes(sas7bdat(columns))


def test_what_the_tests_take_for_a_file_of_sas_is_one_to_pandas_as_well(tmp_path):
    people = [
        Column("CODE", ["007", "NA"], label="A code"),
        Column("INCOME", [1.5, None]),
        Column("DAY", [1.0, 2.0], "DATE"),
    ]
    (tmp_path / "a.sas7bdat").write_bytes(sas7bdat(people))
    read = pd.read_sas(tmp_path / "a.sas7bdat", encoding="utf-8")
    assert read["CODE"].tolist() == ["007", "NA"]
    assert read["INCOME"].tolist()[0] == 1.5
    assert read["INCOME"].isna().tolist() == [False, True]
    assert [day.date() for day in read["DAY"]] == [dt.date(1960, 1, 2), dt.date(1960, 1, 3)]


@pytest.fixture
def frame():
    return pd.DataFrame(
        {
            "CODE": ["007", "NA", "x"],
            "INCOME": [1.5, np.nan, -2.0],
            "DAY": [DAY, DAY, dt.date(1900, 1, 1)],
            "MOMENT": [MOMENT, MOMENT, MOMENT],
        }
    )


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_text_stays_text_numbers_numbers_and_dates_dates(tmp_path, read, frame, suffix):
    order = ["MOMENT", "DAY", "INCOME", "CODE"]
    table = read(write(frame, tmp_path / f"a{suffix}"), order)
    assert table.column_names == order
    assert table.to_pydict() == {
        "CODE": ["007", "NA", "x"],
        "INCOME": [1.5, None, -2.0],
        "DAY": [DAY, DAY, dt.date(1900, 1, 1)],
        "MOMENT": [MOMENT, MOMENT, MOMENT],
    }
    assert table["DAY"].type == pa.date32()
    assert pa.types.is_timestamp(table["MOMENT"].type)


def test_values_that_the_file_declares_missing_are_nulls(tmp_path, read):
    frame = pd.DataFrame({"AGE": [30.0, 99.0, 998.0, np.nan], "CODE": ["a", "zz", "b", ""]})
    ranges = {"AGE": [99, {"lo": 900, "hi": 999}], "CODE": ["zz"]}
    table = read(write(frame, tmp_path / "a.sav", missing_ranges=ranges))
    assert table.to_pydict() == {"AGE": [30.0, None, None, None], "CODE": ["a", None, "b", ""]}


def test_stata_values_that_are_missing_for_a_reason_are_nulls(tmp_path, read):
    frame = pd.DataFrame({"AGE": pd.Series([30, "a", 40], dtype=object), "B": [1, 2, 3]})
    path = write(frame, tmp_path / "a.dta", missing_user_values={"AGE": ["a"]})
    assert read(path)["AGE"].to_pylist() == [30, None, 40]


def test_the_letters_of_stata_for_missing_values_are_told_apart(tmp_path, readers):
    """In a release, letters that nobody counts could say anything about the records whose values are gone."""
    frame = pd.DataFrame({"AGE": pd.Series([30, "a", 40, "b", None, "a"], dtype=object), "B": range(6)})
    path = write(frame, tmp_path / "a.dta", missing_user_values={"AGE": ["a", "b"]})
    stata = readers["stata"]
    declared = stata.declared_missing(path, ("AGE", "B"), stata.parameters())
    assert declared.to_pydict() == {"AGE": [None, "a", None, "b", None, "a"]}


@pytest.mark.parametrize("suffix", [".sav", ".dta"])
def test_codes_come_by_default_and_labels_on_request(tmp_path, read, suffix):
    frame = pd.DataFrame({"SEX": pd.array([1, 2, 1], dtype="int32"), "AGE": [30.0, 40.0, 50.0]})
    path = write(frame, tmp_path / f"a{suffix}", variable_value_labels={"SEX": {1: "male", 2: "female"}})
    if suffix == ".sav":
        assert read(path)["SEX"].to_pylist() == [1, 2, 1]
    assert read(path, labels=True).to_pydict() == {"SEX": ["male", "female", "male"], "AGE": [30.0, 40.0, 50.0]}


def test_missing_values_have_no_label(tmp_path, read):
    frame = pd.DataFrame({"SEX": [1.0, 9.0, np.nan]})
    labels = {"SEX": {1: "male", 9: "refused"}}
    path = write(frame, tmp_path / "a.sav", variable_value_labels=labels, missing_ranges={"SEX": [9]})
    assert read(path, labels=True)["SEX"].to_pylist() == ["male", None, None]


@pytest.fixture(params=[".xpt", ".sas7bdat"])
def coded(request, tmp_path):
    """Return a file of SAS with codes."""
    path = tmp_path / f"a{request.param}"
    if request.param == ".xpt":
        pyreadstat.write_xport(
            pd.DataFrame({"SEX": [1.0, 2.0], "AGE": [30.0, 40.0]}), path, variable_format={"SEX": "SEXF."}
        )
    else:
        path.write_bytes(sas7bdat([Column("SEX", [1.0, 2.0], "SEXF"), Column("AGE", [30.0, 40.0])]))
    return path


@pytest.fixture
def catalogue(put):
    """Return a function that puts a catalogue beside the data and gives the options that name it."""

    def beside(content):
        put("formats.sas7bcat", content)
        sha256 = hashlib.sha256(content).hexdigest()
        return {"labels": True, "catalog": "formats.sas7bcat", "catalog_sha256": sha256}

    return beside


def test_labels_of_sas_come_from_the_catalogue_beside_the_data(coded, read, catalogue):
    options = catalogue(sas7bcat({"SEXF": {1: "male", 2: "female"}, "OTHER": {1: "no"}}))
    assert read(coded, **options).to_pydict() == {"SEX": ["male", "female"], "AGE": [30.0, 40.0]}
    assert read(coded)["SEX"].to_pylist() == [1.0, 2.0]


def test_labels_of_sas_without_a_catalogue_are_refused_and_not_forgotten(coded, refused):
    assert refused(coded, labels=True).startswith("files of SAS hold no labels: they are in a catalogue; name the")


def test_a_catalogue_of_sas_must_be_the_one_that_was_declared(coded, refused, catalogue):
    options = catalogue(sas7bcat({"SEXF": {1: "male", 2: "female"}}))
    other = catalogue(sas7bcat({"SEXF": {1: "female", 2: "male"}}))
    for declared in (options["catalog_sha256"], None):
        assert f"has the sha256 {other['catalog_sha256']}" in refused(coded, **options | {"catalog_sha256": declared})


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"no catalogue", "is not a catalogue of SAS, or it is damaged"),
        (sas7bcat({"OTHER": {1: "no"}}), "has labels for none of the columns"),
        (sas7bcat({"SEXF": {1: "male"}}), "has 1 value without a label"),
    ],
)
def test_a_catalogue_of_sas_that_does_not_do_is_refused(coded, refused, catalogue, content, says):
    assert says in refused(coded, **catalogue(content))


def test_a_catalogue_of_sas_that_is_not_there_or_is_a_link_is_refused(coded, refused, catalogue):
    options = catalogue(sas7bcat({"SEXF": {1: "male", 2: "female"}}))
    kept = coded.with_name("formats.sas7bcat").rename(coded.with_name("kept.sas7bcat"))
    assert "is not beside the data as a readable file" in refused(coded, **options)
    coded.with_name("formats.sas7bcat").symlink_to(kept)
    assert "is not beside the data as a readable file" in refused(coded, **options)


@pytest.mark.parametrize("suffix", [".sav", ".dta"])
def test_codes_that_share_a_label_are_refused_where_labels_are_asked_for(tmp_path, read, refused, suffix):
    """In a release, which of the two codes a record has could be anything about it, and no label shows it."""
    labels = {"SEX": {1: "male", 2: "female", 3: "male"}}
    told = pd.DataFrame({"SEX": [1.0, 2.0, 1.0, 3.0, 3.0]})
    text = refused(write(told, tmp_path / f"a{suffix}", variable_value_labels=labels), labels=True)
    assert (
        text
        == "column 'SEX' has 2 values whose label another code has, too (first in record 4); read codes with labels: false"
    )
    unused = write(told[:3], tmp_path / f"b{suffix}", variable_value_labels=labels)
    assert read(unused, labels=True)["SEX"].to_pylist() == ["male", "female", "male"]


def test_a_blank_label_is_none(tmp_path, refused):
    """It would turn its code into a missing value."""
    labels = {"SEX": {1: "male", 2: " "}}
    text = refused(
        write(pd.DataFrame({"SEX": [1.0, 2.0]}), tmp_path / "a.sav", variable_value_labels=labels), labels=True
    )
    assert text == "column 'SEX' has 1 value without a label (first in record 2); read codes with labels: false"


def test_a_code_without_a_label_is_refused_where_labels_are_asked_for(tmp_path, refused):
    frame = pd.DataFrame({"AGE": [30.0, 99.0, 41.0]})
    path = write(frame, tmp_path / "a.sav", variable_value_labels={"AGE": {99: "refused"}})
    text = refused(path, labels=True)
    assert text == "column 'AGE' has 2 values without a label (first in record 1); read codes with labels: false"


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_truncated_file_is_refused(tmp_path, put, read, suffix):
    frame = pd.DataFrame({"A": [f"{CANARY}{i}" for i in range(200)], "B": np.arange(200.0)})
    content = write(frame, tmp_path / f"a{suffix}").read_bytes()
    with pytest.raises(DataError, match="damaged") as caught:
        read(put(f"b{suffix}", content[:300]))
    assert CANARY not in str(caught.value)


@pytest.mark.parametrize("suffix", [".sav", ".por", ".dta", ".sas7bdat"])
def test_other_content_is_refused(put, refused, suffix):
    assert "is not a file of" in refused(put(f"a{suffix}", f"a,b\n{CANARY},2\n" * 100))


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_damage_anywhere_is_an_error_or_goes_unseen_and_nothing_else(tmp_path, put, read, suffix):
    frame = pd.DataFrame({"A": [f"{CANARY}{i}" for i in range(50)], "B": np.arange(50.0), "C": [DAY] * 50})
    content = write(frame, tmp_path / f"a{suffix}").read_bytes()
    chance = random.Random(20261118)
    for _ in range(2):  # each takes a process or two; in one, some of these files end it
        damaged = bytearray(content)
        for _ in range(chance.choice([1, 3, 30])):
            damaged[chance.randrange(4, len(content))] = chance.randrange(256)
        try:
            read(put(f"b{suffix}", bytes(damaged)))
        except DataError as error:
            assert CANARY not in str(error)  # noqa: PT017 - damage that hits nothing raises nothing


def test_a_file_that_unpacks_to_far_more_than_it_holds_is_refused():
    about = SimpleNamespace(number_rows=10_000_000, variable_storage_width={"a": 8, "b": 255})
    assert is_bomb(1000, about)
    assert not is_bomb(1 << 30, about)
    about.number_rows = None
    assert not is_bomb(1000, about)


def test_a_child_that_dies_is_a_damaged_file(put, refused, monkeypatch):
    monkeypatch.setattr(sys, "executable", put("python", "#!/bin/sh\nkill -SEGV $$\n"))
    Path(sys.executable).chmod(0o700)
    assert "is not a file of SPSS, or it is damaged" in refused(put("a.sav", f"$FL2@(#) {CANARY}"))


def test_nothing_in_the_current_directory_stands_in_for_the_library(tmp_path, read, frame, monkeypatch):
    for name in ("pyreadstat", "pandas", "json"):
        (tmp_path / f"{name}.py").write_text("raise SystemExit(f'{__name__} was imported')\n")
    monkeypatch.chdir(tmp_path)
    assert read(write(frame, tmp_path / "a.sav")).num_rows == 3
