"""Rank swapping: values change places with others of about the same rank."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import numpy as np
from pydantic import Field

from permaudit import AnonymizerCard, Parameters, hookimpl
from permaudit_plugins.anonymizers._numeric import complete_numbers, made_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.random import Generator
    from numpy.typing import NDArray

    from permaudit import Made, Original

permaudit_api = 1

_TRIES = 16
"""So often a place is drawn that may be taken, before all free ones are looked up; both give each of them the same chance."""
_DRAWN = 4096
"""How many numbers are drawn at once."""


class RankSwapParameters(Parameters, defer_build=True):
    """Parameters of rank swapping."""

    p: float = Field(gt=0, le=100, description="how far a value may move, in percent of the number of records")


class RankSwap:
    """Swap each value with one at most p percent of the records away in rank, attribute by attribute."""

    card: ClassVar[AnonymizerCard] = AnonymizerCard(
        id="rank-swap",
        title="Rank swapping",
        kind="masked",
        linked=True,
        reference="Moore (1996), Controlled data-swapping techniques for masking public use microdata sets",
        summary="Sorts each attribute and swaps every value with another one not more than p percent of the records away. "
        "The released values of an attribute are the original ones, in other records.",
        invariant_to=("units",),
    )
    parameters: ClassVar[type[RankSwapParameters]] = RankSwapParameters

    def anonymize(self, original: Original, params: RankSwapParameters, rng: Generator) -> Made:
        """Return the swapped table."""
        return made_of({name: _swapped(values, params.p, rng) for name, values in complete_numbers(original).items()})


def _swapped(values: NDArray[np.float64], percent: float, rng: Generator) -> NDArray[np.float64]:
    """Swap the values of one attribute inside the window; each value takes part in at most one swap."""
    records = values.size
    # Tied values are put in random order, or the order of the file would decide which record gets which neighbour.
    order = np.lexsort((rng.random(records), values))
    released = np.empty_like(values)
    released[order] = values[order][_partners(records, max(1, int(records * percent / 100)), rng)]
    return released


def _partners(records: int, window: int, rng: Generator) -> NDArray[np.intp]:
    """Pair places at most the window apart, from the first on, each with any free one behind it alike."""
    places = np.arange(records)
    is_free = bytearray([True]) * records  # numpy's access to a single element takes several times as long
    free = np.frombuffer(is_free, np.uint8)
    draws = _uniform(rng)
    for here in range(records - 1):
        if not is_free[here]:
            continue
        reach = min(window, records - 1 - here)
        for _ in range(_TRIES):
            there = here + 1 + int(next(draws) * reach)
            if is_free[there]:
                break
        else:
            others = np.flatnonzero(free[here + 1 : here + 1 + reach])
            if not others.size:
                continue
            there = here + 1 + int(others[int(next(draws) * others.size)])
        places[here], places[there] = there, here
        is_free[there] = False
    return places


def _uniform(rng: Generator) -> Iterator[float]:
    """Yield numbers between 0 and 1 without end."""
    while True:
        yield from rng.random(_DRAWN).tolist()


@hookimpl
def permaudit_anonymizers() -> list[RankSwap]:
    """Provide rank swapping."""
    return [RankSwap()]
