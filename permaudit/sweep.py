"""Candidates that differ by parameters only: curves, the Pareto set, and the most useful one that passes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permaudit.outcome import SweepPoint, SweepResult
from permaudit.pareto import beats, place_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from permaudit.cards import MetricCard
    from permaudit.model import Catalogue
    from permaudit.outcome import CandidateResult
    from permaudit.plan import Sweep

_OF_SETS = "its points have different attributes: they are for comparison, and none of them is released"


def sweep_result(
    sweep: Sweep, results: Mapping[str, CandidateResult], limited: frozenset[str], catalogue: Catalogue
) -> SweepResult:
    """Lay the points of a sweep beside each other.

    A point is in the Pareto set if no other point of the same attributes is better on one axis and at least as good on the
    other. The axes are the values themselves: another candidate changes no score.
    """
    found = [results[name] for name in sweep.candidates]
    cards = [metric.card for metric in catalogue.metrics.values()]
    protection = _axis([card for card in cards if card.measures in {"confidentiality", "risk"}], found, limited)
    usefulness = _axis([card for card in cards if card.measures == "utility"], found, limited)
    places = [place_of(result, (protection, usefulness)) for result in found]
    rivals: dict[tuple[str, ...], list[tuple[float, ...]]] = {}
    for result, place in zip(found, places, strict=True):
        if place is not None:
            rivals.setdefault(tuple(result.attributes), []).append(place)
    differ = len({len(result.attributes) for result in found}) > 1
    points = [
        SweepPoint(
            candidate=result.name,
            params={name: result.params[name] for name in sweep.varied if name in result.params},
            values={name: metric.value for name, metric in result.metrics.items()},
            spread={name: metric.std for name, metric in result.metrics.items()},
            verdict=result.verdict,
            attributes=list(result.attributes) if differ else [],
            pareto=place is not None and not any(beats(other, place) for other in rivals[tuple(result.attributes)]),
        )
        for result, place in zip(found, places, strict=True)
    ]
    best = None if differ else _best(found, usefulness)
    return SweepResult(
        name=sweep.name,
        anonymizer=sweep.anonymizer,
        varied=list(sweep.varied),
        protection_axis=protection.id if protection else None,
        utility_axis=usefulness.id if usefulness else None,
        points=points,
        best=best.name if best else None,
        best_because=_OF_SETS if differ else _because(best, usefulness),
    )


def _axis(cards: Sequence[MetricCard], found: Sequence[CandidateResult], limited: frozenset[str]) -> MetricCard | None:
    """Choose the metric of an axis: valid at every point, and one that a rule limits before one that none does."""
    valid = [card for card in cards if all(_is_valid(result, card) for result in found)]
    return next((card for card in valid if card.id in limited), valid[0] if valid else None)


def _is_valid(result: CandidateResult, card: MetricCard) -> bool:
    """Tell whether a candidate has a valid value of a metric."""
    return card.id in result.metrics and result.metrics[card.id].status == "ok"


def _best(found: Sequence[CandidateResult], usefulness: MetricCard | None) -> CandidateResult | None:
    """Return the most useful candidate that passes all rules."""
    passing = [result for result in found if result.verdict == "release"]
    if usefulness is None or not passing:
        return None
    return max(passing, key=lambda result: (place_of(result, (usefulness,)) or (float("-inf"),))[0])


def _because(best: CandidateResult | None, usefulness: MetricCard | None) -> str:
    """Say why this point is the best, or why none is."""
    if usefulness is None:
        return "no utility metric is valid at every point"
    if best is None:
        return "no point passes all rules"
    value = best.metrics[usefulness.id].value
    return f"it passes all rules and has the best {usefulness.id} of those that do: {value:.4f}"
