"""One candidate: made or taken, compared, measured, judged."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING

from permaudit.attribution import attribution_of, sampled
from permaudit.cards import parts_of
from permaudit.compare import Compared, What
from permaudit.coverage import column_notes, covered, unseen
from permaudit.data import NOTHING, NOTHING_BLANKED
from permaudit.errors import DataError
from permaudit.make import BrokenAnonymizerError, make_releases
from permaudit.measure import measure
from permaudit.model import Case
from permaudit.outcome import CandidateResult, MetricResult, Records
from permaudit.plan import GivenCandidate, MadeCandidate, RuleUse
from permaudit.verdict import decides, demands_of, judge, limits_of, metrics_of, scope_of, verdict_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from permaudit.cards import Kind
    from permaudit.compare import Comparer
    from permaudit.data import AuditData, Blanked, Carried, Release
    from permaudit.model import Catalogue, LinkageName, OwnValues
    from permaudit.outcome import InputFile, Outcome
    from permaudit.plan import Audit, Candidate
    from permaudit.streams import Streams

_LOG = logging.getLogger("permaudit")
_LOG.addHandler(logging.NullHandler())  # or Python would print the texts of foreign exceptions to standard error


@dataclass(frozen=True, slots=True, eq=False)
class CandidateRun:
    """What all candidates of one run share."""

    audit: Audit
    catalogue: Catalogue
    comparer: Comparer
    data: AuditData
    streams: Streams
    study_seed: int | None
    earlier: Mapping[str, Outcome] = field(default_factory=dict)
    """The earlier results that rules compare with, by the path as it was written."""
    earlier_files: tuple[InputFile, ...] = ()
    """Their files, by content."""
    carried: Mapping[str, Carried] = field(default_factory=dict)
    """What the columns of each given release carry that are not audited."""
    jointly: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """The attributes that each given release tells together with another candidate, and with which."""
    respelt: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """The columns of each given release that spell a value in several ways, each with how many are."""
    unread: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """What the file of each given release holds beside its columns."""
    blanked: Mapping[str, Blanked] = field(default_factory=dict)
    """What the declared tokens for missing values take out of sight in each given release."""
    unfit: Mapping[tuple[str, bool], str] = field(default_factory=dict)
    """The metrics that may not decide about linked (True) or unlinked releases, each with the reason."""

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
            what = self._what(candidate, uses, names, kind, linked=linked)
            compared = self.comparer.compare(pairs, what, self.streams(candidate.name))
        metrics = {
            name: MetricResult(status="error", reason=reason)
            if (reason := broken or self.unfit.get((name, linked)))
            else measure(self.catalogue.metrics[name], compared, self.streams(candidate.name, name))
            for name in names
        }
        records = releases[0].paired.records if releases else _no_release(self.data.original.records)
        attribution, notes = None, list(compared.warnings)
        if not self._is_point(candidate):
            attribution = attribution_of(compared, self.streams(candidate.name, "attribution"))
            notes += sampled(compared)
        tied = [self.data.told_by_ties(release, linked=linked) for release in releases]
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
            attribution=attribution,
            scope=self._scope(uses),
            earlier=self.earlier,
            compared=compared.attributes,
            carried=self._outside(releases, uses, linked=linked)
            | dict(self.carried.get(candidate.name, NOTHING).originals),
            hidden=self.carried.get(candidate.name, NOTHING).identifiers,
            unread=self.unread.get(candidate.name, ()),
            kept={name: share for one in tied for name, share in one.own.items()},
            jointly=self.jointly.get(candidate.name, {}),
            beside=dict(self.respelt.get(candidate.name, {}))
            | {name: what for one in tied for name, what in one.others.items()},
            unseen=MappingProxyType(unseen(releases, compared, self._scope(uses))),
            blanked=self.blanked.get(candidate.name, NOTHING_BLANKED).values,
            own_values=self._own_values(candidate, releases, linked=linked),
            order=self.data.order(candidate, releases[0]) if releases else None,
            displaced=self.data.displaced(releases[0]) if linked and releases else None,
            by_map=isinstance(candidate, GivenCandidate) and candidate.map is not None,
            cards=MappingProxyType({name: self.catalogue.metrics[name].card for name in names}),
        )
        findings = judge(case, uses, self.catalogue, under_policy=self.audit.policy is not None)
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
            columns=column_notes(
                self.audit, self.data, releases[0], compared, self.blanked.get(candidate.name, NOTHING_BLANKED).notes
            )
            if releases
            else [],
            coverage={name: covered(metrics[name], compared, records) for name in names},
            warnings=notes,
            metrics=metrics,
            attribution=attribution,
            rules=findings,
            verdict=verdict_of(findings),
        )

    def _own_values(self, candidate: Candidate, releases: Sequence[Release], *, linked: bool) -> tuple[OwnValues, ...]:
        """Read the cells of every replicate."""
        rng = self.streams(candidate.name, "own values")
        return tuple(found for release in releases for found in self.data.own_values(release, rng, linked=linked))

    def _what(
        self, candidate: Candidate, uses: Sequence[RuleUse], names: Sequence[str], kind: Kind, *, linked: bool
    ) -> What:
        """Say what is wanted of the comparisons: what the metrics need, and intervals but for the points of sweeps."""
        needs = [self.catalogue.metrics[name].card.needs for name in names]
        gates_on_interval = any(getattr(part, "on", None) == "lower" for use in uses for part in parts_of(use.params))
        return What(
            kind=kind,
            linked=linked,
            references=any(need.references for need in needs),
            mirrored=any(need.mirror for need in needs),
            intervals=gates_on_interval or not self._is_point(candidate),
            scope=self._scope(uses),
            roles={attribute.name: attribute.role for attribute in self.audit.attributes},
        )

    def _scope(self, uses: Sequence[RuleUse]) -> frozenset[str] | None:
        """Return the attributes that must be protected, where a rule says that others need not be."""
        named = [name for use in self._deciding(uses) for name in scope_of(self.catalogue.rules[use.rule], use)]
        return frozenset(named) if named else None

    def _outside(self, releases: Sequence[Release], uses: Sequence[RuleUse], *, linked: bool) -> dict[str, str]:
        """Say what is told by attributes that the audit takes out of its own reach; what a policy leaves out, it decided."""
        if self.audit.policy is not None or (scope := self._scope(uses)) is None:
            return {}
        each = [self.data.told_outside(release, scope, linked=linked) for release in releases]
        return {name: what for told in each for name, what in told.items()}

    def _deciding(self, uses: Sequence[RuleUse]) -> list[RuleUse]:
        """Return the rules that can take attributes out of reach or count as a limit."""
        return [use for use in uses if decides(use, under_policy=self.audit.policy is not None)]

    def _is_point(self, candidate: Candidate) -> bool:
        """Tell whether a candidate is one of the points of a sweep."""
        return any(candidate.name in sweep.candidates for sweep in self.audit.sweeps)

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
        original = self.data.for_anonymizers(candidate.attributes, study=self.study_seed is not None)
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

    def limits(self, candidate: Candidate) -> frozenset[tuple[str, bool]]:
        """Return the metrics on which any rule sets a limit for a candidate, each with whether its records are linked."""
        linked = self._kind(candidate)[1] != "none"
        uses = self.rules(candidate)
        return frozenset((name, linked) for use in uses for name in limits_of(self.catalogue.rules[use.rule], use))

    def limited(self, candidate: Candidate) -> frozenset[str]:
        """Return the metrics on which some rule that decides sets a limit for a candidate."""
        linked = self._kind(candidate)[1] != "none"
        return frozenset(
            name
            for use in self._deciding(self.rules(candidate))
            for name in demands_of(self.catalogue.rules[use.rule], use, self.catalogue, linked=linked)
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
