"""Find the parameter that distorts least among those that pass."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from permaudit.errors import PermauditError, shown
from permaudit.plan import MadeCandidate
from permaudit.runner import prepare_run

if TYPE_CHECKING:
    from collections.abc import Callable

    from permaudit.candidate import CandidateRun
    from permaudit.outcome import CandidateResult, Verdict
    from permaudit.plan import Audit
    from permaudit.plugins import Host

_STEPS = 30
_PRECISION = 0.01
"""Fractions are found to this share of the range."""


@dataclass(frozen=True, slots=True)
class Trial:
    """What came out at one value of the parameter."""

    value: float
    utility: float | None
    protection: float | None
    verdict: Verdict

    @property
    def passes(self) -> bool:
        """Tell whether the candidate may be released."""
        return self.verdict == "release"


@dataclass(frozen=True, slots=True)
class Tuned:
    """The answer, and everything that was tried on the way."""

    parameter: str
    utility_metric: str | None
    protection_metric: str | None
    trials: tuple[Trial, ...]
    """In the order of the parameter."""
    best: Trial | None
    monotone: bool
    """Did the verdict change only once, and utility in one direction only, over all that was tried?"""


def tune(  # noqa: PLR0913 - what to tune, and where
    audit: Audit,
    host: Host,
    name: str,
    *,
    parameter: str | None = None,
    low: float | None = None,
    high: float | None = None,
    study_seed: int = 1,
    watch: Callable[[float], None] | None = None,
) -> Tuned:
    """Search by bisection between the end of the range that passes and the end that does not.

    Every trial uses the same seed, so that they differ by the parameter alone: this is a study, and no release.
    """
    candidate = _wanted(audit, name)
    parameter = parameter or _only_number(candidate)
    is_whole = isinstance(getattr(candidate.params, parameter, None), int)
    ends = _range(candidate, parameter, low, high)
    run = prepare_run(replace(audit, candidates=(candidate,), sweeps=()), host, study_seed=study_seed)
    search = _Search(run, candidate, parameter, watch or (lambda _: None), {})
    one, other = (search.at(end) for end in ends)
    if one.passes != other.passes:
        passing, failing = (one, other) if one.passes else (other, one)
        for _ in range(_STEPS):
            middle = (passing.value + failing.value) / 2
            middle = round(middle) if is_whole else middle
            if middle in {passing.value, failing.value} or abs(passing.value - failing.value) < _close(
                ends, whole=is_whole
            ):
                break
            trial = search.at(middle)
            passing, failing = (trial, failing) if trial.passes else (passing, trial)
    trials = tuple(sorted(search.trials.values(), key=lambda trial: trial.value))
    passing_trials = [trial for trial in trials if trial.passes and trial.utility is not None]
    best = max(passing_trials, key=lambda trial: trial.utility or 0.0, default=None)
    return Tuned(parameter, search.axis("utility"), search.axis("protection"), trials, best, _is_monotone(trials))


@dataclass(frozen=True, slots=True)
class _Search:
    """Tries values of one parameter, each only once."""

    run: CandidateRun
    candidate: MadeCandidate
    parameter: str
    watch: Callable[[float], None]
    trials: dict[float, Trial]

    def at(self, value: float) -> Trial:
        """Audit the candidate with this value."""
        if value not in self.trials:
            self.watch(value)
            model = type(self.candidate.params)
            own = {**self.candidate.params.model_dump(), self.parameter: value}
            result = self.run.candidate(replace(self.candidate, params=model.model_validate(own)))
            self.trials[value] = Trial(
                value,
                self._read(result, self.axis("utility")),
                self._read(result, self.axis("protection")),
                result.verdict,
            )
        return self.trials[value]

    def axis(self, what: str) -> str | None:
        """Return the metric that stands for utility, or the limited one that stands for protection."""
        metrics = self.run.catalogue.metrics.values()
        if what == "utility":
            return next((metric.card.id for metric in metrics if metric.card.measures == "utility"), None)
        limited = self.run.limited(self.candidate)
        protecting = [metric.card.id for metric in metrics if metric.card.measures in {"confidentiality", "risk"}]
        return next((name for name in protecting if name in limited), None)

    @staticmethod
    def _read(result: CandidateResult, metric: str | None) -> float | None:
        """Return the value of a metric, if it is there."""
        return result.metrics[metric].value if metric in result.metrics else None


def _wanted(audit: Audit, name: str) -> MadeCandidate:
    """Return the made candidate of this name."""
    for candidate in audit.candidates:
        if candidate.name == name and isinstance(candidate, MadeCandidate):
            return candidate
    made = [shown(candidate.name) for candidate in audit.candidates if isinstance(candidate, MadeCandidate)]
    raise PermauditError(
        f"no candidate '{shown(name)}' that an anonymizer makes; there are {', '.join(made) or 'none'}"
    )


def _only_number(candidate: MadeCandidate) -> str:
    """Return the parameter to tune where there is no doubt."""
    numbers: list[str] = [
        name
        for name, value in candidate.params.model_dump().items()
        if isinstance(value, int | float) and not isinstance(value, bool)
    ]
    if len(numbers) != 1:
        raise PermauditError(
            f"say which parameter to tune with --parameter; numbers are {', '.join(numbers) or 'none'}"
        )
    return numbers[0]


def _range(candidate: MadeCandidate, parameter: str, low: float | None, high: float | None) -> tuple[float, float]:
    """Return where to search: as asked, or between the bounds that the anonymizer declares."""
    model = type(candidate.params)
    if parameter not in model.model_fields:
        raise PermauditError(f"'{shown(parameter)}' is no parameter of {candidate.anonymizer}")
    declared: dict[str, Any] = {}
    for rule in model.model_fields[parameter].metadata:
        declared |= {
            name: getattr(rule, name) for name in ("gt", "ge", "lt", "le") if getattr(rule, name, None) is not None
        }
    low = low if low is not None else declared.get("ge")
    high = high if high is not None else declared.get("le")
    if low is None or high is None or low >= high:
        raise PermauditError(f"say where to search for '{shown(parameter)}' with --from and --to")
    return low, high


def _close(ends: tuple[float, float], *, whole: bool) -> float:
    """Return how near two values must be to stop."""
    return 1.5 if whole else (ends[1] - ends[0]) * _PRECISION


def _is_monotone(trials: tuple[Trial, ...]) -> bool:
    """Tell whether the verdict flips at most once and utility only falls or only rises."""
    flips = sum(one.passes != other.passes for one, other in itertools.pairwise(trials))
    utilities = [trial.utility for trial in trials if trial.utility is not None]
    return flips <= 1 and (utilities == sorted(utilities) or utilities == sorted(utilities, reverse=True))
