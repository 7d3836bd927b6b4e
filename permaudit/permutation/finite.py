"""Refuse moments that are not numbers: comparisons with NaN are false, and would make a file look constant, hence safe."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def check_finite(*matrices: NDArray[np.float64]) -> None:
    """Raise `ArithmeticError` unless every moment is a finite number."""
    if not all(np.isfinite(matrix).all() for matrix in matrices):
        raise ArithmeticError("the moments are not finite numbers")
