"""MIRROR: the intruder's view with one of the files sorted backwards."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from permaudit import Measured, MetricCard, Needs, ValidFor, hookimpl
from permaudit.permutation import mirror, mirror_values
from permaudit_plugins.metrics._bykey import key_details, strangers_baseline

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.random import Generator

    from permaudit import Comparison, Moments
    from permaudit.model import Floats

permaudit_api = 1


class Mirror:
    """The least CM2 that sorting the files by one attribute, in opposite directions, attains."""

    card: ClassVar[MetricCard] = MetricCard(
        id="MIRROR",
        title="Intruder's view, reversed",
        # A verbatim copy reads as strangers do: a limit on it can stop a release, but none may pass because of it.
        measures="diagnostic",
        better="higher",
        bounds=(0, 1),
        needs=Needs(attributes=2, references=True, mirror=True, error=True),
        valid_for=ValidFor(
            linked="It needs no mapping of records, so it counts here too; what the known mapping discloses, CM1 and CM2 tell.",
            unlinked="It needs no mapping of records, as CM3, of which it is the mirror image.",
            section="CM3 with keys sorted in opposite directions, which the paper does not define",
        ),
        reference="CM3 with keys sorted in opposite directions; beyond the paper, which sorts both files upwards",
        summary="Plays the intruder of CM3, who this time suspects that values were turned upside down: sorts one file "
        "upwards and the other downwards by one attribute, and looks how well the other attributes then agree.",
        low="the release is the original turned upside down: its records can be linked",
        high="no single attribute helps to link records in reverse",
        blind_spots="A verbatim copy, which is not reversed. As CM3, it measures correlation structure, and a part of copied records can hide in it.",
    )

    def compute(self, pair: Comparison, rng: Generator) -> Measured:  # noqa: ARG002 - nothing is drawn
        """Return the minimum over the keys."""
        moments = pair.moments
        details = {**key_details(moments, mirror), "mirrored_permutation": moments.mirrored_permutation}
        return Measured(min(details["by_key"].values()), details, baseline=strangers_baseline(pair, mirror_values))

    def values(self, moments: Sequence[Moments]) -> Floats:
        """Return the values alone."""
        return mirror_values(moments)


@hookimpl
def permaudit_metrics() -> list[Mirror]:
    """Provide MIRROR."""
    return [Mirror()]
