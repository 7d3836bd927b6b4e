"""Ways to hide copies by what is done to whole columns: exchanged names, and values turned upside down."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, permutations, product
from typing import TYPE_CHECKING

import numpy as np

from permaudit_plugins.metrics._assignment import assigned

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from permaudit.model import Floats

_FEW = 4
"""Up to so many attributes, all exchanges and all reversals are considered, and above it the simple ones."""
_MOST = 48
"""So many disguises are looked at, those that fit best."""
_NOISE = 6.0
"""A disguise is considered if its correlations fit at most so many times the noise worse than they do undisguised."""


@dataclass(frozen=True, slots=True)
class Disguise:
    """Which of the original's attributes stands in each column of the release, and which are upside down."""

    order: tuple[int, ...]
    reversed: tuple[bool, ...]

    def taken_off(self, ranks: Floats) -> Floats:
        """Return records in this disguise as they were."""
        plain = np.where(self.reversed, 1 - ranks, ranks)
        return np.ascontiguousarray(plain[:, np.argsort(self.order)])

    def words(self, names: Sequence[str]) -> dict[str, list[str]]:
        """Name the columns that are not what they are called, and those that are upside down."""
        exchanged = [names[place] for place, taken in enumerate(self.order) if place != taken]
        return {
            "exchanged": exchanged,
            "reversed": [name for name, is_so in zip(names, self.reversed, strict=True) if is_so],
        }


def undisguised(attributes: int) -> Disguise:
    """Return what leaves everything as it is."""
    return Disguise(tuple(range(attributes)), (False,) * attributes)


def disguises(original: Floats, release: Floats) -> list[Disguise]:
    """Return the disguises in which the original's rank correlations would be those of the release, as far as chance tells.

    A release that keeps the correlations under the right names and signs does not keep them in disguise, unless attributes
    are exchangeable or uncorrelated; so there is rarely much to look at.
    """
    attributes = original.shape[1]
    if attributes < 2:  # noqa: PLR2004 - there is nothing to exchange
        return []
    first, second = _correlations(original), _correlations(release)
    plain = undisguised(attributes)
    noise = attributes * (attributes - 1) / 2 * (1 / len(original) + 1 / len(release))
    worst = _misfit(plain, first, second) + _NOISE * noise
    fits = {one: _misfit(one, first, second) for one in _considered(first, second) if one != plain}
    return sorted((one for one, fit in fits.items() if fit <= worst), key=lambda one: fits[one])[:_MOST]


def _considered(first: Floats, second: Floats) -> Iterator[Disguise]:
    """Return disguises from the simplest on."""
    attributes = len(first)
    plain, upright = tuple(range(attributes)), (False,) * attributes
    if attributes <= _FEW:
        for order in permutations(plain):
            for turned in product((False, True), repeat=attributes):
                yield Disguise(order, turned)
        return
    turns = [upright, (True,) * attributes, _signs(first, second)]
    turns += [tuple(place == turned for place in plain) for turned in plain]
    orders = [plain, (*plain[1:], 0), (attributes - 1, *plain[:-1]), _alike(first, second)]
    orders += [_exchanged(plain, *pair) for pair in combinations(plain, 2)]
    yield from (Disguise(plain, turned) for turned in turns)
    for order in orders:
        yield Disguise(order, upright)
        yield Disguise(order, (True,) * attributes)


def _exchanged(order: tuple[int, ...], one: int, other: int) -> tuple[int, ...]:
    """Exchange two."""
    changed = list(order)
    changed[one], changed[other] = changed[other], changed[one]
    return tuple(changed)


def _signs(first: Floats, second: Floats) -> tuple[bool, ...]:
    """Return which columns were turned, as the signs of the correlations tell."""
    vector = np.linalg.eigh(first * second)[1][:, -1]
    turned = vector * vector[np.abs(vector).argmax()] < 0
    return tuple(turned.tolist())


def _alike(first: Floats, second: Floats) -> tuple[int, ...]:
    """Return which attribute each column is most like by the sizes of its correlations with all others."""
    profiles = [np.sort(np.abs(matrix), axis=1) for matrix in (second, first)]
    apart = ((profiles[0][:, None, :] - profiles[1][None, :, :]) ** 2).sum(axis=2)
    return assigned(apart)


def _correlations(ranks: Floats) -> Floats:
    """Return the correlations; a constant column has none."""
    centered = ranks - ranks.mean(axis=0)
    size = np.sqrt((centered**2).sum(axis=0))
    centered /= np.where(size > 0, size, 1)
    return np.asarray(centered.T @ centered)


def _misfit(disguise: Disguise, original: Floats, release: Floats) -> float:
    """Return the squared distance between the correlations of the disguised original and those of the release."""
    signs = np.where(disguise.reversed, -1.0, 1.0)
    order = list(disguise.order)
    apart = release - original[np.ix_(order, order)] * signs[:, None] * signs
    return float((np.triu(apart, 1) ** 2).sum())
