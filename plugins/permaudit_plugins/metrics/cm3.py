"""CM3: the intruder's view, without the mapping of records."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from permaudit import Measured, MetricCard, Needs, hookimpl
from permaudit.permutation import cm3

if TYPE_CHECKING:
    from numpy.random import Generator

    from permaudit import Comparison


@dataclass(frozen=True, slots=True)
class CM3:
    """The least CM2 that sorting both files by one attribute and pairing them by position attains."""

    card: ClassVar[MetricCard] = MetricCard(
        id="CM3",
        title="Intruder's view",
        measures="confidentiality",
        better="higher",
        bounds=(0, 1),
        default=True,
        needs=Needs(attributes=2),
        reference="Domingo-Ferrer, Muralidhar and Bras-Amorós, permutation model metrics: CM3 = min over keys of CM2",
        summary="Plays an intruder who does not know which record is whose: sorts both files by one attribute, "
        "pairs them by position, and looks how well the other attributes then agree; every attribute is tried as key.",
        low="sorting by one attribute lines up the other attributes too: records can be linked",
        high="no single attribute helps to link records",
        blind_spots="Measures correlation structure: strongly correlated attributes read low even for a fresh sample of "
        "other people. A release in which only a part of the records is copied can read high. Keys that are reversed are "
        "not tried.",
    )

    def compute(self, pair: Comparison, rng: Generator) -> Measured:  # noqa: ARG002 - nothing is drawn
        """Return the minimum over the keys."""
        moments = pair.moments
        by_key = cm3(moments)
        worst = int(by_key.argmin())
        details = {
            "by_key": dict(zip(moments.attributes, by_key.tolist(), strict=True)),
            "worst_key": moments.attributes[worst],
            "trivial_permutation": moments.trivial_permutation,
        }
        return Measured(float(by_key[worst]), details)


@hookimpl
def permaudit_metrics() -> list[CM3]:
    """Provide CM3."""
    return [CM3()]
