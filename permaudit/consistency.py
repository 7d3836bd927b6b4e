"""Does an outcome follow from itself? What was changed by hand often does not."""

from __future__ import annotations

import codecs
import hashlib
from collections import Counter
from typing import TYPE_CHECKING

from permaudit.errors import shown
from permaudit.model import JUDGED
from permaudit.verdict import verdict_of, worst

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from permaudit.outcome import CandidateResult, Outcome


def contradictions(outcome: Outcome, always_on: Collection[str] = ()) -> list[str]:
    """Return all that contradicts itself, in words; `always_on` are the rules that every candidate must have met."""
    return [
        *_of_audit(outcome),
        *(text for one in outcome.candidates for text in _of_candidate(one, outcome, always_on)),
    ]


def _of_audit(outcome: Outcome) -> Iterator[str]:
    """Look at the audit as a whole."""
    expected = worst(candidate.verdict for candidate in outcome.candidates)
    if outcome.verdict != expected:
        yield f"the verdict is {outcome.verdict}, but follows as {expected} from its candidates"
    counted = Counter(candidate.name for candidate in outcome.candidates)
    yield from (f"two candidates are called '{shown(name)}'" for name, many in counted.items() if many > 1)
    verdicts = {candidate.name: candidate.verdict for candidate in outcome.candidates}
    for sweep in outcome.sweeps:
        for point in sweep.points:
            if verdicts.get(point.candidate) != point.verdict:
                yield f"sweep '{shown(sweep.name)}' has another verdict of '{shown(point.candidate)}' than its candidate"
    inputs = {file.path: file.sha256 for file in outcome.provenance.inputs}
    for name, text in outcome.provenance.documents.items():
        if name in inputs and inputs[name] not in _hashes(text):
            yield f"the text of '{shown(name)}' is not the one that was read"


def _of_candidate(candidate: CandidateResult, outcome: Outcome, always_on: Collection[str]) -> Iterator[str]:
    """Look at one candidate."""
    name = shown(candidate.name)
    expected = verdict_of(candidate.rules)
    if candidate.verdict != expected:
        yield f"candidate '{name}' is {candidate.verdict}, but follows as {expected} from what its rules found"
    met = {finding.rule for finding in candidate.rules}
    yield from (f"candidate '{name}' was not judged by {rule}" for rule in sorted({JUDGED, *always_on} - met))
    for finding in candidate.rules:
        if (finding.outcome == "waived") != (finding.waived is not None):
            yield f"candidate '{name}': {shown(finding.rule)} is {finding.outcome}, which is not what its waiver says"
        elif finding.waived is not None and not _has_waiver(candidate, finding.rule, outcome):
            yield f"candidate '{name}': {shown(finding.rule)} is waived without a waiver"
    unknown = [metric for metric in candidate.metrics if metric not in outcome.glossary]
    yield from (f"candidate '{name}': nothing says what {shown(metric)} is" for metric in unknown)


def _has_waiver(candidate: CandidateResult, rule: str, outcome: Outcome) -> bool:
    """Tell whether the audit has an applied waiver of this rule."""
    return any(
        waiver.state == "applied" and waiver.rule == rule and waiver.candidate == candidate.name
        for waiver in outcome.waivers
    )


def _hashes(text: str) -> set[str]:
    """Return what a file with this text hashes to, with and without a byte order mark."""
    content = text.encode("utf-8", "replace")
    return {hashlib.sha256(begin + content).hexdigest() for begin in (b"", codecs.BOM_UTF8)}
