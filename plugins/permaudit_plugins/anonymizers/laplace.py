"""Laplace noise: differential privacy for every value of every record, without aggregation."""

from __future__ import annotations

import math
from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pyarrow as pa
from pydantic import Field

from permaudit import AnonymizerCard, DataError, Made, Parameters, hookimpl, shown
from permaudit_plugins.anonymizers._numeric import complete_numbers, domains

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import NDArray

    from permaudit import Original

permaudit_api = 1


class LaplaceParameters(Parameters, defer_build=True):
    """Parameters of Laplace noise."""

    epsilon: float = Field(gt=0, description="privacy budget of a record, split evenly over its attributes")


class Laplace:
    """Y = X + Laplace(m * width / epsilon), with the width of the attribute's domain as its sensitivity."""

    card: ClassVar[AnonymizerCard] = AnonymizerCard(
        id="laplace",
        title="Laplace noise (differential privacy)",
        kind="masked",
        linked=True,
        reference="Dwork, McSherry, Nissim and Smith (2006), Calibrating noise to sensitivity in private data analysis; "
        "Domingo-Ferrer, Muralidhar and Bras-Amorós, section on differential privacy",
        summary="Adds Laplace noise to every value, so much that a released record says little about its original "
        "whatever an intruder knows: epsilon-differential privacy, with epsilon split evenly over the attributes. The "
        "domain of an attribute is its declared bounds, else 0 to 1.5 times its maximum.",
    )
    parameters: ClassVar[type[LaplaceParameters]] = LaplaceParameters

    def anonymize(self, original: Original, params: LaplaceParameters, rng: Generator) -> Made:
        """Return the noisy table, with the source of the noise."""
        columns = complete_numbers(original)
        share = params.epsilon / len(columns)
        # One step up: the difference of two floats may have been rounded down.
        widths = {
            name: math.nextafter(high - low, math.inf) for name, (low, high) in domains(original, columns).items()
        }
        for name, width in widths.items():
            if share == 0 or math.isinf(width / share):
                raise DataError.one("", f"epsilon is too small: the noise of attribute '{shown(name)}' is infinite")
        if original.study:
            noisy = {
                name: values + rng.laplace(0, widths[name] / share, values.size) for name, values in columns.items()
            }
            source = "numpy noise: a study, not fit for release"
        else:
            library = _opendp()
            noisy = {name: _released(library, values, widths[name], share) for name, values in columns.items()}
            source = f"noise from OpenDP {version('opendp')}, floating-point safe"
        notes = [source]
        unbounded = [shown(name) for name in columns if original.attributes[name].bounds is None]
        if unbounded:
            notes.append(
                f"the domain of {', '.join(unbounded)} was taken from the data (0 to 1.5 x the maximum): "
                "epsilon does not cover what this tells of the maximum; declare bounds"
            )
        return Made(pa.table(noisy), notes=tuple(notes))


def _opendp() -> Any:
    """Import OpenDP, or say how to install it: plain floating-point noise can be undone (Mironov 2012)."""
    try:
        library = import_module("opendp.prelude")
    except ImportError:
        raise DataError.one(
            "",
            "laplace noise that is fit for release needs opendp: pip install 'permaudit[dp]'; a study does without",
        ) from None
    library.enable_features("contrib")
    return library


def _released(library: Any, values: NDArray[np.float64], width: float, share: float) -> NDArray[np.float64]:
    """Let OpenDP add the noise, with the smallest scale for which it grants the share of the budget.

    One record holds one value of the attribute, so two files that differ in one record are at most the width apart.
    OpenDP draws on the grid of all doubles and rounds afterwards, so nothing is lost to discretization.
    """
    space = library.vector_domain(library.atom_domain(T=float, nan=False)), library.l1_distance(T=float)
    scale = width / share
    measurement = library.m.make_laplace(*space, scale=scale)
    while measurement.map(width) > share:  # a matter of rounding: a step or two
        scale = math.nextafter(scale, math.inf)
        measurement = library.m.make_laplace(*space, scale=scale)
    return np.array(measurement(values.tolist()))


@hookimpl
def permaudit_anonymizers() -> list[Laplace]:
    """Provide Laplace noise."""
    return [Laplace()]
