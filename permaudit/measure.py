"""The boundary to the metric plugins: whatever a metric does, a checked result comes back."""

from __future__ import annotations

import json
import logging
import math
import numbers
from dataclasses import dataclass, fields, replace
from itertools import cycle
from statistics import fmean, stdev
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from permaudit.cards import ValidFor
from permaudit.errors import NotApplicable, shown
from permaudit.isolation.failure import CallFailedError
from permaudit.model import Measured, MetricOfMany
from permaudit.outcome import Baseline, MetricResult, Validity
from permaudit.rowsample import rows_within_memory
from permaudit.section import checked_section

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.random import Generator

    from permaudit.cards import MetricCard
    from permaudit.compare import Compared
    from permaudit.model import Comparison, Metric, Moments
    from permaudit.outcome import Section, Standing

_LOG = logging.getLogger("permaudit")
_MOST_DETAILS = 1 << 20
"""Details above this many characters are refused: they are no parts of a number, they are records."""
_LONGEST_REASON = 400
_LEAST_NULL = 1e-12
"""A null level or a baseline below it is no scale to measure on."""
_QUANTILE = 1.998
"""Of Student's t distribution with 63 degrees of freedom, one for each subsample but one: 97.5 %."""
_FAR = 100.0
"""An exponent beyond every bound."""


@dataclass(frozen=True, slots=True)
class _Checked:
    """A value that kept its declaration."""

    value: float
    null: float | None
    details: dict[str, Any]
    baseline: Baseline | None
    interval: tuple[float, float] | None
    section: Section | None


class _BrokenError(Exception):
    """A metric did not keep its declaration; the text says how."""


def measure(metric: Metric, compared: Compared, rng: Generator) -> MetricResult:
    """Compute a metric on every comparison (replicates, or draws of an unlinked release) and put them together.

    The value is the mean; details are those of the least favourable comparison. One comparison that fails is enough for
    `error`. Where records were left out for missing values, the bound that has them back counts if it is less favourable.
    """
    card = metric.card
    if not compared.comparisons:
        return _without_value(card, "not-applicable", "no audited attribute varies in the original")
    try:
        without = _computed_all(metric, compared.comparisons, rng)
        restored = _computed_all(metric, compared.bounds, rng)
        linked = compared.comparisons[0].linked
        result = _with_rest(metric, compared, _together(card, without, restored, linked=linked), rng)
        return replace(result, interval=_interval(metric, compared, [*without, *restored], result, rng))
    except NotApplicable as answer:
        return _without_value(card, "not-applicable", str(answer))
    except _BrokenError as error:
        return _without_value(card, "error", str(error))
    except OverflowError:
        return _without_value(card, "error", "the metric returned values too large for a mean")


def _without_value(card: MetricCard, status: Literal["not-applicable", "error"], reason: str) -> MetricResult:
    """Say why there is no value."""
    reason = shown(reason, _LONGEST_REASON)
    validity = Validity(standing="not-applicable", because=f"There is no value: {reason}.", section=_section(card))
    return MetricResult(status=status, reason=reason, validity=validity)


def _validity(card: MetricCard, *, linked: bool) -> Validity:
    """Say whether a metric counts for this kind of release, and why."""
    because = card.valid_for.linked if linked else card.valid_for.unlinked
    standing: Standing = "advisory" if card.needs.linkage and not linked else "valid"
    if standing == "advisory" and because == ValidFor().unlinked:
        because = (
            "It compares each released record with its original one, and the records of this release are not linked."
        )
    return Validity(standing=standing, because=shown(because, _LONGEST_REASON), section=_section(card))


def _section(card: MetricCard) -> str:
    """Return where it is written what the metric is valid for."""
    return shown(card.valid_for.section or card.reference, _LONGEST_REASON)


def _interval(
    metric: Metric, compared: Compared, own: Sequence[_Checked], result: MetricResult, rng: Generator
) -> tuple[float, float] | None:
    """Return the 95 % interval: the metric's own, or one from the spread over subsamples and over replicates."""
    given = [one.interval for one in own if one.interval is not None]
    if given and result.value is not None:
        return min(result.value, *(low for low, _ in given)), max(result.value, *(high for _, high in given))
    needs = metric.card.needs
    if compared.subsamples is None or needs.rows or needs.holdout or result.value is None:
        return None
    try:
        values = _values(metric, compared.comparisons[0], compared.subsamples.moments, rng)
    except (NotApplicable, _BrokenError):
        _LOG.exception("metric %s has no interval", metric.card.id)
        return None
    spread = stdev(values) * compared.subsamples.factor
    center = fmean(values)
    if center > 0:
        # Fewer records read lower where attributes are many, and then also vary less: in proportion.
        spread *= max(1.0, result.value / center)
    return _around(result, spread, center, metric.card)


def _values(metric: Metric, like: Comparison, moments: Sequence[Moments], rng: Generator) -> list[float]:
    """Return the value of a metric for comparisons that differ in their moments only, at once where it knows how."""
    if isinstance(metric, MetricOfMany) and len(like.moments.attributes) >= metric.card.needs.attributes:
        try:
            return [_bounded(value, metric.card) for value in metric.values(moments)]
        except Exception as error:
            _LOG.exception("metric %s raised", metric.card.id)
            raise _BrokenError(f"the metric raised {type(error).__name__}") from error
    pairs = [replace(like, moments=one, rows=None, references=None) for one in moments]
    return [one.value for one in _computed_all(metric, pairs, rng)]


def _around(result: MetricResult, spread: float, center: float, card: MetricCard) -> tuple[float, float] | None:
    """Return the interval around a value that varies that much from sample to sample, and also over the replicates.

    The upper end is in proportion to the value: what is a product, such as one minus correlations, varies so. What is lost of
    use is a squared distance, whose root varies evenly: a sample in which little is lost by chance also seems to vary little,
    so that its lower end is taken on the scale of the root.
    """
    assert result.value is not None  # noqa: S101 - the caller has made sure
    reach = _QUANTILE * math.hypot(spread, (result.std or 0.0) / math.sqrt(len(result.replicates)))
    if not math.isfinite(reach):
        return None
    above = result.value * math.expm1(min(reach / result.value, _FAR)) if result.value > 0 else reach
    low, high = map(float, card.bounds)
    lost = high - min(result.value, center)
    below = reach**2 / (4 * lost) if card.measures == "utility" and card.better == "higher" and lost > 0 else 0.0
    return max(low, result.value - reach - below), min(high, result.value + max(reach, above))


def _together(
    card: MetricCard, without: Sequence[_Checked], restored: Sequence[_Checked], *, linked: bool
) -> MetricResult:
    """Let the less favourable side count: without the records that were left out, or with them unchanged.

    A metric that looks at records tells what it saw with all of them there: what is among those that were left out would
    not be in its parts otherwise.
    """
    if not restored:
        return _result(card, without, linked=linked)
    both = {"without_dropped_records": _mean(without), "dropped_records_unchanged": _mean(restored)}
    least = min((without, restored), key=lambda some: _mean(some) * _sign(card))
    parts = restored if card.needs.rows else least
    told = [
        replace(one, details={**part.details, "missing": both}) for one, part in zip(least, cycle(parts), strict=False)
    ]
    return _result(card, told, linked=linked)


def _with_rest(metric: Metric, compared: Compared, result: MetricResult, rng: Generator) -> MetricResult:
    """Let another look at the same release count where it is less favourable than everything together.

    For a metric of links these are what is left of each attribute that is suppressed for some, alone, and each attribute
    beside the points of its ranges and sets; for another one of confidentiality that lives on moments, the files with ranges
    and sets read by one of their points.
    """
    card, linked = metric.card, compared.comparisons[0].linked
    is_apt = card.measures == "confidentiality" and not (card.needs.rows or card.needs.holdout)
    if not is_apt or card.needs.linkage != linked or result.value is None:
        return result
    told = [{"attribute": pair.moments.attributes[0], "records": pair.moments.records} for pair in compared.left]
    told += [{"read_by": name, "records": pair.moments.records} for name, pair in compared.by_points.items()]
    pairs = [*compared.left, *compared.by_points.values()]
    if not pairs:
        return result
    found = zip(_computed_all(metric, pairs, rng), told, strict=True)
    checked, which = min(found, key=lambda one: one[0].value * _sign(card))
    if checked.value * _sign(card) >= result.value * _sign(card):
        return result
    details = {**result.details, "left": {**which, "all_together": result.value}}
    if "attribute" in which:
        details |= {"least_protected": which["attribute"]} if "least_protected" in details else {}
    return _result(card, [replace(checked, details=details)], linked=linked)


def _result(card: MetricCard, checked: Sequence[_Checked], *, linked: bool) -> MetricResult:
    """Put checked values together."""
    values = [one.value for one in checked]
    nulls = [one.null for one in checked if one.null is not None]
    null = fmean(nulls) if len(nulls) == len(checked) else None
    least = min(checked, key=lambda one: one.value * _sign(card))
    validity = _validity(card, linked=linked)
    advisory = validity.standing == "advisory"
    baseline = least.baseline
    return MetricResult(
        status="advisory" if advisory else "ok",
        value=fmean(values),
        std=stdev(values) if len(values) > 1 else None,
        replicates=values,
        null=null,
        calibrated=None if null is None else _calibrated(fmean(values), null, card),
        baseline=baseline,
        relative=fmean(values) / baseline.value if baseline is not None and baseline.value > _LEAST_NULL else None,
        validity=validity,
        reason=validity.because if advisory else None,
        details=least.details,
        section=least.section,
    )


def _calibrated(value: float, null: float, card: MetricCard) -> float | None:
    """Put a value on a scale with 0 at the worse bound, where identical files are, and 1 at the null level and beyond."""
    worst = card.bounds[0] if card.better == "higher" else card.bounds[1]
    way = null - worst
    return max(0.0, min(1.0, (value - worst) / way)) if math.isfinite(worst) and abs(way) > _LEAST_NULL else None


def _mean(checked: Sequence[_Checked]) -> float:
    """Return the mean value."""
    return fmean(one.value for one in checked)


def _sign(card: MetricCard) -> int:
    """Return the sign by which a value must be multiplied so that more is better."""
    return 1 if card.better == "higher" else -1


def _computed_all(metric: Metric, comparisons: Sequence[Comparison], rng: Generator) -> list[_Checked]:
    """Call the metric on each comparison; an error counts before an answer that it has no meaning."""
    checked, without_meaning = [], None
    for pair in comparisons:
        try:
            checked.append(_computed(metric, pair, rng))
        except NotApplicable as answer:
            without_meaning = without_meaning or answer
    if without_meaning is not None:
        raise without_meaning
    return checked


def _computed(metric: Metric, pair: Comparison, rng: Generator) -> _Checked:
    """Call the metric once, and hold what comes back against its card."""
    needed, there = metric.card.needs.attributes, len(pair.moments.attributes)
    if there < needed:
        verb = "is" if there == 1 else "are"
        raise NotApplicable(f"needs at least {needed} attributes that vary; there {verb} {there}")
    if metric.card.needs.holdout and (pair.rows is None or pair.rows.holdout is None):
        raise NotApplicable("needs a holdout: records of the same population that were not used for the release")
    try:
        with np.errstate():  # numpy's settings are given back, whatever the metric makes of them
            seen = _guarded(pair, metric.card)
            measured = metric.compute(seen, rng)
        return _with_sample(_checked(metric.card, measured), seen)
    except (NotApplicable, _BrokenError, KeyboardInterrupt):
        raise
    except CallFailedError as error:
        raise _BrokenError(f"the metric {error}") from error
    except BaseException as error:
        # The text of the exception may quote cells of the data: it goes to the operator's log only.
        _LOG.exception("metric %s raised", metric.card.id)
        raise _BrokenError(f"the metric raised {type(error).__name__}") from error


def _with_sample(checked: _Checked, seen: Comparison) -> _Checked:
    """Add to the details how records were drawn, where the metric saw a sample."""
    if seen.rows is None or seen.rows.sampled is None:
        return checked
    return replace(checked, details={**checked.details, "sampled": seen.rows.sampled})


def _guarded(pair: Comparison, card: MetricCard) -> Comparison:
    """Return what the metric may see, so that it cannot change it by accident for those after it."""
    for matrix in (getattr(pair.moments, field.name) for field in fields(pair.moments)):
        if isinstance(matrix, np.ndarray):
            matrix.flags.writeable = False
    if not card.needs.references:
        pair = replace(pair, references=None)
    if pair.moments.by_key_error is not None and not card.needs.error:
        # What it makes of no numbers is an error; what it made of wrong ones would look like a value.
        nothing = np.full_like(pair.moments.cross_by_key, np.nan)
        pair = replace(pair, moments=replace(pair.moments, cross_by_key=nothing, mirror_by_key=nothing))
    if pair.rows is None or not (card.needs.rows or card.needs.holdout):
        return replace(pair, rows=None)
    rows = rows_within_memory(pair.rows.apart or pair.rows, linked=pair.linked)
    sides = {name: getattr(rows, name) for name in ("original", "release", "holdout", "left_out")}
    for side in (*sides.values(), rows.original_order, rows.release_order):
        for column in (side or {}).values():
            column.flags.writeable = False
    fixed: dict[str, Any] = {name: None if side is None else MappingProxyType(side) for name, side in sides.items()}
    return replace(pair, rows=replace(rows, **fixed))


def _checked(card: MetricCard, measured: object) -> _Checked:
    """Refuse everything that is not a finite number within the declared bounds, with plain parts."""
    if not isinstance(measured, Measured):
        raise _BrokenError(f"the metric returned {type(measured).__name__}, not a measurement")
    value = _bounded(measured.value, card)
    low, high = card.bounds
    null = None if measured.null is None else _finite(measured.null, "null level")
    if null is not None and not low <= null <= high:
        raise _BrokenError(f"the metric returned a null level outside its bounds {low:g} to {high:g}")
    try:
        text = json.dumps(dict(measured.details), allow_nan=False)
        details = json.loads(text)
    except (TypeError, ValueError, RecursionError) as error:
        raise _BrokenError("the metric returned details that are not plain finite numbers and texts") from error
    if len(text) > _MOST_DETAILS:
        raise _BrokenError("the metric returned more details than any number has parts")
    try:
        section = checked_section(measured.section)
    except ValueError as error:
        raise _BrokenError(f"the metric returned {error}") from error
    baseline, interval = _baseline(measured.baseline, card), _checked_interval(measured.interval, value)
    return _Checked(value, null, details, baseline, interval, section)


def _bounded(value: object, card: MetricCard) -> float:
    """Refuse a value that is no finite number within the declared bounds."""
    number = _finite(value, "value")
    low, high = card.bounds
    if not low <= number <= high:
        raise _BrokenError(f"the metric returned a value outside its bounds {low:g} to {high:g}")
    return number


def _baseline(given: object, card: MetricCard) -> Baseline | None:
    """Refuse a baseline that is none."""
    if given is None:
        return None
    if not isinstance(given, Baseline) or not isinstance(given.what, str) or not isinstance(given.draws, int):
        raise _BrokenError("the metric returned a baseline that is none")
    value = _finite(given.value, "baseline")
    low, high = card.bounds
    if not low <= value <= high:
        raise _BrokenError(f"the metric returned a baseline outside its bounds {low:g} to {high:g}")
    spread = None if given.spread is None else _finite(given.spread, "spread of a baseline")
    return Baseline(value=value, spread=spread, draws=given.draws, what=shown(given.what, _LONGEST_REASON))


def _checked_interval(given: object, value: float) -> tuple[float, float] | None:
    """Refuse an interval that does not hold the value."""
    if given is None:
        return None
    if not isinstance(given, tuple) or len(given) != 2:  # noqa: PLR2004 - both ends
        raise _BrokenError("the metric returned an interval that has no two ends")
    low, high = (_finite(end, "limit of an interval") for end in given)
    if not low <= value <= high:
        raise _BrokenError("the metric returned an interval that does not hold its value")
    return low, high


def _finite(value: object, what: str) -> float:
    """Return a real, finite number as a float."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise _BrokenError(f"the metric returned a {what} of type {type(value).__name__}, not a number")
    number = float(value)
    if not math.isfinite(number):
        raise _BrokenError(f"the metric returned a {what} that is not finite")
    return number
