"""SARIF 2.1.0: a result for every remark, at the line of the audit or policy file that asked for it."""

from __future__ import annotations

import json
from pathlib import PurePath
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from permaudit.errors import shown
from permaudit.report.remarks import VERDICT, WAIVER, remarks, rule_name
from permaudit.report.words import VERDICT_WORDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from permaudit.outcome import Outcome, Place
    from permaudit.report.remarks import Remark

_ADDRESS = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_LONGEST = 1000
_OWN_RULES = {
    VERDICT: "The audit's verdict, the worst of its candidates': only a release may go out.",
    WAIVER: "A waiver lets a person decide where a rule would block; it never turns a rule into a pass.",
}


def to_sarif(outcome: Outcome) -> bytes:
    """Write the log; pass and not-applicable are no results, since readers would show them as problems."""
    found = remarks(outcome)
    whys = _OWN_RULES | {
        rule_name(finding): finding.why or finding.message for one in outcome.candidates for finding in one.rules
    }
    rules = list(dict.fromkeys(remark.rule for remark in found))
    packages = outcome.provenance.packages
    run = {
        "tool": {
            "driver": {
                "name": "permaudit",
                "version": packages.get("permaudit", "unknown"),
                "rules": [_rule(name, whys[name]) for name in rules],
            }
        },
        "invocations": [
            {"executionSuccessful": True, "exitCodeDescription": f"{outcome.verdict}: {VERDICT_WORDS[outcome.verdict]}"}
        ],
        "columnKind": "unicodeCodePoints",
        "results": [_result(remark, rules) for remark in found],
        "properties": {
            "title": _plain(outcome.title),
            "verdict": outcome.verdict,
            "study": outcome.provenance.study,
            "seed": outcome.provenance.seed,
            "policy": outcome.policy and {"path": _plain(outcome.policy.path), "sha256": outcome.policy.sha256},
        },
    }
    log = {"version": "2.1.0", "$schema": _ADDRESS, "runs": [run]}
    return (json.dumps(log, indent=2, allow_nan=False) + "\n").encode("ascii")


def _rule(name: str, why: str) -> dict[str, Any]:
    """Describe a rule; some readers insist on all three texts."""
    help_text = why if name in _OWN_RULES else f"{why} `permaudit plugins show {name}` says more."
    return {
        "id": name,
        "shortDescription": _message(name),
        "fullDescription": _message(why),
        "help": _message(help_text),
    }


def _result(remark: Remark, rules: Sequence[str]) -> dict[str, Any]:
    """Write one result."""
    fix = f" (to fix: {remark.fix})" if remark.fix else ""
    who = f"{remark.candidate}: " if remark.candidate else ""
    result: dict[str, Any] = {
        "ruleId": remark.rule,
        "ruleIndex": rules.index(remark.rule),
        "level": remark.level,
        "message": _message(f"{who}{remark.message}{fix}"),
        "properties": {"candidate": remark.candidate, "outcome": remark.finding and remark.finding.outcome},
    }
    if remark.place is not None:
        result["locations"] = [{"physicalLocation": _physical(remark.place)}]
    if remark.about is not None:
        said = _message(f"candidate {remark.candidate}")
        result["relatedLocations"] = [{"id": 1, "physicalLocation": _physical(remark.about), "message": said}]
    return result


def _physical(place: Place) -> dict[str, Any]:
    """Point at a line and column."""
    return {
        "artifactLocation": {"uri": _uri(place.file)},
        "region": {"startLine": place.line, "startColumn": place.column},
    }


def _uri(path: str) -> str:
    """Write a path as a reference: relative as it was given, or absolute."""
    posix = PurePath(path).as_posix()
    quoted = quote(posix, errors="replace")
    return f"file://{quoted}" if posix.startswith("/") else quoted


def _message(text: str) -> dict[str, str]:
    """Write a message in which nothing is a placeholder or a link (SARIF 2.1.0, sections 3.11.5 and 3.11.6)."""
    return {"text": _plain(text).replace("](", "] (").replace("{", "{{").replace("}", "}}") or "-"}


def _plain(text: str) -> str:
    """Write a text without anything invisible."""
    return shown(text, _LONGEST)
