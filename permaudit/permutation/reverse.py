"""Split a release into a permutation of the original's values and a residual noise that changes no rank."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from permaudit.permutation.ranks import rank_columns

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from permaudit.permutation.ranks import Ranked


class ReverseMapping(NamedTuple):
    """One attribute of a release in the permutation model."""

    permuted: NDArray[Any]
    """Z: the original's values, rearranged to stand in the order of the release."""
    residual: NDArray[np.float64]
    """Y - Z: what the release adds without changing any rank."""


def order_of_release(ranked: Ranked) -> NDArray[np.int32]:
    """Return the order of the records by the second column, and by the first one where that has ties."""
    if ranked.tied[1]:
        first, second = ranked.doubled.T.astype(np.int64)
        ranked = rank_columns([second * 2**32 + first], threads=1)
    order: NDArray[np.int32] = ranked.order[-1]
    return order


def reverse_map(x: NDArray[Any], y: NDArray[Any]) -> ReverseMapping:
    """Return Z with z_i = x_(rank(y_i)), and the residual noise Y - Z, for one linked attribute.

    Records that are tied in y share several ranks. They receive the x-values of these ranks in the order of their own
    original values: Z is then a rearrangement of X whatever the ties, and of all those that are consistent with y the one
    closest to X (rearrangement inequality), so that no permutation is claimed which the release does not show.
    """
    if x.ndim != 1 or x.shape != y.shape:
        raise ValueError(f"two columns of equal length are needed, not shapes {x.shape} and {y.shape}")
    for name, column in (("original", x), ("released", y)):
        if column.dtype.kind == "f" and np.isnan(column).any():
            raise ValueError(f"the {name} column has missing values (NaN); NaN has no rank")
    ranked = rank_columns([x, y])
    permuted = np.empty_like(x)
    permuted[order_of_release(ranked)] = x.take(ranked.order[0])
    return ReverseMapping(permuted, y.astype(np.float64) - permuted.astype(np.float64))
