"""Audit + plugins + data -> Outcome; prints nothing and writes nothing."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import metadata
from typing import TYPE_CHECKING, Protocol

import numpy as np

from permaudit.compare import Compared, Comparer
from permaudit.data import load_all
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
    from collections.abc import Mapping, Sequence

    from numpy.random import Generator

    from permaudit.data import Loaded
    from permaudit.errors import Mistake
    from permaudit.model import Catalogue, Columns, Kind, LinkageName
    from permaudit.plan import Audit, Candidate
    from permaudit.plugins import Host

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
    original, given = load_all(audit, catalogue.readers)
    comparer = Comparer(original.encoded, original.shown, catalogue.engines[engine])
    _refuse_sizes(audit, comparer, given)
    run = _Run(audit, catalogue, comparer, original, given, study_seed)
    results = []
    for done, candidate in enumerate(audit.candidates):
        tell(done, len(audit.candidates), candidate.name)
        results.append(run.candidate(candidate))
    tell(len(audit.candidates), len(audit.candidates), "done")
    inputs = [loaded.input for loaded in (original, *given.values()) if loaded.input is not None]
    used = {name for result in results for name in result.metrics}
    return Outcome(
        verdict=worst(result.verdict for result in results),
        title=audit.title,
        candidates=results,
        glossary={name: _note(catalogue, name) for name in catalogue.metrics if name in used},
        provenance=Provenance(
            inputs=[*_audit_files(audit), *dict.fromkeys(inputs)],
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


@dataclass(frozen=True, slots=True, eq=False)
class _Run:
    """What all candidates of one run share."""

    audit: Audit
    catalogue: Catalogue
    comparer: Comparer
    original: Loaded
    given: Mapping[str, Loaded]
    study_seed: int | None

    def candidate(self, candidate: Candidate) -> CandidateResult:
        """Compare, measure and judge one candidate."""
        kind, linkage = self._kind(candidate)
        linked = linkage != "none"
        uses = self._rules(candidate, kind)
        names = self._metrics(uses, linked=linked)
        compared, broken = self._compared(candidate, kind, linked=linked)
        metrics = {
            name: MetricResult(status="error", reason=broken)
            if broken
            else measure(self.catalogue.metrics[name], compared.comparisons, self._stream(candidate.name, name))
            for name in names
        }
        given = self.given.get(candidate.name)
        case = Case(
            name=candidate.name,
            kind=kind,
            linkage=linkage,
            records=compared.records,
            declared_attributes=tuple(attribute.name for attribute in self.audit.attributes),
            metrics=metrics,
            limited=frozenset(name for use in uses for name in limits_of(self.catalogue.rules[use.rule], use)),
            released_columns=given.column_names if given else tuple(self.original.encoded),
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
            sha256=given.input.sha256 if given and given.input else None,
            records=compared.records,
            attributes=list(compared.attributes),
            excluded=list(compared.excluded),
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

    def _compared(self, candidate: Candidate, kind: Kind, *, linked: bool) -> tuple[Compared, str | None]:
        """Bring the releases of a candidate beside the original; with a reason where its anonymizer is broken."""
        if isinstance(candidate, GivenCandidate):
            releases: Sequence[Columns] = [self.given[candidate.name].encoded]
        else:
            anonymizer = self.catalogue.anonymizers[candidate.anonymizer]
            try:
                releases = list(make_releases(anonymizer, candidate, self.original.encoded, self.study_seed))
            except BrokenAnonymizerError as error:
                nothing = Records(original=self.original.records, released=0, compared=0)
                return Compared((), nothing, (), ()), str(error)
            for release in releases:
                self.comparer.refuse_sizes(release, f"candidate {candidate.name}", linked=linked)
        return self.comparer.compare(releases, kind, linked=linked, rng=self._stream(candidate.name, "")), None

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

    def _stream(self, candidate: str, metric: str) -> Generator:
        """Return the random stream of one candidate and metric, so that adding another changes no number."""
        return np.random.default_rng([self.audit.seed, stable_number(candidate), stable_number(metric)])


def _refuse_sizes(audit: Audit, comparer: Comparer, given: Mapping[str, Loaded]) -> None:
    """Raise with every given candidate whose size rules out a comparison."""
    mistakes: list[Mistake] = []
    for candidate in audit.candidates:
        if isinstance(candidate, GivenCandidate):
            release = given[candidate.name]
            try:
                comparer.refuse_sizes(release.encoded, release.shown, linked=candidate.linkage != "none")
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
    )


def _audit_files(audit: Audit) -> list[InputFile]:
    """Return the audit file itself, as it was read."""
    return [InputFile(path=file.shown, sha256=file.sha256) for file in audit.files if file.sha256 is not None]


def _nobody(done: int, total: int, what: str) -> None:
    """Hear nothing."""
