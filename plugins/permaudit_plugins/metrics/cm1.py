"""CM1: the strongest link between original and release."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from permaudit import Measured, MetricCard, Needs, hookimpl
from permaudit.permutation import canonical_correlations, cm1, cm1_null_mean, cm1_values
from permaudit_plugins.metrics._linked import LINKED_ONLY, PAPER, linked_details

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.random import Generator

    from permaudit import Comparison, Moments
    from permaudit.model import Floats

permaudit_api = 1


class CM1:
    """One minus the largest squared canonical correlation of the ranks."""

    card: ClassVar[MetricCard] = MetricCard(
        id="CM1",
        title="Strongest link",
        measures="confidentiality",
        better="higher",
        bounds=(0, 1),
        default=True,
        needs=Needs(linkage=True),
        valid_for=LINKED_ONLY,
        reference=f"{PAPER}: CM1 = 1 - rho_1^2",
        summary="Looks for the one attribute, or mixture of attributes, whose order of records survived best, and "
        "says how much of that order is gone.",
        low="at least one attribute, or mixture of attributes, is left in its original order",
        high="even the best preserved order is like a random one",
        blind_spots="Needs to know which released record comes from which original one. Whole records that were only "
        "moved to other rows look random to it. Copies of values that keep no order of their own are not seen.",
    )

    def compute(self, pair: Comparison, rng: Generator) -> Measured:  # noqa: ARG002 - nothing is drawn
        """Return 1 - rho_1 squared."""
        moments = pair.moments
        canonical = canonical_correlations(moments.original, moments.release, moments.cross)
        null = cm1_null_mean(canonical.rank_x, canonical.rank_y, moments.records)
        return Measured(cm1(canonical), linked_details(moments, canonical), null=null)

    def values(self, moments: Sequence[Moments]) -> Floats:
        """Return the values alone."""
        return cm1_values(moments)


@hookimpl
def permaudit_metrics() -> list[CM1]:
    """Provide CM1."""
    return [CM1()]
