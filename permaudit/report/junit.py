"""JUnit XML: a test case for every candidate and rule, which fails unless the rule lets the candidate pass.

Many pipelines read nothing but this file. So there is a failure or an error in it exactly where `permaudit run` would not
exit with 0, or where the candidates are a study: `review` and `waived` are failures too, and only what does not apply is
skipped.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from permaudit.errors import shown
from permaudit.report.words import (
    STUDY,
    VERDICT_WORDS,
    digits_for,
    distinct,
    interval,
    number,
    waived_words,
    waiver_words,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from permaudit.outcome import CandidateResult, Finding, Outcome, Place

_LONGEST = 1000
_TAGS = {
    "pass": None,
    "not-applicable": "skipped",
    "review": "failure",
    "waived": "failure",
    "fail": "failure",
    "error": "error",
}


def to_junit(outcome: Outcome) -> bytes:
    """Write the test suites: the audit as a whole, then one for each candidate."""
    names = distinct(["permaudit", *(candidate.name for candidate in outcome.candidates)], 100)
    suites = [_audit(names[0], outcome)]
    places = outcome.provenance.places
    for name, candidate in zip(names[1:], outcome.candidates, strict=True):
        suites.append(
            _candidate(name, candidate, places.get(candidate.name), digits_for(outcome.presentation.audience))
        )
    root = ET.Element("testsuites", {"name": _text(outcome.title)})
    root.extend(suites)
    for suite in [*suites, root]:
        counted = {tag: len(suite.findall(f".//{tag}")) for tag in ("failure", "error", "skipped")}
        suite.set("tests", str(len(suite.findall(".//testcase"))))
        suite.set("failures", str(counted["failure"]))
        suite.set("errors", str(counted["error"]))
        suite.set("skipped", str(counted["skipped"]))
    ET.indent(root)
    content: bytes = ET.tostring(root, "utf-8")
    return b'<?xml version="1.0" encoding="utf-8"?>\n' + content + b"\n"


def _audit(name: str, outcome: Outcome) -> ET.Element:
    """Write what became of the waivers, which are no tests, and the verdict."""
    suite = ET.Element("testsuite", {"name": name})
    provenance, policy = outcome.provenance, outcome.policy
    about = {"verdict": outcome.verdict, "study": str(provenance.study).lower(), "seed": str(provenance.seed)}
    if policy is not None:
        about |= {"policy": policy.path, "policy sha256": policy.sha256}
    _properties(suite, about)
    titles = distinct((f"waiver of {one.rule} for {shown(one.candidate)}" for one in outcome.waivers), 200)
    for title, waiver in zip(titles, outcome.waivers, strict=True):
        ET.SubElement(_case(suite, title, waiver.place), "skipped", {"message": _text(waiver_words(waiver, _LONGEST))})
    case = _case(suite, "verdict", None)
    if provenance.study:
        ET.SubElement(case, "failure", {"type": "study", "message": STUDY})
    elif outcome.verdict != "release":
        message = f"{outcome.verdict}: {VERDICT_WORDS[outcome.verdict]}"
        ET.SubElement(case, "failure", {"type": outcome.verdict, "message": message})
    return suite


def _candidate(name: str, candidate: CandidateResult, declared: Place | None, digits: int) -> ET.Element:
    """Write one candidate: what it is, its numbers, and a case for each rule."""
    suite = ET.Element("testsuite", {"name": name})
    about: dict[str, str] = {"verdict": candidate.verdict, "kind": candidate.kind, "linkage": candidate.linkage}
    if candidate.sha256:
        about["sha256"] = candidate.sha256
    for key, metric in candidate.metrics.items():
        within = f" ({interval(metric, digits)})" if metric.interval else ""
        about[f"metric {key}"] = f"{number(metric.value, digits)}{within}, {metric.status}"
    _properties(suite, about)
    for title, finding in zip(distinct((one.rule for one in candidate.rules), 100), candidate.rules, strict=True):
        _judged(_case(suite, title, finding.place or declared), finding)
    return suite


def _judged(case: ET.Element, finding: Finding) -> None:
    """Say in a test case what the rule said; an outcome that is not known is an error."""
    tag = _TAGS.get(finding.outcome, "error")
    if tag is None:
        return
    result = ET.SubElement(case, tag, {"type": finding.outcome, "message": _text(finding.message)})
    lines = [finding.why, f"to fix: {finding.fix}" if finding.fix else ""]
    if finding.waived is not None:
        lines.insert(0, waived_words(finding.waived, _LONGEST))
    result.text = "\n".join(_text(line) for line in lines if line) or None


def _case(suite: ET.Element, name: str, place: Place | None) -> ET.Element:
    """Add a test case."""
    where = {} if place is None else {"file": _text(place.file), "line": str(place.line)}
    return ET.SubElement(suite, "testcase", {"classname": suite.get("name", ""), "name": _text(name), **where})


def _properties(suite: ET.Element, about: Mapping[str, str]) -> None:
    """Add what a suite is about."""
    properties = ET.SubElement(suite, "properties")
    for name, value in about.items():
        ET.SubElement(properties, "property", {"name": _text(name), "value": _text(value)})


def _text(text: str) -> str:
    """Write a text so that XML can hold it: no control character, nothing invisible, no half character."""
    return shown(text, _LONGEST)
