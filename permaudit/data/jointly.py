"""Whether two releases of one original tell together what each of them hides: noise that one adds and the other takes away.

Candidates are alternatives, and every one is judged alone: two of them tell more than one, as two measurements do, and
publishing both is another release. But noise of two releases is drawn independently, or they were made to be put together.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from permaudit.data.missing import gaps_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from permaudit.data.read import AuditData, Release
    from permaudit.data.scales import EncodedColumn
    from permaudit.plan import GivenCandidate

    Floats = NDArray[np.float64]
    Places = NDArray[np.intp]

_OPPOSED = -0.5
"""Noise that was drawn independently has no correlation, and that of the same method on the same groups a positive one."""
_TOLD = 0.9
"""Both together tell so much of the variance of an attribute."""
_FEWEST = 30
_MOST = 20_000
"""Of more records some are looked at."""


def told_jointly(data: AuditData, candidates: Sequence[GivenCandidate]) -> dict[str, dict[str, str]]:
    """Return for each linked candidate the attributes that it tells with another one, and with which."""
    linked = [candidate.name for candidate in candidates if candidate.linkage != "none"]
    found: dict[str, dict[str, str]] = {name: {} for name in linked}
    for one, other in combinations(linked, 2):
        for attribute in _told(data, data.given[one], data.given[other]):
            found[one].setdefault(attribute, other)
            found[other].setdefault(attribute, one)
    return found


def _told(data: AuditData, one: Release, other: Release) -> list[str]:
    """Return the attributes that two releases tell together."""
    original = data.pairer.original
    rows = [_row_of(release, original.records) for release in (one, other)]
    both = np.flatnonzero((rows[0] >= 0) & (rows[1] >= 0))
    both = both[:: max(1, both.size // _MOST)]
    if both.size < _FEWEST:
        return []
    sides = [(original.columns, both), (one.encoded, rows[0][both]), (other.encoded, rows[1][both])]
    names = [name for name in original.columns if name in one.encoded and name in other.encoded]
    return [name for name in names if _is_told(*_there([(columns[name], places) for columns, places in sides]))]


def _there(sides: Sequence[tuple[EncodedColumn, Places]]) -> list[Floats]:
    """Return the values of some records in each file, where all files have one."""
    there = np.ones(sides[0][1].size, bool)
    for column, places in sides:
        gaps = gaps_of(column)
        there &= True if gaps is None else ~gaps[places]
    return [column.codes[places][there].astype(np.float64) for column, places in sides]


def _row_of(release: Release, records: int) -> Places:
    """Return for each original record the released row that comes from it; -1 where there is none."""
    rows = np.full(records, -1, np.intp)
    original = np.arange(records) if release.match.original is None else release.match.original
    rows[original] = np.arange(original.size) if release.match.release is None else release.match.release
    return rows


def _is_told(own: Floats, first: Floats, second: Floats) -> bool:
    """Tell whether two columns tell a third one together because what each adds to it is opposed."""
    if own.size < _FEWEST:
        return False
    noises = [_without(column, own) for column in (first, second)]
    sizes = [float(noise @ noise) for noise in noises]
    if min(sizes) <= 0 or float(noises[0] @ noises[1]) > _OPPOSED * (sizes[0] * sizes[1]) ** 0.5:
        return False
    design = np.column_stack([np.ones(own.size), _scaled(first), _scaled(second)])
    target = _scaled(own)
    rest = target - design @ np.linalg.lstsq(design, target, rcond=None)[0]
    return float(rest @ rest) < (1 - _TOLD) * float(target @ target)


def _without(column: Floats, own: Floats) -> Floats:
    """Return what is left of a column when what goes with the original's is taken away."""
    column, own = _scaled(column), _scaled(own)
    return np.asarray(column - own * float(column @ own) / max(float(own @ own), 1e-300))


def _scaled(column: Floats) -> Floats:
    """Return a column with mean 0 and length 1, or 0 where it is constant."""
    centered: Any = column - column.mean()
    size = float(np.sqrt(centered @ centered))
    return np.asarray(centered / size if size else centered)
