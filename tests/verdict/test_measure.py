"""The boundary to the metrics: whatever a metric does, a checked result comes back."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from permaudit import Comparison, Measured, MetricCard, Needs, NotApplicable, Rows
from permaudit.compare import Compared
from permaudit.measure import measure
from permaudit.plugins import load_plugins

CANARY = "CANARY-4711"


class Fake:
    """A metric that does what it is told."""

    def __init__(self, answer, **card):
        self.answer = answer
        self.card = MetricCard(
            **(
                {
                    "id": "fake",
                    "title": "Fake",
                    "measures": "confidentiality",
                    "better": "higher",
                    "bounds": (0, 1),
                    "reference": "none",
                    "summary": "none",
                    "low": "low",
                    "high": "high",
                    "blind_spots": "none",
                }
                | card
            )
        )

    def compute(self, pair, rng):  # noqa: ARG002 - nothing is drawn
        return self.answer(pair) if callable(self.answer) else self.answer


@pytest.fixture(scope="module")
def pair(people, masked):
    engine = load_plugins().catalogue.engines["memory"]
    columns = [{name: frame[name].to_numpy() for name in frame} for frame in (people, masked)]
    moments = engine.moments(*map(engine.prepare, columns))
    return Comparison("masked", linked=True, moments=moments, rows=Rows(*columns))


def result_of(metric, *pairs):
    return measure(metric, Compared(pairs), np.random.default_rng(1))


def raising(error):
    def answer(pair):
        raise error

    return answer


# --------------------------------------------------------------------------- what is accepted


@pytest.mark.parametrize(
    "value", [0.25, np.float64(0.25), np.float32(0.25), Fraction(1, 4), 0, 1, np.int64(1), 0.0, 1.0, -0.0]
)
def test_a_number_within_the_bounds_is_a_value(pair, value):
    result = result_of(Fake(Measured(value)), pair)
    assert (result.status, result.value, result.replicates) == ("ok", float(value), [float(value)])
    assert type(result.value) is float


def test_details_come_back_as_plain_parts(pair):
    details = {"parts": (1, 2.5), "names": {"a": None}, "flag": True, 7: np.float64(0.5)}
    result = result_of(Fake(Measured(0.5, details)), pair)
    assert result.details == {"parts": [1, 2.5], "names": {"a": None}, "flag": True, "7": 0.5}


def test_the_value_of_several_comparisons_is_their_mean_with_the_details_of_the_worst(pair):
    values = iter([0.5, 0.1, 0.3])
    metric = Fake(lambda _: Measured((value := next(values)), {"own": value}, null=0.5))
    result = result_of(metric, pair, pair, pair)
    assert result.value == pytest.approx(0.3)
    assert result.std == pytest.approx(0.2)
    assert result.replicates == [0.5, 0.1, 0.3]
    assert result.details == {"own": 0.1}
    assert result.calibrated == pytest.approx(0.6)


def test_where_lower_is_better_the_worst_is_the_highest(pair):
    values = iter([0.5, 0.1])
    metric = Fake(lambda _: Measured((value := next(values)), {"own": value}), better="lower", measures="risk")
    assert result_of(metric, pair, pair).details == {"own": 0.5}


def test_a_metric_that_needs_linkage_is_only_advisory_without_it(pair):
    unlinked = Comparison("synthetic", linked=False, moments=pair.moments)
    result = result_of(Fake(Measured(0.9), needs=Needs(linkage=True)), unlinked)
    assert (result.status, result.value) == ("advisory", 0.9)
    assert result.validity.standing == "advisory"
    assert result.reason == result.validity.because


def test_a_metric_sees_the_records_only_if_it_says_so(pair):
    seen = []
    for needs in (Needs(), Needs(rows=True)):
        result_of(Fake(lambda given: Measured(seen.append(given.rows is None) or 0.5), needs=needs), pair)
    assert seen == [True, False]


# --------------------------------------------------------------------------- not applicable


def test_not_applicable_carries_its_reason_and_no_value(pair):
    result = result_of(Fake(raising(NotApplicable("nothing to see"))), pair)
    assert (result.status, result.value, result.reason) == ("not-applicable", None, "nothing to see")


def test_a_reason_cannot_carry_a_file_of_records(pair):
    result = result_of(Fake(raising(NotApplicable("1234,5678\n" * 10_000))), pair)
    assert result.status == "not-applicable"
    assert len(result.reason) <= 400
    assert result.reason.isprintable()


def test_a_metric_that_needs_more_attributes_than_vary_is_not_applicable(pair):
    result = result_of(Fake(Measured(0.5), needs=Needs(attributes=4)), pair)
    assert (result.status, result.reason) == ("not-applicable", "needs at least 4 attributes that vary; there are 3")


def test_without_any_comparison_a_metric_is_not_applicable():
    assert result_of(Fake(Measured(0.5))).status == "not-applicable"


# --------------------------------------------------------------------------- errors


class Bye(BaseException):
    """What some libraries raise to get past `except Exception`."""


class Trap(Mapping):
    """Details that bite."""

    def __getitem__(self, key):
        raise KeyError(CANARY)

    def __iter__(self):
        raise OSError(CANARY)

    def __len__(self):
        return 1


LOOP: list = []
LOOP.append(LOOP)
DEEP: list = []
for _ in range(100_000):
    DEEP = [DEEP]

RAISED = [
    ValueError(CANARY),
    SystemExit(0),
    SystemExit(CANARY),
    MemoryError(CANARY),
    RecursionError(CANARY),
    StopIteration(CANARY),
    GeneratorExit(CANARY),
    Bye(CANARY),
]
VALUES = [
    float("nan"),
    float("inf"),
    float("-inf"),
    np.float64("nan"),
    1.7,
    -0.1,
    1 + 1e-6,
    10**400,
    None,
    "0.5",
    CANARY,
    b"0.5",
    True,
    np.True_,
    [0.5],
    np.array(0.5),
    np.array([0.5, 0.6]),
    0.5 + 0j,
    Decimal("0.5"),
]
DETAILS = [
    {"x": float("nan")},
    {"x": [1, {"y": float("inf")}]},
    {"x": np.float64("nan")},
    {"x": np.arange(3)},
    {"x": object()},
    {"x": b"bytes"},
    {(1, 2): 3},
    {"x": LOOP},
    {"x": DEEP},
    {"x": "1234," * 300_000},
    {str(number): number for number in range(200_000)},
    Trap(),
    None,
    [1, 2],
    CANARY,
]
ANSWERS = [
    *(pytest.param(raising(error), id=f"raises {type(error).__name__}") for error in RAISED),
    *(pytest.param(Measured(value), id=f"value {str(value)[:20]} {type(value).__name__}") for value in VALUES),
    *(pytest.param(Measured(0.5, details), id=f"details {number}") for number, details in enumerate(DETAILS)),
    *(pytest.param(Measured(0.5, {}, null), id=f"null {null}") for null in (float("nan"), "1", 1.7, -0.2, True)),
    *(pytest.param(answer, id=f"returns {answer}") for answer in (None, 0.5, "release", {"value": 0.5}, (0.5, {}))),
]


@pytest.mark.parametrize("answer", ANSWERS)
def test_whatever_a_metric_does_wrong_is_an_error_without_its_words(pair, answer, caplog):
    caplog.set_level(logging.CRITICAL, logger="permaudit")
    metric = Fake(answer) if callable(answer) else Fake(lambda _: answer)
    result = result_of(metric, pair)
    assert (result.status, result.value, result.details) == ("error", None, {})
    assert result.reason.startswith("the metric ")
    assert CANARY not in json.dumps(result.reason)


def test_one_comparison_that_fails_is_enough_for_an_error(pair):
    values = iter([0.5, float("nan"), 0.5])
    assert result_of(Fake(lambda _: Measured(next(values))), pair, pair, pair).status == "error"


def test_one_comparison_without_meaning_hides_no_error(pair):
    answers = iter([NotApplicable("no"), ValueError("broken")])

    def answer(pair):
        raise next(answers)

    assert result_of(Fake(answer), pair, pair).status == "error"


@pytest.mark.parametrize("bounds", [(float("nan"), 1), (0, float("nan"))])
def test_bounds_that_are_no_numbers_admit_nothing(pair, bounds):
    assert result_of(Fake(Measured(0.5), bounds=bounds), pair).status == "error"


def test_values_too_large_for_a_mean_are_an_error(pair):
    metric = Fake(Measured(1.7e308), bounds=(0, float("inf")))
    assert result_of(metric, pair, pair, pair).status == "error"


def test_the_words_of_an_exception_go_to_the_log_and_ctrl_c_goes_through(pair, caplog):
    result_of(Fake(raising(ValueError(CANARY))), pair)
    assert CANARY in caplog.text
    with pytest.raises(KeyboardInterrupt):
        result_of(Fake(raising(KeyboardInterrupt())), pair)


# --------------------------------------------------------------------------- accidents


def spoil_moments(pair):
    pair.moments.original[:] = 0
    return Measured(0.5)


def spoil_keys(pair):
    pair.moments.cross_by_key[0, 0, 0] += 1
    return Measured(0.5)


def spoil_records(pair):
    next(iter(pair.rows.original.values()))[0] = 0
    return Measured(0.5)


def drop_a_column(pair):
    pair.rows.release.clear()
    return Measured(0.5)


@pytest.mark.parametrize("accident", [spoil_moments, spoil_keys, spoil_records, drop_a_column])
def test_a_metric_that_changes_what_it_was_given_is_an_error_and_changes_nothing(pair, accident):
    moments = pair.moments
    before = [moments.original.copy(), moments.cross_by_key.copy(), *(v.copy() for v in pair.rows.original.values())]
    assert result_of(Fake(accident, needs=Needs(rows=True)), pair).status == "error"
    after = [moments.original, moments.cross_by_key, *pair.rows.original.values()]
    assert all(np.array_equal(old, new) for old, new in zip(before, after, strict=True))
    assert len(pair.rows.release) == 3
