"""Does a metric keep the contract? All that speaks against it, at once."""

from __future__ import annotations

import json
import pickle
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast, get_args

import numpy as np

from permaudit.cards import Direction, Measures, MetricCard, Needs
from permaudit.errors import NotApplicable
from permaudit.fitness import PROTECTION, is_worse, why_unfit
from permaudit.known import CASES, CONSTANT, COPY, JITTERED, SHUFFLED, STRANGERS, Files, compared_files, known_files
from permaudit.measure import measure
from permaudit.model import Measured, MetricOfMany
from permaudit.testing.cards import check_card, check_choice
from permaudit.testing.failures import Inspection, described
from permaudit.testing.material import engine
from permaudit.testing.printing import nothing_printed
from permaudit.testing.randomness import untouched_randomness
from permaudit.testing.worker import check_worker

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from permaudit.model import Columns, Comparison, Metric
    from permaudit.outcome import MetricResult

_LEAST = 1e-9
"""Less is rounding."""
_FEWEST = 10


@dataclass(frozen=True, slots=True)
class _Case:
    """Files to compare, and what they are."""

    what: str
    files: Files
    linked: bool


def check_metric(metric: Metric, *, refuses: Sequence[Comparison] = ()) -> None:
    """Raise `ConformanceError` with all that is wrong with a metric.

    `refuses` are comparisons for which the metric must have no value, but an answer why (`NotApplicable`).
    """
    found = Inspection(f"metric {getattr(getattr(metric, 'card', None), 'id', type(metric).__name__)!r}")
    with nothing_printed(found):
        if check_card(found, metric, MetricCard, ("compute",)) and _check_declaration(found, metric.card):
            _check_values(found, metric)
            _check_values_at_once(found, metric)
            _check_repeatable(found, metric)
            _check_direction(found, metric)
            _check_invariance(found, metric)
            for number, pair in enumerate(refuses, 1):
                _check_refusal(found, metric, pair, number)
    found.conclude()


def _check_declaration(found: Inspection, card: MetricCard) -> bool:
    """Look at what only the cards of metrics say."""
    check_choice(found, card, "measures", get_args(Measures))
    check_choice(found, card, "better", get_args(Direction))
    try:
        low, high = map(float, card.bounds)
        in_order = low < high
    except (TypeError, ValueError):
        in_order = False
    found.expect(in_order, "card", f"bounds are {card.bounds!r}; they must be two numbers, the lower one first")
    found.expect(isinstance(card.needs, Needs), "card", "needs is no permaudit.Needs")
    return found.is_clean


# --------------------------------------------------------------------------- values


def _check_values(found: Inspection, metric: Metric) -> None:
    """Put every known case to the metric as the host does: what comes back must be finite, plain and within bounds."""
    results = []
    for case in _cases(metric.card.needs):
        result = _measured(metric, case.files, linked=case.linked)
        results.append(result)
        if result.status == "error":
            _explain(found, metric, case, result.reason or "")
        elif result.value is None:
            found.expect(str(result.reason).strip(), "refuses", f"gives no reason why it has no value for {case.what}")
    if found.is_clean:
        has_value = any(result.value is not None for result in results)
        found.expect(has_value, "values", "has no value for any known case, not even for a copy or for strangers")


def _check_values_at_once(found: Inspection, metric: Metric) -> None:
    """Hold the values of many comparisons, where a metric gives them, against those of each alone: intervals rest on them."""
    if not isinstance(metric, MetricOfMany) or not found.is_clean:
        return
    pairs = [_pair(known_files(name, metric.card.needs), metric.card.needs, linked=True) for name in CASES]
    with found.during("values", "computing many at once"):
        alone = [metric.compute(pair, np.random.default_rng(0)).value for pair in pairs]
        together = metric.values([pair.moments for pair in pairs])
        found.expect(
            np.allclose(alone, together, rtol=0, atol=_LEAST),
            "values",
            "gives other values for many comparisons at once than for each alone",
        )


def _cases(needs: Needs) -> Iterator[_Case]:
    """Return the known cases, linked and unlinked, and what is small: few attributes, few records."""
    for name in CASES:
        yield _Case(f"a {name}" if name != STRANGERS else name, known_files(name, needs), linked=name != SHUFFLED)
    files = known_files(STRANGERS, needs)
    yield _Case("unlinked strangers", files, linked=False)
    few = list(files.original)[: needs.attributes]
    narrow = _changed(files, lambda columns: {name: columns[name] for name in few})
    yield _Case(f"{needs.attributes} attributes, as few as it needs", narrow, linked=True)
    many = max(_FEWEST, 2 * len(files.original) + 2)
    short = _changed(files, lambda columns: {name: column[:many] for name, column in columns.items()})
    yield _Case(f"{many} records", short, linked=True)


def _explain(found: Inspection, metric: Metric, case: _Case, reason: str) -> None:
    """Say what an error of the host's boundary comes from: something that was not declared, or the metric itself."""
    raised = _raised(metric, _pair(case.files, metric.card.needs, linked=case.linked))
    for need in ("rows", "holdout", "references", "mirror") if raised else ():
        more = replace(metric.card.needs, **{need: True})
        if more != metric.card.needs and _answers(metric, _pair(case.files, more, linked=case.linked)):
            found.fail("needs", f"works only when it is given what it does not declare: Needs({need}=True)")
            return
    found.fail("values", f"{raised or reason.replace('the metric ', '', 1)} on {case.what}")


def _answers(metric: Metric, pair: Comparison) -> bool:
    """Tell whether a metric has an answer."""
    try:
        return isinstance(metric.compute(pair, np.random.default_rng(0)), Measured)
    except KeyboardInterrupt:
        raise
    except BaseException:
        return False


def _raised(metric: Metric, pair: Comparison) -> str | None:
    """Return what a metric raises, with the text that the host keeps for the operator's log; None where it is silent."""
    try:
        metric.compute(pair, np.random.default_rng(0))
    except NotApplicable:
        return None
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        return f"raised {described(error)}"
    return None


def _measured(metric: Metric, files: Files, *, linked: bool) -> MetricResult:
    """Measure at the same boundary as in an audit."""
    compared = compared_files(files, engine(), metric.card.needs, linked=linked)
    return measure(metric, compared, np.random.default_rng(0))


# --------------------------------------------------------------------------- the same again


def _check_repeatable(found: Inspection, metric: Metric) -> None:
    """Compute twice here and once in another process, from the same input and generator."""
    pair = _pair(known_files(STRANGERS, metric.card.needs), metric.card.needs, linked=True)
    before = pickle.dumps(pair)
    answers = []
    for seed in (1, 2):
        with untouched_randomness(found, seed), found.during("values", "computing for strangers"):
            answers.append(_answer(metric, pair))
    advice = "work on a copy: other metrics see the same numbers"
    found.expect(pickle.dumps(pair) == before, "input", f"changes what it was given; {advice}")
    if len(answers) == 2:  # noqa: PLR2004 - both calls came back
        one, other = answers
        advice = "draw from the generator that is given, and from nothing else"
        found.expect(
            one == other, "deterministic", f"gave {one[0]} and then {other[0]} from the same generator; {advice}"
        )
        check_worker(found, _answer, metric, pickle.loads(before), here=one)  # noqa: S301 - our own, from above


def _answer(metric: Metric, pair: Comparison) -> tuple[str, str]:
    """Return the value and all that comes with it, as text that can be compared."""
    try:
        measured = metric.compute(pair, np.random.default_rng(0))
    except NotApplicable as answer:
        return f"no value ({answer})", ""
    others = {"details": dict(measured.details), "null": measured.null, "interval": measured.interval}
    return repr(measured.value), json.dumps(others, sort_keys=True, default=repr)


# --------------------------------------------------------------------------- known answers


def _check_direction(found: Inspection, metric: Metric) -> None:
    """Hold the metric against answers that everybody knows: a copy is unsafe and useful, strangers are safe."""
    card = metric.card
    if card.measures in PROTECTION:
        for linked in (True, False):
            with found.during("direction", "computing for a copy and for strangers"):
                reason = why_unfit(metric, engine(), linked=linked)
                which = "linked" if linked else "unlinked"
                advice = "is `better` the right way round? If it cannot see copies, it measures `diagnostic`"
                found.expect(reason is None, "direction", f"for {which} releases {reason}; {advice}")
    if card.measures == "utility":
        results = {name: _measured(metric, known_files(name, card.needs), linked=True) for name in CASES}
        copy, constant = results[COPY], results[CONSTANT]
        best = [name for name, result in results.items() if _is_better(card, result, copy)]
        told = f"reads {copy.value} for a copy, which keeps everything, and something better for: {', '.join(best)}"
        found.expect(not best, "direction", f"{told}; is `better` the right way round?")
        is_seen = copy.value is None or constant.value is None or is_worse(card, constant, copy)
        message = f"reads {copy.value} for a copy, and {constant.value} where one value is released for everybody"
        found.expect(is_seen, "direction", f"{message}; the latter must be clearly worse")


def _is_better(card: MetricCard, one: MetricResult, other: MetricResult) -> bool:
    """Tell whether a value is better than another one by more than rounding."""
    if one.value is None or other.value is None:
        return False
    return (one.value - other.value) * (1 if card.better == "higher" else -1) > _LEAST


# --------------------------------------------------------------------------- what must not matter


def _check_invariance(found: Inspection, metric: Metric) -> None:
    """Put the records in another order, and the attributes in other units, where the card says that this changes nothing."""
    needs = metric.card.needs
    files = known_files(JITTERED, needs)
    if "row-order" in metric.card.invariant_to:
        order = np.random.default_rng(1).permutation(len(next(iter(files.original.values()))))
        together = _changed(files, lambda columns: _taken(columns, order))
        what = "with the records of both files in another order"
        differ = _difference(metric, files, _Case(what, together, linked=True))
        found.expect(not differ, "row order", f"{differ}; or it promises less, and says so: invariant_to=()")
        if not needs.linkage:
            alone = Files(files.original, _taken(files.release, order), files.holdout)
            what = "with the unlinked records of the release in another order"
            differ = _difference(metric, files, _Case(what, alone, linked=False))
            advice = "it looks at which record stands beside which: declare Needs(linkage=True)"
            found.expect(not differ, "linkage", f"{differ}; {advice}")
    if "units" in metric.card.invariant_to:
        scaled = _changed(files, _in_other_units)
        differ = _difference(metric, files, _Case("with attributes in other units", scaled, linked=True))
        advice = "rank or scale them, or promise less, and say so: invariant_to=('row-order',)"
        found.expect(not differ, "units", f"{differ}; {advice}")


def _difference(metric: Metric, files: Files, case: _Case) -> str | None:
    """Say how two values differ by more than rounding; None where they do not, or where there is an error, which is told."""
    one, other = (_measured(metric, some, linked=case.linked) for some in (files, case.files))
    if "error" in {one.status, other.status}:
        return None
    if one.value is None or other.value is None:
        is_same = one.value is other.value
    else:
        is_same = abs(one.value - other.value) <= _LEAST * max(1.0, abs(one.value))
    return None if is_same else f"reads {one.value} and, {case.what}, {other.value}"


def _in_other_units(columns: Columns) -> Columns:
    """Multiply by powers of two, another one for each attribute: exact, so that no tie comes or goes."""
    return {name: values * 2.0 ** (3 * place - 5) for place, (name, values) in enumerate(columns.items())}


def _taken(columns: Columns, rows: Any) -> Columns:
    """Return the records in another order."""
    return {name: values[rows] for name, values in columns.items()}


def _changed(files: Files, change: Callable[[Columns], Columns]) -> Files:
    """Change all files in the same way."""
    holdout = None if files.holdout is None else change(files.holdout)
    return Files(change(files.original), change(files.release), holdout)


# --------------------------------------------------------------------------- refusals


def _check_refusal(found: Inspection, metric: Metric, pair: Comparison, number: int) -> None:
    """See that a comparison that the metric cannot handle gets an answer, and no value."""
    try:
        measured = metric.compute(pair, np.random.default_rng(0))
    except NotApplicable as answer:
        found.expect(str(answer).strip(), "refuses", f"refuses comparison {number} without a reason")
    except Exception as error:
        advice = "raise NotApplicable with the reason"
        found.fail("refuses", f"raised {described(error)} for comparison {number}, which it must refuse; {advice}")
    else:
        value = getattr(measured, "value", measured)
        found.fail("refuses", f"has a value ({value}) for comparison {number}, which it must refuse")


def _pair(files: Files, needs: Needs, *, linked: bool) -> Comparison:
    """Return what a metric with these needs is given, all its own."""
    pair = compared_files(files, engine(), needs, linked=linked).comparisons[0]
    if not (needs.rows or needs.holdout):
        pair = replace(pair, rows=None)
    return cast("Comparison", pickle.loads(pickle.dumps(pair)))  # noqa: S301 - a deep copy of our own
