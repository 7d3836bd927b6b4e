"""Gaussian noise under zero-concentrated differential privacy."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import opendp.prelude as dp
import pyarrow as pa
from pydantic import Field

from permaudit import AnonymizerCard, DataError, Made, Parameters, shown, to_arrow
from permaudit_opendp.domains import SOURCE, STUDY, columns_of

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import NDArray

    from permaudit import Original
    from permaudit_opendp.domains import Column


class GaussianParameters(Parameters):
    """Parameters of Gaussian noise."""

    rho: float = Field(gt=0, examples=[0.5], description="zCDP budget of a record, split evenly over its attributes")
    delta: float = Field(
        default=1e-6, gt=0, lt=1, description="the delta for which the report says which epsilon the budget amounts to"
    )


class Gaussian:
    """Y = X + N(0, scale^2) with scale = width * sqrt(m / (2 rho))."""

    card: ClassVar[AnonymizerCard] = AnonymizerCard(
        id="opendp-gaussian",
        title="Gaussian noise (OpenDP)",
        kind="masked",
        linked=True,
        reference="Bun and Steinke (2016), Concentrated differential privacy, proposition 1.6; OpenDP",
        summary="Adds Gaussian noise to every value, whole numbers staying whole: rho-zero-concentrated differential privacy for "
        "every record, with the declared bounds as the domain of each attribute.",
    )
    parameters: ClassVar[type[GaussianParameters]] = GaussianParameters

    def anonymize(self, original: Original, params: GaussianParameters, rng: Generator) -> Made:
        """Return the noisy table, with the source of the noise and what the budget means."""
        columns = columns_of(original)
        share = params.rho / len(columns)
        scales = {name: _scale(name, column, share) for name, column in columns.items()}
        noise = _study_noise if original.study else _opendp_noise
        noisy = {name: to_arrow(noise(column, scales[name], rng)) for name, column in columns.items()}
        meaning = f"rho {params.rho:g} amounts to epsilon {epsilon_of(params.rho, params.delta):.3g} at delta {params.delta:g}"
        return Made(pa.table(noisy), notes=(STUDY if original.study else f"{SOURCE}, Gaussian", meaning))


def epsilon_of(rho: float, delta: float) -> float:
    """Return the epsilon that a zCDP budget amounts to, by OpenDP's conversion of a mechanism that spends it."""
    one: Any = dp.m.make_gaussian(dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float), scale=1.0)
    converted: Any = dp.c.make_zCDP_to_approxDP(one)
    return float(converted.map(math.sqrt(2 * rho)).epsilon(delta))


def _scale(name: str, column: Column, share: float) -> float:
    """Return the smallest scale for which OpenDP grants the share of the budget."""
    width = _width(column)
    scale = width / math.sqrt(2 * share) if share else math.inf
    if not scale < 1e15:  # noqa: PLR2004 - beyond it noise is no number that could be read
        raise DataError.one("", f"rho is too small: the noise of attribute '{shown(name)}' is too large for numbers")
    while _measurement(column, scale).map(width) > share:  # a matter of rounding: a step or two
        scale = math.nextafter(scale, math.inf)
    return scale


def _width(column: Column) -> float:
    """Return how far two values of the domain can be apart; one step up, since a difference may be rounded down."""
    return math.nextafter(column.high - column.low, math.inf)


def _measurement(column: Column, scale: float) -> Any:
    """Return OpenDP's mechanism for a column of which each record holds one value."""
    kind = dp.atom_domain(T=int) if column.is_whole else dp.atom_domain(T=float, nan=False)
    return dp.m.make_gaussian(dp.vector_domain(kind), dp.l2_distance(T=float), scale=scale)


def _opendp_noise(column: Column, scale: float, rng: Generator) -> NDArray[Any]:  # noqa: ARG001 - OpenDP draws itself
    """Let OpenDP add the noise, from the system's entropy."""
    return np.array(_measurement(column, scale)(column.values.tolist()), dtype=column.values.dtype)


def _study_noise(column: Column, scale: float, rng: Generator) -> NDArray[Any]:
    """Add noise of the same spread, from the study's generator."""
    noisy = column.values + rng.normal(0, scale, column.values.size)
    return np.rint(noisy).astype(column.values.dtype) if column.is_whole else noisy
