"""Measured numbers as text, in every view: apart from the charts, so that who draws none need not import them."""

from __future__ import annotations

from math import isfinite
from typing import TypeGuard

DIGITS = 4
DECIMALS = 2
"""So many are enough for outsiders."""
MISSING = "-"
_PLAIN = 10.0
"""From here on six digits in all are enough."""


def known(value: float | None) -> TypeGuard[float]:
    """Tell whether there is a number at all."""
    return value is not None and isfinite(value)


def number(value: float | None, missing: str = MISSING, digits: int = DIGITS) -> str:
    """Write a measured value with so many decimals; what is not 0 is never written as 0, what is below 1 never as 1."""
    if not known(value):
        return missing
    smallest = 10.0**-digits
    if 0 < abs(value) < smallest / 2:
        return f"<{smallest:.{digits}f}" if value > 0 else f">-{smallest:.{digits}f}"
    if 1 - smallest / 2 <= value < 1:
        return f">{1 - smallest:.{digits}f}"
    return f"{value:.{digits}f}" if abs(value) < _PLAIN else f"{value:.6g}"
