"""Whether records stand in the order of the original is seen wherever they went, and not in files that are only sorted."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import permaudit
from permaudit.census_like import census_like
from permaudit.data.in_order import order_of

RNG = np.random.default_rng(8)
PEOPLE = pd.DataFrame(census_like(500, seed=1))
OTHERS = pd.DataFrame(census_like(500, seed=2))
NOISY = PEOPLE + RNG.normal(0, 0.3 * PEOPLE.std().to_numpy(), PEOPLE.shape)


def columns(frame):
    return {name: frame[name].to_numpy() for name in frame}


@pytest.mark.parametrize(
    ("release", "order"),
    [
        (NOISY, "in place"),
        (PEOPLE + RNG.normal(0, 2 * PEOPLE.std().to_numpy(), PEOPLE.shape), "in place"),
        (NOISY.drop(index=0), "shifted"),
        (NOISY.drop(index=480), "in place"),
        (pd.concat([NOISY[100:], NOISY[:100]]), "shifted"),
        (NOISY[::-1], "reversed"),
        (NOISY[np.arange(500) % 20 != 7], "shifted"),
        (NOISY[np.arange(500) % 20 != 7][::-1], "reversed"),
        (NOISY.sample(frac=1, random_state=1), None),
        (OTHERS, None),
    ],
    ids=[
        "as it was",
        "under strong noise",
        "first gone",
        "a late one gone",
        "turned",
        "from the end",
        "one in twenty gone",
        "the others from the end",
        "shuffled",
        "strangers",
    ],
)
def test_the_order_of_the_original_is_seen_wherever_it_went(release, order):
    assert order_of(columns(PEOPLE), columns(release)) == order


def test_the_end_of_a_long_original_is_seen_at_the_beginning_of_a_reversed_release(monkeypatch):
    monkeypatch.setattr("permaudit.data.in_order._MOST_RECORDS", 200)
    assert order_of(columns(PEOPLE), columns(NOISY[::-1])) == "reversed"


@pytest.mark.parametrize("name", PEOPLE.columns)
def test_files_that_are_sorted_alike_are_not_in_each_others_order(name):
    assert order_of(columns(PEOPLE.sort_values(name)), columns(OTHERS.sort_values(name))) is None


def test_an_order_that_repeats_itself_tells_nothing():
    again = {"A": np.tile(np.arange(6.0), 80), "B": np.tile(np.arange(8.0), 60)}
    assert order_of(again, again) is None


@pytest.mark.parametrize(
    ("kind", "release"),
    [("synthetic", NOISY.drop(index=0)), ("synthetic", NOISY[::-1]), ("masked", NOISY[::-1])],
    ids=["one gone", "from the end", "linked from the end"],
)
def test_a_person_must_decide_where_the_order_is_not_the_declared_one(kind, release):
    rules = [{"rule": "threshold", "metric": "CM3" if kind == "synthetic" else "CM2", "min": 0.05}]
    [candidate] = permaudit.audit(PEOPLE, release.reset_index(drop=True), kind=kind, rules=rules).candidates
    [finding] = [one for one in candidate.rules if one.rule == "declared-linkage"]
    assert finding.outcome == "review"
    assert "order of the original" in finding.message or "reversed" in finding.message
