"""What a plain word of YAML means."""

from __future__ import annotations

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from permaudit.config.scalars import Unclear, resolve

from .fakes import VALID, mistakes_in


@pytest.mark.parametrize(
    ("word", "value"),
    [
        ("1e-3", 0.001),
        ("1E+2", 100.0),
        ("0.05", 0.05),
        (".5", 0.5),
        ("1.", 1.0),
        ("-3", -3),
        ("+3", 3),
        ("0", 0),
        ("-0", 0),
        ("0.0", 0.0),
        ("true", True),
        ("False", False),
        ("null", None),
        ("~", None),
        ("", None),
        ("9223372036854775807", 2**63 - 1),
        ("numeric", "numeric"),
        ("none", "none"),
        ("nan", "nan"),
        ("2024-13-45", "2024-13-45"),
        ("2024-01-31", "2024-01-31"),
        ("1.2.3", "1.2.3"),
        ("-", "-"),
        ("+", "+"),
        ("..", ".."),
        ("1e", "1e"),
        ("12:75", "12:75"),
        ("٣", "٣"),
    ],
)
def test_words_read_as_in_yaml_1_2(word, value):
    result = resolve(word)
    assert result == value
    assert type(result) is type(value)


@pytest.mark.parametrize(
    ("word", "reading"),
    [
        (
            "no",
            "no is false to some readers of YAML and text to others; write false, or quote it if text is meant: 'no'",
        ),
        ("Yes", "Yes is true to some readers"),
        ("on", "on is true to some readers"),
        ("OFF", "OFF is false to some readers"),
        ("y", "y is true to some readers"),
        ("N", "N is false to some readers"),
        (
            "012",
            "012 is the number 10 to some readers of YAML and the number 12 to others; write a plain decimal number",
        ),
        ("-012", "-012 is the number -10 to some readers of YAML and the number -12 to others"),
        ("007", "007 is the number 7 to some readers"),
        ("089", "089 is text to some readers of YAML and the number 89 to others"),
        ("0o12", "0o12 is the number 10 to some"),
        ("0x1F", "0x1F is the number 31 to some"),
        ("0b101", "0b101 is the number 5 to some"),
        ("1_000", "1_000 is 1000 to some"),
        ("1_0.5", "1_0.5 is 10.5 to some"),
        ("12:30:45", "12:30:45 is the number 45045 to some"),
        ("190:20:30.15", "190:20:30.15 is the number 685230.15 to some"),
        ("-1:30", "-1:30 is the number -90 to some"),
        (".nan", ".nan is not a number that can be used here; write a finite number"),
        (".inf", ".inf is not a number"),
        ("-.INF", "-.INF is not a number"),
        ("1e999", "1e999 is too large for a number"),
        ("9223372036854775808", "9223372036854775808 is too large for an integer; it must be below 2^63"),
        ("9" * 5000, "999999999999999999999... is too large for an integer"),
        ("0" * 5000, "is a very large number to some"),
        ("1:" + ":".join(["59"] * 2000), "is a very large number to some"),
        ("0x" + "f" * 5000, "is a very large number to some"),
    ],
)
def test_unclear_words_are_refused_with_their_readings(word, reading):
    with pytest.raises(Unclear) as caught:
        resolve(word)
    assert reading in str(caught.value)


@pytest.mark.parametrize("word", ["no", "012", "0x1F", "1_000", "12:30:45", "1e-3", ".inf", "null", ""])
def test_quoted_words_are_text(word, folder):
    text = VALID.replace("title: Income microdata", f"title: 'x{word}'\nidentifiers: ['{word}z', '{word}']")
    wrong = mistakes_in(text.replace("identifiers: [NAME, SSN]\n", ""), folder)
    assert wrong == ([] if word else ["audit.yaml:3:20: identifiers[1] must not be empty"])


def test_an_unclear_word_is_reported_once_with_its_place_and_beside_other_mistakes(folder):
    text = VALID.replace("kind: synthetic}", "kind: no}").replace("min: 0.05", "min: .nan").replace("seed: 2", "sed: 2")
    assert mistakes_in(text, folder) == [
        (
            "audit.yaml:11:40: candidates.synthetic.kind: no is false to some readers of YAML and text to others; "
            "write false, or quote it if text is meant: 'no'"
        ),
        "audit.yaml:18:41: rules[0].min: .nan is not a number that can be used here; write a finite number",
        "audit.yaml:21:1: sed is not a known key; did you mean 'seed'?",
    ]


@given(st.from_regex(r"[-+.0-9a-fA-FxoXO_:enfaulltruysoNY~]{0,12}", fullmatch=True))
def test_a_word_is_clear_only_where_yaml_1_1_reads_the_same_or_less(word):
    """Whatever PyYAML takes for a number or a truth value is that same value here, or it is refused."""
    try:
        value = resolve(word)
    except Unclear:
        return
    try:
        other = yaml.safe_load(f"[{word}]")[0] if word and ":" not in word else yaml.safe_load(word or "~")
    except (yaml.YAMLError, ValueError):
        return
    if isinstance(other, bool | int | float):
        assert value == other
        assert isinstance(value, bool) is isinstance(other, bool)
