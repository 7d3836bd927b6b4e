"""Values of one person in two or three attributes, in records whose other values are somebody else's or nobody's."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain, combinations
from math import comb
from typing import TYPE_CHECKING, Any

import numpy as np

from permaudit_plugins.metrics._closeness import some_of
from permaudit_plugins.metrics._equal import MIXED, Lookup
from permaudit_plugins.metrics._sighting import Chance, Sighting, most

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.random import Generator
    from numpy.typing import NDArray

    from permaudit_plugins.metrics._files import File, Files
    from permaudit_plugins.metrics._strangers import Strangers

_SIZES = (2, 3)
_MOST_TUPLES = 84
"""So many pairs and triples are looked at: all of up to 8 attributes, and above that some, drawn at random."""
_MOST_RECORDS = 10_000
"""So many records of each file are looked at."""
_DOUBTED = 3.0
"""By so many standard deviations more than among strangers as they are, before strangers are dressed."""


@dataclass(frozen=True, slots=True, eq=False)
class _Group:
    """Records that cannot be copies, and which rows of the original they are, if any."""

    file: File
    rows: NDArray[np.intp] | None
    what: str


def tuples_of(attributes: int, rng: Generator) -> list[tuple[int, ...]]:
    """Return the pairs and triples of attributes to look at."""
    sizes = [size for size in _SIZES if size < attributes]
    if sum(comb(attributes, size) for size in sizes) <= _MOST_TUPLES:
        return list(chain.from_iterable(combinations(range(attributes), size) for size in sizes))
    drawn = (
        tuple(sorted(rng.choice(attributes, _SIZES[number % 2], replace=False).tolist()))
        for number in range(_MOST_TUPLES)
    )
    return list(dict.fromkeys(drawn))


def tuples_sighting(files: Files, strangers: Sequence[Strangers], rng: Generator) -> dict[str, Any] | None:
    """Count the released records that have the values of one original person alone in two or three attributes.

    The clearest find counts, beside strangers as they are and, where these do not explain it, beside those in the released
    values and records put together at random from these.
    """
    attributes = len(files.names)
    tuples = tuples_of(attributes, rng)
    if not tuples:
        return None
    chosen = [some_of(file.records, _MOST_RECORDS, rng) for file in (files.original, files.release)]
    original, release = files.original.taken(chosen[0]), files.release.taken(chosen[1])
    drawn = [
        one.some(some_of(one.file.records, _MOST_RECORDS, rng) if one.rows is None else chosen[0]) for one in strangers
    ]
    own = [None if one.rows is None else np.arange(original.records) for one in strangers]
    plain = [_Group(one.file, rows, one.what) for (one, _), rows in zip(drawn, own, strict=True)]

    def sighting(some: tuple[int, ...], groups: Sequence[_Group]) -> Sighting:
        lookup = Lookup(original, [place for place in range(attributes) if place not in some])
        found = lookup.unique(release)
        chances = [Chance(int(lookup.unique(one.file, one.rows).sum()), one.file.records, one.what) for one in groups]
        return Sighting(int(found.sum()), release.records, most(*chances))

    seen = [(sighting(some, plain), some) for some in tuples]
    if doubted := [some for found, some in seen if found.excess > _DOUBTED]:
        dressed = [_Group(file, rows, one.what_dressed) for (one, file), rows in zip(drawn, own, strict=True)]
        groups = [*plain, *dressed, _Group(release.mixed(rng), None, MIXED)]
        seen = [(sighting(some, groups), some) for some in doubted]
    clearest, some = max(seen, key=lambda one: one[0].excess)
    return {**clearest.details(), "only": [files.names[place] for place in some], "looks": len(tuples)}
