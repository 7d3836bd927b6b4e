"""Names and texts from outside, wherever one can stand in an outcome."""

from __future__ import annotations

from dataclasses import replace

from permaudit.outcome import (
    Baseline,
    Excluded,
    Place,
    PolicyRecord,
    SweepPoint,
    SweepResult,
    Waived,
    WaiverResult,
)

HOSTILE = {
    "script": "<script>alert(1)</script>",
    "end of title": "</title><h1>x",
    "image": '"><img src=x onerror=alert(1)>',
    "attachment": "<link rel=attachment href=file:///x>",
    "comment": "<!-- x --> <? y ?>",
    "entity": "&lt;b&gt; &amp; &#60; &nosuch;",
    "end of a section": "a]]>b <![CDATA[c]]>",
    "quotes": "a'b\"c",
    "cell": "a | b |",
    "row": "a |\n| b | c | d | e |",
    "newline": "a\n\n# Verdict: release\n\nb",
    "carriage return": "a\r\n# x",
    "separator": "a\u2028# x\u2029b\x0bc\x0cd\x85e",
    "link": "[x](javascript:alert(1))",
    "numbered link": "[x](1) and {0}",
    "image link": "![x](http://example.org/x.png)",
    "reference": "[x]: http://example.org",
    "autolink": "<http://example.org>",
    "bare address": "http://example.org and www.example.org and a@example.org WWW.EXAMPLE.ORG ftp://x.org",
    "awkward address": "a|b@example.org `c@example.org` d\\e@example.org",
    "mention": "@octocat #1 octo/repo#2 :skull: $x^2$",
    "emphasis": "**bold** _it_ ~~gone~~ `code` __b__ a_b_c",
    "fence": "```\nx\n```",
    "backticks": "`` ` ``` x",
    "heading": "# x",
    "underline": "===",
    "list": "- x\n- y",
    "numbered list": "1. x",
    "quote": "> x",
    "rule": "---",
    "template": "{{7*7}} {% if x %} {# x #}",
    "colour": "\x1b[31mred\x1b[0m",
    "bidi": "abc\u202etxt.exe",
    "zero width": "re\u200blease",
    "surrogate": "a\ud800b",
    "other surrogate": "\udfff",
    "NUL": "a\x00b",
    "no character": "a\ufffe\uffff\U0001ffffb",
    "workflow command": "::error file=x,line=1::y %0A",
    "command in a value": "x,line=7::y::z%3A%2C%25",
    "old workflow command": "##[error]y ##vso[task.complete result=Succeeded;]",
    "formula": "=HYPERLINK(1)",
    "formula by sign": "@SUM(1) +1 -1",
    "tab": "\t=1",
    "markup of the console": "[/red] [bold]x[/bold]",
    "backslashes": "a\\| b\\\\| c\\",
    "long": "x" * 100_000,
    "long and hostile": "|<" * 50_000,
    "emoji": "😀 年齢 عمر",
    "blank": " ",
    "nothing": "",
}


def named(outcome, name):
    """Return the outcome with a name wherever one from outside can stand."""
    (candidate,) = outcome.candidates
    place = Place(file=name, line=3, column=1)
    waived = Waived(outcome="fail", reason=name, approved_by=[name, name], expires="2027-01-31")
    waiver = WaiverResult(
        rule=name,
        candidate=name,
        attribute=name,
        reason=name,
        approved_by=[name, name],
        expires="2027-01-31",
        sha256=None,
        state="expired",
        message=name,
        place=place,
    )
    baseline = Baseline(value=0.5, spread=0.1, what=name)
    measured, *others = candidate.metrics.items()
    spoilt = replace(
        candidate,
        name=name,
        attributes=[name, name],
        anonymizer=name,
        params={name: name},
        excluded=[Excluded(attribute=name, reason=name)],
        warnings=[name],
        metrics={measured[0]: replace(measured[1], baseline=baseline)}
        | {key: replace(metric, status="not-applicable", value=None, reason=name) for key, metric in others},
        rules=[
            replace(rule, rule=name, outcome=said, message=name, why=name, fix=name, place=place, waived=waived)
            for rule in candidate.rules[:1]
            for said in ("fail", "waived", "review", "error", "not-applicable", "pass")
        ],
        verdict="block",
    )
    point = SweepPoint(candidate="another", params={name: name}, values={}, spread={}, verdict="block", pareto=True)
    sweep = SweepResult(
        name=name,
        anonymizer=name,
        varied=[name],
        protection_axis=None,
        utility_axis=None,
        points=[point],
        best=name,
        best_because=name,
    )
    return replace(
        outcome,
        title=name,
        verdict="block",
        waivers=[waiver],
        policy=PolicyRecord(path=name, sha256="0" * 64, title=name, pinned=True, differences=[name]),
        candidates=[spoilt],
        sweeps=[sweep],
        provenance=replace(outcome.provenance, places={name: place}),
    )
