"""Post-randomization: categories change at random, with known probabilities."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar

import numpy as np
import pyarrow as pa
from pydantic import Field

from permaudit import AnonymizerCard, Made, Parameters, hookimpl, shown
from permaudit_plugins.anonymizers._listed import check_listed, refused
from permaudit_plugins.anonymizers._read_categories import CATEGORICAL, read_categories

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import NDArray

    from permaudit import Original

permaudit_api = 1


class PramParameters(Parameters, defer_build=True):
    """Parameters of post-randomization."""

    p: float = Field(
        ge=0, le=1, description="the probability that a category is changed; with invariant, that it is drawn anew"
    )
    attributes: dict[str, Annotated[float, Field(ge=0, le=1)]] = Field(
        default={}, description="other probabilities than p, by attribute"
    )
    invariant: bool = Field(
        default=False,
        description="draw among all categories, the present one included, so that the expected shares stay as they are",
    )


class Pram:
    """Change each category with probability p into one that is drawn by the shares in the original.

    Let s be the shares of the categories. A change from a to another category b has probability p s_b / (1 - s_a). With
    `invariant` a category is drawn anew with probability p, and comes out as b with probability s_b, also if it was b:
    the matrix (1 - p) I + p 1 s' leaves s as it is.
    """

    card: ClassVar[AnonymizerCard] = AnonymizerCard(
        id="pram",
        title="Post-randomization (PRAM)",
        kind="masked",
        linked=True,
        reference="Gouweleeuw, Kooiman, Willenborg and de Wolf (1998), Post randomisation for statistical disclosure "
        "control: theory and implementation, Journal of Official Statistics 14(4)",
        summary="Changes each category with probability p into another one, which is drawn by the shares of the categories in "
        "the original. A missing value is a category like the others. Numbers and dates stay as they are.",
    )
    parameters: ClassVar[type[PramParameters]] = PramParameters

    def anonymize(self, original: Original, params: PramParameters, rng: Generator) -> Made:
        """Return the randomized table."""
        check_listed({"attributes": params.attributes}, original.attributes, CATEGORICAL)
        chosen = [name for name, attribute in original.attributes.items() if attribute.type in CATEGORICAL]
        if not chosen:
            raise refused("post-randomization is for ordinal, nominal and boolean attributes, and there is none")
        places = {name: read_categories(original.attributes[name], original.table[name]).places for name in chosen}
        columns = {name: original.table[name] for name in original.table.column_names}
        notes = []
        for name, found in places.items():
            if (found == found[:1]).all():
                notes.append(f"attribute '{shown(name)}' has a single category: there is nothing to change it into")
                continue
            # Values are taken from other records, so that a column keeps its type and its spelling.
            rows = _donors(found, params.attributes.get(name, params.p), rng, invariant=params.invariant)
            columns[name] = columns[name].take(pa.array(rows))
        kept = [shown(name) for name in columns if name not in places]
        if kept:
            notes.append(f"not categorical, and released as they are: {', '.join(kept)}")
        return Made(pa.table(columns), notes=tuple(notes))


def _donors(places: NDArray[np.intp], p: float, rng: Generator, *, invariant: bool) -> NDArray[np.intp]:
    """Return for each record the one whose category it gets: itself, or one drawn at random.

    A record that is drawn among all records has a category by its share; one that is drawn among those of other
    categories has one of these by their shares.
    """
    rows = np.arange(places.size)
    changed = rng.random(places.size) < p
    if invariant:
        return np.where(changed, rng.integers(0, places.size, places.size), rows)
    order = np.argsort(places, kind="stable")
    _, category, sizes = np.unique(places, return_inverse=True, return_counts=True)
    starts = np.cumsum(sizes) - sizes
    size, start = sizes[category], starts[category]
    drawn = rng.integers(0, places.size - size)
    drawn += np.where(drawn >= start, size, 0)  # past the records of the own category
    return np.where(changed, order[drawn], rows)


@hookimpl
def permaudit_anonymizers() -> list[Pram]:
    """Provide post-randomization."""
    return [Pram()]
