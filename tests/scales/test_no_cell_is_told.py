"""Whatever a column holds, no message and no statement quotes it."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from permaudit.data.scales import ColumnError, nested_taxonomy, scale_of
from permaudit.plan import Attribute

from .columns import CANARY, column

TREE = nested_taxonomy({"all": {"one": ["a1", "b1"], "two": ["c1"]}})
ATTRIBUTES = [
    (Attribute(name="A"), "1", "25"),
    (Attribute(name="A", star="any", decimals=2), "1.5", "25.5"),
    (Attribute(name="A", type="date"), "2001-01-01", "2003-02-02"),
    (Attribute(name="A", type="datetime"), "2001-01-01T10:00", "2003-02-02T11:30"),
    (Attribute(name="A", type="boolean"), "true", "false"),
    (Attribute(name="A", type="ordinal", order=("a1", "b1", "c1")), "a1", "c1"),
    (Attribute(name="A", type="nominal", taxonomy=TREE, star="missing"), "a1", "c1"),
]

FORMS = [
    "{}",
    " {} ",
    "{}-{}",
    "{}..{}",
    "[{},{})",
    "{{{},{}}}",
    ">={}",
    "{}+",
    "{}/{}",
    "1,{}",
    "1e{}",
    "2001-{}",
    "2001-01-01T{}",
    "2001-01-01T10:00{}",
    "-{}",
    "*{}",
    "\x00{}",
    "{}\n",
]


def told(attribute, *columns):
    """Return everything that is said about a column as original, as release and as holdout."""
    plain, released = columns
    found = []
    try:
        scale = scale_of(attribute, plain)
        found += scale.original.statements
    except ColumnError as error:
        return str(error)
    for is_released in (True, False):
        try:
            found += scale.encode(released, released=is_released).statements
        except ColumnError as error:
            found.append(str(error))
    return "\n".join(found)


@pytest.mark.parametrize(("attribute", "first", "second"), ATTRIBUTES, ids=lambda value: getattr(value, "type", ""))
@pytest.mark.parametrize("form", FORMS)
def test_no_message_quotes_a_cell(attribute, first, second, form):
    cell = form.replace("{}", CANARY).replace("{{", "{").replace("}}", "}")

    for values in ((first, cell, second), (cell,)):
        said = told(attribute, column(*values), column(first, second))
        said += told(attribute, column(first, second), column(*values))
        assert CANARY not in said
        assert said.isprintable() or "\n" in said


@given(
    st.sampled_from(ATTRIBUTES),
    st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=12), min_size=1, max_size=6),
)
def test_no_cell_breaks_the_reading_and_none_is_told(chosen, cells):
    attribute, first, second = chosen
    tagged = [f"{cell}{CANARY}" for cell in cells]
    told(attribute, column(*cells), column(first, *cells))
    told(attribute, column(first, second), column(first, *cells))

    assert CANARY not in told(attribute, column(first, second), column(first, *tagged))


NUMBERS = st.integers(10**11, 10**12)


@given(st.lists(NUMBERS, min_size=2, max_size=6), st.lists(NUMBERS, min_size=2, max_size=6))
def test_statements_hold_counts_and_no_value(values, others):
    released = [*map(str, others), f"{min(others)}-{max(others)}", "*", f"{{{others[0]}}}", "<5"]
    said = told(Attribute(name="A", star="any"), column(*map(str, values)), column(*released))

    assert all(len(digits) < 4 for digits in re.findall(r"\d+", said))
