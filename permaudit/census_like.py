"""Made-up income records for demonstrations and tests, in the likeness of the "Census" data set.

That data set (1,080 records of the 1995 Current Population Survey, long used to compare methods of disclosure control)
is not part of permaudit. These records are drawn from a Gaussian copula with its rank correlations and with rough
margins: a few rounded quantiles per column, and people's habit of naming round amounts, which makes the ties. Nothing
else is imitated: in the survey other income contains the interest and is never much below it, here it may be.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SCORES: Final = (-3.5, -2.33, -1.64, -1.28, -0.67, 0.0, 0.67, 1.28, 1.64, 2.33, 3.5)
"""Normal scores of the 1, 5, 10, 25, 50, 75, 90, 95 and 99 % quantiles, and of the two ends."""

_QUANTILES: Final = {
    "FICA": (200, 2300, 8000, 13500, 24000, 39000, 55000, 67000, 77000, 108000, 250000),  # of the wages it is paid on
    "FEDTAX": (1, 90, 630, 1250, 3400, 7000, 11000, 14500, 16000, 19000, 22000),
    "INTVAL": (1, 2, 10, 23, 95, 350, 1100, 3400, 5800, 18000, 50000),
    "POTHVAL": (1, 12, 60, 130, 470, 1600, 5400, 14000, 23000, 46000, 110000),
}

_ROUNDED: Final = {"FICA": (0.20, 0.75), "FEDTAX": (0.0, 0.0), "INTVAL": (0.30, 0.70), "POTHVAL": (0.05, 0.20)}
"""The share of amounts named to half a leading digit (15,000), and the share named to that or to two digits (17,000)."""

# The Cholesky factor of the copula's correlations, which were solved so that the rank correlations come out as .72, .22,
# -.08, .39, .17, .44 after the rounding. A table, because a factorization at run time differs in the last bit between
# machines; for the same reason the scores are sums of integers and no product of matrices or logarithm is taken.
_FACTOR: Final = (
    (1.0,),
    (0.7353, 0.6778),
    (0.2304, 0.3508, 0.9076),
    (-0.0839, 0.3544, 0.3888, 0.8463),
)

_POWERS_OF_TEN: Final = 10 ** np.arange(7, dtype=np.int64)
_WAGE_BASE: Final = 61_200
"""Wages above it paid no social security contribution in 1995 (6.2 %), only the one for Medicare (1.45 %)."""


def census_like(records: int = 1080, seed: int = 1995) -> dict[str, NDArray[np.int64]]:
    """Draw records of four correlated, tied, skewed amounts; another seed draws other people.

    The same seed gives the same people, and fewer records are the first ones of more.
    """
    if records < 1:
        raise ValueError(f"records must be at least 1, not {records}")
    pieces = np.random.PCG64(seed).random_raw(records * 13).view(np.uint16).reshape(records, 52)
    # Twelve uniform numbers add up to a variance of one and very nearly to a normal score.
    scores = (pieces[:, :48].reshape(records, 4, 12).sum(axis=2, dtype=np.int64) - 6 * 65535) / 65536
    columns = {}
    for i, (name, quantiles) in enumerate(_QUANTILES.items()):
        score = np.zeros(records)
        for k, weight in enumerate(_FACTOR[i]):
            score += weight * scores[:, k]
        amount = np.rint(np.interp(score, _SCORES, quantiles)).astype(np.int64)
        columns[name] = _rounded(amount, pieces[:, 48 + i] / 65536, *_ROUNDED[name])
    columns["FICA"] = (620 * np.minimum(columns["FICA"], _WAGE_BASE) + 145 * columns["FICA"]) // 10_000
    return columns


def _rounded(amount: NDArray[np.int64], habit: NDArray[np.float64], coarse: float, fine: float) -> NDArray[np.int64]:
    """Round each amount as its owner would: to half a leading digit, to two digits, or not at all."""
    leading = _POWERS_OF_TEN[np.searchsorted(_POWERS_OF_TEN, amount, side="right") - 1]
    step = np.where(habit < coarse, leading // 2, np.where(habit < fine, leading // 10, 1))
    step = np.maximum(step, 1)
    nearest: NDArray[np.int64] = (2 * amount + step) // (2 * step) * step
    return nearest
