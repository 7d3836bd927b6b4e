from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from permaudit.data.scales import nested_taxonomy, scale_of
from permaudit.data.scales.marginality import Marginality
from permaudit.plan import Attribute, Taxonomy

from .columns import CANARY, codes, column, missing, mistake

TREE = nested_taxonomy({"any": {"health": ["nurse", "surgeon"], "craft": ["mason"]}})
JOB = Attribute(name="A", type="nominal", taxonomy=TREE)


def test_marginality_is_the_one_computed_by_hand():
    # nurse and surgeon share any and health of four categories: log2(1 + 2/4);
    # nurse and mason share any of five: log2(1 + 4/5); the same for surgeon and mason.
    near, far = math.log2(1.5), math.log2(1.8)
    encoded = scale_of(JOB, column("nurse", "nurse", "surgeon", "mason")).original

    assert codes(encoded) == pytest.approx([near + far, near + far, 2 * near + far, 3 * far], rel=1e-14)


def test_an_inner_category_has_the_marginality_computed_by_hand():
    # health shares any and health with nurse, of three: log2(1 + 1/3); with mason any, of four: log2(1 + 3/4).
    encoded = scale_of(JOB, column("nurse", "surgeon", "mason")).encode(column("health", "any"))

    assert codes(encoded) == pytest.approx([2 * math.log2(4 / 3) + math.log2(7 / 4), 3 * math.log2(5 / 3)], rel=1e-14)


# --------------------------------------------------------------------------- against the definition


@st.composite
def trees(draw):
    size = draw(st.integers(1, 25))
    parents = (-1, *(draw(st.integers(max(0, node - draw(st.integers(1, 25))), node - 1)) for node in range(1, size)))
    counts = draw(st.lists(st.integers(0, 4), min_size=size, max_size=size))
    return Taxonomy(tuple(f"c{node}" for node in range(size)), parents), counts


def ancestors(tree, node):
    found = set()
    while node >= 0:
        found.add(node)
        node = tree.parents[node]
    return found


def product_of_distances(tree, counts, node):
    """Return two to the power of the marginality, exactly."""
    product = Fraction(1)
    for other, count in enumerate(counts):
        ours, theirs = ancestors(tree, node), ancestors(tree, other)
        union, common = len(ours | theirs), len(ours & theirs)
        product *= (1 + Fraction(union - common, union)) ** count
    return product


@given(trees())
def test_marginality_follows_its_definition_and_ties_exactly_where_that_does(drawn):
    tree, counts = drawn
    found = Marginality(tree, np.array(counts)).of(np.arange(len(counts))).tolist()
    exact = [product_of_distances(tree, counts, node) for node in range(len(counts))]

    assert found == pytest.approx([math.log2(product) for product in exact], rel=1e-12, abs=1e-12)
    assert Counter(map(found.index, found)) == Counter(map(exact.index, exact))


@given(trees(), st.randoms(use_true_random=False))
def test_the_order_of_categories_and_records_does_not_matter(drawn, random):
    tree, counts = drawn
    children = {}
    for node, parent in enumerate(tree.parents):
        children.setdefault(parent, []).append(node)
    order = [0]
    for node in order:
        below = children.get(node, [])
        random.shuffle(below)
        order += below
    place = {node: number for number, node in enumerate(order)}
    turned = Taxonomy(
        tuple(tree.names[node] for node in order),
        tuple(-1 if tree.parents[node] < 0 else place[tree.parents[node]] for node in order),
    )
    first = Marginality(tree, np.array(counts)).of(np.arange(len(counts)))
    second = Marginality(turned, np.array([counts[node] for node in order])).of(np.arange(len(counts)))

    assert first[order].tolist() == second.tolist()


def test_logarithms_that_add_up_to_the_same_tie_without_rounding():
    # log2(5/3) + log2(3/2) + log2(8/5) and 2 log2(3/2) + 2 log2(4/3) are both 2; their sums in floats are not the same
    tree = Taxonomy(("r", "a", "b", "c", "d"), (-1, 0, 1, 2, 1))

    assert Marginality(tree, np.array([1, 0, 1, 1, 1])).of(np.array([4, 1])).tolist() == [2.0, 2.0]


# --------------------------------------------------------------------------- columns


def test_categories_that_tie_are_counted():
    encoded = scale_of(JOB, column("nurse", "surgeon", "mason")).original

    assert codes(encoded)[0] == codes(encoded)[1]
    assert encoded.statements == ("2 of 3 categories tie: each has the same marginality as another",)
    assert scale_of(JOB, column("nurse", "nurse", "surgeon", "mason")).original.statements == ()


def test_the_release_is_encoded_with_the_originals_records():
    scale = scale_of(JOB, column("nurse", "nurse", "surgeon", "mason"))
    nurse, _, surgeon, mason = codes(scale.original)

    assert codes(scale.encode(column("mason", "nurse", "surgeon"))) == [mason, nurse, surgeon]
    assert codes(scale.encode(column("mason", "nurse"), released=False)) == [mason, nurse]


def test_released_sets_inner_categories_and_stars_are_ranked_and_it_is_said():
    scale = scale_of(
        Attribute(name="A", type="nominal", taxonomy=TREE, star="any"), column("nurse", "nurse", "surgeon", "mason")
    )
    nurse, _, _, mason = codes(scale.original)
    encoded = scale.encode(column("{nurse, mason}", "health", "*", "any", "nurse"))

    assert codes(encoded)[0] == (nurse + mason) / 2
    assert codes(encoded)[2] == codes(encoded)[3]
    assert encoded.statements == (
        "2 released values stand for a category with parts, and the marginality of that category decides",
        "1 released set of categories: the mean marginality of the members decides",
        "1 released * ranks as the root of the taxonomy",
    )


def test_a_star_is_missing_where_that_is_declared_and_refused_where_nothing_is():
    plain = column("nurse", "mason")

    assert missing(
        scale_of(Attribute(name="A", type="nominal", taxonomy=TREE, star="missing"), plain).encode(
            column("*", "nurse", "")
        )
    ) == [1, 3]
    assert "star: any" in mistake(scale_of(JOB, plain).encode, column("*"))


@pytest.mark.parametrize("text", [CANARY, "{nurse,pilot}", "{}", "nurse..mason", "Zx7canary+"])
def test_a_category_that_the_taxonomy_does_not_have_is_counted_and_not_quoted(text):
    said = mistake(scale_of(JOB, column("nurse")).encode, column("mason", text, text))

    assert said == "has 2 values that are not in the taxonomy (first in record 2)"


def test_an_original_must_hold_categories_without_parts():
    assert mistake(scale_of, JOB, column("nurse", "health")).startswith(
        "has 1 value that is a category with parts (first in record 2); these may stand in a release only"
    )
    assert "sets and * may stand in a release only" in mistake(scale_of, JOB, column("nurse", "{nurse,mason}"))
    assert "categories with parts" in mistake(
        scale_of(JOB, column("nurse")).encode, column("any", "health"), released=False
    )


def test_a_nominal_attribute_without_a_taxonomy_is_refused_with_what_to_write():
    said = mistake(scale_of, Attribute(name="A", type="nominal"), column("nurse"))

    assert "taxonomy: categories.yaml" in said
    assert "type: ordinal" in said


def test_a_category_that_differs_by_case_gets_a_hint():
    assert "upper and lower case" in mistake(scale_of, JOB, column("Nurse"))


def test_missing_categories_are_marked():
    assert missing(scale_of(JOB, column("nurse", "", None)).original) == [2, 3]
    assert mistake(scale_of, JOB, column("", None)) == "has no value at all"


def test_whole_numbers_may_be_categories():
    codes_tree = nested_taxonomy({"all": {"1": ["11", "12"], "2": ["21"]}})
    scale = scale_of(Attribute(name="A", type="nominal", taxonomy=codes_tree), column(11, 12, 21))

    assert len(set(codes(scale.original))) == 2
