import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from permaudit.data.linkage import Match
from permaudit.data.pairing import Pairer, Side
from permaudit.data.scales import EncodedColumn
from permaudit.errors import DataError

RNG = np.random.default_rng(0)


def column(*values):
    missing = np.array([value is None for value in values])
    codes = np.array([0 if value is None else value for value in values])
    return EncodedColumn(codes, missing if missing.any() else None)


def side(name, **columns):
    return Side(name, columns, len(next(iter(columns.values())).codes))


def pairer(original, policy="error", **own):
    policies = dict.fromkeys(original.columns, policy) | own
    return Pairer(original, policies)


def test_without_missing_values_the_whole_original_is_handed_on_untouched():
    original = side("o", A=column(1, 2, 3))
    pairs = pairer(original)
    paired = pairs.pair(side("r", A=column(3, 1, 2)), linked=True, rng=RNG)
    assert paired.original is pairs.whole
    assert (paired.records.original, paired.records.released, paired.records.compared) == (3, 3, 3)
    assert paired.bound is None


@pytest.mark.parametrize("where", ["original", "release"])
def test_a_missing_value_is_an_error_unless_a_policy_is_declared(where):
    whole, gap = column(1, 2, 3), column(1, None, 3)
    with pytest.raises(DataError, match=r"column 'A' has 1 missing value \(first in record 2\); say how to treat"):
        pairer(side("o", A=gap if where == "original" else whole)).pair(
            side("r", A=whole if where == "original" else gap), linked=True, rng=RNG
        )


def test_linkage_by_row_needs_as_many_records():
    with pytest.raises(DataError, match="r: has 2 records and o has 3: linkage by row needs as many"):
        pairer(side("o", A=column(1, 2, 3))).pair(side("r", A=column(1, 2)), linked=True, rng=RNG)


@pytest.mark.parametrize(("policy", "place"), [("lowest", 0), ("highest", -1)])
@pytest.mark.parametrize("kind", [int, float])
def test_missing_values_tie_below_or_above_all_others(policy, place, kind):
    values = column(*(value if value is None else kind(value) for value in (5, None, -9, None)))
    paired = pairer(side("o", A=values), policy).pair(side("r", A=values), linked=True, rng=RNG)
    order = np.unique(paired.original["A"])
    assert order.size == 3
    assert (paired.original["A"][[1, 3]] == order[place]).all()
    assert (paired.original["A"] == paired.release["A"]).all()


def test_dropped_pairs_come_back_in_the_bound_with_their_original_values():
    original = side("o", A=column(1, 2, 3, 4), B=column(10, 20, 30, 40))
    release = side("r", A=column(4, None, 2, 1), B=column(40, 99, None, 10))
    paired = pairer(original, "drop-records").pair(release, linked=True, rng=RNG)
    assert paired.original["A"].tolist() == [1, 4]
    assert paired.release["B"].tolist() == [40, 10]
    assert paired.records.dropped == 2
    assert paired.records.compared == 2
    full, restored = paired.bound
    assert restored["A"].tolist() == [4, 2, 3, 1]
    assert restored["B"].tolist() == [40, 20, 30, 10]
    assert full["A"].tolist() == [1, 2, 3, 4]


def test_a_value_missing_in_the_original_is_missing_on_both_sides_of_the_bound():
    original = side("o", A=column(1, None, 3))
    paired = pairer(original, "drop-records").pair(side("r", A=column(3, 2, 1)), linked=True, rng=RNG)
    full, restored = paired.bound
    assert full["A"][1] == restored["A"][1] == min(full["A"])


def test_policies_can_differ_by_attribute():
    original = side("o", A=column(1, 2, 3), B=column(1, 2, 3))
    release = side("r", A=column(None, 2, 3), B=column(3, None, 1))
    paired = pairer(original, A="lowest", B="drop-records").pair(release, linked=True, rng=RNG)
    assert paired.records.dropped == 1
    assert paired.release["A"].argmin() == 0


def test_who_looks_at_records_sees_dropped_ones_as_they_were_released_with_nothing_told_by_the_gaps():
    original = side("o", A=column(1, 2, None, 4), B=column(5, 6, 7, 8))
    release = side("r", A=column(9, None, 3, 4), B=column(0, 6, 7, None))
    paired = pairer(original, "drop-records", B="lowest").pair(release, linked=True, rng=RNG)
    first, seen = paired.seen
    assert [*(first["A"] == seen["A"])] == [False, True, True, True]
    assert [*(first["B"] == seen["B"])] == [False, True, True, False]
    assert (seen["A"][[0, 3]] == [9, 4]).all()


def test_unlinked_files_drop_apart_and_the_bound_takes_whole_original_records():
    original = side("o", A=column(1, 2, 3, 4, None), B=column(11, 12, 13, 14, 15))
    release = side("r", A=column(7, None, 9), B=column(7, 8, 9))
    paired = pairer(original, "drop-records").pair(release, linked=False, rng=np.random.default_rng(3))
    assert paired.original["A"].tolist() == [1, 2, 3, 4]
    assert paired.release["A"].tolist() == [7, 9]
    _, restored = paired.bound
    assert restored["A"].size == 3
    assert restored["B"][-1] == restored["A"][-1] + 10


def test_a_key_restricts_the_original_to_the_released_records():
    match = Match(np.array([2, 0]), np.array([0, 1]), suppressed=1, added=1)
    release = side("r", A=column(30, 10, 99))
    paired = pairer(side("o", A=column(1, 2, 3))).pair(release, match, linked=True, rng=RNG)
    assert paired.original["A"].tolist() == [3, 1]
    assert paired.release["A"].tolist() == [30, 10]
    assert (paired.records.suppressed, paired.records.added, paired.records.compared) == (1, 1, 2)


def test_codes_above_what_a_signed_integer_holds_keep_their_order_beside_missing_values():
    values = EncodedColumn(np.array([2**63 + 5, 0, 1], np.uint64), np.array([False, True, False]))
    paired = pairer(side("o", A=values), "lowest").pair(side("r", A=values), linked=True, rng=RNG)
    assert np.argsort(paired.original["A"]).tolist() == [1, 2, 0]


@given(
    st.lists(st.one_of(st.none(), st.integers(-3, 3)), min_size=2, max_size=30).filter(
        lambda v: any(x is not None for x in v)
    )
)
def test_no_record_gets_lost(values):
    original = side("o", A=column(*range(len(values))))
    paired = pairer(original, "drop-records").pair(side("r", A=column(*values)), linked=True, rng=RNG)
    assert paired.records.compared + paired.records.dropped == len(values) == paired.records.released
