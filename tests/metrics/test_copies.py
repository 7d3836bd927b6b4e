"""COPIES finds whole, near, partial and disguised copies, and leaves strangers alone."""

from __future__ import annotations

import numpy as np
import pytest

from .files import excess, jittered, looks, measured, part, people, put_among, shuffled, surprises

ORIGINAL, STRANGERS, OTHERS = people(seed=1), people(seed=2), people(seed=3)
LINKED = {"equal", "elsewhere", "unique_elsewhere", "near", "near_elsewhere", "in_part", "close_by_rank_elsewhere"}
"""The looks at a linked release that have a spread."""


@pytest.mark.parametrize("seed", range(4))
def test_strangers_look_like_strangers_to_every_look(seed):
    found = looks(people(seed=10 + seed), people(seed=20 + seed), seed=seed)
    counted = {"equal", "unique", "near", "close", "in_part", "close_by_rank", "by_rank", "disguised"}
    counted |= {"tuples", "close_in_part"}
    assert set(found) == counted | {"closest", "extremes"}
    assert {name: excess(found[name]) for name in counted if excess(found[name]) > 4.5} == {}
    assert min(surprises(found).values()) > 1e-3


def test_whole_copies_are_counted_and_those_of_unique_records_among_them():
    original = {name: np.append(values, values[0]) for name, values in ORIGINAL.items()}
    release = part(original, people(1001, seed=2), 0.1)
    details = measured(original, release).details
    assert (details["copied_records"], details["copies_of_unique_records"], details["released_records"]) == (
        100,
        99,
        1001,
    )
    assert details["baseline"] < 0.01


@pytest.mark.parametrize(("by", "share"), [(0.01, 0.1), (0.05, 0.5), (0.1, 1.0)])
def test_jittered_copies_among_strangers_are_near_and_not_equal(by, share):
    found = looks(ORIGINAL, shuffled(part(jittered(ORIGINAL, by), STRANGERS, share)))
    assert found["equal"]["found"] == 0
    assert excess(found["near"]) > 6


def test_a_release_under_noise_is_closer_than_independent_ones_can_be():
    assert excess(looks(ORIGINAL, shuffled(jittered(ORIGINAL, 0.1)))["close"]) > 6


@pytest.mark.parametrize("power", [0.25, 1.0, 4.0])
def test_independent_files_are_not_closer_than_they_can_be_whatever_their_distributions(power):
    release = {name: np.sign(values) * np.abs(values) ** power for name, values in STRANGERS.items()}
    found = looks(ORIGINAL, release)
    assert max(excess(found["close"]), excess(found["close_by_rank"])) < 3


@pytest.mark.parametrize(("place", "what"), [(0, "V0"), (3, "V3")])
def test_copies_but_for_one_attribute_are_found_with_its_name(place, what):
    anew = {**ORIGINAL, what: STRANGERS[f"V{place}"]}
    found = looks(ORIGINAL, shuffled(part(anew, STRANGERS, 0.3)))["in_part"]
    assert found["without"] == [what]
    assert found["found"] == 300
    assert excess(found) > 50


def test_copies_with_a_few_random_values_each_are_found_among_fifty_attributes():
    original, others = people(600, 50, seed=1), people(600, 50, seed=2)
    rng = np.random.default_rng(0)
    release = {name: np.where(rng.random(600) < 0.04, others[name], values) for name, values in original.items()}
    found = looks(original, shuffled(release))
    assert found["equal"]["found"] < 200
    assert found["in_part"]["found"] > 150
    assert excess(found["in_part"]) > 20


@pytest.mark.parametrize(
    "change",
    [
        lambda columns: {**columns, "V0": columns["V1"], "V1": columns["V0"]},
        lambda columns: {f"V{place}": columns[f"V{(place + 1) % 4}"] for place in range(4)},
        lambda columns: {name: -values for name, values in columns.items()},
        lambda columns: {**columns, "V2": -columns["V2"]},
    ],
    ids=["two exchanged", "all moved on", "upside down", "one upside down"],
)
@pytest.mark.parametrize("share", [1.0, 0.3])
def test_copies_are_found_under_exchanged_names_and_upside_down(change, share):
    release = shuffled(change(part(ORIGINAL, STRANGERS, share)))
    found = looks(ORIGINAL, release)["disguised"]
    assert found["found"] > 400 * share
    assert excess(found) > 15


def test_the_disguise_is_named():
    release = shuffled({**ORIGINAL, "V0": ORIGINAL["V1"], "V1": ORIGINAL["V0"], "V3": -ORIGINAL["V3"]})
    found = looks(ORIGINAL, release)["disguised"]
    assert (set(found["exchanged"]), found["reversed"]) == ({"V0", "V1"}, ["V3"])


def test_copies_in_other_units_are_found_by_rank():
    release = {name: np.exp(values) * 0.92 + 7 for name, values in part(ORIGINAL, STRANGERS, 0.3).items()}
    found = looks(ORIGINAL, shuffled(release))
    assert excess(found["near"]) < 4
    assert excess(found["by_rank"]) > 15


def test_a_holdout_that_holds_copies_does_not_make_copies_look_like_chance():
    release = part(jittered(ORIGINAL, 0.01), STRANGERS, 0.5)
    holdout = part(jittered(ORIGINAL, 0.01, seed=9), OTHERS, 0.5)
    assert excess(looks(ORIGINAL, shuffled(release), holdout=holdout)["near"]) > 20


def test_strangers_are_no_copies_beside_a_holdout_either():
    found = looks(ORIGINAL, STRANGERS, holdout=OTHERS)
    assert max(excess(look) for look in found.values() if "spread" in look) < 4.5
    assert min(surprises(found).values()) > 1e-3


@pytest.mark.parametrize("linked", [False, True])
def test_neither_the_order_of_rows_nor_units_change_anything(linked):
    release = part(jittered(ORIGINAL, 0.02), STRANGERS, 0.2)
    order = np.random.default_rng(8).permutation(1000)
    moved = [{name: values[order] * 8 for name, values in columns.items()} for columns in (ORIGINAL, release)]
    assert measured(*moved, linked=linked) == measured(ORIGINAL, release, linked=linked)
    if not linked:
        assert measured(ORIGINAL, shuffled(release)) == measured(ORIGINAL, release)


def test_nor_does_it_where_many_records_are_equal_and_only_some_are_looked_at():
    original = {name: values.round() for name, values in people(12_000, 4).items()}
    release = {name: values.round() for name, values in jittered(original, 0.5).items()}
    order = np.random.default_rng(8).permutation(12_000)
    moved = [{name: values[order] for name, values in columns.items()} for columns in (original, release)]
    assert measured(*moved, linked=True) == measured(original, release, linked=True)
    assert measured(moved[0], shuffled(release)) == measured(original, release)


def test_the_same_generator_gives_the_same_answer_beyond_the_sample_sizes():
    original, release = people(15_000, 3, seed=1), people(15_000, 3, seed=2)
    first = measured(original, release)
    assert first == measured(original, release)
    assert first.details["looks"]["near"]["of"] == 10_000
    assert first.details["looks"]["equal"]["of"] == 15_000


# --------------------------------------------------------------------------- a few records


@pytest.mark.parametrize("holdout", [None, OTHERS], ids=["alone", "beside a holdout"])
@pytest.mark.parametrize("many", [1, 7])
def test_a_single_copy_is_a_surprise_where_nobody_equals_anybody_by_chance(many, holdout):
    found = looks(ORIGINAL, put_among(STRANGERS, ORIGINAL, many), holdout=holdout)
    assert (found["unique"]["found"], found["own_values"]["values"]) == (many, 4)
    assert max(found["unique"]["surprise"], found["own_values"]["surprise"]) < 1e-5
    assert excess(found["equal"]) < 5


def test_a_few_records_that_were_moved_a_little_are_closer_than_people_are():
    moved = jittered(ORIGINAL, 0.001)
    found = looks(ORIGINAL, put_among(STRANGERS, moved, 12))["closest"]
    assert found["found"] == 12
    assert found["surprise"] < 1e-20


@pytest.mark.parametrize("many", [12, 1000])
def test_records_put_together_from_halves_of_two_people_are_found_by_values_that_are_somebodys_own(many):
    halves = {name: np.roll(values, 100 * (place // 2)) for place, (name, values) in enumerate(ORIGINAL.items())}
    found = looks(ORIGINAL, put_among(STRANGERS, halves, many))["own_values"]
    assert (found["found"], found["values"]) == (many, 2)
    assert found["surprise"] < 1e-9


@pytest.mark.parametrize("decimals", [1, 2])
def test_rounded_strangers_who_equal_somebody_are_no_surprise(decimals):
    original, release = (people(1000, 4, seed, correlation=0.95) for seed in (1, 2))
    rounded = [{name: values.round(decimals) for name, values in file.items()} for file in (original, release)]
    found = looks(*rounded)
    assert (found["unique"]["found"] > 0) == (decimals == 1)
    assert min(surprises(found).values()) > 1e-3


def test_values_that_follow_from_others_by_a_formula_are_shared_with_them_and_no_surprise():
    files = [{"GROSS": np.exp(people(1000, 1, seed)["V0"] + 6).round(), **people(1000, 2, seed)} for seed in (1, 2)]
    found = looks(*({**file, "NET": (file["GROSS"] * 0.8).round()} for file in files))["own_values"]
    assert found["found"] > 50
    assert found["surprise"] > 1e-3


@pytest.mark.parametrize(
    ("bare", "look"), [(ORIGINAL, "equal"), (jittered(ORIGINAL, 0.001), "closest")], ids=["equal", "moved a little"]
)
def test_a_few_linked_records_that_were_left_alone_are_a_surprise_beside_noise(bare, look):
    found = looks(ORIGINAL, put_among(jittered(ORIGINAL, 2), bare, 7), linked=True)[look]
    assert found["found"] == 7
    assert found["surprise"] < 1e-10


def test_a_few_copies_of_other_people_are_a_surprise_among_linked_records():
    others = {name: np.roll(values, 50) for name, values in ORIGINAL.items()}
    found = looks(ORIGINAL, put_among(jittered(ORIGINAL, 2), others, 3), linked=True)
    assert (found["equal"]["found"], found["unique_elsewhere"]["found"]) == (0, 3)
    assert found["unique_elsewhere"]["surprise"] < 1e-5


def test_categories_that_were_drawn_anew_leave_some_records_alone_by_chance():
    original, rng = _categories(1) | {"D": np.random.default_rng(3).integers(0, 40, 800)}, np.random.default_rng(2)
    release = {
        name: np.where(rng.random(800) < 0.5, rng.permutation(values), values) for name, values in original.items()
    }
    found = looks(original, release, linked=True)["equal"]
    assert found["found"] > 30
    assert found["surprise"] > 1e-3


# --------------------------------------------------------------------------- odd data


def _categories(seed, records=800):
    rng = np.random.default_rng(seed)
    return {name: rng.integers(0, size, records) for name, size in (("A", 2), ("B", 3), ("C", 4))}


@pytest.mark.parametrize("linked", [False, True])
def test_few_categories_are_chance(linked):
    details = measured(_categories(1), _categories(2), linked=linked).details
    found = details["looks"]
    assert details["copied_records"] > 0
    assert max(excess(look) for name, look in found.items() if "spread" in look) < 3
    assert min(surprises(found).values()) > 1e-3


def test_a_mixture_of_categories_and_numbers_hides_no_copies():
    original, others = (_categories(seed) | {"X": people(800, 1, seed)["V0"]} for seed in (1, 2))
    assert excess(looks(original, others)["near"]) < 4
    copied = shuffled(part({**original, "X": jittered(original, 0.001)["X"]}, others, 0.3))
    assert excess(looks(original, copied)["near"]) > 5


def test_values_that_only_changed_places_are_no_copies():
    rng = np.random.default_rng(4)
    original = {"A": rng.normal(size=900), "B": rng.integers(0, 3, 900), "C": rng.normal(size=900)}
    release = {name: rng.permutation(values) for name, values in original.items()}
    found = looks(original, release)
    assert max(excess(look) for look in found.values() if "spread" in look) < 4.5
    assert min(surprises(found).values()) > 1e-3


def test_whole_numbers_beyond_two_to_the_53_are_told_apart():
    rng = np.random.default_rng(1)
    original = {name: 2**60 + rng.integers(0, 2**40, 400) for name in "ABC"}
    moved = {name: values + 1 for name, values in original.items()}
    found = looks(original, shuffled(moved))
    assert found["equal"]["found"] == 0
    assert found["near"]["found"] == 400
    assert looks(original, shuffled(original))["equal"]["found"] == 400


@pytest.mark.parametrize("linked", [False, True])
@pytest.mark.parametrize(
    "release",
    [
        {"A": np.zeros(300), "B": np.zeros(300)},
        {"A": np.full(300, -np.inf), "B": np.arange(300.0)},
        {"A": np.arange(300.0), "B": np.where(np.arange(300) % 2, np.inf, 1e308)},
    ],
    ids=["constant", "missing", "huge"],
)
def test_odd_releases_give_numbers(release, linked):
    original = {"A": np.arange(300.0), "B": np.random.default_rng(0).normal(size=300)}
    for look in looks(original, release, linked=linked).values():
        assert all(np.isfinite(value) for value in look.values() if isinstance(value, float))


@pytest.mark.parametrize("records", [3, 12])
def test_very_small_files_and_one_attribute_are_no_trouble(records):
    for attributes in (1, 2, 5):
        original, release = people(records, attributes, 1), people(records, attributes, 2)
        assert measured(original, release).value == 0
        assert measured(original, shuffled(original)).value == 1
        assert measured(original, original, linked=True).value == 1


# --------------------------------------------------------------------------- linked releases


@pytest.mark.parametrize("alpha", [1.0, 2.0])
def test_strong_noise_leaves_nobody_recognizable(alpha):
    found = looks(ORIGINAL, jittered(ORIGINAL, alpha), linked=True)
    assert max(excess(found[name]) for name in LINKED) < 4
    assert min(surprises(found).values()) > 1e-3
    assert found["in_order"]["found"] < found["in_order"]["expected"] + 60


def test_near_copies_in_place_are_found_among_heavy_noise():
    release = part(jittered(ORIGINAL, 0.02), jittered(ORIGINAL, 2), 0.2)
    found = looks(ORIGINAL, release, linked=True)
    assert found["equal"]["found"] == 0
    assert excess(found["near"]) > 10


@pytest.mark.parametrize("copies", [ORIGINAL, jittered(ORIGINAL, 0.01)], ids=["equal", "near"])
def test_copies_of_other_peoples_records_are_found_where_the_rows_do_not_correspond(copies):
    found = looks(ORIGINAL, shuffled(part(copies, jittered(ORIGINAL, 2), 0.2)), linked=True)
    assert found["equal"]["found"] == 0
    assert excess(found["near_elsewhere"]) > 10


@pytest.mark.parametrize(
    "change", [lambda values: 3 * values + 1, lambda values: -values, np.exp], ids=["units", "sign", "scale"]
)
def test_a_part_that_keeps_its_order_is_found_whatever_became_of_the_values(change):
    release = {name: change(values) for name, values in part(ORIGINAL, jittered(ORIGINAL, 2), 0.4).items()}
    found = looks(ORIGINAL, release, linked=True)["in_order"]
    assert found["found"] > 380
    assert found["expected"] < 120


def test_a_cell_of_each_record_that_was_blanked_leaves_the_rest():
    rng = np.random.default_rng(3)
    where = rng.integers(0, 4, 1000)
    blanked = {name: np.where(where == place, -np.inf, values) for place, (name, values) in enumerate(ORIGINAL.items())}
    found = looks(ORIGINAL, part(blanked, jittered(ORIGINAL, 2), 0.5), linked=True)["in_part"]
    assert (found["found"], found["equal_values"]) == (500, 3)


def tied(columns, values):
    """Give each value one of so many labels, by rank."""
    return {
        name: (column.argsort().argsort() * values // column.size).astype(float) for name, column in columns.items()
    }


def test_copies_under_noise_that_hides_one_attribute_are_close_in_the_others():
    bare = {**jittered(ORIGINAL, 0.03), "V3": STRANGERS["V3"]}
    found = looks(ORIGINAL, shuffled(part(bare, STRANGERS, 0.6)))["close_in_part"]
    assert found["without"] == ["V3"]
    assert excess(found) > 6


def test_pairs_of_values_of_one_person_are_found_among_tied_values_with_their_names():
    original, others = tied(ORIGINAL, 100), tied(STRANGERS, 100)
    pairs = {**others, "V1": original["V1"], "V3": original["V3"]}
    found = looks(original, shuffled(part(pairs, others, 0.3)))["tuples"]
    assert found["only"] == ["V1", "V3"]
    assert excess(found) > 6


@pytest.mark.parametrize("linked", [True, False])
def test_the_highest_values_are_missed_by_nobody_who_knows_them(linked):
    release = {name: values.copy() for name, values in (jittered(ORIGINAL, 2) if linked else STRANGERS).items()}
    assert looks(ORIGINAL, release, linked=linked)["extremes"]["surprise"] == 1
    top = np.argsort(ORIGINAL["V2"])[-4:]
    release["V2"][top] = ORIGINAL["V2"][top]
    found = looks(ORIGINAL, release, linked=linked)["extremes"]
    assert (found["column"], found["end"], found["found"], found["of"]) == ("V2", "highest", 4, 4)
    assert found["surprise"] < 1e-3


@pytest.mark.parametrize(
    "change",
    [
        lambda values: np.random.default_rng(1).permutation(60)[values.astype(int)].astype(float),
        lambda values: values % 17,
        lambda values: np.abs(values - 30),
    ],
    ids=["another label", "remainder", "folded"],
)
def test_a_fixed_recoding_tells_more_than_any_order(change):
    original = tied(ORIGINAL, 60)
    honest = jittered(original, 2)
    plain = looks(original, honest, linked=True)["recoded"]
    assert plain["told"] < plain["by_order"] + 0.1
    found = looks(original, {**honest, "V1": change(original["V1"])}, linked=True)["recoded"]
    assert found["column"] == "V1"
    assert found["told"] > found["by_order"] + 0.3
    coarse = looks(original, {**honest, "V1": original["V1"] // 10}, linked=True)["recoded"]
    assert coarse["told"] == pytest.approx(coarse["by_order"], abs=0.05)


def test_groups_of_the_same_sizes_show_a_file_under_other_labels_and_not_one_of_the_same_values():
    original = tied(ORIGINAL, 12)
    table = np.random.default_rng(2).permutation(12).astype(float)
    renamed = {name: table[values.astype(int)] for name, values in original.items()}
    assert looks(original, shuffled(renamed))["same_groups"]["surprise"] < 1e-6
    rng = np.random.default_rng(3)
    assert "same_groups" not in looks(original, {name: rng.permutation(values) for name, values in original.items()})


def flips(columns, share, seed=3):
    """Turn over so many of the cells of columns that have two values."""
    rng = np.random.default_rng(seed)
    return {
        name: np.where(rng.random(values.size) < share, 1 - values, values).astype(float)
        for name, values in columns.items()
    }


def test_copies_of_which_a_tenth_of_the_cells_is_turned_over_are_found_among_forty_yes_and_no_columns():
    original, others = (
        {name: (values > 0.3).astype(float) for name, values in people(1000, 40, seed, 0.2).items()} for seed in (1, 2)
    )
    found = looks(original, shuffled(part(flips(original, 0.12), others, 0.15)))["mostly"]
    assert excess(found) > 5
    assert excess(looks(original, shuffled(others))["mostly"]) < 4


@pytest.mark.parametrize(("attributes", "kept"), [(6, 4), (10, 6), (20, 12)])
def test_records_with_most_values_of_one_person_moved_a_little_and_the_others_drawn_anew_are_found(attributes, kept):
    original, others = (people(1000, attributes, seed, 0.3) for seed in (1, 2))
    bare = others | dict(list(jittered(original, 0.02).items())[:kept])
    found = looks(original, shuffled(part(bare, others, 0.3)))["mostly"]
    assert excess(found) > 5
    assert excess(looks(original, shuffled(others))["mostly"]) < 4


def test_own_values_of_one_attribute_in_their_own_records_are_found_among_noise():
    release = jittered(ORIGINAL, 2)
    release["V1"][:60] = ORIGINAL["V1"][:60]
    found = looks(ORIGINAL, release, linked=True)["own_cells"]
    assert found == {"found": 60, "of": 60, "column": "V1"}


def test_an_attribute_that_was_left_as_it_is_hides_no_other_one():
    release = jittered(ORIGINAL, 2) | {"V0": ORIGINAL["V0"]}
    release["V1"][:60] = ORIGINAL["V1"][:60]
    assert looks(ORIGINAL, release, linked=True)["own_cells"]["column"] == "V1"
    assert "own_cells" not in looks(ORIGINAL, ORIGINAL, linked=True)


def test_values_that_only_changed_places_are_found_with_the_wrong_people():
    rng = np.random.default_rng(1)
    kept = {
        name: np.where(rng.random(1000) < 0.1, values, rng.permutation(values)) for name, values in ORIGINAL.items()
    }
    found = looks(ORIGINAL, kept, linked=True)["own_cells"]
    assert found["found"] < 0.2 * found["of"]
