"""Name the attribute that the release protects least."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from permaudit.permutation.finite import check_finite
from permaudit.permutation.whitening import scales, whiten

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from permaudit.model import Moments


def squared_multiple_correlations(moments: Moments) -> NDArray[np.float64]:
    """Return, for each original attribute, the part of its rank variance that all released attributes explain together.

    R_j^2 = r_j' R_yy^+ r_j with r_j the correlations of X_j with the attributes of Y (paired by position) and R_yy^+ the
    inverse on the numerical rank; 0 for a constant attribute. At most rho_1^2, so 1 - R_j^2 is at least CM1.
    """
    check_finite(moments.original, moments.release, moments.cross)
    linked = moments.cross * scales(moments.original)[:, None] * scales(moments.release)
    directions: NDArray[np.float64] = linked @ whiten(moments.release).basis
    explained: NDArray[np.float64] = (directions**2).sum(axis=1)
    return np.minimum(explained, 1.0)


def least_protected(moments: Moments) -> int:
    """Return the position of the attribute whose ranks can be told best from the release.

    That is an attribute that keeps every rank, if there is one, else the one with the largest squared multiple correlation
    on the released attributes; the first of equals.
    """
    explained = squared_multiple_correlations(moments)
    kept = np.asarray(moments.unchanged, dtype=bool)
    return int(np.argmax(np.where(kept, 2.0, explained)))
