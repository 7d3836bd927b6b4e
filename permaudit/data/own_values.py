"""What a release tells of people's own values that no rank shows: in generalized cells, and where most is missing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from permaudit.data.encode import with_gaps, with_ranges
from permaudit.data.missing import gaps_of
from permaudit.data.pieced import groups_of, pieced_together
from permaudit.data.readings import BESIDE, CROWD, Axis, readings
from permaudit.model import OwnValues

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.random import Generator
    from numpy.typing import NDArray

    from permaudit.data.linkage import Match
    from permaudit.data.scales import EncodedColumn

    Encoded = Mapping[str, EncodedColumn]
    Places = NDArray[np.intp]


def own_values_in(
    original: Encoded, release: Encoded, match: Match, rng: Generator, *, linked: bool
) -> tuple[OwnValues, ...]:
    """Look at the cells of a release in every way that gives somebody's own value, and count what that finds."""
    coarse = with_ranges(release)
    candidates = {*coarse, *with_gaps(release)}
    gappy = [name for name in release if name in candidates and gaps_of(release[name]) is not None]
    if not (coarse or gappy):
        return ()
    found: list[OwnValues] = []
    if linked:
        groups = groups_of(release)
        for name in dict.fromkeys([*coarse, *gappy]):
            found += _linked(name, original[name], release[name], match, groups)
    return (*found, *(pieced_together(original, release, rng) if len(release) > 1 else ()))


def _linked(
    name: str, original: EncodedColumn, release: EncodedColumn, match: Match, groups: Places
) -> Iterator[OwnValues]:
    """Look at one attribute of linked records."""
    codes = original.codes.astype(np.float64)
    there = np.ones(codes.size, bool) if original.missing is None else ~original.missing
    axis = Axis(codes[there])
    own = np.where(there, axis.equal(codes), -1)
    own = own if match.original is None else own[match.original]
    rows = slice(None) if match.release is None else match.release
    if release.named is not None:
        yield from readings(name, release.named.at(rows), axis, own, groups[rows])
    gaps = gaps_of(release)
    if gaps is not None:
        plain = ~gaps if release.named is None else ~gaps & (release.named.cells < 0)
        yield _left(name, release.codes.astype(np.float64)[rows], plain[rows], axis, own)


def _left(name: str, released: NDArray[np.float64], plain: NDArray[np.bool_], axis: Axis, own: Places) -> OwnValues:
    """Count the plain values beside gaps that are the record's own, where hardly anybody else has it.

    Noise hits the places beside as often as the own one.
    """
    rows = np.flatnonzero(plain & (own >= 0))
    own = own[rows]
    rare = axis.counts[own] < CROWD
    own, place = own[rare], axis.nearest(released[rows][rare])
    beside = [int((place == axis.beside(own, share * rows.size)).sum()) for share in BESIDE]
    expected = sum(beside) / len(beside)
    found = int((place == own).sum())
    return OwnValues(
        (name,), "what stands among gaps is the own value", found, own.size, expected, float(np.sqrt(expected))
    )
