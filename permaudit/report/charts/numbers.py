"""Numbers as text, the same way everywhere."""

from __future__ import annotations

from math import floor, isfinite, log10
from numbers import Real
from typing import TypeGuard

from permaudit.errors import shown
from permaudit.report.digits import DIGITS

MISSING = "-"
_PLAIN = 10.0
"""From here on six digits in all are enough."""
_LONGEST = 40
_NOTHING = 1e-300


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


def parameter(value: object) -> str:
    """Write what somebody chose, a limit or a parameter, as it was chosen."""
    if isinstance(value, Real) and not isinstance(value, bool):
        return f"{float(value):.6g}" if isfinite(value) else MISSING
    return MISSING if value is None else shown(str(value), _LONGEST)


def ticks(low: float, high: float, most: int = 5) -> list[float]:
    """Return round numbers from low to high, at most so many."""
    rough = (high - low) / max(1, most - 1)
    if not rough > _NOTHING:
        return [low]
    power = 10.0 ** floor(log10(rough))
    step = next(power * factor for factor in (1, 2, 2.5, 5, 10, 20) if power * factor >= rough * (1 - 1e-9))
    first = int(-(-low // step)) if isfinite(low / step) else 0
    places = range(first, first + most + 1)
    return [step * place for place in places if low - step * 1e-6 <= step * place <= high + step * 1e-6]
