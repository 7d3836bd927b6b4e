"""Types, identifiers, and what is left out."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

SIZE = 120
AMOUNT = np.random.default_rng(0).normal(size=SIZE).round(4)


def column(*values, size=SIZE):
    """Repeat values until there are enough."""
    return (list(values) * size)[:size]


def measured(size=SIZE, seed=0):
    """Draw whole numbers that are an amount: skewed, and in no order."""
    return np.rint(np.random.default_rng(seed).lognormal(10, 1, size)).astype(int)


# --------------------------------------------------------------------------- types


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (AMOUNT, "numeric"),
        (column("1e3", "-4.5", ".5"), "numeric"),
        (column("0", "1"), "numeric"),
        (column("true", "FALSE"), "boolean"),
        (column("2001-12-31", "1999-01-01"), "date"),
        (column("2001-12-31T10:00:00", "1999-01-01T23:59:59"), "datetime"),
        (column("2001-12-31T10:00:00", "2001-12-31"), "datetime"),
        (column("1.5", ""), "numeric"),
    ],
)
def test_the_type_is_the_one_that_the_values_show(begin, values, expected):
    begun = begin({"AMOUNT": AMOUNT, "X": values}, {"AMOUNT": AMOUNT, "X": values})
    assert begun.attributes == {"AMOUNT": "numeric", "X": expected}


@pytest.mark.parametrize(
    "values",
    [
        column("007", "012", "13"),
        column("a", "b"),
        column("1", "2", "three"),
        column("31/12/2001", "01/01/1999"),
        column("2001-02-30", "2001-02-28"),
        column(" 1", "2 "),
        column("0x1F", "0x2F"),
        column("", ""),
        column("inf", "1"),
    ],
)
def test_what_shows_no_type_is_left_out_and_the_audit_would_block(begin, values):
    begun = begin({"AMOUNT": AMOUNT, "X": values}, {"AMOUNT": AMOUNT, "X": values})
    assert begun.attributes == {"AMOUNT": "numeric"}
    assert "X" not in begun.identifiers
    assert "not-audited" not in begun.value
    assert "the audit blocks" in begun.words


def test_why_a_column_has_no_type_is_said_without_a_value(begin):
    values = column(*range(1000, 1119), "c4n4ry")
    begun = begin({"AMOUNT": AMOUNT, "X": values, "D": column("31.12.2001", "1.1.1999")})
    assert "X: most of it is numeric, but it has 1 value that is not a number (first in record 120)" in begun.words
    assert "D: it looks like dates that are not written as YYYY-MM-DD" in begun.words
    assert "c4n4ry" not in begun.text


def test_a_few_whole_numbers_are_numeric_and_doubted(begin):
    begun = begin({"AMOUNT": AMOUNT, "SEX": column(1, 2)})
    assert begun.attributes["SEX"] == "numeric"
    assert "CONFIRM: SEX: it has only 2 different whole numbers: if they are codes of categories" in begun.words


def test_types_of_the_file_are_kept(begin, tmp_path):
    frame = pd.DataFrame(
        {
            "I": measured(),
            "F": np.where(AMOUNT > 1, np.nan, AMOUNT),
            "B": AMOUNT > 0,
            "D": pd.date_range("2001-01-01", periods=SIZE),
            "T": pd.date_range("2001-01-01", periods=SIZE, freq="7h"),
            "C": pd.Categorical(column("low", "high")),
            "L": [[1]] * SIZE,
        }
    )
    path = tmp_path / "original.parquet"
    frame.to_parquet(path)
    begun = begin(path, path)
    assert begun.attributes == {"I": "numeric", "F": "numeric", "B": "boolean", "D": "date", "T": "datetime"}
    assert "C: {type: ordinal, order: [high, low]}" in begun.text
    assert "L: it is of type" in begun.words
    assert begun.value["missing"] == "lowest"


def test_a_guess_from_the_first_values_is_held_against_all_of_them(begin, monkeypatch):
    monkeypatch.setattr("permaudit.init.columns.SAMPLE", 50)
    monkeypatch.setattr("permaudit.init.rendering.SAMPLE", 50)
    late = ["1.5"] * 100 + ["x"] * 20
    begun = begin({"AMOUNT": AMOUNT, "LATE": late})
    assert begun.attributes == {"AMOUNT": "numeric"}
    assert "LATE: its first values are numeric, but it has 20 values that are not numbers" in begun.words
    assert "Types were guessed from the first 50 values of each column, and hold for all of them." in begun.words


# --------------------------------------------------------------------------- identifiers


@pytest.mark.parametrize(
    "name",
    [
        "NAME",
        "first_name",
        "LastName",
        "Apellidos",
        "Prénom",
        "vorname",
        "SSN",
        "ssn2",
        "e-mail",
        "Phone.Number",
        "Teléfono",
        "passport-no",
        "IBAN",
        "personId",
        "ID",
        "record_id",
        "patientID",
    ],
)
def test_a_name_that_sounds_like_an_identifier_makes_one(begin, name):
    values = [f"v{place // 3}" for place in range(SIZE)]
    begun = begin({"AMOUNT": AMOUNT, name: values})
    assert begun.identifiers == [name]
    assert "its name sounds like an identifier" in begun.text


@pytest.mark.parametrize("name", ["namespace", "idle", "WIDTH", "candidate", "phonetics", "hotel", "surnamed"])
def test_only_whole_words_sound_like_an_identifier(begin, name):
    begun = begin({"AMOUNT": AMOUNT, name: measured()})
    assert begun.identifiers == []
    assert name in begun.attributes


@pytest.mark.parametrize(
    ("values", "why"),
    [
        ([f"user{place}@example.org" for place in column(*range(60))], "e-mail addresses"),
        ([f"+43 1 58801-{place}" for place in column(*range(60))], "numbers of phones or documents"),
        ([f"0{600000000 + place}" for place in column(*range(60))], "numbers of phones or documents"),
        ([f"123-45-{place:04d}" for place in column(*range(60))], "numbers of phones or documents"),
        ([f"{place:08x}-0000-4000-8000-000000000000" for place in column(*range(60))], "UUIDs"),
        ([f"10.0.0.{place}" for place in column(*range(60))], "addresses of machines"),
        ([f"AT{place:02d}1904300234573201" for place in column(*range(60))], "bank accounts"),
    ],
)
def test_content_that_identifies_is_seen_whatever_the_column_is_called(begin, values, why):
    begun = begin({"AMOUNT": AMOUNT, "X": values})
    assert begun.identifiers == ["X"]
    assert f"X  # its values look like {why}" in begun.text


@pytest.mark.parametrize(
    ("values", "why"),
    [
        ([f"text {place}" for place in range(SIZE)], "it is text, and no value is there twice"),
        (range(1, SIZE + 1), "it counts the records"),
        (np.random.default_rng(1).permutation(SIZE) + 5, "it holds whole numbers, and none is there twice"),
        (np.random.default_rng(1).choice(10**8, SIZE, replace=False) + 10**8, "it holds whole numbers"),
        (np.random.default_rng(1).choice(10**12, SIZE, replace=False), "it holds whole numbers"),
        (np.sort(np.random.default_rng(1).choice(10**5, SIZE, replace=False)), "it holds whole numbers"),
    ],
)
def test_values_that_are_all_different_identify_records(begin, values, why):
    begun = begin({"AMOUNT": AMOUNT, "X": values})
    assert begun.identifiers == ["X"]
    assert why in begun.text


def test_an_amount_that_differs_by_chance_is_audited_and_doubted(begin):
    begun = begin({"AMOUNT": AMOUNT, "INCOME": np.unique(measured(30, seed=3))[::-1][:25][np.r_[9:25, 0:9]]} | {
        "AMOUNT": AMOUNT[:25]
    })  # fmt: skip
    assert begun.attributes["INCOME"] == "numeric"
    assert "CONFIRM: INCOME: no value is there twice" in begun.words


@pytest.mark.parametrize("values", [column("true", "false"), column(0, 1), AMOUNT, column("2001-01-01", "2001-01-02")])
def test_an_answer_an_amount_or_a_date_with_such_a_name_is_no_identifier(begin, values):
    begun = begin({"AMOUNT": AMOUNT, "has_phone": values}, {"AMOUNT": AMOUNT, "has_phone": values})
    assert begun.identifiers == []
    assert "has_phone" in begun.attributes


def test_an_identifier_in_the_release_is_named_as_such(begin):
    frame = {"AMOUNT": AMOUNT, "NAME": [f"n{place}" for place in range(SIZE)]}
    assert "- NAME  # its name sounds like an identifier; it is in the release" in begin(frame, frame).text


def test_where_nothing_identifies_the_person_is_asked(begin):
    begun = begin({"AMOUNT": AMOUNT})
    assert "identifiers" not in begun.value
    assert "CONFIRM: no column looks like an identifier" in begun.words


# --------------------------------------------------------------------------- left out, missing, starred


def test_every_column_that_is_left_out_is_listed_with_the_reason(begin):
    original = {
        "AMOUNT": AMOUNT,
        "CONSTANT": 7,
        "GONE": AMOUNT,
        "Spelt": AMOUNT,
        "RECODED": AMOUNT,
        "FREE": [f"w{place // 2}" for place in range(SIZE)],
    }
    release = {"AMOUNT": AMOUNT, "CONSTANT": 7, "spelt ": AMOUNT, "RECODED": "low", "NEW": AMOUNT, "FREE": "w1"}
    begun = begin(original, release)
    assert begun.attributes == {"AMOUNT": "numeric"}
    for reason in (
        "- CONSTANT: every record of the original has the same value",
        "- GONE: it is not in the release",
        "- Spelt: it is not in the release, which has 'spelt '",
        "- RECODED: it is numeric in the original, but in the release it has 120 values that are not numbers",
        "- NEW: it is not in the original",
        "- FREE: it is text with 60 different values",
    ):
        assert reason in begun.words
    for name in ("CONSTANT", '"spelt "', "RECODED", "NEW", "FREE"):
        assert f"#   {name}: the reason why it may go out as it is" in begun.text


def test_missing_values_are_counted_and_the_choice_is_left_to_the_person(begin):
    gaps = np.where(np.arange(SIZE) < 7, np.nan, AMOUNT)
    begun = begin({"A": AMOUNT, "B": gaps}, {"A": gaps, "B": gaps})
    assert begun.value["missing"] == "lowest"
    assert "CONFIRM: values are missing: A (7 in the release), B (7 in the original, 7 in the release)" in begun.words


def test_without_missing_values_nothing_is_said_of_them(begin):
    begun = begin({"A": AMOUNT})
    assert "missing" not in begun.value
    assert "missing" not in begun.text


def test_suppressed_values_of_a_release_get_a_meaning_that_is_to_be_confirmed(begin):
    begun = begin({"A": AMOUNT, "B": AMOUNT}, {"A": AMOUNT, "B": ["*", *AMOUNT[1:]]})
    assert begun.attributes == {"A": "numeric", "B": {"type": "numeric", "star": "any"}}
    assert "CONFIRM: B: the release has *, which is taken for any value" in begun.words


def test_generalized_values_of_a_release_are_audited(begin):
    ages = column(*range(20, 60))
    begun = begin(
        {"A": AMOUNT, "AGE": ages}, {"A": AMOUNT, "AGE": [f"{age // 10 * 10}-{age // 10 * 10 + 9}" for age in ages]}
    )
    assert begun.attributes["AGE"] == "numeric"
