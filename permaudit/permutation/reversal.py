"""Releases that stand upside down: sorting both files in opposite directions lines them up."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from permaudit.permutation.bykey import cross_moments_by_key
from permaudit.permutation.identity import trivial_permutation
from permaudit.permutation.ranks import Ranked

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray


def opposite_moments_by_key(x: Ranked, y: Ranked, threads: int | None = None) -> NDArray[np.float64]:
    """Return the cross-covariances by key of x and of y upside down: the files sorted in opposite directions.

    It is enough to read y's orders backwards, and to change the sign at the end: no rank has to be copied.
    """
    backwards = Ranked(y.doubled, y.order[:, ::-1], y.tied)
    return 0.0 - cross_moments_by_key(x, backwards, threads)


def upside_down(ranked: Ranked, signs: NDArray[np.int32]) -> Ranked:
    """Return the file with the attributes whose sign is -1 turned upside down: the highest rank is the lowest.

    Doubled centred ranks change their sign, also those of ties; the order by an attribute is read backwards.
    """
    order = np.where((signs < 0)[:, None], ranked.order[:, ::-1], ranked.order)
    return Ranked(ranked.doubled * signs, order, ranked.tied)


def mirrored_permutation(x: Ranked, y: Ranked, original: NDArray[np.float64], release: NDArray[np.float64]) -> bool:
    """Tell whether the files hold the same rank records once some attributes of y are turned upside down.

    With signs s on the attributes, equal records have C_XX = s C_YY s: where two attributes are correlated, their
    covariances tell whether both were turned or one of them. Attributes that are linked by a chain of correlations have
    their signs from that, up to a common one; each such set is tried both ways, and what is left open is tried while the
    number of ways is small.
    """
    if x.attributes != y.attributes or not np.array_equal(x.tied, y.tied):
        return False
    return any(trivial_permutation(x, upside_down(y, signs)) for signs in turned(original, release))


def turned(original: NDArray[np.float64], release: NDArray[np.float64]) -> Iterator[NDArray[np.int32]]:
    """Give the signs, some of them negative, with which own moments could be those of equal records."""
    sets = _signed_sets(original, release)
    for way in range(2 ** min(len(sets), _MOST_SETS)):
        signs = np.ones(len(original), np.int32)
        for number, (members, relative) in enumerate(sets):
            signs[members] = relative * (-1 if way >> number & 1 else 1)
        if (signs < 0).any():
            yield signs


_MOST_SETS = 6
_CORRELATED = 0.01
"""Covariances below this part of the variances may have either sign by chance of rounding."""


def _signed_sets(
    original: NDArray[np.float64], release: NDArray[np.float64]
) -> list[tuple[list[int], NDArray[np.int32]]]:
    """Return the sets of attributes whose signs hang together, each with its signs relative to its first member."""
    least = _CORRELATED * np.sqrt(np.outer(np.diagonal(original), np.diagonal(original)))
    related = (np.abs(original) > least) & (np.abs(release) > least)
    relative = np.where(np.sign(original) == np.sign(release), 1, -1).astype(np.int32)
    left, sets = set(range(len(original))), []
    while left:
        first = min(left)
        found, waiting = {first: 1}, [first]
        while waiting:
            here = waiting.pop()
            for there in np.flatnonzero(related[here]).tolist():
                if there not in found:
                    found[there] = found[here] * int(relative[here, there])
                    waiting.append(there)
        left -= set(found)
        sets.append((list(found), np.array(list(found.values()), np.int32)))
    return sets
