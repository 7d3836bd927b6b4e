"""One candidate: made or taken, compared, measured, judged."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np

from permaudit.compare import Compared
from permaudit.coverage import column_notes, covered
from permaudit.errors import DataError
from permaudit.make import BrokenAnonymizerError, make_releases, stable_number
from permaudit.measure import measure
from permaudit.model import Case
from permaudit.outcome import CandidateResult, MetricResult, Records
from permaudit.plan import GivenCandidate, MadeCandidate, RuleUse
from permaudit.verdict import demands_of, judge, metrics_of, verdict_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.random import Generator

    from permaudit.compare import Comparer
    from permaudit.data import AuditData, Release
    from permaudit.model import Catalogue, Kind, LinkageName
    from permaudit.plan import Audit, Candidate

_LOG = logging.getLogger("permaudit")
_LOG.addHandler(logging.NullHandler())  # or Python would print the texts of foreign exceptions to standard error


@dataclass(frozen=True, slots=True)
class Streams:
    """The random streams of an audit, one for each candidate and metric: adding one changes no other number."""

    seed: int

    def __call__(self, candidate: str, metric: str = "") -> Generator:
        """Return a stream by the names of what draws from it."""
        return np.random.default_rng([self.seed, stable_number(candidate), stable_number(metric)])


@dataclass(frozen=True, slots=True, eq=False)
class CandidateRun:
    """What all candidates of one run share."""

    audit: Audit
    catalogue: Catalogue
    comparer: Comparer
    data: AuditData
    streams: Streams
    study_seed: int | None

    def candidate(self, candidate: Candidate) -> CandidateResult:
        """Compare, measure and judge one candidate."""
        kind, linkage = self._kind(candidate)
        linked = linkage != "none"
        uses = self.rules(candidate)
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
            limited=self.limited(candidate),
            released_columns=releases[0].column_names if releases else (),
            key=candidate.key if isinstance(candidate, GivenCandidate) else (),
            identifiers=frozenset(self.audit.identifiers),
            not_audited=self.audit.not_audited,
            unchanged=compared.unchanged,
        )
        findings = judge(case, uses, self.catalogue)
        made = candidate if isinstance(candidate, MadeCandidate) else candidate.written and candidate.written.by
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
            columns=column_notes(self.audit, self.data, releases[0], compared) if releases else [],
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

    def rules(self, candidate: Candidate) -> list[RuleUse]:
        """Return the rules that apply to a candidate: those that are always on, then those of the audit file."""
        kind, _ = self._kind(candidate)
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

    def limited(self, candidate: Candidate) -> frozenset[str]:
        """Return the metrics on which some rule sets a limit for a candidate."""
        uses = self.rules(candidate)
        return frozenset(
            name for use in uses for name in demands_of(self.catalogue.rules[use.rule], use, self.catalogue)
        )

    def _metrics(self, uses: Sequence[RuleUse], *, linked: bool) -> list[str]:
        """Return the metrics that were asked for, and those that the rules need, in the catalogue's order."""
        metrics = self.catalogue.metrics
        asked = self.audit.metrics
        wanted = {name for name in metrics if (name in asked if asked is not None else metrics[name].card.default)}
        for use in uses:
            wanted.update(metrics_of(self.catalogue.rules[use.rule], use, linked=linked))
        return [name for name in metrics if name in wanted]


def _no_release(records: int) -> Records:
    """Count the records where an anonymizer made none."""
    return Records(original=records, released=0, compared=0)
