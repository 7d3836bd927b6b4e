"""Audit + plugins + data -> Outcome; prints nothing and writes nothing."""

from __future__ import annotations

from contextlib import closing, nullcontext
from dataclasses import replace
from functools import partial
from hashlib import sha256
from importlib import metadata
from typing import TYPE_CHECKING, Protocol, cast

from permaudit.candidate import CandidateRun
from permaudit.choice import Means, choose_engine, refuse_unknown
from permaudit.columns import Shelf
from permaudit.compare import Comparer
from permaudit.data import (
    blanked_by,
    carried_by_each,
    read_audit,
    respelt_in,
    told_jointly,
    unread_in,
)
from permaudit.earlier import earlier_results
from permaudit.errors import DataError, PermauditError, shown
from permaudit.installed import installed_hashes
from permaudit.nearness import refuse_nearly_the_same
from permaudit.outcome import InputFile, MetricNote, Outcome, PluginRecord, PolicyRecord, Presentation, Provenance
from permaudit.pareto import fronts
from permaudit.plan import GivenCandidate
from permaudit.pool import audit_each
from permaudit.recipe import recipe
from permaudit.resolved import resolved
from permaudit.strangers import refuse_familiar
from permaudit.streams import Streams
from permaudit.sweep import sweep_result
from permaudit.today import utc_today
from permaudit.unconfirmed import with_what_is_unconfirmed
from permaudit.verdict import limits_of, worst
from permaudit.waivers import apply_waivers

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import date

    from permaudit.cache import Cache
    from permaudit.data import AuditData
    from permaudit.errors import Mistake
    from permaudit.model import ApproximatingEngine, Catalogue, Engine, SpreadingEngine
    from permaudit.outcome import CandidateResult
    from permaudit.plan import Audit
    from permaudit.plugins import Host

_PACKAGES = ("permaudit", "numpy", "pluggy", "pyarrow", "pydantic", "pyyaml", "scipy")
"""The packages whose versions may matter to a number or a verdict."""


READING = "reading the data"
"""What is told before the first candidate."""


class Watch(Protocol):
    """Somebody who wants to know how far the run is."""

    def __call__(self, done: int, total: int, what: str) -> None:
        """Hear that `done` of `total` steps are done and that `what` comes next."""


def run_audit(  # noqa: PLR0913 - how to run, each with a default
    audit: Audit,
    host: Host,
    *,
    engine: str | None = "memory",
    means: Means = Means(),  # noqa: B008 - frozen
    approx: bool = False,
    announce: Callable[[str], None] | None = None,
    study_seed: int | None = None,
    cache: Cache | None = None,
    workers: int = 1,
    watch: Watch | None = None,
    today: date | None = None,
) -> Outcome:
    """Audit every candidate; raise `PermauditError` where nothing can be audited.

    Without an engine the one that fits the data is chosen; `announce` hears beforehand what a long run will take. With
    `approx` the engine may approximate the moments by key, and must say how far off they are. Whether waivers hold is a
    matter of the day, by default the present one in UTC.
    """
    chosen = choose_engine(audit, host.catalogue, engine, means)
    if approx:
        _refuse_exact(host.catalogue, chosen.engine)
    if announce is not None and chosen.is_long:
        announce(str(chosen))
    stored = host.catalogue.engines[chosen.engine].card.stored
    with Shelf(chosen.memory, means.scratch) if stored else nullcontext() as shelf:
        if shelf is not None and host.catalogue.engines[chosen.engine].card.spreads:
            spreading = cast("SpreadingEngine", host.catalogue.engines[chosen.engine])
            shelf.each = partial(spreading.each, shelf=shelf)
        tell = watch or _nobody
        tell(0, len(audit.candidates), READING)
        run = prepare_run(
            audit, host, engine=chosen.engine, approx=approx, study_seed=study_seed, memory=means.memory, shelf=shelf
        )
        name = f"{chosen.engine}, approximate" if approx else chosen.engine
        outcome = _run_audit(run, host, name, cache, 1 if stored else workers, tell, today)
        run.data.refuse_changed()
        return outcome


def _refuse_exact(catalogue: Catalogue, name: str) -> None:
    """Raise where an engine cannot approximate."""
    engines = catalogue.engines
    if not engines[name].card.approximates:
        able = ", ".join(sorted(other for other, one in engines.items() if one.card.approximates)) or "none"
        raise PermauditError(
            f"the engine '{shown(name)}' does not approximate (of those installed: {able}); leave --approx out"
        )


def _unforeseen(seed: int, inputs: Sequence[InputFile]) -> int:
    """Return a seed that nobody knows before the files are there: who did could make a release for what will be drawn."""
    contents = " ".join([str(seed), *(file.sha256 for file in inputs)])
    return int.from_bytes(sha256(contents.encode()).digest()[:8])


def _run_audit(  # noqa: PLR0913, PLR0917 - how to run
    run: CandidateRun,
    host: Host,
    engine: str,
    cache: Cache | None,
    workers: int,
    tell: Watch,
    today: date | None,
) -> Outcome:
    """Audit every candidate of what was made ready."""
    audit, study_seed = run.audit, run.study_seed
    catalogue = host.catalogue
    provenance = _provenance(host, run, engine, study=study_seed is not None)
    recipes = {name: recipe(run, provenance, name) for name in _points(audit)} if cache is not None else {}
    found = {name: result for name, made in recipes.items() if cache and (result := cache.get(made)) is not None}
    todo = [candidate for candidate in audit.candidates if candidate.name not in found]
    # Closed also when interrupted here, or the processes would go on.
    with closing(audit_each(run, todo, workers, lambda what: tell(len(found), len(audit.candidates), what))) as audited:
        for result in audited:
            found[result.name] = result
            if cache is not None and result.name in recipes and _is_sound(result):
                cache.put(recipes[result.name], result)
    tell(len(audit.candidates), len(audit.candidates), "done")
    judged = [found[candidate.name] for candidate in audit.candidates]
    # After the cache: what it keeps must not know of waivers, which expire.
    results, waivers = apply_waivers(
        judged, audit.waivers, audit.policy, _limits(run, audit), today if today is not None else utc_today()
    )
    results = with_what_is_unconfirmed(results, audit.unconfirmed)
    found = {result.name: result for result in results}
    used = {name for result in results for name in result.metrics}
    by_name = {candidate.name: candidate for candidate in audit.candidates}
    return Outcome(
        verdict=worst(result.verdict for result in results),
        title=audit.title,
        waivers=waivers,
        policy=_policy_record(audit),
        candidates=results,
        sweeps=[
            sweep_result(sweep, found, run.limited(by_name[sweep.candidates[0]]), catalogue) for sweep in audit.sweeps
        ],
        fronts=fronts([one for one in results if one.name not in _points(audit)], catalogue),
        glossary={name: _note(catalogue, name) for name in catalogue.metrics if name in used},
        provenance=provenance,
        presentation=Presentation(template=audit.report.template, language=audit.report.language),
    )


def prepare_run(  # noqa: PLR0913 - how to run, each with a default
    audit: Audit,
    host: Host,
    *,
    engine: str = "memory",
    approx: bool = False,
    study_seed: int | None = None,
    memory: int | None = None,
    shelf: Shelf | None = None,
) -> CandidateRun:
    """Read the data, into memory or onto a shelf, and make everything ready that all candidates share."""
    catalogue = host.catalogue
    refuse_unknown(engine, catalogue)
    earlier = earlier_results(audit.rules, catalogue.rules)
    streams = Streams(audit.seed)
    if shelf is None:
        data = read_audit(audit, catalogue.readers, streams, memory)
    else:
        from permaudit.data.stored import read_audit_stored  # noqa: PLC0415 - only for what does not fit into memory

        data = read_audit_stored(audit, catalogue.readers, streams, shelf)
    if audit.holdout is not None and data.holdout is not None:
        releases = {shown(name): release.paired.release for name, release in data.given.items()}
        refuse_familiar(audit.holdout.shown, data.holdout, data.pairer.whole, releases)
        refuse_nearly_the_same(audit.holdout.shown, data.holdout, data.pairer.whole)
    comparing = catalogue.engines[engine]
    if approx:
        comparing = cast("ApproximatingEngine", comparing).approximate(_unforeseen(audit.seed, data.inputs))
    comparer = Comparer(
        comparing,
        data.pairer.whole,
        data.holdout,
        streams,
        data.tolerances(),
        holdout_apart=data.holdout_apart,
    )
    _refuse_sizes(audit, comparer, data)
    given = [candidate for candidate in audit.candidates if isinstance(candidate, GivenCandidate)]
    run = CandidateRun(
        audit,
        catalogue,
        comparer,
        data,
        streams,
        study_seed,
        earlier=earlier.outcomes,
        earlier_files=earlier.files,
        carried=carried_by_each(given, audit, data, catalogue.readers),
        jointly=told_jointly(data, given),
        respelt={
            candidate.name: respelt_in(candidate.source, data.attributes, catalogue.readers) for candidate in given
        },
        unread={candidate.name: unread_in(candidate.source, catalogue.readers) for candidate in given},
        blanked={candidate.name: blanked_by(candidate, audit, data, catalogue.readers) for candidate in given},
    )
    return replace(run, unfit=_unfit(run, host, comparing))


def _unfit(run: CandidateRun, host: Host, engine: Engine) -> dict[tuple[str, bool], str]:
    """Return the limited metrics of others that may not decide; permaudit's own are known, and cost nothing here."""
    foreign = {thing.id for thing in host.provided if thing.noun == "metric" and thing.plugin.is_foreign}
    limited = {pair for candidate in run.audit.candidates for pair in run.limits(candidate) if pair[0] in foreign}
    if not limited:
        return {}
    from permaudit.fitness import why_unfit  # noqa: PLC0415 - the known cases, which most runs do not look at

    return {
        (name, linked): reason
        for name, linked in sorted(limited)
        if (reason := why_unfit(run.catalogue.metrics[name], engine, linked=linked)) is not None
    }


def _provenance(host: Host, run: CandidateRun, engine: str, *, study: bool) -> Provenance:
    """Say what the numbers are made from, and with what."""
    audit, hashes = run.audit, installed_hashes(host.plugins)
    return Provenance(
        inputs=[*_audit_files(audit), *dict.fromkeys((*run.data.inputs, *run.earlier_files))],
        plugins=[
            PluginRecord(
                name=plugin.name,
                distribution=plugin.distribution,
                version=plugin.version,
                sha256=hashes[plugin.distribution],
                provides=[f"{thing.noun} {thing.id}" for thing in host.provided if thing.plugin == plugin],
            )
            for plugin in host.plugins
        ],
        packages={name: metadata.version(name) for name in _PACKAGES},
        engine=engine,
        seed=audit.seed,
        study=study,
        documents=dict(audit.documents),
        resolved=resolved(audit, host.catalogue),
        places=dict(audit.places),
    )


def _limits(run: CandidateRun, audit: Audit) -> dict[str, list[tuple[str, ...]]]:
    """Return for each candidate with a waiver which metrics each of its rules limits."""
    waived = {waiver.candidate for waiver in audit.waivers}
    return {
        candidate.name: [limits_of(run.catalogue.rules[use.rule], use) for use in run.rules(candidate)]
        for candidate in audit.candidates
        if candidate.name in waived
    }


def _policy_record(audit: Audit) -> PolicyRecord | None:
    """Say which policy was applied."""
    policy = audit.policy
    if policy is None:
        return None
    return PolicyRecord(
        path=policy.file.shown,
        sha256=policy.file.sha256 or "",
        title=policy.title,
        pinned=policy.pinned,
        differences=list(policy.differences),
    )


def _points(audit: Audit) -> list[str]:
    """Return the names of the candidates that are points of sweeps."""
    return [name for sweep in audit.sweeps for name in sweep.candidates]


def _is_sound(result: CandidateResult) -> bool:
    """Tell whether a result may be kept: what went wrong is tried again."""
    is_measured = all(metric.status != "error" for metric in result.metrics.values())
    return is_measured and all(finding.outcome != "error" for finding in result.rules)


def _refuse_sizes(audit: Audit, comparer: Comparer, data: AuditData) -> None:
    """Raise with every given candidate that has too few records."""
    mistakes: list[Mistake] = []
    for candidate in audit.candidates:
        if isinstance(candidate, GivenCandidate):
            try:
                comparer.refuse_size(data.given[candidate.name].paired, candidate.source.shown)
            except DataError as error:
                mistakes += error.mistakes
    if mistakes:
        raise DataError(dict.fromkeys(mistakes))


def _note(catalogue: Catalogue, name: str) -> MetricNote:
    """Take from a metric's card what its reader must know."""
    card = catalogue.metrics[name].card
    return MetricNote(
        title=card.title,
        measures=card.measures,
        direction=card.direction,
        low=card.low,
        high=card.high,
        blind_spots=card.blind_spots,
        reference=card.reference,
        summary=card.summary,
        bounds=(float(card.bounds[0]), float(card.bounds[1])),
    )


def _audit_files(audit: Audit) -> list[InputFile]:
    """Return the audit file itself, as it was read."""
    return [InputFile(path=file.shown, sha256=file.sha256) for file in audit.files if file.sha256 is not None]


def _nobody(done: int, total: int, what: str) -> None:
    """Hear nothing."""
