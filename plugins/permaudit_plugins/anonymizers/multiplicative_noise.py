"""Multiplicative noise: every value is stretched or shrunk by a uniform factor around 1."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pydantic import Field

from permaudit import AnonymizerCard, Parameters, hookimpl
from permaudit_plugins.anonymizers._numeric import complete_numbers, made_of

if TYPE_CHECKING:
    from numpy.random import Generator

    from permaudit import Made, Original

permaudit_api = 1


class MultiplicativeNoiseParameters(Parameters, defer_build=True):
    """Parameters of multiplicative noise."""

    beta: float = Field(ge=0, lt=1, description="largest relative change: factors lie between 1 - beta and 1 + beta")


class MultiplicativeNoise:
    """Y = X * U(1 - beta, 1 + beta), independently for each value."""

    card: ClassVar[AnonymizerCard] = AnonymizerCard(
        id="multiplicative-noise",
        title="Multiplicative noise",
        kind="masked",
        linked=True,
        reference="Domingo-Ferrer, Muralidhar and Bras-Amorós, section on noise multiplication",
        summary="Multiplies every value by a factor drawn evenly between 1 - beta and 1 + beta. Zeros stay zeros.",
        invariant_to=("units",),
    )
    parameters: ClassVar[type[MultiplicativeNoiseParameters]] = MultiplicativeNoiseParameters

    def anonymize(self, original: Original, params: MultiplicativeNoiseParameters, rng: Generator) -> Made:
        """Return the noisy table."""
        return made_of(
            {
                name: values * rng.uniform(1 - params.beta, 1 + params.beta, values.size)
                for name, values in complete_numbers(original).items()
            }
        )


@hookimpl
def permaudit_anonymizers() -> list[MultiplicativeNoise]:
    """Provide multiplicative noise."""
    return [MultiplicativeNoise()]
