"""CM3: the intruder's view, without the mapping of records."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from permaudit import Measured, MetricCard, Needs, ValidFor, hookimpl
from permaudit.permutation import cm3, cm3_values
from permaudit_plugins.metrics._bykey import key_details, strangers_baseline
from permaudit_plugins.metrics._linked import PAPER

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.random import Generator

    from permaudit import Comparison, Moments
    from permaudit.model import Floats

permaudit_api = 1


class CM3:
    """The least CM2 that sorting both files by one attribute and pairing them by position attains."""

    card: ClassVar[MetricCard] = MetricCard(
        id="CM3",
        title="Intruder's view",
        measures="confidentiality",
        better="higher",
        bounds=(0, 1),
        default=True,
        needs=Needs(attributes=2, references=True, error=True),
        valid_for=ValidFor(
            linked="It needs no mapping of records, so it counts here too; what the known mapping discloses, CM1 and CM2 tell.",
            unlinked="It needs no mapping of records, and is what the paper judges synthetic data by.",
            section="the definition of CM3 for data whose mapping of records is not known",
        ),
        reference=f"{PAPER}: CM3 = min over keys of CM2",
        summary="Plays an intruder who does not know which record is whose: sorts both files by one attribute, "
        "pairs them by position, and looks how well the other attributes then agree; every attribute is tried as key.",
        low="sorting by one attribute lines up the other attributes too: records can be linked",
        high="no single attribute helps to link records",
        blind_spots="Measures correlation structure: strongly correlated attributes read low even for a fresh sample of "
        "other people. A release in which only a part of the records is copied can read high. Reversed keys are not "
        "tried: see MIRROR.",
    )

    def compute(self, pair: Comparison, rng: Generator) -> Measured:  # noqa: ARG002 - nothing is drawn
        """Return the minimum over the keys."""
        moments = pair.moments
        details = {**key_details(moments, cm3), "trivial_permutation": moments.trivial_permutation}
        return Measured(min(details["by_key"].values()), details, baseline=strangers_baseline(pair, cm3_values))

    def values(self, moments: Sequence[Moments]) -> Floats:
        """Return the values alone."""
        return cm3_values(moments)


@hookimpl
def permaudit_metrics() -> list[CM3]:
    """Provide CM3."""
    return [CM3()]
