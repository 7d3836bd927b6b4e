"""Names from files, as messages print them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from permaudit.errors import shown


@pytest.mark.parametrize(
    "text", ["AGE", "Größe (m)", "年齢", "a b", "C:\\data\\x.csv", "", "[/red] {{7*7}} <b>", "a: b # c"]
)
def test_ordinary_names_stay_as_they_are(text):
    assert shown(text) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\nb", "a\\nb"),
        ("a\x1b[31mb", "a\\x1b[31mb"),
        ("a\x00b", "a\\x00b"),
        ("abc\u202edef", "abc\\u202edef"),
        ("a\u200bb", "a\\u200bb"),
        ("\ufeffa", "\\ufeffa"),
        ("a\u2028b", "a\\u2028b"),
        ("a\xa0b", "a\\xa0b"),
        ("a\ud800b", "a\\ud800b"),
        ("a\u3164b", "a\\u3164b"),
        ("a\U000e0100b", "a\\U000e0100b"),
        ("::error::x", "\\x3a:error\\x3a:x"),
        ("a:::b", "a\\x3a\\x3a:b"),
        ("##[error]x", "\\x23#[error]x"),
        ("##vso[task]", "\\x23#vso[task]"),
    ],
)
def test_what_cannot_be_seen_or_would_be_obeyed_appears_as_its_code(text, expected):
    assert shown(text) == expected


def test_long_names_are_shortened_and_say_so():
    assert shown("x" * 60) == "x" * 60
    assert shown("x" * 61) == "x" * 57 + "..."
    assert shown("x" * 100_000, limit=10) == "xxxxxxx..."


def test_a_code_is_never_cut_in_two():
    assert shown("\u202e" * 20, limit=20) == "\\u202e\\u202e..."


@given(st.text(alphabet=st.characters(), max_size=200), st.integers(3, 80))
def test_every_text_comes_out_printable_and_within_the_limit(text, limit):
    result = shown(text, limit)
    assert len(result) <= limit
    assert result.isprintable()
    result.encode("utf-8")
