"""UM: how much of the covariance structure is kept."""

from __future__ import annotations

from statistics import fmean, stdev
from typing import TYPE_CHECKING, ClassVar

from permaudit import Baseline, Measured, MetricCard, Needs, ValidFor, hookimpl
from permaudit.permutation import um_values, utility
from permaudit_plugins.metrics._linked import PAPER

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.random import Generator

    from permaudit import Comparison, Moments
    from permaudit.model import Floats

permaudit_api = 1


_ANY = "It compares the structure of the two files as wholes, and needs no mapping of records."


class UM:
    """The agreement of the released variances with the original ones along the original's eigenvectors."""

    card: ClassVar[MetricCard] = MetricCard(
        id="UM",
        title="Structure kept",
        measures="utility",
        better="higher",
        bounds=(0, 1),
        default=True,
        needs=Needs(references=True),
        valid_for=ValidFor(
            linked=_ANY,
            unlinked=_ANY,
            section="the definition of UM, which needs the own covariances of both files only",
        ),
        reference=f"{PAPER}: UM",
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
        return Measured(result.value, details, baseline=_sampling_alone(pair))

    def values(self, moments: Sequence[Moments]) -> Floats:
        """Return the values alone."""
        return um_values(moments)


def _sampling_alone(pair: Comparison) -> Baseline | None:
    """Return what UM reads for the original beside samples of itself: what a perfect method would still lose.

    The loss goes with 1 / n: samples of fewer records than the release has are scaled to its number.
    """
    references = pair.references
    if references is None or not references.resampled:
        return None
    size = references.resampled[0].records
    losses = (1 - um_values(references.resampled)).tolist()
    scaled = [1 - min(1.0, loss * size / pair.moments.records) for loss in losses]
    return Baseline(
        value=fmean(scaled),
        spread=stdev(scaled),
        draws=len(scaled),
        what="the original beside samples drawn from it with replacement",
    )


@hookimpl
def permaudit_metrics() -> list[UM]:
    """Provide UM."""
    return [UM()]
