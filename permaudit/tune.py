"""Find the parameter that distorts least among those that pass."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from permaudit.errors import PermauditError, shown
from permaudit.plan import MadeCandidate
from permaudit.runner import prepare_run

if TYPE_CHECKING:
    from collections.abc import Callable

    from permaudit.candidate import CandidateRun
    from permaudit.model import Catalogue
    from permaudit.outcome import CandidateResult, Verdict
    from permaudit.plan import Audit
    from permaudit.plugins import Host

_PRECISION = 0.01
"""Fractions are found to this share of the range."""
_INNER = 9
"""So many values between the ends are tried where neither end passes."""
_BOUNDS = ("ge", "gt", "le", "lt")
"""How models declare what a parameter may be."""


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
    utility_metric: str
    protection_metric: str | None
    trials: tuple[Trial, ...]
    """In the order of the parameter."""
    best: Trial | None
    """The one with the greatest utility of those that pass."""
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
    """Search from the less distorting end of the range for the first value that passes, and close in on it by bisection.

    Every trial uses the same seed, so that they differ by the parameter alone: this is a study, and no release.
    """
    candidate = _wanted(audit, name)
    parameter = parameter or _only_number(candidate)
    ends = _range(candidate, parameter, low, high)
    utility = _utility_metric(audit, host.catalogue)
    run = prepare_run(_alone(audit, candidate, utility), host, study_seed=study_seed)
    search = _Search(run, candidate, parameter, utility, ends, watch or (lambda _: None), {})
    if not any(search.at(end).passes for end in ends):
        for number in range(1, _INNER + 1):  # too little protection at one end and too little utility at the other
            search.at(search.rounded(ends[0] + (ends[1] - ends[0]) * number / (_INNER + 1)))
    best = search.best()
    return Tuned(parameter, utility, search.protection, search.ordered(), best, _is_monotone(search.ordered()))


@dataclass(frozen=True, slots=True)
class _Search:
    """Tries values of one parameter, each only once."""

    run: CandidateRun
    candidate: MadeCandidate
    parameter: str
    utility: str
    ends: tuple[float, float]
    watch: Callable[[float], None]
    trials: dict[float, Trial]

    def at(self, value: float) -> Trial:
        """Audit the candidate with this value."""
        if value not in self.trials:
            self.watch(value)
            result = self.run.candidate(_with(self.candidate, self.parameter, value))
            self.trials[value] = Trial(
                value, _read(result, self.utility), _read(result, self.protection), result.verdict
            )
        return self.trials[value]

    def ordered(self) -> tuple[Trial, ...]:
        """Return all trials in the order of the parameter."""
        return tuple(sorted(self.trials.values(), key=lambda trial: trial.value))

    def best(self) -> Trial | None:
        """Close in on the border between the trials that fail, from the less distorting end on, and the first that passes."""
        seen = self.ordered() if self._low_distorts_less() else self.ordered()[::-1]
        first = next((number for number, trial in enumerate(seen) if trial.passes), None)
        if not first:  # nothing passes, or already the least distorting end
            return seen[0] if first == 0 else None
        failing, passing = seen[first - 1], seen[first]
        while abs(passing.value - failing.value) > self._close:
            middle = self.rounded((passing.value + failing.value) / 2)
            if middle in {passing.value, failing.value}:
                break
            trial = self.at(middle)
            passing, failing = (trial, failing) if trial.passes else (passing, trial)
        # Where the response is not monotone, a trial beyond the border may keep more.
        return max((passing, *self.ordered()), key=lambda trial: (trial.passes, trial.utility or 0.0))

    def rounded(self, value: float) -> float:
        """Return a value that can be tried: a whole one, or one with no more digits than are needed and shown."""
        if self._is_whole:
            return round(value)
        return round(value, 2 - math.floor(math.log10(self._close)))

    def _low_distorts_less(self) -> bool:
        """Tell whether the lower end keeps more utility than the upper one."""
        low, high = (self.at(end).utility for end in self.ends)
        if low is None or high is None:
            raise PermauditError(f"{self.utility} cannot be computed at both ends, so nobody knows which distorts less")
        return low >= high

    @property
    def protection(self) -> str | None:
        """Return the metric that stands for protection: one that the rules limit for this candidate."""
        limited = self.run.limited(self.candidate)
        cards = [metric.card for metric in self.run.catalogue.metrics.values()]
        return next((c.id for c in cards if c.measures in {"confidentiality", "risk"} and c.id in limited), None)

    @property
    def _is_whole(self) -> bool:
        """Tell whether only whole numbers can be tried."""
        return isinstance(getattr(self.candidate.params, self.parameter), int)

    @property
    def _close(self) -> float:
        """Return how near two values must be to stop."""
        return 1 if self._is_whole else (self.ends[1] - self.ends[0]) * _PRECISION


def _read(result: CandidateResult, metric: str | None) -> float | None:
    """Return the value of a metric, if it is there."""
    return result.metrics[metric].value if metric in result.metrics else None


def _with(candidate: MadeCandidate, parameter: str, value: float) -> MadeCandidate:
    """Return the candidate with another value of its parameter."""
    own = {**candidate.params.model_dump(mode="json"), parameter: value}
    try:
        return replace(candidate, params=type(candidate.params).model_validate(own))
    except ValidationError as error:
        reason = error.errors(include_url=False, include_context=False, include_input=False)[0]["msg"]
        what = f"'{shown(parameter)}' of {candidate.anonymizer} cannot be {value:g}"
        raise PermauditError(f"{what}: {reason[:1].lower()}{reason[1:]}") from error


def _alone(audit: Audit, candidate: MadeCandidate, utility: str) -> Audit:
    """Return the audit of this candidate only, which measures utility whether it was asked for or not."""
    metrics = None if audit.metrics is None else tuple(dict.fromkeys((*audit.metrics, utility)))
    return replace(audit, candidates=(candidate,), sweeps=(), metrics=metrics)


def _utility_metric(audit: Audit, catalogue: Catalogue) -> str:
    """Return the metric that tells how much a candidate distorts: one that was asked for, before any other."""
    useful = [name for name, metric in catalogue.metrics.items() if metric.card.measures == "utility"]
    asked = [name for name in useful if name in (audit.metrics or ()) or catalogue.metrics[name].card.default]
    if not useful:
        raise PermauditError("no installed metric measures utility, so nobody knows which value distorts less")
    return (asked or useful)[0]


def _wanted(audit: Audit, name: str) -> MadeCandidate:
    """Return the made candidate of this name."""
    for candidate in audit.candidates:
        if candidate.name == name and isinstance(candidate, MadeCandidate):
            return candidate
    made = [shown(candidate.name) for candidate in audit.candidates if isinstance(candidate, MadeCandidate)]
    raise PermauditError(
        f"no candidate '{shown(name)}' that an anonymizer makes; there are {', '.join(made) or 'none'}"
    )


def _numbers(candidate: MadeCandidate) -> list[str]:
    """Return the parameters that are numbers."""
    values = {name: getattr(candidate.params, name) for name in type(candidate.params).model_fields}
    return [name for name, value in values.items() if isinstance(value, int | float) and not isinstance(value, bool)]


def _only_number(candidate: MadeCandidate) -> str:
    """Return the parameter to tune where there is no doubt."""
    numbers = _numbers(candidate)
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
    if parameter not in _numbers(candidate):
        raise PermauditError(f"'{shown(parameter)}' is no number in candidate '{shown(candidate.name)}'")
    declared: dict[str, Any] = {}
    for rule in model.model_fields[parameter].metadata:
        declared |= {name: getattr(rule, name) for name in _BOUNDS if getattr(rule, name, None) is not None}
    ends = _ends(declared)
    low, high = (given if given is not None else end for given, end in zip((low, high), ends, strict=True))
    missing = [option for option, end in (("--from", low), ("--to", high)) if end is None]
    if low is None or high is None:
        why = f"{candidate.anonymizer} declares no such bound"
        raise PermauditError(f"say where to search for '{shown(parameter)}' with {' and '.join(missing)}: {why}")
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise PermauditError(f"cannot search for '{shown(parameter)}' from {low:g} to {high:g}")
    for end in (low, high):
        _with(candidate, parameter, end)
    return low, high


def _ends(declared: dict[str, Any]) -> tuple[float | None, float | None]:
    """Return where a parameter begins and ends; a bound that it may not reach is kept off by a hundredth of the way."""
    low, high = declared.get("ge", declared.get("gt")), declared.get("le", declared.get("lt"))
    way = None if low is None or high is None else (high - low) / 100
    if "ge" not in declared:
        low = None if way is None else low + way
    if "le" not in declared:
        high = None if way is None else high - way
    return low, high


def _is_monotone(trials: tuple[Trial, ...]) -> bool:
    """Tell whether the verdict flips at most once and utility only falls or only rises."""
    flips = sum(one.passes != other.passes for one, other in itertools.pairwise(trials))
    utilities = [trial.utility for trial in trials if trial.utility is not None]
    return flips <= 1 and (utilities == sorted(utilities) or utilities == sorted(utilities, reverse=True))
