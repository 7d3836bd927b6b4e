"""Outcome -> the same outcome for outsiders, from which every view for them is made.

Everything is named here: a field that is not is left at its default, so that what is new to the outcome stays inside until
somebody has thought about it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, get_args

from permaudit.errors import shown
from permaudit.hookspecs import PROJECT
from permaudit.outcome import (
    AttributeShare,
    Attribution,
    Baseline,
    CandidateResult,
    ColumnNote,
    Coverage,
    Excluded,
    Finding,
    Front,
    InputFile,
    MetricResult,
    Outcome,
    PolicyRecord,
    Provenance,
    Records,
    RuleOutcome,
    SweepPoint,
    SweepResult,
    Validity,
    Waived,
    WaiverResult,
    WaiverState,
)
from permaudit.report.coarse import WITHHELD, Coarse, exactly, parameters, parts, tens
from permaudit.report.digits import DECIMALS

if TYPE_CHECKING:
    from permaudit.outcome import Audience, MetricNote

_FINE = {"confidentiality", "utility"}
"""What is measured on moments of the whole file; everything else may be a share of records."""
_LIMITS = frozenset({"min", "max"})
_OWN_WORDS = frozenset((*get_args(WaiverState), *get_args(RuleOutcome)))
"""What stands in evidence and names no column."""


def for_audience(outcome: Outcome, audience: Audience) -> Outcome:
    """Return the outcome as this audience may see it."""
    if audience == "internal" or outcome.presentation.audience == "external":
        return outcome
    return _Outside(outcome).outcome()


class _Outside:
    """One outcome on its way out."""

    def __init__(self, outcome: Outcome) -> None:
        self._inside = outcome
        self._names = frozenset(
            [*outcome.glossary, *(name for one in outcome.candidates for name in [one.name, *_columns(one)])]
        )
        self._paths = frozenset(_paths(outcome))
        self._foreign = frozenset(
            thing
            for plugin in outcome.provenance.plugins
            if plugin.distribution != PROJECT
            for thing in plugin.provides
        )
        """What strangers provide: in their own words anything can stand."""
        mentioned = {name for one in outcome.candidates for finding in one.rules for name in _mentioned(finding)}
        mentioned |= {waiver.attribute for waiver in outcome.waivers if waiver.attribute is not None}
        undeclared = frozenset(shown(name) for name in mentioned - self._names)
        self._hidden = (undeclared | self._words_of_strangers()) - {""}

    def _words_of_strangers(self) -> frozenset[str]:
        """Return what foreign metrics say of their values: rules repeat it."""
        results = [
            result
            for one in self._inside.candidates
            for name, result in one.metrics.items()
            if f"metric {name}" in self._foreign
        ]
        reasons = {result.reason for result in results if result.reason}
        return frozenset(reasons | {result.baseline.what for result in results if result.baseline})

    def _coarse(self, records: int) -> Coarse:
        """Return how exactly something about so many records may be told."""
        return Coarse(records, self._paths, self._hidden, self._names)

    def outcome(self) -> Outcome:
        """Return what may be told."""
        inside = self._inside
        whole = self._coarse(min(one.records.compared for one in inside.candidates))
        return Outcome(
            verdict=inside.verdict,
            title=whole.cleared(inside.title),
            waivers=[self._waiver(one, whole) for one in inside.waivers],
            policy=None if inside.policy is None else _policy(inside.policy, whole),
            candidates=[self._candidate(one) for one in inside.candidates],
            sweeps=[self._sweep(one, whole) for one in inside.sweeps],
            fronts=[
                Front(protection=one.protection, utility=one.utility, candidates=one.candidates, pareto=one.pareto)
                for one in inside.fronts
            ],
            glossary=inside.glossary,
            provenance=_provenance(inside),
            presentation=replace(inside.presentation, audience="external"),
        )

    def _candidate(self, one: CandidateResult) -> CandidateResult:
        records = one.records
        coarse = self._coarse(min(records.original, records.released, records.compared))
        is_foreign = f"anonymizer {one.anonymizer}" in self._foreign
        return CandidateResult(
            name=one.name,
            kind=one.kind,
            linkage=one.linkage,
            anonymizer=one.anonymizer,
            params=parameters(one.params),
            sha256=one.sha256,
            records=Records(
                original=tens(records.original),
                released=tens(records.released),
                compared=tens(records.compared),
                suppressed=tens(records.suppressed),
                added=tens(records.added),
                dropped=tens(records.dropped),
            ),
            attributes=one.attributes,
            excluded=[Excluded(attribute=left.attribute, reason=coarse.text(left.reason)) for left in one.excluded],
            columns=[_column(note, coarse) for note in one.columns],
            coverage={
                name: Coverage(
                    attributes=covered.attributes,
                    records=tens(covered.records),
                    reason=None if covered.reason is None else self._told(f"metric {name}", covered.reason, coarse),
                )
                for name, covered in one.coverage.items()
            },
            warnings=[WITHHELD if is_foreign else coarse.text(warning) for warning in one.warnings],
            metrics={name: self._metric(name, result, coarse) for name, result in one.metrics.items()},
            attribution=None if one.attribution is None else _attribution(one.attribution, coarse),
            rules=[self._finding(finding, coarse) for finding in one.rules],
            verdict=one.verdict,
        )

    def _told(self, by: str, text: str, coarse: Coarse) -> str:
        """Return a text, unless it comes from a stranger's plugin."""
        return WITHHELD if by in self._foreign else coarse.text(text)

    def _decimals(self, metric: object, coarse: Coarse) -> int:
        """Return how exactly a metric may be told."""
        note: MetricNote | None = self._inside.glossary.get(metric) if isinstance(metric, str) else None
        return DECIMALS if note is not None and note.measures in _FINE else coarse.decimals

    def _metric(self, name: str, result: MetricResult, coarse: Coarse) -> MetricResult:
        decimals = self._decimals(name, coarse)
        is_foreign = f"metric {name}" in self._foreign

        def told(text: str) -> str:
            return self._told(f"metric {name}", text, coarse)

        def rounded(value: float) -> float:
            return round(value, decimals)

        def some(value: float | None) -> float | None:
            return None if value is None else rounded(value)

        return MetricResult(
            status=result.status,
            value=some(result.value),
            std=some(result.std),
            replicates=[rounded(value) for value in result.replicates],
            null=some(result.null),
            calibrated=some(result.calibrated),
            interval=None if result.interval is None else (rounded(result.interval[0]), rounded(result.interval[1])),
            baseline=None
            if result.baseline is None
            else Baseline(
                value=rounded(result.baseline.value),
                spread=some(result.baseline.spread),
                draws=result.baseline.draws,
                what=told(result.baseline.what),
            ),
            relative=some(result.relative),
            validity=None
            if result.validity is None
            else Validity(
                standing=result.validity.standing,
                because=told(result.validity.because),
                section=result.validity.section,
            ),
            reason=None if result.reason is None else told(result.reason),
            details={} if is_foreign else parts(result.details, self._names, frozenset(), decimals),
        )

    def _finding(self, finding: Finding, coarse: Coarse) -> Finding:
        evidence = finding.evidence
        metric = evidence.get("metric")
        limits = _LIMITS if metric in self._inside.glossary else frozenset[str]()
        decimals = self._decimals(metric, coarse)
        is_foreign = f"rule {finding.rule}" in self._foreign

        def told(text: str) -> str:
            return WITHHELD if is_foreign else coarse.text(text, decimals)

        return Finding(
            rule=finding.rule,
            outcome=finding.outcome,
            message=told(finding.message),
            why=finding.why,
            fix=None if finding.fix is None else told(finding.fix),
            evidence={} if is_foreign else parts(evidence, self._names, limits, decimals),
            attributes=[name for name in finding.attributes if name in self._names],
            origin=finding.origin,
            waived=None if finding.waived is None else _waived(finding.waived),
        )

    def _waiver(self, given: WaiverResult, coarse: Coarse) -> WaiverResult:
        return WaiverResult(
            rule=given.rule,
            candidate=given.candidate,
            attribute=given.attribute if given.attribute is None or given.attribute in self._names else WITHHELD,
            metric=given.metric,
            reason=WITHHELD,
            approved_by=[WITHHELD for _ in given.approved_by],
            expires=given.expires,
            sha256=given.sha256,
            state=given.state,
            message=coarse.text(given.message),
        )

    def _sweep(self, sweep: SweepResult, coarse: Coarse) -> SweepResult:
        def told(values: dict[str, float | None]) -> dict[str, float | None]:
            return {
                name: None if value is None else round(value, self._decimals(name, coarse))
                for name, value in values.items()
            }

        return SweepResult(
            name=sweep.name,
            anonymizer=sweep.anonymizer,
            varied=sweep.varied,
            protection_axis=sweep.protection_axis,
            utility_axis=sweep.utility_axis,
            points=[
                SweepPoint(
                    candidate=point.candidate,
                    params=parameters(point.params),
                    values=told(point.values),
                    spread=told(point.spread),
                    verdict=point.verdict,
                    attributes=point.attributes,
                    pareto=point.pareto,
                )
                for point in sweep.points
            ],
            best=sweep.best,
            best_because=coarse.text(sweep.best_because, decimals=DECIMALS),
        )


def _columns(candidate: CandidateResult) -> list[str]:
    """Return the names of the attributes, also of those that entered no metric."""
    return [*candidate.attributes, *(note.attribute for note in candidate.columns)]


def _mentioned(finding: Finding) -> list[str]:
    """Return the names of columns in a finding, also of those that nobody declared: these may be anything."""
    lists = [part for part in finding.evidence.values() if isinstance(part, list)]
    named = [name for names in lists for name in names if isinstance(name, str) and name not in _OWN_WORDS]
    return [*finding.attributes, *named]


def _paths(outcome: Outcome) -> list[str]:
    """Return every path that the outcome knows."""
    places: list[Any] = [finding.place for one in outcome.candidates for finding in one.rules]
    places += [waiver.place for waiver in outcome.waivers]
    paths = [file.path for file in outcome.provenance.inputs] + [place.file for place in places if place is not None]
    if outcome.policy is not None:
        paths.append(outcome.policy.path)
    return [path for path in paths if path]


def _column(note: ColumnNote, coarse: Coarse) -> ColumnNote:
    return ColumnNote(
        attribute=note.attribute,
        type=note.type,
        missing_policy=note.missing_policy,
        missing_original=tens(note.missing_original),
        missing_released=tens(note.missing_released),
        statements=[coarse.text(statement) for statement in note.statements],
    )


def _attribution(found: Attribution, coarse: Coarse) -> Attribution:
    """Leave out how ranks went: its squares hold few records each."""
    return Attribution(
        least_protected=found.least_protected,
        worst_key=found.worst_key,
        attributes=[
            AttributeShare(
                attribute=one.attribute,
                explained=exactly(one.explained),
                links_without=exactly(one.links_without),
                as_key=exactly(one.as_key),
                moved=coarse.share(one.moved),
                distance=exactly(one.distance),
                permutation=exactly(one.permutation),
            )
            for one in found.attributes
        ],
    )


def _waived(given: Waived) -> Waived:
    return Waived(
        outcome=given.outcome,
        reason=WITHHELD,
        approved_by=[WITHHELD for _ in given.approved_by],
        expires=given.expires,
    )


def _policy(policy: PolicyRecord, coarse: Coarse) -> PolicyRecord:
    return PolicyRecord(
        path=WITHHELD,
        sha256=policy.sha256,
        title=coarse.cleared(policy.title),
        pinned=policy.pinned,
        differences=[coarse.cleared(difference) for difference in policy.differences],
    )


def _provenance(outcome: Outcome) -> Provenance:
    """Keep the hashes of what goes out; whoever knows all but one record could find the last one by the original's."""
    inside = outcome.provenance
    public = {one.sha256 for one in outcome.candidates} | {outcome.policy.sha256 if outcome.policy else None}
    return Provenance(
        inputs=[
            InputFile(path=f"file {number}", sha256=file.sha256 if file.sha256 in public else WITHHELD)
            for number, file in enumerate(inside.inputs, start=1)
        ],
        plugins=inside.plugins,
        packages=inside.packages,
        engine=inside.engine,
        seed=inside.seed,
        study=inside.study,
    )
