"""Released records with gaps, completed from the original before anybody looks for copies."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import permaudit
from permaudit.data.gaps import can_be_completed, completed

NAMES = list("ABCD")


def people(records, seed):
    rng = np.random.default_rng(seed)
    values = 0.6 * rng.normal(size=(records, 1)) + 0.8 * rng.normal(size=(records, 4))
    return pd.DataFrame(values, columns=NAMES)


def with_gaps(frame, seed=1):
    """Take one value of every record."""
    holes = np.random.default_rng(seed).integers(0, 4, len(frame))
    return frame.mask(np.arange(4) == holes[:, None])


def complete(original, release):
    columns = [{name: frame[name].fillna(-np.inf).to_numpy() for name in NAMES} for frame in (original, release)]
    gaps = [{name: frame[name].isna().to_numpy() for name in NAMES} for frame in (release, original)]
    return pd.DataFrame(completed(*columns, *gaps))


@pytest.mark.parametrize("noise", [0, 0.001])
def test_a_copy_with_a_gap_gets_its_own_value_back(noise):
    original = people(500, 0)
    copies = original.sample(100, random_state=1)
    moved = with_gaps(copies + noise * np.random.default_rng(2).normal(size=copies.shape))
    found = complete(original, moved).where(moved.isna().to_numpy())
    own = copies.reset_index(drop=True).where(moved.isna().to_numpy())
    assert (found.equals(own)) if not noise else ((found == own).sum().sum() >= 90)


def test_a_copy_of_a_record_with_gaps_is_completed_to_that_record():
    original = people(300, 0)
    original.iloc[:40] = with_gaps(original.iloc[:40])
    found = complete(original, original.iloc[:40])
    assert found.equals(original.iloc[:40].fillna(-np.inf))


def test_most_strangers_keep_their_gaps_and_the_order_of_the_original_does_not_matter():
    original, others = people(500, 0), with_gaps(people(200, 3))
    found = complete(original, others)
    assert np.isinf(found.to_numpy()).sum() >= 150
    assert complete(original.sample(frac=1, random_state=5), others).equals(found)


def test_what_would_take_too_long_is_not_completed():
    gaps = {name: np.arange(3000) % 2 == place % 2 for place, name in enumerate(NAMES)}
    assert not can_be_completed(gaps, 1000)
    assert not can_be_completed({name: gap[:1500] for name, gap in gaps.items()}, 6_000_000)
    assert can_be_completed({name: gap[:1500] for name, gap in gaps.items()}, 1000)


@pytest.mark.parametrize("kind", ["masked", "synthetic"])
def test_near_copies_are_seen_although_each_has_a_gap_and_is_left_out(kind):
    original = people(500, 0)
    rng = np.random.default_rng(4)
    near = with_gaps(original + 0.01 * rng.normal(size=original.shape))
    rest = original + 2 * rng.normal(size=original.shape) if kind == "masked" else people(500, 9)
    bare = np.arange(500) < 150
    release = pd.concat([near[bare], rest[~bare]])
    if kind == "synthetic":
        release = release.sample(frac=1, random_state=1)
    [found] = permaudit.audit(original, release, kind=kind, missing="drop-records").candidates
    looks = found.metrics["COPIES"].details["looks"]
    assert found.records.dropped == 150
    assert found.metrics["COPIES"].value == 0
    assert looks["near"]["found"] >= 100


def test_a_model_whose_records_have_gaps_can_be_released():
    rules = [{"rule": "threshold", "metric": "CM3", "on": "relative", "min": 0.8}]
    release = people(500, 11)
    release = release.mask(np.random.default_rng(2).random(release.shape) < 0.02)
    outcome = permaudit.audit(people(500, 10), release, kind="synthetic", missing="drop-records", rules=rules)
    assert outcome.verdict == "release"
    assert any("copies were looked for with these gaps filled" in note for note in outcome.candidates[0].warnings)
