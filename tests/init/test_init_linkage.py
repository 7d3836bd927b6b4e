"""The guess of kind and linkage, and the evidence that it is based on."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from permaudit.census_like import census_like
from permaudit.init.rows import FAR, equal_in_place, excess


@pytest.fixture(scope="session")
def others():
    return pd.DataFrame(census_like(records=400, seed=2024))


def arrays(frame):
    return {name: values.to_numpy() for name, values in frame.items()}


def linkage(begun):
    return begun.release["kind"], begun.release["linkage"]


def test_rows_that_agree_in_rank_are_linked_by_row(begin, census, noisy):
    begun = begin(census, noisy)
    assert linkage(begun) == ("masked", "row")
    assert "both files have 400 records; rows with the same number agree in rank far beyond chance" in begun.words


def test_unrelated_files_agree_no_more_than_chance(census, others):
    rng = np.random.default_rng(4)
    found = [
        excess(arrays(census), {name: rng.permutation(values) for name, values in others.items()}) for _ in range(50)
    ]
    assert max(found) < FAR  # chi-square with 16 degrees of freedom: 6 deviations have a probability below 1e-5


def test_the_excess_grows_with_what_is_left_of_the_order(census):
    rng = np.random.default_rng(4)
    noises = [rng.normal(0, spread * census.std(), census.shape) for spread in (9, 3, 1)]
    found = [excess(arrays(census), arrays(census + noise)) for noise in noises]
    assert found[0] < found[1] < found[2]


def test_text_that_is_equal_in_place_links_rows_where_the_numbers_do_not(begin, census, others):
    towns = np.random.default_rng(1).choice(["Ghent", "Bruges", "Liege"], 400)
    begun = begin(census.assign(TOWN=towns), others.assign(TOWN=towns))
    assert linkage(begun) == ("masked", "row")
    assert "TOWN is equal in 100% of the rows with the same number, where chance would give 34%" in begun.words


def test_equal_cells_are_held_against_chance():
    rng = np.random.default_rng(1)
    first, second = rng.integers(0, 3, 3000), rng.integers(0, 3, 3000)
    equal, chance, deviations = equal_in_place(first, second)
    assert chance == pytest.approx(1 / 3, abs=0.01)
    assert equal == pytest.approx(chance, abs=0.05)
    assert abs(deviations) < FAR
    assert equal_in_place(first, first)[2] > FAR


def test_two_files_that_are_sorted_alike_do_not_correspond_for_that(begin, census, others):
    first, second = (frame.sort_values("FICA").assign(TOWN=["A"] * 200 + ["B"] * 200) for frame in (census, others))
    begun = begin(first.drop(columns=["FEDTAX", "INTVAL", "POTHVAL"]).assign(Z=0.5 - np.arange(400) % 2), second)
    assert begun.release["linkage"] == "none"


def test_a_shared_column_that_is_all_different_is_the_key(begin, census, noisy):
    keys = [f"K{place * 7919 % 100_003}" for place in range(400)]
    begun = begin(census.assign(KEY=keys), noisy.assign(KEY=keys).sample(n=390, random_state=1))
    assert linkage(begun) == ("masked", {"key": "KEY"})
    assert begun.identifiers == ["KEY"]
    assert "no value of KEY is there twice in either file, and 390 of 390 released records have one" in begun.words
    assert "The audit blocks while the key is in the file that goes out." in begun.words


def test_a_key_that_nobody_can_share_by_chance_is_one_even_where_nothing_else_agrees(begin, census, others):
    keys = [f"K{place * 7919 % 100_003}" for place in range(400)]
    begun = begin(census.assign(KEY=keys), others.assign(KEY=keys[::-1]))
    assert linkage(begun) == ("masked", {"key": "KEY"})
    assert "records with the same one agree no more than chance" in begun.words


def test_a_number_that_only_counts_is_a_key_where_the_records_agree(begin, census, noisy):
    number = np.arange(1, 401)
    begun = begin(census.assign(NR=number), noisy.assign(NR=number).sample(frac=1, random_state=1))
    assert linkage(begun) == ("masked", {"key": "NR"})


def test_a_number_that_only_counts_is_no_key_where_they_do_not(begin, census, others):
    number = np.arange(1, 401)
    assert linkage(begin(census.assign(NR=number), others.assign(NR=number))) == ("synthetic", "none")


def test_a_column_with_gaps_or_repetitions_is_no_key(begin, census, others):
    keys = [f"K{place * 7919 % 100_003}" for place in range(400)]
    for released in (["", *keys[:0:-1]], [keys[1], *keys[:0:-1]]):
        assert begin(census.assign(KEY=keys), others.assign(KEY=released)).release["linkage"] == "none"


def test_original_records_in_another_order_are_masked_without_linkage(begin, census):
    begun = begin(census, census.sample(frac=1, random_state=1))
    assert linkage(begun) == ("masked", "none")
    assert "100% of the released records are original ones, in another order" in begun.words
    assert [rule["when"] for rule in begun.value["rules"] if rule["metric"] == "CM3"] == [
        {"kind": "synthetic"},
        {"kind": "masked"},
    ]


def test_original_values_that_were_swapped_beyond_recognition_are_masked_without_linkage(begin, census):
    rng = np.random.default_rng(1)
    begun = begin(census, pd.DataFrame({name: rng.permutation(values) for name, values in census.items()}))
    assert linkage(begun) == ("masked", "none")
    assert "but the values of FICA, FEDTAX, INTVAL are the original ones, in another order" in begun.words


def test_other_people_are_synthetic_whatever_their_number(begin, census, others):
    assert linkage(begin(census, others)) == ("synthetic", "none")
    begun = begin(census, others[:300])
    assert linkage(begun) == ("synthetic", "none")
    assert "the release has 300 records and the original 400" in begun.words


def test_answers_of_yes_and_no_that_are_equal_by_chance_make_nothing_masked(begin):
    rng = np.random.default_rng(1)
    frames = [pd.DataFrame({name: rng.permutation(["true", "false"] * 100) for name in "AB"}) for _ in range(2)]
    assert linkage(begin(*frames)) == ("synthetic", "none")
