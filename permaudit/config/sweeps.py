"""Sweeps: lists and ranges of parameters -> one candidate for each combination."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any, get_args

from pydantic import ValidationError

from permaudit.config.candidate_shape import RangeShape
from permaudit.config.explain import problems_of
from permaudit.config.parameters import validated
from permaudit.config.words import Problem, hint, place_name
from permaudit.errors import shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pydantic import BaseModel

    from permaudit.config.words import Steps
    from permaudit.model import Anonymizer, Catalogue

MOST_POINTS = 5000
MOST_CHARACTERS = 100
"""Of the name of a point, as of that of a candidate."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepMention:
    """A sweep that is asked for, spelt out."""

    name: str
    varied: tuple[str, ...]
    points: tuple[tuple[str, BaseModel | None], ...]
    """The name and the validated parameters of each point."""
    attributes: tuple[tuple[str, ...], ...]
    """Of which attributes each point is made; none named means of all of them."""


def sweeps_in(value: Any, catalogue: Catalogue) -> tuple[tuple[SweepMention, ...], list[Problem]]:
    """Return the sweeps of a file, and what is wrong with their parameters."""
    mentions: list[SweepMention] = []
    problems: list[Problem] = []
    sweeps = value.get("sweeps") if isinstance(value, dict) else None
    candidates = value.get("candidates") if isinstance(value, dict) else None
    taken = set(candidates) if isinstance(candidates, dict) else set()
    for name, entry in (sweeps if isinstance(sweeps, dict) else {}).items():
        params = entry.get("params") if isinstance(entry, dict) else None
        if isinstance(params, dict):
            declared = value.get("attributes")
            sets, wrong = _sets(name, entry.get("attributes"), declared if isinstance(declared, dict) else {})
            mention, found = _sweep(name, entry.get("anonymizer"), params, sets, catalogue)
            problems += [*wrong, *found, *_taken(mention, taken)]
            mentions.append(mention)
    return tuple(mentions), problems


def _sets(name: str, given: Any, declared: Mapping[str, Any]) -> tuple[list[tuple[str, ...]], list[Problem]]:
    """Return the sets of attributes of which a sweep is made, and what is wrong with them; the shape is checked elsewhere."""
    found: list[tuple[str, ...]] = []
    problems = []
    sets = given if isinstance(given, list) and all(isinstance(one, list) for one in given) else []
    for number, names in enumerate(sets):
        steps: Steps = ("sweeps", name, "attributes", number)
        unknown = [one for one in names if one not in declared]
        if unknown:
            text = f"'{shown(str(unknown[0]))}' is not a declared attribute{hint(str(unknown[0]), list(declared))}"
            problems.append(Problem(steps, f"{place_name(steps)}: {text}"))
        elif len(set(names)) < len(names) or len(names) in {len(other) for other in found}:
            text = "names an attribute twice, or as many as another set does"
            problems.append(Problem(steps, f"{place_name(steps)} {text}"))
        else:
            found.append(tuple(names))
    return found or [()], problems


def _taken(mention: SweepMention, taken: set[str]) -> Iterator[Problem]:
    """Refuse the names that another candidate has, or another point with the same values."""
    for name, _ in mention.points:
        if name in taken:
            steps: Steps = ("sweeps", mention.name)
            what = f"makes the candidate '{shown(name)}', which is there already"
            yield Problem(steps, f"{place_name(steps)} {what}; give another name, or each value once", "key")
            return
        taken.add(name)


def _sweep(
    name: str, anonymizer: Any, params: Mapping[str, Any], sets: Sequence[tuple[str, ...]], catalogue: Catalogue
) -> tuple[SweepMention, list[Problem]]:
    """Spell one sweep out."""
    base: Steps = ("sweeps", name, "params")
    choices: dict[str, list[Any]] = {}
    problems: dict[Steps, Problem] = {}
    known = catalogue.anonymizers.get(anonymizer) if isinstance(anonymizer, str) else None
    for key, given in params.items():
        values, found = _values(given, (*base, key), fractions=known is not None and _takes_fractions(known, key))
        choices[key] = values
        problems |= {problem.steps: problem for problem in found}
    many = prod(len(values) for values in (sets, *choices.values()))
    if many > MOST_POINTS:
        text = f"{place_name(base)} makes {many} combinations; at most {MOST_POINTS} are allowed"
        problems[base] = Problem(base, text)
    varied = tuple(key for key, values in choices.items() if len(values) > 1) or tuple(choices)
    points: list[tuple[str, BaseModel | None]] = []
    made_of: list[tuple[str, ...]] = []
    if known is not None and not problems:
        for names, *combination in product(sets, *choices.values()):
            own = dict(zip(choices, combination, strict=True))
            model, found = validated(f"anonymizer '{anonymizer}'", known.parameters, own, base)
            for problem in found:
                exact = _with_place(problem, params, own, base)
                problems.setdefault(exact.steps, exact)
            points.append((_point_name(name, varied, own, names, len(points) + 1), model))
            made_of.append(names)
    mention = SweepMention(name=name, varied=varied, points=tuple(points), attributes=tuple(made_of))
    return mention, list(problems.values())


def _point_name(
    sweep: str, varied: tuple[str, ...], own: Mapping[str, Any], attributes: tuple[str, ...], number: int
) -> str:
    """Name a point by what makes it different, or by its number where that is too long."""
    parts = [f"{key}={_written(own[key])}" for key in varied]
    parts += [f"{len(attributes)} attribute{'s' * (len(attributes) != 1)}"] if attributes else []
    name = f"{sweep} {', '.join(parts)}"
    return name if len(name) <= MOST_CHARACTERS else f"{sweep} {number}"


def _written(value: Any) -> str:
    """Write a parameter shortly, so that it tells values apart, with what may stand in a name."""
    if isinstance(value, float):
        short = f"{value:g}"
        return short if float(short) == value else repr(value)
    return shown(str(value), MOST_CHARACTERS + 1).replace("/", "-").replace("\\", "-")


def _with_place(problem: Problem, params: Mapping[str, Any], own: Mapping[str, Any], base: Steps) -> Problem:
    """Point into the list where the wrong value stands."""
    inside = problem.steps[len(base) :]
    is_unknown = problem.at == "key" and len(inside) == 1
    if not inside or is_unknown or not isinstance(params.get(str(inside[0])), list):
        return problem
    key = str(inside[0])
    steps = (*base, key, params[key].index(own[key]), *inside[1:])
    return Problem(steps, problem.message.replace(place_name(problem.steps), place_name(steps), 1), problem.at)


def _takes_fractions(anonymizer: Anonymizer, key: str) -> bool:
    """Tell whether a parameter is declared as a number that need not be whole."""
    field = anonymizer.parameters.model_fields.get(key)
    return field is not None and (field.annotation is float or float in get_args(field.annotation))


def _values(given: Any, steps: Steps, *, fractions: bool) -> tuple[list[Any], list[Problem]]:
    """Return the values that one parameter takes."""
    if isinstance(given, list):
        return given, [] if given else [Problem(steps, f"{place_name(steps)} must not be empty")]
    if not (isinstance(given, dict) and "from" in given):
        return [given], []
    try:
        wanted = RangeShape.model_validate(given)
    except ValidationError as error:
        return [], list(problems_of(error, given, steps, lambda _: list(RangeShape.model_fields)))
    if wrong := _wrong_range(wanted):
        return [], [Problem(steps, f"{place_name(steps)}{wrong}")]
    is_whole = not fractions and isinstance(given["from"], int) and isinstance(given["to"], int)
    return list(dict.fromkeys(_range(wanted, is_whole=is_whole))), []


def _wrong_range(wanted: RangeShape) -> str | None:
    """Say what is wrong with a range as a whole."""
    if wanted.start >= wanted.end:
        return ": from must be below to"
    if (wanted.step is None) == (wanted.points is None):
        return " needs either step or points"
    if wanted.scale == "log" and (wanted.start <= 0 or wanted.points is None):
        return ": scale log needs points, and from above 0"
    return None


def _range(wanted: RangeShape, *, is_whole: bool) -> Iterator[Any]:
    """Yield the values of a range; whole where both ends are written so, and the parameter takes no fractions."""
    start, end = Decimal(str(wanted.start)), Decimal(str(wanted.end))
    if wanted.step is not None:
        step = Decimal(str(wanted.step))
        is_whole = is_whole and step == step.to_integral_value()
        many = min(int((end - start) / step) + 1, MOST_POINTS + 1)
        values = [start + step * number for number in range(many)]
    else:
        last = (wanted.points or 2) - 1
        shares = [Decimal(number) / last for number in range(last + 1)]
        ratio = end / start if wanted.scale == "log" else Decimal(1)
        values = [start * ratio**share if wanted.scale == "log" else start + (end - start) * share for share in shares]
        values[-1] = end
    for number in values:
        yield round(number) if is_whole else float(f"{float(number):.12g}")
