"""What CM3 and MIRROR share: the least of the values by key, and what strangers would read."""

from __future__ import annotations

from dataclasses import replace
from math import exp, log, sqrt
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Any

from permaudit import Baseline
from permaudit.permutation import wilks_null_mean

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from permaudit import Comparison, Moments
    from permaudit.model import Floats

_LEAST = 1e-300
_STEEPEST = 2.0
"""No value grows faster than the square of the null level; what looks so is chance."""


def key_details(moments: Moments, values: Callable[[Moments], Floats]) -> dict[str, Any]:
    """Return the values by key and the key that attains the least; where they are approximate, also what was estimated."""
    by_key = values(moments)
    details: dict[str, Any] = {
        "by_key": dict(zip(moments.attributes, by_key.tolist(), strict=True)),
        "worst_key": moments.attributes[int(by_key.argmin())],
    }
    if moments.by_key_error is not None:
        estimate = float(values(replace(moments, by_key_error=None)).min())
        details["approximate"] = {"estimate": estimate, "error": moments.by_key_error}
    return details


def strangers_baseline(pair: Comparison, least: Callable[[Sequence[Moments]], Floats]) -> Baseline | None:
    """Return what strangers' records read, as many as are compared here; None where there are none."""
    references = pair.references
    if references is None or not references.strangers:
        return None
    values, fewer = (
        least(some).tolist() if some else [] for some in (references.strangers, references.fewer_strangers)
    )
    records, what = pair.moments.records, references.strangers_are
    factor = 1.0
    if fewer and references.strangers[0].records != records:
        sizes = references.strangers[0].records, references.fewer_strangers[0].records
        factor = _growth((fmean(values), fmean(fewer)), sizes, records, len(pair.moments.attributes) - 1)
        what = f"{what}, brought to {records} records"
    spread = _spread(values, fewer, references.drawn_share) * factor
    return Baseline(value=min(1.0, fmean(values) * factor), spread=spread, draws=len(values), what=what)


def _spread(values: Sequence[float], fewer: Sequence[float], drawn_share: float) -> float:
    """Return the standard deviation of one comparison of strangers, as other people would give it.

    Draws without replacement of s of N records differ by 1 - s / N of the variance that s new records would have, which is
    inversely proportional to s. So what draws of half as many differ by is 2 - s / N times the variance of s new ones: with
    all N drawn, half of them tell it exactly, as in the jackknife that deletes halves.
    """
    return stdev(fewer) / sqrt(2 - drawn_share) if drawn_share and fewer else stdev(values)


def _growth(values: tuple[float, float], sizes: tuple[int, int], records: int, attributes: int) -> float:
    """Return the factor by which a value grows from the first size to so many records.

    Fewer records read lower, as the null level does; with ties less so. How much less, two sizes tell: the logarithm of the
    value is taken to be linear in that of the null level.
    """
    levels = [log(max(wilks_null_mean(attributes, attributes, size), _LEAST)) for size in (*sizes, records)]
    if min(values) <= _LEAST or levels[0] == levels[1]:
        return 1.0
    slope = (log(values[0]) - log(values[1])) / (levels[0] - levels[1])
    return exp(min(max(slope, 0.0), _STEEPEST) * (levels[2] - levels[0]))
