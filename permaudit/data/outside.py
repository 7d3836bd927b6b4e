"""Whether attributes that an audit takes out of its own reach tell people apart: then the others are no longer nobody's."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from permaudit.data.apart import apart_among
from permaudit.data.carried import rows_of
from permaudit.errors import shown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from permaudit.data.linkage import Match
    from permaudit.data.scales.base import EncodedColumn

    Sides = tuple[NDArray[np.int64], NDArray[np.int64]]

_CLASSES = 20
"""Values that were moved a little are still in their class of so many, of nearly equal numbers of people."""


def told_outside(
    original: Mapping[str, EncodedColumn], released: Mapping[str, EncodedColumn], match: Match, *, linked: bool
) -> dict[str, str]:
    """Return the columns that tell people apart, as they stand or in classes, each with how."""
    varying = [name for name in released if released[name].varies and original[name].varies]
    if not varying:
        return {}
    sides = {name: (_told(original[name]), _told(released[name])) for name in varying}
    first, second = sides[varying[0]]
    rows = rows_of(match, len(second), len(first)) if linked else None
    for how, looked in (("", _numbered), (" in classes", _classed)):
        found = apart_among({name: looked(*side) for name, side in sides.items()}, rows)
        if found is None:
            continue
        names, share = found
        said = f"{share:.0%} of the records apart from all others, by what the original says of them{how}"
        verbs = {name: ", ".join(shown(other) for other in names if other != name) for name in names}
        return {
            name: f"is not in scope, and tells {f'with {others} ' if others else ''}{said}"
            for name, others in verbs.items()
        }
    return {}


def _told(column: EncodedColumn) -> NDArray[np.float64]:
    """Return the values of a column, categories kept apart, and what is missing as one more value."""
    codes = np.array(column.codes if column.kinds is None else column.kinds, np.float64)
    if column.missing is not None:
        codes[column.missing] = -np.inf
    return codes


def _numbered(first: NDArray[np.float64], second: NDArray[np.float64]) -> Sides:
    """Give every distinct value a number, the same in both files."""
    numbers = np.unique(np.concatenate([first, second]), return_inverse=True)[1]
    return numbers[: len(first)], numbers[len(first) :]


def _classed(first: NDArray[np.float64], second: NDArray[np.float64]) -> Sides:
    """Give every value the number of its class among the original's."""
    ends = np.unique(np.sort(first)[np.linspace(0, len(first) - 1, _CLASSES + 1).astype(np.intp)[1:-1]])
    return np.searchsorted(ends, first), np.searchsorted(ends, second)
