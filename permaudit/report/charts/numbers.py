"""Numbers as text, the same way everywhere, and round ones for scales."""

from __future__ import annotations

from math import floor, isfinite, log10
from numbers import Real

from permaudit.errors import shown
from permaudit.report.digits import MISSING, known, number

__all__ = ["MISSING", "known", "number", "parameter", "ticks"]

_LONGEST = 40
_NOTHING = 1e-300


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
