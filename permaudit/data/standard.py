"""Ranks as directions: what two columns tell of each other is the product of theirs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from permaudit.permutation import rank_columns

if TYPE_CHECKING:
    from numpy.typing import NDArray


def standard_ranks(values: NDArray[Any]) -> NDArray[np.float64]:
    """Return the ranks with mean 0 and length 1."""
    centered = rank_columns([values], threads=1).doubled[:, 0].astype(np.float64)
    size = float(np.sqrt((centered**2).sum()))
    return np.asarray(centered / size if size else centered)
