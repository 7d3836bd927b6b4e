"""Covariances of average ranks, from exact integer sums."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from permaudit.permutation.exact import Products
from permaudit.permutation.threads import run_each, workers

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from permaudit.permutation.exact import ExactSum
    from permaudit.permutation.ranks import Ranked


def own_moments(ranked: Ranked, threads: int | None = None) -> NDArray[np.float64]:
    """Return the sample covariance matrix (divisor n - 1) of the average ranks of one file."""
    return cross_moments(ranked, ranked, threads)


def cross_moments(x: Ranked, y: Ranked, threads: int | None = None) -> NDArray[np.float64]:
    """Return the sample cross-covariance matrix of the average ranks of two files, paired by position.

    Centred ranks sum to 0, so this is sum_i x_i' y_i / (n - 1). The sum is taken over doubled ranks in integers and
    rounded once, when it is divided by 4 (n - 1).
    """
    check_pair(x, y)
    records = x.records
    shape = (1, x.attributes, y.attributes)
    count = workers(threads, records)

    def add_up(first: int) -> Products:
        sums = Products(shape, records)
        for block in sums.blocks(records)[first::count]:
            left = x.doubled[block].astype(np.float64)
            sums.add(left, [left if x is y else y.doubled[block].astype(np.float64)])
        return sums

    (matrix,) = added_up(run_each(add_up, range(count), count)).divided(divisor(records))
    return np.asarray(matrix)


def added_up(parts: list[Products]) -> ExactSum:
    """Add up partial sums of products."""
    first, *others = parts
    for other in others:
        first.total.merge(other.total)
    return first.total


def divisor(records: int) -> int:
    """Return what sums of products of doubled centred ranks must be divided by to be covariances of ranks."""
    return 4 * (records - 1)


def check_pair(x: Ranked, y: Ranked) -> None:
    """Refuse two files that cannot be laid beside each other, and files without any variation to speak of."""
    if x.records != y.records:
        raise ValueError(f"the original has {x.records} records and the release {y.records}; they must be as many")
    if x.records < 2:  # noqa: PLR2004 - n - 1 is the divisor
        raise ValueError("a covariance needs at least 2 records")
