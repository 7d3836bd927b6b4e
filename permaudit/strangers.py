"""Whether a holdout holds strangers: records that are in the original, or in a release, say nothing about chance."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from permaudit.columns import length
from permaudit.errors import DataError, Mistake

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from permaudit.model import Columns

    Keys = NDArray[np.uint64]

_MULTIPLIER = np.uint64(0x9E37_79B9_7F4A_7C15)
"""2^64 divided by the golden ratio, odd: Knuth's multiplicative hashing (TAOCP 3, section 6.4)."""
_MIX = np.uint64(29)
_PART, _DEVIATIONS, _SPARE = 1.5, 5, 3
"""Populations of few different records meet by chance, and two samples of them not equally often."""


def refuse_familiar(where: str, holdout: Columns, original: Columns, releases: Mapping[str, Columns]) -> None:
    """Raise where more of the holdout's records are in the original, or in a release, than chance explains.

    Whoever is in both files is no stranger: what such a holdout shows beside the original passes any copy as chance. Chance is
    how often records of the original (of a release: the most often of those of both files) equal another one.
    """
    mistakes = [
        Mistake(
            where,
            None,
            None,
            f"{found} of {size} records are also in {name}, and chance would give about {chance:.0f}: a holdout holds other "
            "people, who are in neither file",
        )
        for name, found, size, chance in _meetings(holdout, original, releases)
        if found > _PART * chance + _DEVIATIONS * math.sqrt(2 * chance) + _SPARE
    ]
    if mistakes:
        raise DataError(mistakes)


def _meetings(
    holdout: Columns, original: Columns, releases: Mapping[str, Columns]
) -> Iterator[tuple[str, int, int, float]]:
    """Yield with whom the holdout has records in common, how many, of how many, and how many chance would give."""
    strangers, own, *others = record_keys([holdout, original, *releases.values()])
    size = strangers.size
    by_chance = _repeated(own)
    found = int(np.isin(strangers, own).sum())
    yield "the original", found, size, size * by_chance
    by_chance = max(by_chance, found / max(size, 1))
    for name, release in zip(releases, others, strict=True):
        met = int(np.isin(strangers, release).sum())
        yield f"the release '{name}'", met, size, size * max(by_chance, _repeated(release))


def _repeated(keys: Keys) -> float:
    """Return the share of records that equal another one of the same file."""
    _, times = np.unique(keys, return_counts=True)
    return float(times[times > 1].sum() / max(keys.size, 1))


def record_keys(files: Sequence[Columns]) -> list[Keys]:
    """Return a 64-bit hash of each record; equal records have equal ones."""
    names = list(files[0])
    kinds = {name: np.result_type(*(file[name] for file in files)) for name in names}
    # One column at a time: they may be in files, and too many for memory.
    return [_hashes((np.ascontiguousarray(file[name], kinds[name]) for name in names), length(file)) for file in files]


def _hashes(columns: Iterable[NDArray[Any]], size: int) -> Keys:
    hashes = np.zeros(size, np.uint64)
    for column in columns:
        plain = column + 0.0 if column.dtype.kind == "f" else column  # -0.0 is 0.0
        hashes += plain.view(np.uint64)
        hashes *= _MULTIPLIER
        hashes ^= hashes >> _MIX
    return hashes
