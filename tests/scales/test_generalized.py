from __future__ import annotations

import statistics
from decimal import Decimal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from permaudit.data.scales import scale_of
from permaudit.data.scales.generalized import Span, parse
from permaudit.data.scales.numeric import NumberReading
from permaudit.plan import Attribute

from .columns import CANARY, codes, column, missing, mistake

NUMERIC = Attribute(name="A")


def span(low, high, *, with_low=True, with_high=True):
    ends = [None if end is None else Decimal(end) for end in (low, high)]
    return (Span(*ends, with_low, with_high),)


@pytest.mark.parametrize(
    ("text", "covered"),
    [
        ("20-29", span("20", "29")),
        ("20 - 29", span("20", "29")),
        ("20\u201329", span("20", "29")),
        ("20..29", span("20", "29")),
        ("1.5..2.5", span("1.5", "2.5")),
        ("1.5-2.5", span("1.5", "2.5")),
        ("-5--1", span("-5", "-1")),
        ("-5-3", span("-5", "3")),
        ("-5 .. -1", span("-5", "-1")),
        ("1e-3-1e3", span("0.001", "1000")),
        ("5-5", span("5", "5")),
        ("[20,30)", span("20", "30", with_high=False)),
        ("(20, 30]", span("20", "30", with_low=False)),
        ("[20; 30]", span("20", "30")),
        ("(-5, -1)", span("-5", "-1", with_low=False, with_high=False)),
        ("(65.0, inf]", span("65", None, with_low=False)),
        ("[-inf, 18)", span(None, "18", with_high=False)),
        (">=65", span("65", None)),
        (">= 65", span("65", None)),
        ("\u226565", span("65", None)),
        (">65", span("65", None, with_low=False)),
        ("<18", span(None, "18", with_high=False)),
        ("<=-18", span(None, "-18")),
        ("65+", span("65", None)),
        ("-65+", span("-65", None)),
        ("{18,19}", (*span("18", "18"), *span("19", "19"))),
        ("{ -1 ; 2.5 }", (*span("-1", "-1"), *span("2.5", "2.5"))),
        ("{18}", span("18", "18")),
    ],
)
def test_generalized_numbers_are_read(text, covered):
    assert parse(text, NumberReading()) == covered


@pytest.mark.parametrize(
    "text",
    [
        *("-5", "5", "1e-5", "1E-5", "+5", ""),  # numbers, or nothing
        *("29-20", "30..20", "[30,20]", "(5,5)", "[5,5)"),  # nothing lies inside
        *("1...5", "1-2-3", "20-", "-", "..", "+", ">=", "<", "{}", "{1,}", "{1,x}", "{1-2}"),
        *("2001-05-03", "[1,5, 2,5]", "[1]", "20-29 years", "a-b", ">=x", "12 kg", "*"),
        *("0..1e9999999", "1e-99999999..1", "0..1e400", f"{'1' * 200}-{'2' * 200}"),
    ],
)
def test_what_is_no_generalized_number_is_not_taken_for_one(text):
    assert parse(text, NumberReading()) is None


@given(st.text(max_size=30))
@example("\x00-\x00")
@example("[\n,\n]")
def test_no_text_breaks_the_reading(text):
    parse(text, NumberReading())


@pytest.mark.parametrize(
    "text", ["[" + " " * 10**5, "1" * 10**5 + "-", "1" + " " * 10**5 + "x", "." * 10**5, "{" * 10**5], ids=range(5)
)
def test_a_huge_cell_takes_no_time(text):

    assert "4 values that are not numbers" in mistake(
        scale_of(NUMERIC, column(1, 2)).encode, column(text, f"[{text},", f">={text}", f"1..{text}")
    )
    assert "not a date" in mistake(
        scale_of(Attribute(name="A", type="date"), column("2001-01-01")).encode, column(text)
    )


# --------------------------------------------------------------------------- where they stand

VALUES = st.lists(st.integers(-20, 20), min_size=1, max_size=30)


@given(VALUES, st.integers(-25, 25), st.integers(0, 20))
def test_an_interval_stands_at_the_median_of_the_original_inside_it_or_at_its_middle(values, low, width):
    inside = [value for value in values if low <= value <= low + width]
    expected = statistics.median(inside) if inside else low + width / 2

    for kind in (int, float, str):
        scale = scale_of(NUMERIC, column(*map(kind, values)))
        assert codes(scale.encode(column(f"{low}-{low + width}"))) == [expected]


@given(VALUES, st.sets(st.integers(-25, 25), min_size=1, max_size=6))
def test_a_set_stands_at_the_median_of_the_original_inside_it(values, members):
    inside = [value for value in values if value in members]
    expected = statistics.median(inside) if inside else (min(members) + max(members)) / 2
    text = "{" + ",".join(map(str, members)) + "}"

    assert codes(scale_of(NUMERIC, column(*values)).encode(column(text))) == [expected]


def test_a_member_that_is_named_twice_counts_once():
    scale = scale_of(NUMERIC, column(1, 1, 5, 5, 5))

    assert codes(scale.encode(column("{1,1,1,5}", "{5,1}"))) == [5, 5]


def test_open_ends_and_brackets_decide_what_is_inside():
    scale = scale_of(NUMERIC, column(10, 20, 30, 40))
    released = column("[20,40)", "(20,40]", "(20,40)", ">=30", ">30", "<20", "<=20", "30+", "25")

    assert codes(scale.encode(released)) == [25, 35, 30, 35, 40, 10, 15, 35, 25]


def test_an_interval_beyond_the_original_stands_at_its_middle_or_its_only_end():
    encoded = scale_of(NUMERIC, column(10, 20)).encode(column("50-60", ">=70", "<5", "12-13", "15"))

    assert codes(encoded) == [55, 70, 5, 12.5, 15]
    assert encoded.statements == (
        "4 released intervals and sets rank by the median of the original values inside",
        "4 of them have no original value inside and rank by their middle",
    )


def test_intervals_among_large_whole_numbers_do_not_round_their_neighbours():
    big = 2**60 + 1
    encoded = scale_of(NUMERIC, column(big, big + 1, big + 2)).encode(
        column(str(big + 1), f"{big}-{big + 1}", str(big + 2), str(big))
    )

    assert codes(encoded) == [big + 1, big, big + 2, big]


def test_intervals_among_exact_decimals_find_their_place():
    texts = ("1.1000000000000000001", "1.1000000000000000002", "5")
    scale = scale_of(NUMERIC, column(*texts))
    released = column(*texts, "1.1000000000000000002..5", "1..1.1000000000000000001", ">=6", "<1", "2..3")
    first, second, third, upper, lower, above, below, between = codes(scale.encode(released))

    assert [first, second, third] == codes(scale.original)
    assert second < upper < third
    assert lower == first
    assert third < above
    assert below < first
    assert second < between < third


def test_missing_values_of_the_original_are_in_no_interval():
    scale = scale_of(NUMERIC, column(10, None, 20, None))

    assert codes(scale.encode(column("0-100", "-1-1"))) == [15, 0]


def test_unreadable_values_beside_intervals_are_refused_with_their_record():
    scale = scale_of(NUMERIC, column(10, 20))

    assert mistake(scale.encode, column("1-2", "5", CANARY, "")) == (
        "has 1 value that is not a number (first in record 3)"
    )


# --------------------------------------------------------------------------- the star


def test_a_star_without_a_declared_meaning_is_refused_with_what_to_write():
    said = mistake(scale_of(NUMERIC, column(1, 2)).encode, column("1", "*", "*"))

    assert said == (
        "has 2 suppressed values (*) (first in record 2); say what they mean with star: any (some value of the scale) "
        "or star: missing"
    )


def test_a_star_that_means_any_value_ranks_by_the_median_of_the_original():
    encoded = scale_of(Attribute(name="A", star="any"), column(1, 2, 9)).encode(column("1", "*"))

    assert codes(encoded) == [1, 2]
    assert encoded.statements == ("1 released * ranks as any value: by the median of the original",)


def test_a_star_that_means_missing_is_missing():
    encoded = scale_of(Attribute(name="A", star="missing"), column(1, 2, 9)).encode(column("1", "*", ""))

    assert missing(encoded) == [2, 3]
    assert encoded.statements == ()


def test_a_holdout_must_hold_plain_values_as_the_original_does():
    scale = scale_of(Attribute(name="A", star="any"), column(1, 2))

    assert "may stand in a release only" in mistake(scale.encode, column("1-2"), released=False)
    assert "may stand in a release only" in mistake(scale.encode, column("*"), released=False)
    assert codes(scale.encode(column("5", "6"), released=False)) == [5, 6]
