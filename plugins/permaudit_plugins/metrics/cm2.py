"""CM2: all links between original and release together."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from permaudit import Measured, MetricCard, Needs, hookimpl
from permaudit.permutation import canonical_correlations, cm2, cm2_values, wilks_null_mean
from permaudit_plugins.metrics._linked import LINKED_ONLY, PAPER, linked_details

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.random import Generator

    from permaudit import Comparison, Moments
    from permaudit.model import Floats

permaudit_api = 1


class CM2:
    """The product of one minus the squared canonical correlations of the ranks: Wilks' lambda."""

    card: ClassVar[MetricCard] = MetricCard(
        id="CM2",
        title="All links",
        measures="confidentiality",
        better="higher",
        bounds=(0, 1),
        default=True,
        needs=Needs(linkage=True),
        valid_for=LINKED_ONLY,
        reference=f"{PAPER}: CM2 = prod(1 - rho_i^2)",
        summary="Takes all the links between the original order of records and the released one together, and says "
        "how much of the order is gone. It is never above CM1.",
        low="at least one attribute, or mixture of attributes, is left in its original order",
        high="the released order of records is like a random one",
        blind_spots="Needs to know which released record comes from which original one. Whole records that were only "
        "moved to other rows look random to it. With many attributes and few records even unrelated data read well below 1: "
        "compare with the null level.",
    )

    def compute(self, pair: Comparison, rng: Generator) -> Measured:  # noqa: ARG002 - nothing is drawn
        """Return the product over all canonical correlations."""
        moments = pair.moments
        canonical = canonical_correlations(moments.original, moments.release, moments.cross)
        null = wilks_null_mean(canonical.rank_x, canonical.rank_y, moments.records)
        return Measured(cm2(canonical), linked_details(moments, canonical), null=null)

    def values(self, moments: Sequence[Moments]) -> Floats:
        """Return the values alone."""
        return cm2_values(moments)


@hookimpl
def permaudit_metrics() -> list[CM2]:
    """Provide CM2."""
    return [CM2()]
