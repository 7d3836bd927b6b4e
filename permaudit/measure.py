"""The boundary to the metric plugins: whatever a metric does, a checked result comes back."""

from __future__ import annotations

import json
import logging
import math
import numbers
from dataclasses import dataclass, fields, replace
from statistics import fmean, stdev
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from permaudit.errors import NotApplicable, shown
from permaudit.model import Measured
from permaudit.outcome import MetricResult

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.random import Generator

    from permaudit.compare import Compared
    from permaudit.model import Comparison, Metric, MetricCard

_LOG = logging.getLogger("permaudit")
_ADVISORY = "the records of this release are not linked: row i is not the same person in both files"
_MOST_DETAILS = 1 << 20
"""Details above this many characters are refused: they are no parts of a number, they are records."""
_LONGEST_REASON = 400
_LEAST_NULL = 1e-12
"""A null level below it is no scale to measure on."""


@dataclass(frozen=True, slots=True)
class _Checked:
    """A value that kept its declaration."""

    value: float
    null: float | None
    details: dict[str, Any]


class _BrokenError(Exception):
    """A metric did not keep its declaration; the text says how."""


def measure(metric: Metric, compared: Compared, rng: Generator) -> MetricResult:
    """Compute a metric on every comparison (replicates, or draws of an unlinked release) and put them together.

    The value is the mean; details are those of the least favourable comparison. One comparison that fails is enough for
    `error`. Where records were left out for missing values, the bound that has them back counts if it is less favourable.
    """
    if not compared.comparisons:
        return MetricResult(status="not-applicable", reason="no audited attribute varies in the original")
    try:
        without = _computed_all(metric, compared.comparisons, rng)
        restored = _computed_all(metric, compared.bounds, rng)
        return _together(metric.card, without, restored, linked=compared.comparisons[0].linked)
    except NotApplicable as answer:
        return MetricResult(status="not-applicable", reason=shown(str(answer), _LONGEST_REASON))
    except _BrokenError as error:
        return MetricResult(status="error", reason=shown(str(error), _LONGEST_REASON))
    except OverflowError:
        return MetricResult(status="error", reason="the metric returned values too large for a mean")


def _together(
    card: MetricCard, without: Sequence[_Checked], restored: Sequence[_Checked], *, linked: bool
) -> MetricResult:
    """Let the less favourable side count: without the records that were left out, or with them unchanged."""
    if not restored:
        return _result(card, without, linked=linked)
    both = {"without_dropped_records": _mean(without), "dropped_records_unchanged": _mean(restored)}
    least = min((without, restored), key=lambda some: _mean(some) * _sign(card))
    told = [replace(one, details={**one.details, "missing": both}) for one in least]
    return _result(card, told, linked=linked)


def _result(card: MetricCard, checked: Sequence[_Checked], *, linked: bool) -> MetricResult:
    """Put checked values together."""
    values = [one.value for one in checked]
    nulls = [one.null for one in checked if one.null is not None]
    null = fmean(nulls) if len(nulls) == len(checked) else None
    least = min(checked, key=lambda one: one.value * _sign(card))
    advisory = card.needs.linkage and not linked
    return MetricResult(
        status="advisory" if advisory else "ok",
        value=fmean(values),
        std=stdev(values) if len(values) > 1 else None,
        replicates=values,
        null=null,
        calibrated=min(1.0, fmean(values) / null) if null is not None and null > _LEAST_NULL else None,
        reason=_ADVISORY if advisory else None,
        details=least.details,
    )


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
            measured = metric.compute(_guarded(pair, metric.card), rng)
        return _checked(metric.card, measured)
    except (NotApplicable, _BrokenError, KeyboardInterrupt):
        raise
    except BaseException as error:
        # The text of the exception may quote cells of the data: it goes to the operator's log only.
        _LOG.exception("metric %s raised", metric.card.id)
        raise _BrokenError(f"the metric raised {type(error).__name__}") from error


def _guarded(pair: Comparison, card: MetricCard) -> Comparison:
    """Return what the metric may see, so that it cannot change it by accident for those after it."""
    for matrix in (getattr(pair.moments, field.name) for field in fields(pair.moments)):
        if isinstance(matrix, np.ndarray):
            matrix.flags.writeable = False
    if pair.rows is None or not (card.needs.rows or card.needs.holdout):
        return replace(pair, rows=None)
    sides = {field.name: getattr(pair.rows, field.name) for field in fields(pair.rows)}
    for side in sides.values():
        for column in (side or {}).values():
            column.flags.writeable = False
    fixed: dict[str, Any] = {name: None if side is None else MappingProxyType(side) for name, side in sides.items()}
    return replace(pair, rows=replace(pair.rows, **fixed))


def _checked(card: MetricCard, measured: object) -> _Checked:
    """Refuse everything that is not a finite number within the declared bounds, with plain parts."""
    if not isinstance(measured, Measured):
        raise _BrokenError(f"the metric returned {type(measured).__name__}, not a measurement")
    value = _finite(measured.value, "value")
    low, high = card.bounds
    if not low <= value <= high:
        raise _BrokenError(f"the metric returned a value outside its bounds {low:g} to {high:g}")
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
    return _Checked(value, null, details)


def _finite(value: object, what: str) -> float:
    """Return a real, finite number as a float."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise _BrokenError(f"the metric returned a {what} of type {type(value).__name__}, not a number")
    number = float(value)
    if not math.isfinite(number):
        raise _BrokenError(f"the metric returned a {what} that is not finite")
    return number
