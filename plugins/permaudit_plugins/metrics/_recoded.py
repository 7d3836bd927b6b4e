"""Attributes under a fixed recoding that is no order: permuted labels, remainders, folded scales.

Metrics by rank follow orders. A table that gives each value another one leaves none, and whoever has the table, or guesses it
from a few people, reads the whole attribute.
"""

from __future__ import annotations

from itertools import combinations
from math import log, pi, sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from permaudit_plugins.metrics._closeness import some_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.random import Generator
    from numpy.typing import NDArray

    from permaudit.model import Floats
    from permaudit_plugins.metrics._files import File

_MOST_RECORDS = 5_000
_FEWEST = 100
_CLEARLY = 0.05
"""So much of what ranks do not tell must a value tell of the other one, before every order is looked at."""
_MOST_PAIRED = 8
"""Up to so many attributes, groups are compared in every pair of them."""


def recoded(
    original: File, release: File, own: NDArray[np.intp], names: Sequence[str], rng: Generator
) -> dict[str, Any] | None:
    """Find the linked attribute whose original and released values tell most of each other beyond any order.

    Not across attributes: in groups of similar people one attribute tells of another, in no order, and nothing was recoded.

    `told` is Chatterjee's coefficient (2021, A new coefficient of correlation): 1 where one value is a function of the other,
    about 0 where they are independent. `by_order` is what the best rising or falling function explains of the ranks.
    """
    rows = some_of(release.records, _MOST_RECORDS, rng)
    if rows.size < _FEWEST:
        return None
    chosen = (original, own[rows]), (release, rows)
    files = [[_dense(column[some]) for column in file.codes] for file, some in chosen]
    found: list[tuple[float, float, float, str]] = []
    for name, first, second in zip(names, *files, strict=True):
        by_rank = _by_rank(first, second)
        for source, target in ((first, second), (second, first)):
            order = _by_value(source, rng)
            told = _told(target[order])
            by_order = (
                by_rank if told - by_rank <= _CLEARLY * (1 - by_rank) else _by_order(source[order], target[order])
            )
            found.append((told - by_order, told, by_order, name))
    _, told, by_order, name = max(found)
    spread = sqrt(2 / 5 / rows.size)  # of the coefficient where nothing is told, without ties
    return {"told": told, "by_order": by_order, "spread_told": spread, "of": int(rows.size), "column": name}


def _dense(column: NDArray[np.int32]) -> NDArray[np.intp]:
    """Give the values that occur numbers in their order."""
    return np.asarray(np.unique(column, return_inverse=True)[1], np.intp)


def _by_value(column: NDArray[np.intp], rng: Generator) -> NDArray[np.intp]:
    """Return the records in the order of their values, those with equal ones at random."""
    mixed = rng.permutation(column.size)
    return mixed[np.argsort(column[mixed], kind="stable")]


def _told(values: NDArray[np.intp]) -> float:
    """Return Chatterjee's coefficient of values that stand in the order of another attribute."""
    counts = np.bincount(values)
    up_to, records = np.cumsum(counts), values.size
    from_here_on = records - up_to + counts
    spread = 2 * float((counts * from_here_on * (records - from_here_on)).sum())
    if spread == 0:
        return 0.0
    return 1 - records * float(np.abs(np.diff(up_to[values])).sum()) / spread


def _middle(values: NDArray[np.intp]) -> Floats:
    counts = np.bincount(values)
    return np.asarray((np.cumsum(counts) - counts / 2)[values] - values.size / 2, np.float64)


def _by_rank(first: NDArray[np.intp], second: NDArray[np.intp]) -> float:
    """Return the squared correlation of ranks."""
    one, other = _middle(first), _middle(second)
    size = float((one**2).sum() * (other**2).sum())
    return float((one * other).sum()) ** 2 / size if size else 0.0


def _by_order(source: NDArray[np.intp], target: NDArray[np.intp]) -> float:
    """Return which share of the variance of ranks the best function explains that only rises, or only falls."""
    from scipy.optimize import isotonic_regression  # noqa: PLC0415 - slow to import, and hardly ever asked for

    ranks, counts = _middle(target), np.bincount(source)
    total = float((ranks**2).sum())
    if total == 0:
        return 1.0
    means = np.bincount(source, ranks) / counts
    fits = (isotonic_regression(means, weights=counts, increasing=rising).x for rising in (True, False))
    return max(float((counts * fit**2).sum()) for fit in fits) / total


def same_groups(original: File, release: File, names: Sequence[str], rng: Generator) -> dict[str, Any] | None:
    """Find pairs of attributes whose values make groups of exactly the same sizes in both files, and how likely chance does so.

    A file in which every value has another name has the same groups, whatever the names are. Files whose columns have the same
    values, put together anew, have not.
    """
    if original.records != release.records or len(names) > _MOST_PAIRED or original.records > _MOST_RECORDS:
        return None
    mixture = release.mixed(rng)
    found: list[tuple[float, tuple[str, str]]] = []
    for pair in combinations(range(len(names)), 2):
        without = [place for place in range(len(names)) if place not in pair]
        sizes, others, mixed = (_sizes(file, without) for file in (original, release, mixture))
        if np.array_equal(sizes, others) and not np.array_equal(sizes, mixed):
            found.append((_by_accident(sizes), (names[pair[0]], names[pair[1]])))
    if not found:
        return None
    likely, taken = 1.0, set[str]()
    for one, pair_names in sorted(found):
        if taken.isdisjoint(pair_names):  # pairs that share an attribute do not speak for themselves
            likely *= one
            taken.update(pair_names)
    looks = len(names) * (len(names) - 1) // 2
    return {"found": len(found), "of": looks, "surprise": min(1.0, looks * likely), "only": sorted(taken)}


def _sizes(file: File, without: Sequence[int]) -> NDArray[np.intp]:
    """Return how many groups there are of each size, among the records without some attributes."""
    return np.bincount(np.unique(file.keys(without), return_counts=True)[1], minlength=file.records + 1)


def _by_accident(sizes: NDArray[np.intp]) -> float:
    """Return how likely two samples have as many groups of each size: numbers that vary like those of rare events."""
    several = sizes[2:][sizes[2:] > 0]
    return float(np.exp(-sum(log(max(1.0, sqrt(4 * pi * many))) for many in several.tolist())))
