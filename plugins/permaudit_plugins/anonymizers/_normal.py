"""The normal distribution; scipy is imported when it is first asked for, since most audits never do."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def normal_shares(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the share of the standard normal distribution below each score."""
    from scipy.special import ndtr  # noqa: PLC0415

    shares: NDArray[np.float64] = ndtr(scores)
    return shares


def normal_scores(shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the score below which each share of the standard normal distribution lies."""
    from scipy.special import ndtri  # noqa: PLC0415

    scores: NDArray[np.float64] = ndtri(shares)
    return scores
