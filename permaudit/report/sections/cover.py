"""The first page: may this go out, why, what is the worst thing found, what would fix it, and who signs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permaudit.errors import shown
from permaudit.report import charts
from permaudit.report.context import Cover, Release
from permaudit.report.desk import NAME, short_hash, whole
from permaudit.report.sections.grounds import grounds
from permaudit.report.sections.limits import is_limit, shortfall
from permaudit.report.sections.reasons import decisive, for_comparison, in_sweep, outside_sweeps
from permaudit.report.sections.waivers import in_force, waiver

if TYPE_CHECKING:
    from permaudit.outcome import CandidateResult, SweepResult
    from permaudit.report.desk import Desk

_FEW, _HEAVY = 3, 2
"""More releases than these take the place of a warning; with more of such things than there is room for, reasons give way."""


def cover(desk: Desk) -> Cover:
    """Answer the questions that a board has."""
    outcome, t = desk.outcome, desk.texts
    waivers = in_force(outcome.waivers)
    warnings, shown_waivers = _warnings(desk), waivers[: desk.room.waivers]
    releases = [*(_release(one, desk) for one in outside_sweeps(desk)), *(_swept(one, desk) for one in outcome.sweeps)]
    load = len(warnings) + len(shown_waivers) + (len(releases) > _FEW) - desk.room.first
    reasons, others = decisive(desk, desk.room.reasons - (load > 0) - (load > _HEAVY))
    return Cover(
        badge=charts.verdict_badge(
            "badge", verdict=outcome.verdict, word=t(f"verdict.{outcome.verdict}"), words=desk.words
        ),
        question=t.count("cover.question", len(outcome.candidates)),
        answer=_answer(desk),
        warnings=warnings,
        waivers_title=t.count("cover.waivers", len(waivers)),
        waivers=tuple(waiver(one, desk) for one in shown_waivers),
        more_waivers=_more(desk, "more.waivers", len(waivers) - desk.room.waivers),
        reasons=tuple(reasons),
        more_reasons=_more(desk, "more.reasons", others),
        grounds=grounds(desk),
        releases=tuple(releases[: desk.room.releases]),
        more_releases=_more(desk, "more.releases", len(releases) - desk.room.releases),
        policy=_policy(desk),
    )


def method_of(candidate: CandidateResult, desk: Desk) -> str:
    """Say how a candidate was made."""
    t = desk.texts
    kind = t(f"kind.{candidate.kind}")
    if candidate.anonymizer is None:
        return t("cover.given", kind=kind)
    params = ", ".join(
        f"{shown(name, NAME)} = {desk.told(charts.parameter(given), NAME)}"
        for name, given in candidate.params.items()
        if given not in (None, [], {})
    )
    made = shown(candidate.anonymizer, NAME) + (f" ({params})" if params else "")
    return t("cover.made", kind=kind, method=made)


def _release(candidate: CandidateResult, desk: Desk) -> Release:
    """Return what would be released."""
    count = len(candidate.attributes)
    return Release(
        name=desk.names[candidate.name],
        anchor=desk.anchors.get(candidate.name, ""),
        method=method_of(candidate, desk),
        records=whole(candidate.records.released),
        attributes=whole(count),
        limits=_limits(candidate, desk),
        digest=short_hash(candidate.sha256),
        mark=desk.verdict(candidate.verdict),
    )


def _swept(sweep: SweepResult, desk: Desk) -> Release:
    """Return a sweep in one line: its best point stands for it, or else its worst."""
    t, found = desk.texts, in_sweep(sweep, desk)
    best = next((one for one in found if one.name == sweep.best), None)
    told = best or found[0]
    number = next(place for place, one in enumerate(desk.outcome.sweeps, start=1) if one is sweep)
    counts = [len(one.attributes) for one in found]
    fewest, most = min(counts), max(counts)
    what = t("cover.sweep", method=shown(sweep.anonymizer, NAME), points=whole(len(sweep.points)))
    if for_comparison(sweep):
        what += f"; {t('cover.compared')}"
    elif best is not None:
        what += f"; {t('cover.best', name=desk.names[best.name])}"
    return Release(
        name=shown(sweep.name, NAME),
        anchor=f"sweep-{number}",
        method=what,
        records=whole(told.records.released),
        attributes=whole(fewest) if fewest == most else t("cover.from-to", low=whole(fewest), high=whole(most)),
        limits=_limits(told, desk),
        digest="",
        mark=desk.verdict(told.verdict),
    )


def _limits(candidate: CandidateResult, desk: Desk) -> str:
    """Say what was read where a limit is missed most, or else kept least."""
    limited = max(filter(is_limit, candidate.rules), key=shortfall, default=None)
    if limited is None:
        return ""
    told, name = limited.evidence, str(limited.evidence["metric"])
    side = "max" if told.get("min") is None else "min"
    value = candidate.metrics[name].value if name in candidate.metrics else None
    return desk.texts(
        f"cover.{side}",
        metric=shown(name, NAME),
        value=desk.words.measured(value),
        limit=charts.parameter(told[side]),
    )


def _answer(desk: Desk) -> str:
    """Say in a sentence whether it may go out."""
    outcome, t = desk.outcome, desk.texts
    study = outcome.provenance.study
    compared = {point.candidate for sweep in outcome.sweeps if for_comparison(sweep) for point in sweep.points}
    asked = [one for one in outcome.candidates if one.name not in compared]
    if not study and asked and (len(outcome.candidates) == 1 or outcome.verdict == "release"):
        return t(f"cover.answer.{outcome.verdict}")
    counts = {verdict: sum(one.verdict == verdict for one in asked) for verdict in ("release", "review", "block")}
    counts["compared"] = len(compared)
    parts = [t.count(f"cover.count.{verdict}", number) for verdict, number in counts.items() if number]
    which = "study" if study else "mixed" if counts["release"] else f"all-{outcome.verdict}"
    return t(f"cover.answer.{which}", parts=", ".join(parts))


def _warnings(desk: Desk) -> tuple[str, ...]:
    """Return what must be read first."""
    warnings = []
    if desk.outcome.provenance.study:
        warnings.append(desk.texts("cover.study"))
    if desk.outcome.presentation.audience == "external":
        warnings.append(desk.texts("cover.external"))
    return tuple(warnings)


def _policy(desk: Desk) -> str:
    """Say by whose rules it was judged."""
    policy = desk.outcome.policy
    if policy is None:
        return desk.texts("cover.no-policy")
    pinned = "pinned" if policy.pinned else "unpinned"
    return desk.texts(f"cover.policy-{pinned}", title=shown(policy.title, NAME), digest=short_hash(policy.sha256))


def _more(desk: Desk, name: str, left: int) -> str:
    return desk.texts.count(name, left) if left > 0 else ""
