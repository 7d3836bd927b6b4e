"""Differentially private noise from OpenDP that permaudit itself does not have.

`opendp-laplace` keeps whole numbers whole (discrete Laplace), and `opendp-gaussian` has lighter tails for the same scale. Both
take the domain of each attribute from its declared bounds and from nothing else, so that the guarantee covers everything.
"""

from __future__ import annotations

from permaudit import hookimpl
from permaudit_opendp.gaussian import Gaussian
from permaudit_opendp.laplace import DiscreteLaplace

permaudit_api = 1


@hookimpl
def permaudit_anonymizers() -> list[DiscreteLaplace | Gaussian]:
    """Provide both mechanisms."""
    return [DiscreteLaplace(), Gaussian()]
