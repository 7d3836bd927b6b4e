"""What strangers read beside the original, what sampling alone costs, and where a release stands beside that."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import permaudit as pa
from permaudit.references import DRAWS

from .files import four, gaussian


def frame(data):
    return pd.DataFrame(data, columns=[f"A{number}" for number in range(data.shape[1])])


def audited(original, release, **options):
    return pa.audit(frame(original), frame(release), kind="synthetic", **options).candidates[0].metrics


def strangers_read(n, m, correlation, draws=200, seed=5):
    """CM3 of pairs of independent samples of one population."""
    rng = np.random.default_rng(seed)
    pairs = ((gaussian(rng, n, m, correlation), gaussian(rng, n, m, correlation)) for _ in range(draws))
    return np.array([four(*pair).cm3.min() for pair in pairs])


@pytest.mark.parametrize("correlation", [0.3, 0.8])
def test_the_baseline_of_cm3_is_what_strangers_read_with_a_holdout_and_without(correlation):
    """Mean over several originals beside the mean over pairs of independent samples of the same size."""
    rng = np.random.default_rng(1)
    expected = strangers_read(300, 3, correlation)
    with_holdout, halves = [], []
    for _ in range(8):
        original, release, holdout = (gaussian(rng, 300, 3, correlation) for _ in range(3))
        with_holdout.append(audited(original, release, holdout=frame(holdout), metrics=["CM3"])["CM3"].baseline)
        halves.append(audited(original, release, metrics=["CM3"])["CM3"].baseline)
    for some in (with_holdout, halves):
        values = np.array([one.value for one in some])
        error = np.hypot(values.std(), expected.std()) / np.sqrt(8)
        assert values.mean() == pytest.approx(expected.mean(), abs=4 * error)
        assert all(one.draws == DRAWS and one.spread > 0 for one in some)
    # A holdout as large as the original is drawn as a whole each time: the spread must be that of other people all the same.
    assert 0.7 < np.mean([one.spread for one in with_holdout]) / expected.std() < 2


def test_the_baseline_says_what_was_compared():
    rng = np.random.default_rng(2)
    original, release, holdout = (gaussian(rng, 200, 3, 0.5) for _ in range(3))
    plain = audited(original, release)["CM3"].baseline
    assert plain.what == "one random half of the original beside the other, 100 records each, brought to 200 records"
    beside = audited(original, release, holdout=frame(holdout[:150]))["CM3"].baseline
    assert beside.what == "the original beside the holdout, 150 records each, brought to 200 records"
    assert plain.spread > 0


def test_the_relative_value_is_about_1_for_strangers_and_0_for_the_original():
    rng = np.random.default_rng(3)
    original, strangers, holdout = (gaussian(rng, 400, 3, 0.7) for _ in range(3))
    for options in ({}, {"holdout": frame(holdout)}):
        found = audited(original, strangers, **options)["CM3"]
        assert found.relative == pytest.approx(found.value / found.baseline.value)
        assert 0.8 < found.relative < 1.25
        assert audited(original, rng.permutation(original), **options)["CM3"].relative == 0


def test_the_baseline_depends_on_the_original_and_the_seed_and_not_on_the_release():
    rng = np.random.default_rng(4)
    original, one, other = (gaussian(rng, 200, 3, 0.5) for _ in range(3))
    first, second, third = (
        audited(original, release, seed=seed)["CM3"].baseline for release, seed in ((one, 1), (other, 1), (one, 2))
    )
    assert first == second
    assert first != third


def test_too_few_records_leave_no_baseline_and_no_number_is_made_up():
    rng = np.random.default_rng(5)
    original, release = gaussian(rng, 12, 3, 0.5), gaussian(rng, 12, 3, 0.5)
    found = audited(original, release)["CM3"]
    assert found.status == "ok"
    assert (found.baseline, found.relative) == (None, None)


# --------------------------------------------------------------------------- UM


def test_um_carries_what_sampling_alone_would_cost():
    """The original beside its own bootstrap loses as much as another sample of the population does, to first order."""
    rng = np.random.default_rng(6)
    originals = [gaussian(rng, 200, 4, 0.3) for _ in range(10)]
    told = np.array(
        [audited(one, gaussian(rng, 200, 4, 0.3), metrics=["UM"])["UM"].baseline.value for one in originals]
    )
    resampled = np.array([four(one, one[rng.integers(200, size=200)]).um for one in originals for _ in range(20)])
    error = np.hypot(told.std() / np.sqrt(10), resampled.std() / np.sqrt(200))
    assert told.mean() == pytest.approx(resampled.mean(), abs=4 * error)
    assert told.mean() < 1


def test_um_carries_its_range_and_says_where_it_is_not_informative():
    rng = np.random.default_rng(7)
    uncorrelated = audited(rng.standard_normal((200, 4)), rng.standard_normal((200, 4)))["UM"].details
    assert uncorrelated["informative"] is False
    assert "divides by noise" in uncorrelated["uninformative_because"]
    original = gaussian(rng, 200, 4, 0.6)
    found = audited(original, gaussian(rng, 200, 4, 0.6))["UM"]
    assert found.details["informative"] is True
    assert found.details["uninformative_because"] is None
    low, high = found.details["stability"]
    assert low <= found.value <= high


def test_the_report_says_that_um_is_not_informative(tmp_path):
    from permaudit.report import from_json, to_json  # noqa: PLC0415

    rng = np.random.default_rng(8)
    outcome = pa.audit(frame(rng.standard_normal((200, 4))), frame(rng.standard_normal((200, 4))), kind="masked")
    assert from_json(to_json(outcome)).candidates[0].metrics["UM"].details["informative"] is False
