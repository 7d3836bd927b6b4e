"""What categories tell that their ranks do not."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from permaudit.data.categories import _told_of_categories, _told_of_ranks, told_by_ties
from permaudit.data.linkage import ALL_ROWS
from permaudit.data.scales import EncodedColumn, nested_taxonomy, scale_of
from permaudit.plan import Attribute

RNG = np.random.default_rng(5)
TREE = nested_taxonomy({"kind": [*"abcdefgh", "rare", *"wxyz"]})
CELLS = RNG.permutation([*"abcdefgh" * 50, *["rare"] * 4])


def told(cells, *, linked=True, **more):
    scale = scale_of(Attribute(name="KIND", type="nominal", taxonomy=TREE), pa.chunked_array([CELLS.tolist()]))
    release = scale.encode(pa.chunked_array([list(cells)]))
    return told_by_ties({"KIND": scale.original, **more}, {"KIND": release}, ALL_ROWS, linked=linked)


def test_what_groups_tell_of_categories_is_goodman_and_kruskals_tau():
    kinds, groups = RNG.integers(0, 4, 500), RNG.integers(0, 3, 500)
    kinds = np.where(RNG.random(500) < 0.4, groups, kinds)
    table = pd.crosstab(groups, kinds, normalize=True).to_numpy()
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    tau = ((table**2 / rows[:, None]).sum() - (columns**2).sum()) / (1 - (columns**2).sum())
    assert _told_of_categories(kinds.astype(float), groups) == pytest.approx(tau)


def test_what_groups_tell_of_ranks_is_the_share_of_variance_between_them():
    values, groups = RNG.normal(size=300), RNG.integers(0, 5, 300)
    ranks = pd.Series(values + groups).rank()
    between = ranks.groupby(groups).transform("mean").var(ddof=0) / ranks.var(ddof=0)
    assert _told_of_ranks(values + groups, groups) == pytest.approx(between)


def test_categories_that_rank_alike_tell_the_own_ones():
    drawn = np.where(CELLS == "rare", RNG.permutation(CELLS), CELLS)
    assert told(drawn).own["KIND"] > 0.95
    assert told(RNG.permutation(CELLS)).own == {}
    assert told(drawn, linked=False).own == {}


def test_categories_that_rank_alike_tell_another_attribute():
    values = np.searchsorted([*"abcdefgh"], np.where(CELLS == "rare", "a", CELLS)) + RNG.normal(0, 0.1, CELLS.size)
    drawn = RNG.permutation(CELLS)
    assert told(drawn, AGE=EncodedColumn(values)).others == {}
    code = np.array([*"abcdefgh"])[np.argsort(np.argsort(values)) * 8 // CELLS.size]
    assert "AGE" in told(np.where(drawn == "rare", drawn, code), AGE=EncodedColumn(values)).others["KIND"]


@pytest.mark.parametrize("linked", [True, False])
def test_categories_that_nobody_has_need_a_person_where_they_are_many(linked):
    some = RNG.random(CELLS.size)
    unused = RNG.choice([*"wxyz"], CELLS.size)
    assert "does not use" in told(np.where(some < 0.2, unused, CELLS), linked=linked).others["KIND"]
    assert "KIND" not in told(np.where(some < 0.02, unused, RNG.permutation(CELLS)), linked=linked).others
    assert "KIND" not in told(np.where(some < 0.2, "w", RNG.permutation(CELLS)), linked=linked).others
