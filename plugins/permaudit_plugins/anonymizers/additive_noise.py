"""Additive noise: every value moves by a normal amount in proportion to its attribute's spread."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pydantic import Field

from permaudit import AnonymizerCard, Parameters, hookimpl
from permaudit_plugins.anonymizers._numeric import complete_numbers, made_of

if TYPE_CHECKING:
    from numpy.random import Generator

    from permaudit import Made, Original

permaudit_api = 1


class AdditiveNoiseParameters(Parameters, defer_build=True):
    """Parameters of additive noise."""

    alpha: float = Field(gt=0, le=1, description="standard deviation of the noise, as a share of the attribute's own")


class AdditiveNoise:
    """Y = X + N(0, alpha * sd(X)), independently for each attribute."""

    card: ClassVar[AnonymizerCard] = AnonymizerCard(
        id="additive-noise",
        title="Additive noise",
        kind="masked",
        linked=True,
        reference="Domingo-Ferrer, Muralidhar and Bras-Amorós, section on noise addition",
        summary="Adds normal noise to every value; its standard deviation is alpha times that of the attribute.",
        invariant_to=("units",),
    )
    parameters: ClassVar[type[AdditiveNoiseParameters]] = AdditiveNoiseParameters

    def anonymize(self, original: Original, params: AdditiveNoiseParameters, rng: Generator) -> Made:
        """Return the noisy table."""
        return made_of(
            {
                name: values + rng.normal(0.0, params.alpha * values.std(ddof=1), values.size)
                for name, values in complete_numbers(original).items()
            }
        )


@hookimpl
def permaudit_anonymizers() -> list[AdditiveNoise]:
    """Provide additive noise."""
    return [AdditiveNoise()]
