"""What each attribute has to do with the links between two files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from permaudit.permutation.confidentiality import cm2_without_each, cm3
from permaudit.permutation.reverse import reverse_map

if TYPE_CHECKING:
    from typing import Any

    from numpy.typing import NDArray

    from permaudit.model import Moments

_FEWEST = 2


def links_without_each(moments: Moments) -> list[float | None]:
    """Return CM2 without each attribute in turn; None where nothing would be left."""
    size = len(moments.attributes)
    return cm2_without_each(moments).tolist() if size >= _FEWEST else [None] * size


def protection_by_key(moments: Moments) -> list[float | None]:
    """Return what an intruder faces who links by each attribute in turn; None where there is no other attribute."""
    size = len(moments.attributes)
    return cm3(moments).tolist() if size >= _FEWEST else [None] * size


def permutation_share(original: NDArray[Any], release: NDArray[Any]) -> float | None:
    """Return the part of the mean absolute change that the permutation makes; the rest is noise that changes no rank.

    Z, the original's values in the order of the release, stands between: |Z - X| is permutation, |Y - Z| residual noise.
    None where nothing changed at all, or where values are too large to take a mean of.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        permuted, residual = reverse_map(original, release)
        moved = np.abs(permuted.astype(np.float64) - original.astype(np.float64)).mean()
        noise = np.abs(residual).mean()
        share = moved / (moved + noise) if moved + noise > 0 else np.nan
    return float(share) if np.isfinite(share) else None
