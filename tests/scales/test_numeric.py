from __future__ import annotations

import datetime as dt
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from permaudit.data.scales import scale_of
from permaudit.plan import Attribute

from .columns import CANARY, codes, column, missing, mistake, original

NUMERIC = Attribute(name="A")


def order_of(values) -> list[int]:
    """Return the place of each value among the distinct ones, by Python's own comparison."""
    distinct = sorted(set(values))
    return [distinct.index(value) for value in values]


# --------------------------------------------------------------------------- what a number is


@pytest.mark.parametrize(
    ("texts", "numbers"),
    [
        (("1", "-2", "0"), [1, -2, 0]),
        (("1", "-2", "+3"), [1.0, -2.0, 3.0]),
        (("007", "7"), [7, 7]),
        (("1.5", "1e-3", ".5", "5."), [1.5, 0.001, 0.5, 5.0]),
        (("1E5", "-2.5e+3"), [1e5, -2500.0]),
        (("1e300", "1e-300", "5e-324"), [1e300, 1e-300, 5e-324]),
    ],
)
def test_text_is_read_as_the_number_it_writes(texts, numbers):
    assert codes(original(*texts)) == numbers


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("1,5", "a comma stands in some"),
        ("1.234,5", "a comma stands in some"),
        ("1,234", "a comma stands in some"),
        (" 5", "blanks around them"),
        ("5\t", "blanks around them"),
        ("12 kg", ""),
        ("0x1F", ""),
        ("0XFF", ""),
        ("1_000", ""),
        ("٣", ""),
        ("nan(5)", ""),
        ("true", ""),
        ("--5", ""),
        ("1-2", "may stand in a release only"),
        ("{1,2}", "may stand in a release only"),
        ("*", "may stand in a release only"),
    ],
)
def test_text_that_is_no_number_is_refused_with_its_record(text, hint):
    said = mistake(original, "1", "2", text, "3")

    assert said.startswith("has 1 value that is not a number (first in record 3)")
    assert hint in said
    assert text not in said.replace("record 3", "") or text == "*"


def test_a_column_of_numbers_and_words_names_records_and_no_cell():
    said = mistake(original, "1", CANARY, "2", f"{CANARY}2", "3")

    assert said == "has 2 values that are not numbers (first in record 2)"


@pytest.mark.parametrize("values", [("1.5", "inf"), ("1", "-Infinity"), ("1e400", "2"), (1.5, float("-inf"))])
def test_infinite_values_are_refused(values):
    assert "1 infinite value (first in record" in mistake(original, *values)


@pytest.mark.parametrize(
    "values",
    [
        (1.5, None, 2.5),
        (1.5, float("nan"), 2.5),
        ("1.5", "", "2.5"),
        ("1.5", "NaN", "2.5"),
        ("1", None, "2"),
        (1, None, 2),
    ],
)
def test_a_missing_value_is_marked_and_has_no_nan_for_a_code(values):
    encoded = original(*values)

    assert missing(encoded) == [2]
    assert np.isfinite(encoded.codes).all()


def test_numbers_with_gaps_are_still_whole_numbers():
    encoded = original(2**60 + 1, None, 2**60)

    assert encoded.codes.dtype == np.int64
    assert codes(encoded)[::2] == [2**60 + 1, 2**60]


def test_nulls_and_nans_are_both_missing():
    assert missing(original(1.5, None, float("nan"))) == [2, 3]
    assert missing(original("1.5", "", "nan", None)) == [2, 3, 4]


@pytest.mark.parametrize("values", [(None, None), ("", ""), (float("nan"),)])
def test_an_original_without_any_value_defines_no_scale(values):
    assert mistake(original, *values) == "has no value at all"


def test_a_released_column_without_any_value_is_all_missing():
    scale = scale_of(NUMERIC, column(1, 2))

    assert missing(scale.encode(column(None, None))) == [1, 2]
    assert missing(scale.encode(column("", ""))) == [1, 2]


@pytest.mark.parametrize(
    ("values", "kind", "word"),
    [
        ((dt.date(2001, 1, 1),), None, "declare it with type: date"),
        ((dt.datetime(2001, 1, 1),), None, "declare it with type: datetime"),  # noqa: DTZ001
        (([1], [2]), None, "not a number"),
        (({"a": 1},), None, "not a number"),
        ((b"1",), None, "not a number"),
        ((dt.timedelta(1),), None, "not a number"),
    ],
)
def test_other_types_are_refused_as_no_numbers(values, kind, word):
    said = mistake(original, *values, kind=kind)

    assert said.startswith("is of type ")
    assert word in said


def test_booleans_are_0_and_1():
    assert codes(original(*(True, False, True))) == [1, 0, 1]


@pytest.mark.parametrize("kind", [pa.int8(), pa.uint8(), pa.int32(), pa.uint64(), pa.int64()])
def test_whole_numbers_of_any_width_are_int64(kind):
    encoded = original(1, 100, kind=kind)

    assert encoded.codes.dtype == np.int64
    assert codes(encoded) == [1, 100]


@pytest.mark.parametrize("kind", [pa.float16(), pa.float32(), pa.float64()])
def test_floats_of_any_width_are_float64(kind):
    encoded = original(np.float16(1.5), np.float16(-2.25), kind=kind)

    assert encoded.codes.dtype == np.float64
    assert codes(encoded) == [1.5, -2.25]


def test_a_plain_column_is_not_copied():
    values = np.arange(1000.0)
    encoded = scale_of(NUMERIC, pa.chunked_array([pa.array(values)])).original

    assert np.shares_memory(encoded.codes, values)


def test_dictionary_columns_count_by_value_not_by_index():
    chunks = [pa.array(["9", "10"]).dictionary_encode(), pa.array(["10", "1"]).dictionary_encode()]

    assert codes(scale_of(NUMERIC, pa.chunked_array(chunks)).original) == [9, 10, 10, 1]


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.string_view()])
def test_text_of_any_arrow_type_is_text(kind):
    assert codes(original("10", "9", kind=kind)) == [10, 9]


def test_run_length_encoded_columns_are_read():
    runs = pa.RunEndEncodedArray.from_arrays([2, 3], pa.array([5, 7]))

    assert codes(scale_of(NUMERIC, pa.chunked_array([runs])).original) == [5, 5, 7]


def test_columns_of_a_data_frame_are_read():
    frame = pd.DataFrame({"a": pd.array([3, None, 1], dtype="Int64"), "b": pd.Series(["3", "2", "1"])})

    assert missing(scale_of(NUMERIC, pa.chunked_array([pa.array(frame["a"])])).original) == [2]
    assert codes(scale_of(NUMERIC, pa.chunked_array([pa.array(frame["b"])])).original) == [3, 2, 1]


def test_a_column_without_records_is_encoded():
    scale = scale_of(NUMERIC, pa.chunked_array([], pa.string()))

    assert codes(scale.original) == []
    assert codes(scale.encode(pa.chunked_array([], pa.float64()))) == []


# --------------------------------------------------------------------------- nothing is rounded


@given(st.lists(st.integers(-(2**63), 2**63 - 1), min_size=1, max_size=20))
def test_whole_numbers_keep_their_value_typed_and_as_text(values):
    assert codes(original(*values, kind=pa.int64())) == values
    assert codes(original(*map(str, values))) == values


@given(st.lists(st.integers(0, 2**64 - 1), min_size=1, max_size=20))
def test_whole_numbers_up_to_64_bits_keep_their_value(values):
    assert codes(original(*values, kind=pa.uint64())) == values
    assert codes(original(*map(str, values))) == values


LONG = st.one_of(
    st.integers(-(10**30), 10**30),
    st.integers(2**64 - 3, 2**64 + 3),
    st.integers(-(2**63) - 3, -(2**63) + 3),
    st.integers(10**400 - 3, 10**400 + 3).map(lambda number: number * (-1) ** number),  # no float reaches them
)


@given(st.lists(LONG, min_size=1, max_size=12), st.lists(LONG, min_size=1, max_size=12))
def test_whole_numbers_of_any_length_keep_their_order(first, second):
    scale = scale_of(NUMERIC, column(*map(str, first)))

    assert order_of(codes(scale.original)) == order_of(first)
    if scale.original.statements:  # held by order: the release is compared exactly as well
        released = codes(scale.encode(column(*map(str, second))))
        assert order_of([*codes(scale.original), *released]) == order_of([*first, *second])


CLOSE = st.builds(
    lambda whole, digits: Decimal(whole) + Decimal(digits) / 10**20, st.integers(-2, 2), st.integers(-5, 5)
)


@given(st.lists(CLOSE, min_size=1, max_size=12), st.lists(CLOSE, min_size=1, max_size=12))
@settings(max_examples=150)
def test_decimals_that_no_float_tells_apart_keep_their_order_within_and_between_files(first, second):
    kind = pa.decimal128(38, 20)
    scale = scale_of(NUMERIC, column(*first, kind=kind))
    assert order_of(codes(scale.original)) == order_of(first)

    for released in (column(*second, kind=kind), column(*(f"{value:.20f}" for value in second))):
        found = codes(scale.encode(released))
        if scale.original.codes.dtype == np.int64 and scale.original.statements:
            assert order_of([*codes(scale.original), *found]) == order_of([*first, *second])


@given(st.lists(st.decimals(-(10**9), 10**9, places=4), min_size=1, max_size=20))
def test_decimals_are_the_floats_that_their_text_would_be(values):
    for kind in (pa.decimal128(20, 4), pa.decimal256(50, 4), pa.decimal64(18, 4)):
        assert codes(original(*values, kind=kind)) == [float(value) for value in values]


@given(st.lists(st.integers(-(10**30), 10**30), min_size=1, max_size=12))
def test_decimals_without_fractions_keep_their_order(values):
    decimals = [Decimal(value) for value in values]

    for kind in (pa.decimal128(38, 0), pa.decimal256(60, 2)):
        assert order_of(codes(original(*decimals, kind=kind))) == order_of(values)


def test_decimals_just_beyond_the_digits_of_a_float_keep_their_order():
    values = [Decimal("9007199254740993.1"), Decimal("9007199254740993.2"), Decimal("9007199254740993.0")]

    for column_of in (original(*values), original(*map(str, values))):
        assert order_of(codes(column_of)) == [1, 2, 0]


def test_decimals_with_missing_values_and_in_several_chunks_are_read():
    kind = pa.decimal128(10, 2)
    chunks = [pa.array([Decimal("1.10"), None], kind), pa.array([Decimal("-2.25"), Decimal("3.00")], kind).slice(1)]
    encoded = scale_of(NUMERIC, pa.chunked_array(chunks)).original

    assert missing(encoded) == [2]
    assert codes(encoded)[::2] == [1.1, 3.0]


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=20))
def test_floats_are_themselves_typed_and_as_text(values):
    assert codes(original(*values)) == values
    assert codes(original(*map(repr, values))) == values
    assert codes(original(*(f"{value:.18e}" for value in values))) == values


def test_text_with_more_digits_than_a_float_holds_keeps_its_order():
    texts = ("1.1000000000000000002", "1.1000000000000000001", "1.1000000000000000003")
    encoded = original(*texts)

    assert order_of(codes(encoded)) == [1, 0, 2]
    assert encoded.statements == ("values have more digits than 64 bits hold: they are held by their order",)


def test_a_release_with_more_digits_than_the_originals_type_says_that_values_tie():
    encoded = scale_of(NUMERIC, column(1.5, 2.5)).encode(column("1.1000000000000000002", "1.1000000000000000001"))

    assert codes(encoded) == [1.1, 1.1]
    assert "beyond the digits of a 64-bit float" in encoded.statements[0]


def test_released_numbers_that_no_float_reaches_stand_at_the_end_of_the_scale():
    encoded = scale_of(NUMERIC, column("1.5", "2.5")).encode(column("2", "1" + "0" * 400, "-2" + "0" * 400, "9" * 400))

    assert order_of(codes(encoded)) == [1, 2, 0, 2]
    assert np.isfinite(encoded.codes).all()
    assert "1 distinct value may tie" in encoded.statements[0]


def test_numbers_that_can_be_written_out_are_refused_beside_exponents_that_cannot():
    assert "1 number with more than 308 digits beside exponents" in mistake(original, "9" * 400, "1e-9999", "1")


def test_an_exponent_that_nobody_could_write_out_takes_no_time():
    texts = ("12345678901234567890.5", "0e999999999", "1e-999999999", "1")

    assert codes(original(*texts)) == [12345678901234567890.5, 0.0, 0.0, 1.0]


# --------------------------------------------------------------------------- rounding, and widths


def test_floats_that_differ_by_rounding_tie_where_decimals_are_declared():
    assert codes(original(0.1 + 0.2, 0.3)) != [0.3, 0.3]
    assert codes(original(0.1 + 0.2, 0.3, decimals=6)) == [0.3, 0.3]
    assert codes(original("0.30000000000000004", "0.3", decimals=6)) == [0.3, 0.3]


def test_rounding_leaves_alone_what_has_no_such_decimals():
    assert codes(original(1e300, -1e300, 2.0**60, decimals=15)) == [1e300, -1e300, 2.0**60]
    assert codes(original(2**60 + 1, decimals=2)) == [2**60 + 1]


def test_exact_decimals_are_rounded_too():
    texts = ("1.1000000000000000002", "1.1000000000000000001", "1.21")

    assert order_of(codes(original(*texts, decimals=2))) == [0, 0, 1]


@pytest.mark.parametrize("decimals", [-1, 16])
def test_senseless_decimals_are_refused(decimals):
    assert "decimals must be from 0 to 15" in mistake(original, 1.5, decimals=decimals)


def test_floats_of_another_width_are_read_with_a_warning():
    narrow = column(0.1, 0.2, kind=pa.float32())
    encoded = scale_of(NUMERIC, column(0.1, 0.2)).encode(narrow)

    (said,) = encoded.statements
    assert said.startswith("the original holds 64-bit and this file 32-bit floats: values may tie in one")
    assert scale_of(NUMERIC, narrow).encode(narrow).statements == ()
    rounded = scale_of(Attribute(name="A", decimals=4), column(0.1, 0.2)).encode(narrow)
    assert codes(rounded) == [0.1, 0.2]


def test_whole_numbers_and_floats_stay_comparable():
    assert codes(scale_of(NUMERIC, column(1, 2, 3)).encode(column(1.5, 2.0))) == [1.5, 2.0]
    assert codes(scale_of(NUMERIC, column(1.5, 2.5)).encode(column(1, 2))) == [1, 2]
    assert codes(scale_of(NUMERIC, column("1", "2")).encode(column(1.0, 2.0))) == [1.0, 2.0]


def test_zero_has_no_sign():
    assert codes(original(0.0, -0.0)) == [0.0, 0.0]
