"""Audit + plugins + data -> Outcome; prints nothing and writes nothing."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from importlib import metadata
from types import MappingProxyType
from typing import TYPE_CHECKING, Protocol

import numpy as np

from permaudit.compare import Compared, Comparer
from permaudit.coverage import column_notes, covered
from permaudit.data import read_audit
from permaudit.errors import DataError, PermauditError
from permaudit.make import BrokenAnonymizerError, make_releases, stable_number
from permaudit.measure import measure
from permaudit.model import Case
from permaudit.outcome import (
    CandidateResult,
    InputFile,
    MetricNote,
    MetricResult,
    Outcome,
    PluginRecord,
    Provenance,
    Records,
)
from permaudit.plan import GivenCandidate, MadeCandidate, RuleUse
from permaudit.verdict import judge, limits_of, metrics_of, verdict_of, worst

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.random import Generator

    from permaudit.data import AuditData, Release
    from permaudit.errors import Mistake
    from permaudit.model import Catalogue, Kind, LinkageName
    from permaudit.plan import Audit, Candidate
    from permaudit.plugins import Host

_LOG = logging.getLogger("permaudit")
_LOG.addHandler(logging.NullHandler())  # or Python would print the texts of foreign exceptions to standard error

_PACKAGES = ("permaudit", "numpy", "pluggy", "pyarrow", "pydantic", "pyyaml")
"""The packages whose versions may matter to a number or a verdict."""


class Watch(Protocol):
    """Somebody who wants to know how far the run is."""

    def __call__(self, done: int, total: int, what: str) -> None:
        """Hear that `done` of `total` steps are done and that `what` comes next."""


def run_audit(
    audit: Audit, host: Host, *, engine: str = "memory", study_seed: int | None = None, watch: Watch | None = None
) -> Outcome:
    """Audit every candidate; raise `PermauditError` where nothing can be audited."""
    catalogue = host.catalogue
    if engine not in catalogue.engines:
        raise PermauditError(f"no engine '{engine}'; installed are {', '.join(sorted(catalogue.engines))}")
    tell = watch or _nobody
    tell(0, len(audit.candidates), "reading the data")
    streams = _Streams(audit.seed)
    data = read_audit(audit, catalogue.readers, streams)
    comparer = Comparer(catalogue.engines[engine], data.pairer.whole, data.holdout)
    _refuse_sizes(audit, comparer, data)
    run = _Run(audit, catalogue, comparer, data, streams, study_seed)
    results = []
    for done, candidate in enumerate(audit.candidates):
        tell(done, len(audit.candidates), candidate.name)
        results.append(run.candidate(candidate))
    tell(len(audit.candidates), len(audit.candidates), "done")
    used = {name for result in results for name in result.metrics}
    return Outcome(
        verdict=worst(result.verdict for result in results),
        title=audit.title,
        candidates=results,
        glossary={name: _note(catalogue, name) for name in catalogue.metrics if name in used},
        provenance=Provenance(
            inputs=[*_audit_files(audit), *dict.fromkeys(data.inputs)],
            plugins=[
                PluginRecord(name=plugin.name, distribution=plugin.distribution, version=plugin.version)
                for plugin in host.plugins
            ],
            packages={name: metadata.version(name) for name in _PACKAGES},
            engine=engine,
            seed=audit.seed,
            study=study_seed is not None,
        ),
    )


@dataclass(frozen=True, slots=True)
class _Streams:
    """The random streams of an audit, one for each candidate and metric: adding one changes no other number."""

    seed: int

    def __call__(self, candidate: str, metric: str = "") -> Generator:
        """Return a stream by the names of what draws from it."""
        return np.random.default_rng([self.seed, stable_number(candidate), stable_number(metric)])


@dataclass(frozen=True, slots=True, eq=False)
class _Run:
    """What all candidates of one run share."""

    audit: Audit
    catalogue: Catalogue
    comparer: Comparer
    data: AuditData
    streams: _Streams
    study_seed: int | None

    def candidate(self, candidate: Candidate) -> CandidateResult:
        """Compare, measure and judge one candidate."""
        kind, linkage = self._kind(candidate)
        linked = linkage != "none"
        uses = self._rules(candidate, kind)
        names = self._metrics(uses, linked=linked)
        broken: str | None = None
        try:
            releases = self._releases(candidate, linked=linked)
        except BrokenAnonymizerError as error:
            releases, compared, broken = [], Compared(), str(error)
        else:
            pairs = [release.paired for release in releases]
            compared = self.comparer.compare(pairs, kind, linked=linked, rng=self.streams(candidate.name))
        metrics = {
            name: MetricResult(status="error", reason=broken)
            if broken
            else measure(self.catalogue.metrics[name], compared, self.streams(candidate.name, name))
            for name in names
        }
        records = releases[0].paired.records if releases else _no_release(self.data.original.records)
        case = Case(
            name=candidate.name,
            kind=kind,
            linkage=linkage,
            records=records,
            declared_attributes=tuple(attribute.name for attribute in self.audit.attributes),
            metrics=MappingProxyType(metrics),
            limited=frozenset(name for use in uses for name in limits_of(self.catalogue.rules[use.rule], use)),
            released_columns=releases[0].column_names if releases else (),
            identifiers=frozenset(self.audit.identifiers),
            not_audited=self.audit.not_audited,
            unchanged=compared.unchanged,
        )
        findings = judge(case, uses, self.catalogue)
        made = candidate if isinstance(candidate, MadeCandidate) else None
        return CandidateResult(
            name=candidate.name,
            kind=kind,
            linkage=linkage,
            anonymizer=made.anonymizer if made else None,
            params=made.params.model_dump(mode="json") if made else {},
            sha256=releases[0].sha256 if releases else None,
            records=records,
            attributes=list(compared.attributes),
            excluded=list(compared.excluded),
            columns=column_notes(self.audit, self.data, releases[0]) if releases else [],
            coverage={name: covered(metrics[name], compared, records) for name in names},
            warnings=list(compared.warnings),
            metrics=metrics,
            rules=findings,
            verdict=verdict_of(findings),
        )

    def _kind(self, candidate: Candidate) -> tuple[Kind, LinkageName]:
        """Return what kind of release it is and whether its records are linked."""
        if isinstance(candidate, GivenCandidate):
            return candidate.kind, candidate.linkage
        card = self.catalogue.anonymizers[candidate.anonymizer].card
        return card.kind, "row" if card.linked else "none"

    def _releases(self, candidate: Candidate, *, linked: bool) -> list[Release]:
        """Return the given release, or make every replicate of it."""
        if isinstance(candidate, GivenCandidate):
            return [self.data.given[candidate.name]]
        anonymizer, where = self.catalogue.anonymizers[candidate.anonymizer], f"candidate {candidate.name}"
        releases = []
        original = self.data.for_anonymizers(study=self.study_seed is not None)
        for made in make_releases(anonymizer, candidate, original, self.study_seed):
            try:
                release = self.data.made(made, where, linked=linked, rng=self.streams(candidate.name))
            except DataError as error:
                _LOG.exception("anonymizer %s returned what cannot be read", candidate.anonymizer)
                raise BrokenAnonymizerError("the anonymizer returned missing or unusable values") from error
            self.comparer.refuse_size(release.paired, where)
            releases.append(release)
        return releases

    def _rules(self, candidate: Candidate, kind: Kind) -> list[RuleUse]:
        """Return the rules that apply to a candidate: those that are always on, then those of the audit file."""
        always = [
            RuleUse(rule=name, params=rule.parameters(), origin="always on")
            for name, rule in self.catalogue.rules.items()
            if rule.card.always_on
        ]
        asked = [
            use
            for use in self.audit.rules
            if use.when.kind in {None, kind} and use.when.candidate in {None, candidate.name}
        ]
        return [*always, *asked]

    def _metrics(self, uses: Sequence[RuleUse], *, linked: bool) -> list[str]:
        """Return the metrics that were asked for, and those that the rules need, in the catalogue's order."""
        metrics = self.catalogue.metrics
        asked = self.audit.metrics
        wanted = {name for name in metrics if (name in asked if asked is not None else metrics[name].card.default)}
        for use in uses:
            wanted.update(metrics_of(self.catalogue.rules[use.rule], use, linked=linked))
        return [name for name in metrics if name in wanted]


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


def _no_release(records: int) -> Records:
    """Count the records where an anonymizer made none."""
    return Records(original=records, released=0, compared=0)


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
    )


def _audit_files(audit: Audit) -> list[InputFile]:
    """Return the audit file itself, as it was read."""
    return [InputFile(path=file.shown, sha256=file.sha256) for file in audit.files if file.sha256 is not None]


def _nobody(done: int, total: int, what: str) -> None:
    """Hear nothing."""
