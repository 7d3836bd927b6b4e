"""What the copy detector saw is judged against chance: whole and near copies, in part, in order and in disguise."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import permaudit as pa

from .cases import case_of, finding_of, measured

EQUAL = {"found": 4, "of": 1000, "expected": 0.0, "spread": 1.0, "chance_of": 1000, "chance_is": "strangers"}


def judged(*, linked: bool = False, **looks):
    details = {"copied_records": 4, "released_records": 1000, "baseline": 0.0, "looks": {"equal": EQUAL, **looks}}
    case = case_of({"COPIES": measured(0.004, details=details)}, linked=linked)
    return finding_of("no-copied-records", case)


def look(found, expected, spread, **more):
    return {**EQUAL, "found": found, "expected": expected, "spread": spread, **more}


@pytest.mark.parametrize(
    ("name", "deviations"),
    [("equal", 3), ("near", 4), ("within", 4), ("in_part", 5), ("mostly", 5), ("by_rank", 5), ("disguised", 6)],
)
def test_a_look_may_exceed_chance_by_its_deviations_and_three_records(name, deviations):
    allowed = 20 + deviations * 5 + 3
    assert judged(**{name: look(allowed, 20.0, 5.0)}).outcome == "pass"
    finding = judged(**{name: look(allowed + 1, 20.0, 5.0)})
    assert finding.outcome == "fail"
    assert f"{allowed + 1} of 1000 released records" in finding.message
    assert "chance would give about 20" in finding.message
    assert finding.fix
    assert finding.evidence["looks"][name]["found"] == allowed + 1


@pytest.mark.parametrize("name", ["equal", "elsewhere", "near", "near_elsewhere", "in_part", "within_elsewhere"])
def test_where_records_are_linked_a_person_decides(name):
    assert judged(linked=True, **{name: look(500, 0.0, 1.0)}).outcome == "review"


@pytest.mark.parametrize(("excess", "outcome"), [(2.7, "pass"), (2.9, "review"), (4.1, "fail")])
def test_closeness_beyond_what_independent_files_can_have_is_doubtful_first_and_then_certain(excess, outcome):
    finding = judged(close={"closeness": 2.0 + excess, "bound": 2.0, "spread": 1.0, "of": 1000})
    assert finding.outcome == outcome
    assert ("standard deviations closer" in finding.message) == (outcome != "pass")


def test_a_part_in_its_order_is_named_with_the_column():
    kept = {"found": 400, "of": 1000, "expected": 80, "column": "FEDTAX", "goes_with": "FICA"}
    finding = judged(linked=True, in_order=kept)
    assert finding.outcome == "review"
    assert "400 of 1000 records keep their order of FICA in the released column FEDTAX" in finding.message
    assert judged(linked=True, in_order=kept | {"found": 180}).outcome == "pass"


def test_whoever_looks_somebody_up_by_a_value_must_be_wrong_every_other_time():
    cells = {"of": 100, "column": "FICA"}
    assert judged(linked=True, own_cells=cells | {"found": 74}).outcome == "pass"  # 50 and 3 sqrt(50) and 3
    finding = judged(linked=True, own_cells=cells | {"found": 75})
    assert finding.outcome == "review"
    assert "75 of 100 released values of FICA" in finding.message
    assert judged(linked=True, own_cells={"found": 3, "of": 3, "column": "FICA"}).outcome == "pass"


def test_attributes_and_disguises_are_named():
    message = judged(in_part=look(300, 0.0, 1.0, without=["FICA"])).message
    assert "(all but FICA)" in message
    message = judged(disguised=look(300, 0.0, 1.0, exchanged=["FICA", "FEDTAX"], reversed=["FICA"])).message
    assert "(exchanged: FICA, FEDTAX; upside down: FICA)" in message


@pytest.mark.parametrize(
    ("name", "more", "text"),
    [
        (
            "unique",
            {"surprise": 1e-4},
            "7 of 1000 released records (0.70%) equal an original one that is the only one of",
        ),
        ("own_values", {"surprise": 1e-4, "values": 3}, "values that one person alone has in the original (3 or more)"),
        (
            "closest",
            {"surprise": 1e-6, "distance": 0.004},
            "are closer to an original one (within 0.004 of the ranks in",
        ),
    ],
)
def test_a_few_records_that_chance_does_not_give_need_a_person(name, more, text):
    finding = judged(**{name: look(7, 0.0, 2.0, **more)})
    assert finding.outcome == "review"
    assert text in finding.message
    assert "suppress these records or draw them anew" in finding.fix
    assert finding.evidence["looks"][name]["found"] == 7
    assert judged(**{name: look(7, 0.0, 2.0, **more | {"surprise": 0.01})}).outcome == "pass"


@pytest.mark.parametrize(
    ("name", "more", "text"),
    [
        (
            "equal",
            {"surprise": 0.0},
            "equal their own original, which is the only one of its kind; chance would give none",
        ),
        ("closest", {"surprise": 0.0, "distance": 1e-3}, "closer to their own original (within 0.001 of the ranks"),
        (
            "unique_elsewhere",
            {"surprise": 0.0},
            "equal somebody else's original record that is the only one of its kind",
        ),
    ],
)
def test_a_single_linked_record_that_was_left_alone_needs_a_person(name, more, text):
    finding = judged(linked=True, **{name: look(1, 0.0, 2.0, **more)})
    assert finding.outcome == "review"
    assert text in finding.message


@pytest.mark.parametrize(("near", "by_rank", "outcome"), [(3, 2, "pass"), (3, 3.5, "review"), (1.7, 4.6, "pass")])
def test_what_two_looks_see_a_little_needs_a_person(near, by_rank, outcome):
    finding = judged(near=look(100 + 10 * near, 100.0, 10.0), by_rank=look(100 + 10 * by_rank, 100.0, 10.0))
    assert finding.outcome == outcome
    assert ("by 3.0 standard deviations in distance and by 3.5 in ranks" in finding.message) == (outcome == "review")


def sampled(near, *, linked=False, **more):
    details = {"copied_records": 0, "released_records": 10**7, "baseline": 0.0, "sampled": "4 of 100 records"} | more
    looks = {"equal": look(0, 0.0, 1.0), "near": near}
    case = case_of({"COPIES": measured(0.0, details={**details, "looks": looks})}, linked=linked)
    return finding_of("no-copied-records", case)


@pytest.mark.parametrize("linked", [False, True])
def test_a_sample_passes_if_equal_copies_were_looked_for_among_all_and_enough_near_ones_would_have_shown(linked):
    many, few = (
        {"found": share // 50, "of": share, "expected": share / 50, "spread": share**0.5 / 5} for share in (10_000, 300)
    )
    many, few = ({**EQUAL, **one, "found": 0} if linked else {**EQUAL, **one} for one in (many, few))
    finding = sampled(many, linked=linked, equal_among=10**7)
    assert finding.outcome == "pass"
    assert "equal ones were looked for among all 10000000 records, near ones among 4 of 100 records" in finding.message
    assert finding.evidence["seen_from"] == pytest.approx({False: 0.01127, True: 0.01346}[linked], abs=5e-5)
    assert sampled(few, linked=linked, equal_among=10**7).outcome == "review"
    assert sampled(many, linked=linked).outcome == "review"


def test_a_share_that_is_said_to_show_is_found_in_so_many_samples():
    rng, of, chance = np.random.default_rng(1), 10_000, 200.0
    near = look(200, chance, (2 * of * 0.02) ** 0.5) | {"of": of}
    share = 0.9 * sampled(near, equal_among=of).evidence["seen_from"]  # of the copies, as many are in the sample
    found = rng.binomial(of, share, 4000) + chance * (1 - share)
    assert (found > chance + 4 * near["spread"] + 3).mean() == pytest.approx(0.95, abs=0.02)


def test_copies_that_could_not_be_counted_need_a_person():
    case = case_of({"COPIES": measured(None, status="not-applicable")}, linked=False)
    assert finding_of("no-copied-records", case).outcome == "review"


@pytest.mark.parametrize(
    ("linked", "looks", "text"),
    [
        (False, {"tuples": look(300, 0.0, 1.0, only=["FICA", "FEDTAX"])}, "(in FICA, FEDTAX)"),
        (
            False,
            {"extremes": look(4, 0.1, 1.0, surprise=1e-6, column="FICA", end="highest")},
            "4 of the 1000 highest values of FICA that one person alone has are released as they are",
        ),
        (False, {"same_groups": look(3, 0.0, 1.0, surprise=1e-6, only=["FICA"])}, "as under other names"),
        (
            True,
            {"recoded": {"told": 0.9, "by_order": 0.1, "spread_told": 0.02, "column": "A"}},
            "A goes with the original as under a fixed recoding that is no order",
        ),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else None,
)
def test_what_is_kept_of_people_without_a_whole_record_needs_a_person(linked, looks, text):
    finding = judged(linked=linked, **looks)
    assert finding.outcome == "review"
    assert text in finding.message


def test_a_value_that_tells_no_more_than_its_order_is_not_recoded():
    near = {"told": 0.45, "by_order": 0.25, "spread_told": 0.02, "column": "A"}
    assert judged(linked=True, recoded=near).outcome == "pass"


@pytest.mark.parametrize("width", [2, 5, 10, 20])
def test_ages_in_groups_keep_their_order_and_are_not_recoded(width):
    """Wide groups tell less of the order of ranks than a value tells of its group, which is a function of it."""
    rng = np.random.default_rng(width)
    age, income = rng.integers(18, 90, 400), rng.normal(size=400)
    original = pd.DataFrame({"AGE": age, "INCOME": income})
    release = pd.DataFrame({"AGE": age // width, "INCOME": income + rng.normal(size=400)})
    [candidate] = pa.audit(original, release, kind="masked").candidates
    [finding] = [one for one in candidate.rules if one.rule == "no-copied-records"]
    assert "recoding" not in finding.message
