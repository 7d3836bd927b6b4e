"""What is installed, what of it may be used and why not, and what an audit uses."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, TypeAlias

from permaudit.choice import DEFAULT, Means, choose_engine
from permaudit.data.files import reader_for
from permaudit.errors import DataError, PermauditError, PluginError
from permaudit.installed import installed_hashes
from permaudit.plan import FileSource, GivenCandidate, MadeCandidate, QuerySource
from permaudit.plugins import installed_plugins, load_plugins
from permaudit.verdict import metrics_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from permaudit.allowed import Allowed
    from permaudit.isolation.limits import Limits
    from permaudit.model import Catalogue
    from permaudit.plan import Audit
    from permaudit.plugins import Plugin, Provided

State: TypeAlias = Literal["built-in", "allowed", "refused"]

NOT_LISTED = "not listed under plugins.allow: never imported"


@dataclass(frozen=True, slots=True)
class Offer:
    """One thing that a plugin provides."""

    kind: str
    id: str
    title: str
    used: bool | None = None
    """Does the audit use it? None where there is no audit."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One installed plugin."""

    plugin: str
    distribution: str
    version: str
    module: str
    sha256: str | None
    """Of the distribution's files; None where they cannot be found."""
    state: State
    why: str | None
    """Why it is refused."""
    provides: tuple[Offer, ...]


@dataclass(frozen=True, slots=True)
class Inventory:
    """Every installed plugin, and what stands in the way of those that were asked for."""

    entries: tuple[Entry, ...]
    problems: tuple[str, ...]
    """Why an audit with this list would be refused."""


def inventory(allow: Sequence[Allowed] = (), limits: Limits | None = None) -> Inventory:
    """Look at each installed plugin: those that are not allowed are not imported, those that are broken are told one by one."""
    provided = _by_plugin(load_plugins().provided)
    refused: dict[str, str] = {}
    for item in allow:
        try:
            found = load_plugins((item,), limits).provided
        except PluginError as error:
            refused[item.name] = str(error)
        else:
            provided |= _by_plugin(found)
    problems = dict.fromkeys(refused.values())
    if not problems:
        try:  # each one for itself is in order: are they also together?
            load_plugins(allow, limits)
        except PluginError as error:
            problems[str(error)] = None
    plugins = installed_plugins()
    hashes = installed_hashes(plugins)
    allowed = {item.name for item in allow}
    entries = (
        _entry(
            plugin,
            hashes[plugin.distribution],
            refused.get(plugin.distribution, None if plugin.distribution in allowed else NOT_LISTED),
            provided.get(plugin, ()),
        )
        for plugin in plugins
    )
    return Inventory(tuple(entries), tuple(problems))


def _by_plugin(provided: Sequence[Provided]) -> dict[Plugin, list[Provided]]:
    """Sort what is provided by who provides it."""
    found: dict[Plugin, list[Provided]] = {}
    for thing in provided:
        found.setdefault(thing.plugin, []).append(thing)
    return found


def _entry(plugin: Plugin, digest: str | None, why: str | None, provided: Sequence[Provided]) -> Entry:
    """Write down what is known of one plugin."""
    why = why if plugin.is_foreign else None
    return Entry(
        plugin=plugin.name,
        distribution=plugin.distribution,
        version=plugin.version,
        module=plugin.module,
        sha256=digest,
        state="refused" if why else "allowed" if plugin.is_foreign else "built-in",
        why=why,
        provides=tuple(Offer(one.noun, one.id, one.object.card.title) for one in provided),
    )


def with_uses(found: Inventory, used: frozenset[tuple[str, str]]) -> Inventory:
    """Mark what an audit uses."""
    return replace(
        found,
        entries=tuple(
            replace(entry, provides=tuple(replace(one, used=(one.kind, one.id) in used) for one in entry.provides))
            for entry in found.entries
        ),
    )


def used_by(audit: Audit, catalogue: Catalogue) -> frozenset[tuple[str, str]]:
    """Return what an audit uses, each thing by its kind and id."""
    used = (*_rules(audit, catalogue), *_metrics(audit, catalogue), *_files(audit, catalogue))
    return frozenset((*used, ("engine", _engine(audit, catalogue))))


def _engine(audit: Audit, catalogue: Catalogue) -> str:
    """Return the engine of a run whose command line names none."""
    try:
        return choose_engine(audit, catalogue, None, Means()).engine
    except PermauditError:  # files that are missing or too large are told when they are read
        return DEFAULT


def _rules(audit: Audit, catalogue: Catalogue) -> Iterator[tuple[str, str]]:
    """Yield the rules that judge, and the metrics that they need."""
    yield from (("rule", name) for name, rule in catalogue.rules.items() if rule.card.always_on)
    for use in audit.rules:
        yield "rule", use.rule
        for linked in (True, False):
            yield from (("metric", name) for name in metrics_of(catalogue.rules[use.rule], use, linked=linked))


def _metrics(audit: Audit, catalogue: Catalogue) -> Iterator[tuple[str, str]]:
    """Yield the metrics that were asked for, or else those that are always computed."""
    for name, metric in catalogue.metrics.items():
        if metric.card.default if audit.metrics is None else name in audit.metrics:
            yield "metric", name


def _files(audit: Audit, catalogue: Catalogue) -> Iterator[tuple[str, str]]:
    """Yield what makes releases, reads files and writes the report."""
    made = [candidate for candidate in audit.candidates if isinstance(candidate, MadeCandidate)]
    yield from (("anonymizer", candidate.anonymizer) for candidate in made)
    given = [candidate for candidate in audit.candidates if isinstance(candidate, GivenCandidate)]
    released = [source for candidate in given for source in (candidate.source, candidate.map)]
    for source in (audit.original, audit.holdout, *released):
        if isinstance(source, FileSource | QuerySource):
            with suppress(DataError):  # a file that nobody can read is told when it is read
                yield "reader", reader_for(source, catalogue.readers).card.id
    yield "template set", audit.report.template
