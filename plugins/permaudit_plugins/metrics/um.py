"""UM: how much of the covariance structure is kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from permaudit import Measured, MetricCard, hookimpl
from permaudit.permutation import utility

if TYPE_CHECKING:
    from numpy.random import Generator

    from permaudit import Comparison


@dataclass(frozen=True, slots=True)
class UM:
    """The agreement of the released variances with the original ones along the original's eigenvectors."""

    card: ClassVar[MetricCard] = MetricCard(
        id="UM",
        title="Structure kept",
        measures="utility",
        better="higher",
        bounds=(0, 1),
        default=True,
        reference="Domingo-Ferrer, Muralidhar and Bras-Amorós, permutation model metrics: UM",
        summary="Compares how the original and the release spread along the main directions of the original: what an "
        "analyst of correlations would still find.",
        low="the structure is lost as much as in uncorrelated data",
        high="the structure of rank covariances is kept",
        blind_spots="Works on ranks: it does not see a change of scale, units or any other monotone transform of a column. "
        "Where the original's attributes are hardly correlated it says little, and is flagged.",
    )

    def compute(self, pair: Comparison, rng: Generator) -> Measured:  # noqa: ARG002 - nothing is drawn
        """Return UM with both spectra and its stability range."""
        moments = pair.moments
        result = utility(moments.original, moments.release, moments.records)
        details = {
            "original_spectrum": result.original.tolist(),
            "release_spectrum": result.release.tolist(),
            "stability": list(result.stability),
            "informative": result.informative,
            "uninformative_because": result.reason,
        }
        return Measured(result.value, details)


@hookimpl
def permaudit_metrics() -> list[UM]:
    """Provide UM."""
    return [UM()]
