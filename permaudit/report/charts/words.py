"""The charts' own words, in one place, so that they can be said in another language."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from permaudit.report.charts.numbers import MISSING, number
from permaudit.report.digits import DIGITS

if TYPE_CHECKING:
    from collections.abc import Mapping


def _verdicts() -> dict[str, str]:
    return {"release": "release", "review": "review", "block": "block"}


def _statuses() -> dict[str, str]:
    return {
        "ok": "valid",
        "advisory": "advisory: does not decide here",
        "not-applicable": "not applicable",
        "error": "not computed: error",
    }


def _goods() -> dict[str, str]:
    return {"safer": "safer", "more useful": "more useful"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """Every text that a chart says of itself; what stands in braces is filled in."""

    digits: int = DIGITS
    """How exactly measured values are written: those for outsiders are rounded."""
    verdicts: Mapping[str, str] = field(default_factory=_verdicts)
    statuses: Mapping[str, str] = field(default_factory=_statuses)
    goods: Mapping[str, str] = field(default_factory=_goods)
    """What the good end of a scale is called; a name that is missing here stands as it is."""
    unjudged: str = "not judged"
    verdict: str = "verdict"
    missing: str = "not available"
    nothing: str = "nothing to draw"
    yes: str = "yes"
    no: str = "no"
    more: str = "and {n} more, in the table"
    more_left: str = "and {n} more"
    attribute: str = "attribute"
    item: str = "what"
    value: str = "value"
    this_release: str = "this release"
    interval: str = "95 % interval"
    interval_from: str = "95 % interval {low} to {high}"
    replicates: str = "replicates"
    replicates_from: str = "{n} replicates, {low} to {high}"
    null: str = "null level, as for unrelated files"
    baseline: str = "baseline"
    limit: str = "limit"
    at_least: str = "at least {value}"
    at_most: str = "at most {value}"
    within: str = "within all limits"
    scale_alt: str = "{name} is {value} on a scale from {low} to {high}; {good} is to the {side}."
    scale_alt_none: str = "{name} has no value: {status}."
    left: str = "left"
    right: str = "right"
    bars_alt: str = "{title}: bars for {n} of {total}. Lowest: {lowest}. Highest: {highest}."
    bars_alt_none: str = "{title}: no values."
    original: str = "original"
    released: str = "release"
    even: str = "even spread: no structure"
    direction: str = "direction"
    directions: str = "directions of the original, strongest first"
    share: str = "share of the spread"
    spectra_alt: str = (
        "{title}: shares of the spread along {n} directions. Strongest: original {original}, release {released}."
    )
    original_rank: str = "original rank"
    released_rank: str = "released rank"
    low: str = "low"
    high: str = "high"
    rank_class: str = "original rank, class"
    density_key: str = "records in a square, as a multiple of a random order"
    density_steps: tuple[str, str, str, str, str] = ("below 0.5", "to 1.5", "to 3", "to 6", "above 6")
    density_few: str = "too few records to be shown, or none"
    density_below: str = "below {floor}"
    density_alt: str = (
        "{title}: original rank against released rank for {n} attributes. Large squares along the rising diagonal mean that "
        "the order was kept; an even picture means that it was lost."
    )
    pareto: str = "no other is better in both"
    pareto_column: str = "best trade-off"
    number: str = "no."
    candidate: str = "candidate"
    left_out: str = "{n} without a value: only in the table"
    spread: str = "spread"
    map_alt: str = (
        "{title}: {n} points, {x} from left to right and {y} upwards; the best corner is top right. {verdicts}. {front}"
    )
    map_front: str = "Best trade-offs: {names}."
    logarithmic: str = "logarithmic"
    panel: str = "part"
    metric: str = "metric"
    band: str = "band: one standard deviation"
    curves_alt: str = "{title}: {names} against {parameter}."
    curve_ends: str = "{name} goes from {first} to {last}"
    picture_title: str = "Every anonymization is a permutation plus a little noise"
    picture_alt: str = (
        "Five made-up records. In the first step their values change places: 12 and 19 are swapped, 31 and 44 are swapped, "
        "25 stays. In the second step each value changes by one or two without overtaking another. The first step protects; "
        "the second hides little, since the order stays."
    )
    picture_record: str = "record"
    picture_original: str = "original"
    picture_permuted: str = "permuted"
    picture_released: str = "released"
    picture_step: str = "1. values change places"
    picture_step_means: str = "this protects: who had which value?"
    picture_noise: str = "2. small changes"
    picture_noise_means: str = "the order stays"
    picture_noise_column: str = "change"

    def measured(self, value: float | None, missing: str = MISSING) -> str:
        """Write a measured value as exactly as it is known."""
        return number(value, missing, self.digits)


ENGLISH = Words()
