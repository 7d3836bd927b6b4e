"""Keys of so many records that all but the keys themselves must be worked on in parts: which are equal, and which are alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from permaudit_plugins.metrics._equal import count_equal
from permaudit_plugins.metrics._sighting import Chance, Sighting, most

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from permaudit_plugins.metrics._keys import Keys

_BITS = 4
"""By so many leading bits keys are dealt into parts before they are sorted."""
_WHOSE = {0: "the original's records, each beside all others", 2: "the holdout's records"}


def alone_among(keys: Keys) -> NDArray[np.bool_]:
    """Tell which keys no other record has."""
    alone, number = np.empty(keys.size, np.bool_), _part_of(keys)
    for part in range(1 << _BITS):
        rows = np.flatnonzero(number == part)
        _, place, counts = np.unique(keys[rows], return_inverse=True, return_counts=True)
        alone[rows] = counts[place] == 1
    return alone


def count_equal_by_part(original: Keys, release: Keys) -> int:
    """Count the released records whose key is an original one's."""
    return sum(count_equal(*parts) for parts in zip(_parts(original), _parts(release), strict=True))


def sightings(keys: Sequence[Keys]) -> list[tuple[Sighting, list[Chance]]]:
    """Count the released records that equal an original one, and those that equal one which is alone of its kind.

    Beside them stand the original's records, each beside all others, and those of a holdout.
    """
    found = np.zeros((len(keys), 2), np.int64)
    for parts in zip(*map(_parts, keys), strict=True):
        known, counts = np.unique(parts[0], return_counts=True)
        for number, part in enumerate(parts):
            if not known.size:
                continue
            asked = np.sort(part)
            place = np.minimum(np.searchsorted(known, asked), known.size - 1)
            times = np.where(known[place] == asked, counts[place], 0) - (number == 0)
            found[number] += (int((times > 0).sum()), int((times == 1).sum()))
    seen = []
    for column in range(2):
        chances = [
            Chance(int(found[number, column]), keys[number].size, what)
            for number, what in _WHOSE.items()
            if number < len(keys)
        ]
        seen.append((Sighting(int(found[1, column]), keys[1].size, most(*chances)), chances))
    return seen


def _parts(keys: Keys) -> Iterator[Keys]:
    """Return the keys in parts of their range, without the bits that are the same in a part: to sort one takes little room."""
    number = _part_of(keys)
    for part in range(1 << _BITS):
        yield keys[number == part] << np.uint64(_BITS)


def _part_of(keys: Keys) -> NDArray[np.uint8]:
    """Return for each key the number of its part."""
    number = np.empty(keys.size, np.uint8)
    return np.right_shift(keys, np.uint64(64 - _BITS), out=number, casting="unsafe")
