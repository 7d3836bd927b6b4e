from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from permaudit.data.scales import scale_of
from permaudit.plan import Attribute

from .columns import CANARY, codes, column, missing, mistake, original

ORDER = ("none", "primary", "secondary", "tertiary")
SCHOOL = Attribute(name="A", type="ordinal", order=ORDER)
ANSWER = Attribute(name="A", type="boolean")

# --------------------------------------------------------------------------- ordinal


def test_a_value_counts_by_its_place_in_the_declared_order():
    assert codes(original("tertiary", "none", "secondary", type="ordinal", order=ORDER)) == [3, 0, 2]


@given(
    st.lists(st.text(st.characters(exclude_categories=["Cs"]), min_size=1), min_size=4, max_size=4, unique=True),
    st.lists(st.integers(0, 3), min_size=1, max_size=20),
)
def test_the_names_of_the_values_do_not_matter(names, places):
    renamed = original(*(names[place] for place in places), type="ordinal", order=tuple(names))

    assert codes(renamed) == places
    assert codes(original(*(ORDER[place] for place in places), type="ordinal", order=ORDER)) == places


def test_an_ordered_category_without_a_declared_order_is_refused_with_what_to_write():
    frame = pd.Series(pd.Categorical(["b", "a"], categories=["b", "a"], ordered=True))
    said = mistake(scale_of, Attribute(name="A", type="ordinal"), pa.chunked_array([pa.array(frame)]))

    assert said == "is ordinal: declare its values from the lowest to the highest, as in order: [low, middle, high]"


def test_categoricals_count_by_value_never_by_their_own_order():
    # numpy and the dictionary would both rank alphabetically here
    frame = pd.Series(pd.Categorical(["none", "tertiary", None, "primary"], categories=sorted(ORDER), ordered=True))
    encoded = scale_of(SCHOOL, pa.chunked_array([pa.array(frame)])).original

    assert codes(encoded)[:2] == [0, 3]
    assert codes(encoded)[3] == 1
    assert missing(encoded) == [3]


def test_chunks_with_dictionaries_of_their_own_count_by_value():
    chunks = [pa.array(["tertiary", "none"]).dictionary_encode(), pa.array(["none", "primary"]).dictionary_encode()]

    assert codes(scale_of(SCHOOL, pa.chunked_array(chunks)).original) == [3, 0, 0, 1]


@pytest.mark.parametrize("released", [True, False])
def test_a_value_outside_the_order_is_counted_and_not_quoted(released):
    scale = scale_of(SCHOOL, column("none", "primary"))

    said = mistake(scale.encode, column("none", CANARY, CANARY, f"{CANARY}2"), released=released)
    assert said == "has 3 values that are not in the declared order (first in record 2)"


@pytest.mark.parametrize("text", ["None", " none", "NONE "])
def test_a_value_that_differs_by_case_or_blanks_gets_a_hint(text):
    assert "only by blanks or by upper and lower case" in mistake(original, text, type="ordinal", order=ORDER)


def test_marks_with_a_plus_are_no_intervals():
    marks = Attribute(name="A", type="ordinal", order=("C", "B", "A"))

    assert "not in the declared order" in mistake(scale_of(marks, column("A", "B")).encode, column("A+"))


def test_released_sets_and_ranges_stand_at_the_median_of_the_original_inside():
    scale = scale_of(SCHOOL, column("none", "none", "none", "primary", "tertiary", "tertiary"))
    encoded = scale.encode(
        column("{none,primary}", "primary..tertiary", "{primary, tertiary}", ">=secondary", "primary")
    )

    assert codes(encoded) == [0, 3, 3, 3, 1]
    assert encoded.statements == ("4 released intervals and sets rank by the median of the original values inside",)


def test_a_released_range_may_fall_between_two_places():
    scale = scale_of(SCHOOL, column("none", "primary"))

    assert codes(scale.encode(column("none..primary", "none"))) == [0.5, 0.0]


@pytest.mark.parametrize("text", ["tertiary..none", "{none,other}", "{}", "none..", "none..other"])
def test_a_set_or_range_of_unknown_values_is_refused(text):
    assert "not in the declared order" in mistake(scale_of(SCHOOL, column("none")).encode, column(text))


def test_ranges_and_stars_are_refused_in_an_original():
    for text in ("none..primary", "{none}", "*"):
        assert "may stand in a release only" in mistake(original, "none", text, type="ordinal", order=ORDER)


def test_ranges_and_stars_are_refused_in_a_holdout():
    scale = scale_of(Attribute(name="A", type="ordinal", order=ORDER, star="any"), column("none", "primary"))

    for text in ("none..primary", "{none}", "*"):
        assert "may stand in a release only" in mistake(scale.encode, column(text), released=False)


def test_names_that_look_generalized_are_names_where_they_are_declared():
    attribute = Attribute(name="A", type="ordinal", order=("<18", "18..64", "65+", "*"))
    scale = scale_of(attribute, column("65+", "<18", "*"))

    assert codes(scale.original) == [2, 0, 3]
    assert codes(scale.encode(column("18..64", "*"))) == [1, 3]


def test_a_star_is_any_value_or_missing_as_declared():
    plain = column("none", "primary", "primary")

    assert "star: any" in mistake(scale_of(SCHOOL, plain).encode, column("*"))
    some = scale_of(Attribute(name="A", type="ordinal", order=ORDER, star="any"), plain)
    assert codes(some.encode(column("*", "none"))) == [1, 0]
    none = scale_of(Attribute(name="A", type="ordinal", order=ORDER, star="missing"), plain)
    assert missing(none.encode(column("*", "none", ""))) == [1, 3]


@pytest.mark.parametrize("values", [(1, 3, 2), (1.0, 3.0, 2.0), ("1", "3", "2")])
def test_whole_numbers_may_be_names(values):
    assert codes(original(*values, type="ordinal", order=("1", "2", "3"))) == [0, 2, 1]


def test_whole_numbers_with_gaps_may_be_names():
    encoded = original(1.0, float("nan"), 2.0, type="ordinal", order=("1", "2"))

    assert missing(encoded) == [2]


@pytest.mark.parametrize("value", [1.5, [1], b"none"])
def test_types_that_are_no_categories_are_refused(value):
    assert mistake(original, value, type="ordinal", order=ORDER).startswith("is of type ")


@pytest.mark.parametrize(("order", "said"), [(("a", "b", "a"), "names a value twice"), (("a", ""), "an empty value")])
def test_an_order_that_is_none_is_refused(order, said):
    assert said in mistake(original, "a", type="ordinal", order=order)


def test_an_empty_cell_is_a_missing_category():
    assert missing(original("none", "", None, type="ordinal", order=ORDER)) == [2, 3]


# --------------------------------------------------------------------------- boolean


@pytest.mark.parametrize(
    "values",
    [(True, False, True), ("true", "False", "TRUE"), ("1", "0", "1"), (1, 0, 1), (1.0, 0.0, 1.0), ("true", "0", "1")],
)
def test_true_is_1_and_false_is_0(values):
    encoded = original(*values, type="boolean")

    assert codes(encoded) == [1, 0, 1]
    assert encoded.codes.dtype == np.int64


@pytest.mark.parametrize("value", ["yes", "t", "2", 2, -1, CANARY])
def test_anything_else_is_no_boolean(value):
    said = mistake(original, *([value] if isinstance(value, int) else ["true", value]), type="boolean")

    assert "1 value that is neither true nor false" in said
    assert CANARY not in said


def test_a_released_set_of_both_lies_where_the_original_has_its_middle():
    scale = scale_of(ANSWER, column("true", "false", "true"))

    assert codes(scale.encode(column("{true,false}", "false"))) == [1, 0]
    assert codes(scale_of(ANSWER, column("true", "false")).encode(column("{0,1}", "TRUE"))) == [0.5, 1]


def test_missing_booleans_are_marked():
    assert missing(original(*(True, None, False), type="boolean")) == [2]
    assert missing(original("true", "", type="boolean")) == [2]
