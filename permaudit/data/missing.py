"""What becomes of missing values; they may never make a release look safer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from permaudit.data.scales import EncodedColumn
    from permaudit.plan import MissingPolicy

_BOTTOM, _TOP = np.iinfo(np.int64).min, np.iinfo(np.int64).max


def filled(column: EncodedColumn, policy: MissingPolicy) -> NDArray[Any]:
    """Return the codes with missing values put below or above all others, where they tie with each other.

    The stand-in does not depend on the column, so that a missing value equals a missing value of the other file.
    """
    if column.missing is None:
        return column.codes
    codes = column.codes
    if codes.dtype.kind == "u" and codes.max(initial=0) > _TOP:
        codes = codes.astype(np.float64)  # only order matters, and no wider integer is there
    elif codes.dtype.kind != "f":
        codes = codes.astype(np.int64)
    limits: Any = (-np.inf, np.inf) if codes.dtype.kind == "f" else (_BOTTOM, _TOP)
    return np.where(column.missing, limits[policy == "highest"], codes)


def first_missing(column: EncodedColumn) -> tuple[int, int]:
    """Return how many values are missing, and the number of the first record without one."""
    assert column.missing is not None  # noqa: S101 - for the type checker
    return int(column.missing.sum()), int(column.missing.argmax()) + 1


def gaps_of(column: EncodedColumn) -> NDArray[np.bool_] | None:
    """Return where a released column tells nothing: its value is missing, or may be any; None where it always does."""
    gaps = np.zeros(column.codes.size, bool) if column.missing is None else column.missing.copy()
    if column.named is not None:
        gaps |= column.named.suppressed
    return gaps if gaps.any() else None
