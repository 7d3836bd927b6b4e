"""Cross checks: whether the names in an audit fit each other and the installed plugins.

Nothing here knows lines and columns, so that an audit that was built in Python is checked by the same rules.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from permaudit.cards import parts_of, scale_bounds
from permaudit.config.words import Problem, Steps, hint, place_name
from permaudit.errors import PluginError, shown
from permaudit.isolation.failure import CallFailedError
from permaudit.plan import FileSource, GivenCandidate, MadeCandidate

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from permaudit.cards import MetricCard
    from permaudit.model import Catalogue, Rule
    from permaudit.plan import Audit

Named: TypeAlias = tuple[Steps, str]
"""A name and where it stands."""
_OWN_BOUNDS = ("calibrated", "relative")
"""Scales whose bounds are not those of the metric."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleMention:
    """A rule that is asked for."""

    steps: Steps
    rule: str | None
    params: Any
    """None where they are wrong: then nothing more can be said about the rule."""
    candidate: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class References:
    """All the names in an audit that must fit something else."""

    columns: tuple[Named, ...]
    attributes: frozenset[str]
    orders: tuple[tuple[Named, ...], ...]
    """The categories of each ordinal attribute."""
    bounds: tuple[tuple[Steps, tuple[float, float]], ...]
    keys: tuple[Named, ...]
    keyless: tuple[Steps, ...]
    """Linkages that are mappings, and say neither key nor map."""
    candidates: tuple[str, ...]
    """The names of all candidates, also of the points of sweeps."""
    given: frozenset[str]
    """Those of them that exist already, and may have columns that the audit does not name."""
    judges_something: bool
    linked_synthetics: tuple[Steps, ...]
    files: tuple[tuple[Steps, str | None, bool], ...]
    """The tables: where they stand, how they are read, and whether they have a path."""
    unread_options: tuple[Steps, ...]
    """Options without a format: nobody knows whose they are."""
    metrics: tuple[Named, ...] | None
    anonymizers: tuple[Named, ...]
    formats: tuple[Named, ...]
    rules: tuple[RuleMention, ...]


def check_references(audit: Audit, catalogue: Catalogue) -> list[tuple[Steps, str]]:
    """Return every mismatch in an audit: where it is, as steps from the root, and the whole message."""
    return [(problem.steps, problem.message) for problem in mismatches(references_of(audit), catalogue)]


def mismatches(names: References, catalogue: Catalogue) -> Iterator[Problem]:
    """Yield every name that does not fit."""
    if not names.judges_something:
        yield Problem((), "the audit file needs the key 'candidates' or 'sweeps'", "key")
    yield from _repeated_columns(names.columns)
    for order in names.orders:
        yield from _repeated("category", order)
    yield from _empty_bounds(names)
    yield from _audited_keys(names)
    for steps in names.keyless:
        yield Problem(steps, f"{place_name(steps)} needs the key 'key', or 'map'")
    yield from unknown("metric", names.metrics or (), catalogue.metrics)
    yield from _repeated("metric", names.metrics or ())
    yield from unknown("anonymizer", names.anonymizers, catalogue.anonymizers)
    yield from unknown("format", names.formats, catalogue.readers)
    for steps in names.linked_synthetics:
        yield Problem(steps, f"{place_name(steps)} must be 'none': a synthetic release is never linked to the original")
    yield from _files(names, catalogue)
    listed = {name for _, name in names.metrics} if names.metrics else None
    for mention in names.rules:
        yield from rule_mismatches(mention, names.candidates, listed, catalogue)


def references_of(audit: Audit) -> References:
    """Return the names in an audit that was built in Python."""

    def steps(candidate: GivenCandidate | MadeCandidate, key: str) -> Steps:
        return ("candidates", candidate.name, key)

    given = [candidate for candidate in audit.candidates if isinstance(candidate, GivenCandidate)]
    made = [candidate for candidate in audit.candidates if isinstance(candidate, MadeCandidate)]
    sources = [(("original", "format"), audit.original), *((steps(item, "format"), item.source) for item in given)]
    sources += [((*steps(item, "linkage"), "map", "format"), item.map) for item in given if item.map is not None]
    return References(
        columns=(
            *((("attributes", item.name), item.name) for item in audit.attributes),
            *((("identifiers", number), name) for number, name in enumerate(audit.identifiers)),
            *((("not-audited", name), name) for name in audit.not_audited),
        ),
        attributes=frozenset(item.name for item in audit.attributes),
        orders=tuple(
            tuple((("attributes", item.name, "order", number), name) for number, name in enumerate(item.order))
            for item in audit.attributes
        ),
        bounds=tuple((("attributes", item.name, "bounds"), item.bounds) for item in audit.attributes if item.bounds),
        keys=tuple((steps(item, "linkage"), name) for item in given for name in item.key),
        keyless=tuple(
            steps(item, "linkage") for item in given if item.linkage == "key" and not item.key and item.map is None
        ),
        candidates=tuple(candidate.name for candidate in audit.candidates),
        given=frozenset(item.name for item in given),
        judges_something=bool(audit.candidates),
        linked_synthetics=tuple(
            steps(item, "linkage") for item in given if item.kind == "synthetic" and item.linkage != "none"
        ),
        files=(),
        unread_options=(),
        metrics=None
        if audit.metrics is None
        else tuple((("metrics", number), name) for number, name in enumerate(audit.metrics)),
        anonymizers=tuple((steps(item, "anonymizer"), item.anonymizer) for item in made),
        formats=tuple(
            (place, source.format)
            for place, source in sources
            if isinstance(source, FileSource) and source.format is not None
        ),
        rules=tuple(
            RuleMention(steps=("rules", number), rule=use.rule, params=use.params, candidate=use.when.candidate)
            for number, use in enumerate(audit.rules)
        ),
    )


def _repeated_columns(columns: Iterable[Named]) -> Iterator[Problem]:
    first: dict[str, Steps] = {}
    for steps, name in columns:
        if name in first:
            before = place_name(first[name][:1])
            message = f"{place_name(steps)}: column '{shown(name)}' is named twice, first under {before}; keep one"
            yield Problem(steps, message, "key")
        first.setdefault(name, steps)


def _repeated(noun: str, names: Iterable[Named]) -> Iterator[Problem]:
    seen = set()
    for steps, name in names:
        if name in seen:
            yield Problem(steps, f"{place_name(steps)}: {noun} '{shown(name)}' is named twice")
        seen.add(name)


def _files(names: References, catalogue: Catalogue) -> Iterator[Problem]:
    for steps, reader, has_path in names.files:
        known = catalogue.readers.get(reader) if reader is not None else None
        is_local = known is None or known.card.local
        if is_local and not has_path:
            yield Problem(steps, f"{place_name(steps)} needs the key 'path'", "key")
        elif has_path and not is_local:
            where = (*steps, "path")
            yield Problem(where, f"{place_name(where)} does not go with format '{shown(str(reader))}'")
    for steps in names.unread_options:
        yield Problem(steps, f"{place_name(steps)} needs the key 'format': whose options they are", "key")


def _empty_bounds(names: References) -> Iterator[Problem]:
    for steps, (low, high) in names.bounds:
        if low >= high:
            yield Problem(steps, f"{place_name(steps)}: the lower bound {low:g} is not below the upper one, {high:g}")


def _audited_keys(names: References) -> Iterator[Problem]:
    """Refuse a key that is audited: it says which record is whose, and cannot be protected as well."""
    for steps, name in names.keys:
        if name in names.attributes:
            message = f"key column '{shown(name)}' is an audited attribute, too; a key is never audited"
            yield Problem(steps, f"{place_name(steps)}: {message}")


def unknown(noun: str, names: Iterable[Named], known: Iterable[str]) -> Iterator[Problem]:
    """Yield every name that is not among the known ones, with the nearest that is."""
    for steps, name in names:
        if name not in known:
            yield Problem(steps, f"{place_name(steps)}: '{shown(name)}' is not a known {noun}{hint(name, known)}")


def rule_mismatches(
    mention: RuleMention, candidates: tuple[str, ...], listed: set[str] | None, catalogue: Catalogue
) -> Iterator[Problem]:
    """Yield what does not fit in one rule: names of rules, metrics and candidates, and limits out of bounds."""
    if mention.candidate is not None:
        yield from unknown("candidate", [((*mention.steps, "when", "candidate"), mention.candidate)], candidates)
    if mention.rule is None:
        return
    yield from unknown("rule", [((*mention.steps, "rule"), mention.rule)], catalogue.rules)
    rule = catalogue.rules.get(mention.rule)
    if rule is None or mention.params is None:
        return
    needed, limited = _metrics_of(rule, mention.params)
    for name in dict.fromkeys((*limited, *needed)):
        steps = _where(mention, "metric", name)
        if name not in catalogue.metrics:
            yield from unknown("metric", [(steps, name)], catalogue.metrics)
        elif name in limited:
            if listed is not None and name not in listed:
                message = f"'{shown(name)}' is not among metrics; add it there, or leave metrics out"
                yield Problem(steps, f"{place_name(steps)}: {message}")
            yield from _limits(mention, name, catalogue.metrics[name].card)


def _metrics_of(rule: Rule, params: Any) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Ask the rule which metrics it needs, and which it limits."""
    try:
        needed = (*rule.metrics(params, linked=True), *rule.metrics(params, linked=False))
        return needed, tuple(rule.limits(params))
    except CallFailedError as error:
        raise PluginError(f"rule '{rule.card.id}' cannot say its metrics: it {error}") from error
    except Exception as error:
        raise PluginError(f"rule '{rule.card.id}' cannot say its metrics: {type(error).__name__}") from error


def _where(mention: RuleMention, field: str, value: object) -> Steps:
    """Return the place of a parameter that has this value, or else of the whole rule."""
    places = ((*steps, field) for steps, part in _parts(mention) if getattr(part, field, None) == value)
    return next(places, mention.steps)


def _limits(mention: RuleMention, metric: str, card: MetricCard) -> Iterator[Problem]:
    """Hold the parameters called min and max, also those of several limits, against the bounds of the limited number."""
    for steps, part in _parts(mention):
        scale = getattr(part, "on", "value")
        low, high = scale_bounds(scale, card)
        for field in ("min", "max"):
            limit = getattr(part, field, None)
            if (
                getattr(part, "metric", metric) == metric
                and isinstance(limit, int | float)
                and not low <= limit <= high
            ):
                place = (*steps, field)
                what = f"the bounds of {shown(metric)}" + (f" ({scale})" if scale in _OWN_BOUNDS else "")
                within = f"between {low:g} and {high:g}" if math.isfinite(high) else f"at least {low:g}"
                yield Problem(place, f"{place_name(place)} must be {within}, {what}, not {limit!r}")


def _parts(mention: RuleMention) -> list[tuple[Steps, Any]]:
    """Return the limits of a rule, each with its place: its own parameters, or several of which one is enough."""
    parts = parts_of(mention.params)
    if parts == (mention.params,):
        return [(mention.steps, mention.params)]
    return [((*mention.steps, "of", number), part) for number, part in enumerate(parts)]
