"""Discrete Laplace noise: whole numbers stay whole."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import opendp.prelude as dp
import pyarrow as pa
from pydantic import Field

from permaudit import AnonymizerCard, DataError, Made, Mistake, Parameters, shown, to_arrow
from permaudit_opendp.domains import SOURCE, STUDY, columns_of

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import NDArray

    from permaudit import Original
    from permaudit_opendp.domains import Column

_LARGEST = 2**62
"""Noise beyond it would not fit into 64 bits."""


class LaplaceParameters(Parameters):
    """Parameters of discrete Laplace noise."""

    epsilon: float = Field(
        gt=0, examples=[4.0], description="privacy budget of a record, split evenly over its attributes"
    )


class DiscreteLaplace:
    """Y = X + discrete Laplace noise with scale m * width / epsilon."""

    card: ClassVar[AnonymizerCard] = AnonymizerCard(
        id="opendp-laplace",
        title="Discrete Laplace noise (OpenDP)",
        kind="masked",
        linked=True,
        reference="Ghosh, Roughgarden and Sundararajan (2012), Universally utility-maximizing privacy mechanisms; OpenDP",
        summary="Adds Laplace noise on the whole numbers to attributes of whole numbers: epsilon-differential privacy for "
        "every value of a record, with the declared bounds as the domain. The built-in laplace is for other numbers.",
    )
    parameters: ClassVar[type[LaplaceParameters]] = LaplaceParameters

    def anonymize(self, original: Original, params: LaplaceParameters, rng: Generator) -> Made:
        """Return the noisy table, with the source of the noise."""
        columns = columns_of(original)
        broken = [name for name, column in columns.items() if not column.is_whole]
        if broken:
            advice = "this anonymizer keeps whole numbers whole; take laplace for others"
            raise DataError(
                Mistake("", None, None, f"attribute '{shown(name)}' is not whole; {advice}") for name in broken
            )
        share = params.epsilon / len(columns)
        noise = _study_noise if original.study else _opendp_noise
        noisy = {name: to_arrow(noise(column, _scale(name, column, share), rng)) for name, column in columns.items()}
        return Made(pa.table(noisy), notes=(STUDY if original.study else f"{SOURCE}, on the whole numbers",))


def _width(column: Column) -> int:
    """Return how far two values of the domain can be apart."""
    return math.floor(column.high) - math.ceil(column.low)


def _scale(name: str, column: Column, share: float) -> float:
    """Return the smallest scale for which OpenDP grants the share of the budget."""
    width = _width(column)
    scale = width / share if share else math.inf
    if not scale < _LARGEST / 64:
        raise DataError.one(
            "", f"epsilon is too small: the noise of attribute '{shown(name)}' would not fit into 64 bits"
        )
    while _measurement(scale).map(width) > share:  # a matter of rounding: a step or two
        scale = math.nextafter(scale, math.inf)
    return scale


def _measurement(scale: float) -> Any:
    """Return OpenDP's mechanism for a column of which each record holds one value."""
    return dp.m.make_laplace(dp.vector_domain(dp.atom_domain(T=int)), dp.l1_distance(T=int), scale=scale)


def _opendp_noise(column: Column, scale: float, rng: Generator) -> NDArray[np.int64]:  # noqa: ARG001 - OpenDP draws itself
    """Let OpenDP add the noise, from the system's entropy."""
    return np.array(_measurement(scale)(column.values.tolist()), dtype=np.int64)


def _study_noise(column: Column, scale: float, rng: Generator) -> NDArray[np.int64]:
    """Add noise of the same distribution, from the study's generator: the difference of two geometric numbers."""
    chance = -math.expm1(-1 / scale)
    drawn = rng.geometric(chance, (2, column.values.size))
    noisy: NDArray[np.int64] = column.values.astype(np.int64) + drawn[0] - drawn[1]
    return noisy
