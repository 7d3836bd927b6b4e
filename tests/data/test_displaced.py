"""A part of a linked release that stands for other records is seen under noise; good masking of a part is not taken for it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import permaudit
from permaudit.census_like import census_like
from permaudit.data.displaced import displaced

N = 1000
PEOPLE = pd.DataFrame(census_like(N, seed=1))
OTHERS = pd.DataFrame(census_like(N, seed=2))
NOISY = PEOPLE + np.random.default_rng(8).normal(0, PEOPLE.std().to_numpy(), PEOPLE.shape)
PART, ELSEWHERE = np.arange(300, 400), np.arange(800, 900)
RULES = [{"rule": "threshold", "metric": "CM2", "min": 0.01}]


def columns(frame):
    return {name: frame[name].to_numpy() for name in frame}


def moved(part, to):
    """The rows of all records, where some rows hold others."""
    rows = np.arange(N)
    rows[part] = to
    return rows


MOVED = {
    "one further": moved(PART, np.roll(PART, 1)),
    "seven back": moved(PART, np.roll(PART, -7)),
    "from its end": moved(PART, PART[::-1]),
    "exchanged": moved(np.r_[PART, ELSEWHERE], np.r_[ELSEWHERE, PART]),
}


def with_part(values):
    release = NOISY.copy()
    release.iloc[PART] = np.asarray(values, float)
    return release


def waves(records, start):
    """People who are asked four times, one after the other."""
    rng = np.random.default_rng(start)
    person = rng.normal(size=(records // 4 + 1, 3)).repeat(4, axis=0)[:records]
    wave = (np.arange(records) + start) % 4
    return pd.DataFrame(person + rng.normal(0, 0.3, person.shape), columns=list("ABC")).assign(WAVE=wave)


@pytest.mark.parametrize("rows", MOVED.values(), ids=MOVED)
def test_a_tenth_that_stands_for_other_records_is_seen_under_strong_noise(rows):
    found = displaced(columns(PEOPLE), columns(NOISY.iloc[rows]))
    assert found is not None
    assert found.found


@pytest.mark.parametrize("rows", MOVED.values(), ids=MOVED)
def test_units_and_directions_change_nothing(rows):
    release = NOISY.iloc[rows]
    turned = release.assign(FICA=-7 * release["FICA"], INTVAL=np.exp(release["INTVAL"] / 1e5))
    assert displaced(columns(PEOPLE), columns(turned)) == displaced(columns(PEOPLE), columns(release))


@pytest.mark.parametrize(
    "release",
    [
        NOISY,
        with_part(OTHERS.iloc[PART]),
        with_part(np.tile(PEOPLE.median(), (PART.size, 1))),
        with_part(PEOPLE.iloc[PART].sample(frac=1, replace=True, random_state=1)),
        PEOPLE.groupby(PEOPLE["FICA"].rank(method="first") // 50).transform("mean"),
    ],
    ids=["noise", "a part drawn anew", "a part suppressed", "a part drawn from its own", "groups of fifty"],
)
def test_good_masking_of_all_or_of_a_part_is_no_linkage_to_others(release):
    found = displaced(columns(PEOPLE), columns(release))
    assert found is not None
    assert not found.found


def test_what_repeats_itself_does_not_stand_elsewhere():
    original = waves(N, 0)
    release = original + np.random.default_rng(1).normal(0, 0.5, original.shape)
    release.iloc[PART] = waves(N, 1).iloc[PART]
    found = displaced(columns(original), columns(release))
    assert found is not None
    assert not found.found


def test_of_a_long_file_some_stretches_are_looked_at(monkeypatch):
    monkeypatch.setattr("permaudit.data.displaced._MOST_RECORDS", 400)
    monkeypatch.setattr("permaudit.data.displaced._LONGEST", 48)
    part = np.arange(300, 600)
    rows = moved(part, np.roll(part, 1))
    good, bad = (displaced(columns(PEOPLE), columns(one)) for one in (NOISY, NOISY.iloc[rows]))
    assert good == permaudit.model.Displaced(0, 8)
    assert bad is not None
    assert bad.found


@pytest.mark.parametrize(
    "release",
    [OTHERS, NOISY[:150]],
    ids=["noise above all", "few records"],
)
def test_where_nothing_can_be_seen_nothing_is_said(release):
    assert displaced(columns(PEOPLE[: len(release)]), columns(release)) is None


AUDITED = {"attributes": {name: {"type": "numeric", "missing": "drop-records"} for name in PEOPLE}}


def _finding(release, linkage):
    original = PEOPLE.assign(ID=np.arange(N) + 10_000)
    [candidate] = permaudit.audit(original, release, kind="masked", linkage=linkage, rules=RULES, **AUDITED).candidates
    [finding] = [one for one in candidate.rules if one.rule == "declared-linkage"]
    return finding


@pytest.mark.parametrize("gaps", [0, 5])
@pytest.mark.parametrize("linkage", ["row", "key", "map"])
def test_a_person_must_decide_where_a_part_is_linked_to_others(linkage, gaps):
    """The release and its keys are shuffled: a mistake was made where they were written. Gaps leave records out."""
    order = np.arange(N) if linkage == "row" else np.random.default_rng(3).permutation(N)
    ids, noisy = order + 10_000, NOISY.iloc[order].reset_index(drop=True)
    noisy.loc[np.arange(gaps) * 7, "FICA"] = np.nan
    for rows, outcome in ((np.arange(N), "pass"), (MOVED["one further"], "review")):
        if linkage == "row":
            found = _finding(noisy.iloc[rows].reset_index(drop=True), "row")
        elif linkage == "key":
            found = _finding(noisy.assign(ID=ids[rows]), {"key": "ID"})
        else:
            found = _finding(noisy, {"key": "ID", "map": pd.DataFrame({"ID": ids[rows]})})
        assert found.outcome == outcome
    assert "other originals" in found.message
    assert found.evidence["stretches_elsewhere"] > 0
