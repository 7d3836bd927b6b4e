"""Numbers as text, and their places."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from permaudit.report.charts import number, parameter
from permaudit.report.charts.lettering import fitted, width_of, wrapped
from permaudit.report.charts.numbers import ticks
from permaudit.report.charts.scales import Linear, covering, steps

FINITE = st.floats(-1e12, 1e12)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0342, "0.0342"),
        (0, "0.0000"),
        (1.0, "1.0000"),
        (1e-9, "<0.0001"),
        (-1e-9, ">-0.0001"),
        (0.99999999, ">0.9999"),
        (1234.56789, "1234.57"),
        (None, "-"),
        (math.nan, "-"),
        (-math.inf, "-"),
    ],
)
def test_measured_values_have_four_decimals_and_never_pass_for_the_ends_of_the_scale(value, text):
    assert number(value) == text


@pytest.mark.parametrize(
    ("value", "text"), [(10, "10"), (0.05, "0.05"), (1e-7, "1e-07"), (True, "True"), (None, "-"), ("a\nb", "a\\nb")]
)
def test_what_somebody_chose_is_written_as_it_was_chosen(value, text):
    assert parameter(value) == text


@given(FINITE, FINITE)
def test_ticks_lie_within_the_axis_and_are_few(one, other):
    low, high = min(one, other), max(one, other)
    found = ticks(low, high)
    assert 1 <= len(found) <= 7
    slack = (high - low) * 1e-5 + 1e-300
    assert all(low - slack <= tick <= high + slack for tick in found)


def test_ticks_of_the_unit_interval_are_quarters():
    assert ticks(0, 1) == [0, 0.25, 0.5, 0.75, 1]


@given(FINITE, FINITE, FINITE)
def test_a_place_is_never_outside_the_drawing(low, high, value):
    assert 10 <= Linear(min(low, high), max(low, high), 10, 90)(value) <= 90


def test_geometric_steps_get_a_logarithmic_axis_and_even_ones_do_not():
    assert steps([2, 5, 10, 25, 50, 100], 0, 1).logarithmic
    assert steps([0.01, 0.1, 1, 10, 100], 0, 1).logarithmic
    assert not steps([0.1, 0.2, 0.3, 0.4], 0, 1).logarithmic
    assert not steps([0, 1, 10, 100], 0, 1).logarithmic
    assert not steps([1, 100], 0, 1).logarithmic


def test_on_a_logarithmic_axis_equal_factors_are_equal_distances():
    across = steps([1, 10, 100, 1000], 0, 300)
    assert [across(value) for value in (1, 10, 100, 1000)] == pytest.approx([0, 100, 200, 300])


def test_words_among_the_values_are_spread_evenly_as_they_come():
    across = steps(["range", 3, "domain"], 0, 100)
    assert [across(value) for value in ("range", 3, "domain")] == [0, 50, 100]


@pytest.mark.parametrize(
    ("bounds", "values", "expected"),
    [
        ((0, 1), [0.5], (0, 1)),
        ((0, 1), [1.5, None, math.nan], (0, 1.5)),
        ((-math.inf, math.inf), [2, 3], (2, 3)),
        ((0, math.inf), [], (0, 1)),
        ((2, 2), [2], (1.5, 2.5)),
    ],
)
def test_an_axis_covers_all_values(bounds, values, expected):
    assert covering(bounds, values) == expected


@given(st.text(max_size=200), st.floats(30, 300))
def test_a_fitted_text_fits(text, room):
    assert width_of(fitted(text, room)) <= room


@given(st.text(max_size=200), st.integers(1, 4))
def test_wrapped_lines_fit_and_are_not_too_many(text, lines):
    found = wrapped(text, 120, lines)
    assert 1 <= len(found) <= lines
    assert all(width_of(line) <= 120 for line in found)


def test_wrapping_loses_no_word_where_there_is_room():
    assert " ".join(wrapped("one two three four five six seven", 80, 9)) == "one two three four five six seven"
