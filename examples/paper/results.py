# ruff: noqa: INP001 - an example beside its script, not a package
"""What the runs give: means with their standard errors, and whether they bear the paper's statements out."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import hypot, sqrt
from statistics import fmean as mean
from statistics import stdev
from typing import TYPE_CHECKING

from scipy.stats import spearmanr

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from permaudit import CandidateResult

METRICS = ("UM", "CM1", "CM2", "CM3")
SIZES = (2, 3, 4)
"""Numbers of attributes."""

PUBLISHED: Mapping[str, Mapping[str, float]] = {
    "census": {"UM": 0.9638, "CM1": 0.9904, "CM2": 0.9849, "CM3": 0.6673},
    "simulated": {"UM": 1.0000, "CM1": 0.9914, "CM2": 0.9913, "CM3": 0.0277},
}
"""Table 1 of the paper: means of 100 replications, as printed."""
LAST_DECIMAL = 0.0001
LIMIT = 2.0
"""So many standard errors are put down to chance."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A figure of the paper: a method, and the parameter along its axis."""

    number: int
    method: str
    parameter: str
    safer: int
    """+1 where a larger parameter protects more, -1 where a smaller one does."""
    log: bool = False

    @property
    def axis(self) -> str:
        """Say what the horizontal axis shows."""
        protects = "larger" if self.safer > 0 else "smaller"
        return f"{self.parameter}{', logarithmic' if self.log else ''} ({protects} protects more)"


FIGURES = (
    Figure(number=2, method="MDAV microaggregation", parameter="k", safer=1, log=True),
    Figure(number=3, method="Laplace noise", parameter="epsilon", safer=-1, log=True),
    Figure(number=4, method="Additive noise", parameter="alpha", safer=1),
    Figure(number=5, method="Multiplicative noise", parameter="beta", safer=1),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """The means of the metrics over the replications of one candidate, and their standard errors."""

    parameter: float
    replicates: Mapping[str, Sequence[float]]

    @property
    def many(self) -> int:
        """Return the number of replications."""
        return len(self.replicates["UM"])

    def value(self, metric: str) -> float:
        """Return the mean over the replications."""
        return mean(self.replicates[metric])

    def error(self, metric: str) -> float:
        """Return the standard error of the mean; 0 for a single replication, which is a method without randomness."""
        return standard_error(self.replicates[metric])


def point(result: CandidateResult, parameter: float = 0.0) -> Point:
    """Take from an audit's result what the page needs; raise where a metric has no value."""
    for name in METRICS:
        if result.metrics[name].value is None:
            raise ValueError(f"{result.name}: {name} has no value: {result.metrics[name].reason}")
    return Point(parameter=parameter, replicates={name: result.metrics[name].replicates for name in METRICS})


def standard_error(values: Sequence[float]) -> float:
    """Return the standard error of a mean."""
    return stdev(values) / sqrt(len(values)) if len(values) > 1 else 0.0


def distance(ours: float, published: float, error: float) -> float:
    """Return how many standard errors lie between a mean and a published one, beyond what its rounding explains."""
    apart = max(abs(ours - published) - LAST_DECIMAL / 2, 0.0)
    return apart / error if apart else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Tally:
    """How often neighbours differ as the paper says."""

    stated: int
    """Steps in the stated direction."""
    against: int
    """Steps in the other direction by more than two standard errors of the difference: no chance explains them."""
    steps: int


def direction(metric: str) -> int:
    """Return where a metric goes with more protection, as the paper says: UM down, the others up."""
    return -1 if metric == "UM" else 1


def along(curve: Sequence[Point], metric: str, safer: int) -> Tally:
    """Count the steps from one parameter to the next safer one, whose replications are independent."""
    steps = list(pairwise(curve[::safer]))
    moves = [after.value(metric) - before.value(metric) for before, after in steps]
    return _tally(moves, [hypot(before.error(metric), after.error(metric)) for before, after in steps], metric)


def across(fewer: Sequence[Point], more: Sequence[Point], metric: str) -> Tally:
    """Count the steps from fewer to more attributes, at each parameter, whose replications have the same random numbers."""
    pairs = [
        [b - a for a, b in zip(before.replicates[metric], after.replicates[metric], strict=True)]
        for before, after in zip(fewer, more, strict=True)
    ]
    return _tally([mean(differences) for differences in pairs], [standard_error(one) for one in pairs], metric)


def _tally(moves: Sequence[float], errors: Sequence[float], metric: str) -> Tally:
    """Count the moves that go as stated, and those that clearly do not."""
    sign = direction(metric)
    return Tally(
        stated=sum(sign * move > 0 for move in moves),
        against=sum(sign * move < -LIMIT * error for move, error in zip(moves, errors, strict=True)),
        steps=len(moves),
    )


def monotonicity(curve: Sequence[Point], metric: str, safer: int) -> float:
    """Return Spearman's correlation of protection and metric: -1 is what the paper says for UM, 1 for the others."""
    protection = [safer * one.parameter for one in curve]
    return float(spearmanr(protection, [one.value(metric) for one in curve]).statistic)
