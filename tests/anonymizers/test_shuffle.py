"""Shuffled records: whole records in another order, which only CM3 sees through."""

from __future__ import annotations

import numpy as np
import pytest

from permaudit.permutation import canonical_correlations, cm1, cm3, pair_moments, rank_columns
from permaudit_plugins.anonymizers.shuffle_records import ShuffleRecords

from .originals import complaint, numbers, original, skewed


def shuffled(given):
    return ShuffleRecords().anonymize(given, ShuffleRecords.parameters(), np.random.default_rng(1)).table


def test_whole_records_change_places_and_nothing_else_changes():
    x = skewed(1, 500, 3)
    y = numbers(shuffled(original(x)))
    assert sorted(map(tuple, y)) == sorted(map(tuple, x))
    assert (y != x).any(axis=1).mean() > 0.98


def test_text_gaps_and_types_come_through():
    given = original({"a": ["x", None, "z"], "b": [1, 2, None]}, types={"a": "nominal"})
    release = shuffled(given)
    assert release.schema == given.table.schema
    assert sorted(release.to_pylist(), key=str) == sorted(given.table.to_pylist(), key=str)


def test_cm1_takes_it_for_protection_and_cm3_does_not():
    x = skewed(2, 1000, 3)
    y = numbers(shuffled(original(x)))
    pair = pair_moments(list("abc"), rank_columns(list(x.T)), rank_columns(list(y.T)))
    assert cm1(canonical_correlations(pair.original, pair.release, pair.cross)) > 0.95
    assert cm3(pair).min() == 0


def test_it_has_no_parameters():
    assert set(complaint(ShuffleRecords(), {"seed": 1})) == {"seed"}


@pytest.mark.parametrize("records", [0, 1])
def test_nothing_to_shuffle_is_no_error(records):
    assert shuffled(original(skewed(3, records, 2))).num_rows == records
