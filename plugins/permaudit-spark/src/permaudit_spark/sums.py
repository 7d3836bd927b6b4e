"""Sums that come out the same in whatever order their parts arrive."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from permaudit.permutation.exact import Products
from permaudit.permutation.moments import divisor

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from permaudit.model import Floats
    from permaudit.permutation.exact import ExactSum

    Ranks = NDArray[np.int32]
    Whole = NDArray[Any]
    """An array of Python's integers, which have no end."""

_FINE = 2.0**40
"""Fractions are summed in these parts of one: a power of two, so that larger numbers stay as they are."""


def products(left: NDArray[Any], right: NDArray[Any], bound: int) -> ExactSum:
    """Return the sum of the products of rows of integers that are smaller than a bound."""
    sums = Products((1, left.shape[1], right.shape[1]), bound)
    for rows in sums.blocks(len(left)):
        first = left[rows].astype(np.float64)
        sums.add(first, [first if right is left else right[rows].astype(np.float64)])
    return sums.total


def merged(one: ExactSum, other: ExactSum) -> ExactSum:
    """Add two sums."""
    one.merge(other)
    return one


def covariances(total: ExactSum, records: int) -> Floats:
    """Return the covariances of ranks from the sum of products of doubled ones."""
    (matrix,) = total.divided(divisor(records))
    return np.asarray(matrix)


def whole(numbers: NDArray[np.float64]) -> Whole:
    """Return numbers as integers that can be summed without rounding."""
    scaled = [int(number) for number in (numbers * _FINE).ravel().tolist()]
    return np.array(scaled, object).reshape(numbers.shape)


def number(total: Whole) -> float:
    """Return such a sum of a single number."""
    return float(total.item() / int(_FINE))


def fractions(total: Whole, records: int) -> Floats:
    """Return the covariances of ranks from such a sum of products of doubled ones."""
    unit = int(_FINE) * divisor(records)
    return np.array([number / unit for number in total.ravel()]).reshape(total.shape)
