"""Candidates beside each other on two metrics: who is beaten by nobody."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permaudit.outcome import Front

if TYPE_CHECKING:
    from collections.abc import Sequence

    from permaudit.cards import Measures, MetricCard
    from permaudit.model import Catalogue
    from permaudit.outcome import CandidateResult

_FEWEST = 2
"""One candidate alone beats nobody and is beaten by nobody."""


def fronts(found: Sequence[CandidateResult], catalogue: Catalogue) -> list[Front]:
    """Lay candidates beside each other, on each metric of confidentiality and the first of utility that they share."""
    result = []
    for protection in _cards(catalogue, "confidentiality"):
        for utility in _cards(catalogue, "utility"):
            places = {one.name: place_of(one, (protection, utility)) for one in found}
            valid = {name: place for name, place in places.items() if place is not None}
            if len(valid) >= _FEWEST:
                best = [
                    name for name, place in valid.items() if not any(beats(other, place) for other in valid.values())
                ]
                result.append(Front(protection=protection.id, utility=utility.id, candidates=list(valid), pareto=best))
                break
    return result


def place_of(result: CandidateResult, axes: Sequence[MetricCard | None]) -> tuple[float, ...] | None:
    """Return the candidate's place on the axes, turned so that more is better; None where an axis has no valid value."""
    place = []
    for card in axes:
        metric = result.metrics.get(card.id) if card is not None else None
        if card is None or metric is None or metric.status != "ok" or metric.value is None:
            return None
        place.append(metric.value if card.better == "higher" else -metric.value)
    return tuple(place)


def beats(other: tuple[float, ...], place: tuple[float, ...]) -> bool:
    """Tell whether the other place is nowhere worse and somewhere better."""
    return other != place and all(theirs >= ours for theirs, ours in zip(other, place, strict=True))


def _cards(catalogue: Catalogue, measures: Measures) -> list[MetricCard]:
    """Return the cards of all metrics that measure this."""
    return [metric.card for metric in catalogue.metrics.values() if metric.card.measures == measures]
