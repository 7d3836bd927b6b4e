"""Engines that each break the contract in one way, and the reason for which the kit must refuse them."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from permaudit import EngineCard, EngineCost
from permaudit.permutation import pair_moments, rank_columns

BROKEN: list[tuple[type, str, str]] = []

CARD = EngineCard(id="acme-plain", title="Plain", summary="Ranks one column after the other.")


class Sound:
    """An engine that keeps the contract: the broken ones differ from it in one thing."""

    card: Any = CARD

    def prepare(self, columns: Any) -> Any:
        return tuple(columns), rank_columns([np.asarray(values) for values in columns.values()])

    def moments(self, original: Any, release: Any, *, mirrored: bool = False) -> Any:
        return pair_moments(original[0], original[1], release[1], mirrored=mirrored)


def broken(check: str, words: str):
    def register(kind: type) -> type:
        BROKEN.append((kind, check, words))
        return kind

    return register


@broken("card", "has no EngineCard")
class WithoutCard(Sound):
    card = None


@broken("card", "has no moments")
class WithoutMoments:
    card = CARD
    prepare = Sound.prepare


@broken("card", "summary says nothing")
class WithoutSummary(Sound):
    card = replace(CARD, summary="")


@broken("card", "cost has a part that is no number, or below 0")
class WithOddCost(Sound):
    card = replace(CARD, cost=EngineCost(sorting=-1.0, pairing=0.1))


@broken("moments", "moments() returns dict, not Moments")
class ReturnsSomethingElse(Sound):
    def moments(self, original: Any, release: Any, *, mirrored: bool = False) -> Any:
        return {"cross": super().moments(original, release, mirrored=mirrored).cross}


@broken("moments", "comparing strangers raised ValueError")
class Raises(Sound):
    def prepare(self, columns: Any) -> Any:
        raise ValueError


@broken("moments", "cross is off by")
class DividesByAnotherNumber(Sound):
    def moments(self, original: Any, release: Any, *, mirrored: bool = False) -> Any:
        found = super().moments(original, release, mirrored=mirrored)
        return replace(found, cross=found.cross * (found.records - 1) / found.records)


class _Altered(Sound):
    """Changes each column before it is ranked."""

    def prepare(self, columns: Any) -> Any:
        return super().prepare({name: self.altered(np.asarray(values)) for name, values in columns.items()})

    def altered(self, values: Any) -> Any:
        return values


@broken("moments", "for many ties")
class BreaksTiesByTheOrderOfTheFile(_Altered):
    def altered(self, values: Any) -> Any:
        ranks = np.empty(values.size)
        ranks[np.argsort(values, kind="stable")] = np.arange(values.size)
        return ranks


@broken("moments", "for whole numbers that no float holds")
class CastsToFloats(_Altered):
    def altered(self, values: Any) -> Any:
        return values.astype(np.float64)


@broken("moments", "trivial_permutation is False for a shuffled copy, and must be True")
class DoesNotKnowReorderedRecords(Sound):
    def moments(self, original: Any, release: Any, *, mirrored: bool = False) -> Any:
        return replace(super().moments(original, release, mirrored=mirrored), trivial_permutation=False)


@broken("moments", "unchanged is")
class DoesNotKnowUnchangedAttributes(Sound):
    def moments(self, original: Any, release: Any, *, mirrored: bool = False) -> Any:
        found = super().moments(original, release, mirrored=mirrored)
        return replace(found, unchanged=(False,) * len(found.attributes))


@broken("moments", "mirror_by_key is of type NoneType")
class KnowsNoMirror(Sound):
    def moments(self, original: Any, release: Any, *, mirrored: bool = False) -> Any:
        return super().moments(original, release)


@broken("moments", "release is not finite for a constant in the release")
class DividesByZero(Sound):
    def moments(self, original: Any, release: Any, *, mirrored: bool = False) -> Any:
        found = super().moments(original, release, mirrored=mirrored)
        with np.errstate(all="ignore"):
            return replace(found, release=found.release / found.release.diagonal() * found.release.diagonal())


@broken("moments", "cross_by_key has the shape")
class DropsTheKey(Sound):
    def moments(self, original: Any, release: Any, *, mirrored: bool = False) -> Any:
        found = super().moments(original, release, mirrored=mirrored)
        return replace(found, cross_by_key=found.cross_by_key[:, 1:, 1:])


@broken("input", "changes the columns that it is given")
class SortsInPlace(Sound):
    def prepare(self, columns: Any) -> Any:
        ready = super().prepare(columns)
        for values in columns.values():
            values.sort()
        return ready


@broken("global random state", "moves Python's global random state")
class DrawsFromEverybodysState(Sound):
    def prepare(self, columns: Any) -> Any:
        random.random()
        return super().prepare(columns)


@broken("ranks", "ranks_by_attribute is not in the order of the values")
class HandsOutPlacesInsteadOfRanks(Sound):
    def prepare(self, columns: Any) -> Any:
        names, ranked = super().prepare(columns)
        return WithPlaces(names, ranked, dict(zip(names, ranked.order, strict=True)))


class WithPlaces(NamedTuple):
    names: Any
    ranked: Any
    ranks_by_attribute: Any


@broken("repetition", "gives other moments for a file that it prepared once and compared before")
class UsesUpWhatItPrepared(Sound):
    def prepare(self, columns: Any) -> Any:
        return [*super().prepare(columns), dict(columns)]

    def moments(self, original: Any, release: Any, *, mirrored: bool = False) -> Any:
        found = super().moments(original, release, mirrored=mirrored)
        turned = {name: -values for name, values in original[2].items()}
        original[:2] = super().prepare(turned | {next(iter(turned)): np.sort(next(iter(turned.values())))})
        return found


@broken("worker", "gives other moments after it was sent to another process")
class LosesItsStateOnTheWay(Sound):
    def __init__(self) -> None:
        self.sign = 1

    def __getstate__(self) -> dict[str, int]:
        return {"sign": -1}

    def moments(self, original: Any, release: Any, *, mirrored: bool = False) -> Any:
        found = super().moments(original, release, mirrored=mirrored)
        return replace(found, cross=self.sign * found.cross)


@broken("metrics", "an unlinked release with fewer records")
class KnowsTheFirstSizeOnly(Sound):
    size = 0

    def prepare(self, columns: Any) -> Any:
        many = len(next(iter(columns.values())))
        kind = type(self)
        kind.size = max(kind.size, many)
        # What a careless engine does with files that are shorter than it expects: it fills them up.
        filled = {name: np.resize(values, kind.size) for name, values in columns.items()}
        return super().prepare(filled)


@broken("card", "spreads is for engines whose columns are in files")
class SpreadingInMemory(Sound):
    card = replace(CARD, spreads=True)


@broken("each", "does not return a result for each task, in order")
class AnsweringInAnyOrder(Sound):
    card = replace(CARD, stored=True, spreads=True)

    def each(self, work: Any, tasks: Any, shelf: Any) -> Any:
        return sorted(map(work, tasks))
