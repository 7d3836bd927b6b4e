"""`summary.md`: whatever the names are, the structure of the page stays the same."""

from __future__ import annotations

from dataclasses import replace

import pytest
from markdown_it import MarkdownIt  # comes with rich

import permaudit as pa
from permaudit.outcome import Excluded
from permaudit.plugins import load_plugins
from permaudit.report.markdown import to_markdown

HOSTILE = {
    "script": "<script>alert(1)</script>",
    "end of title": "</title><h1>x",
    "image": '"><img src=x onerror=alert(1)>',
    "attachment": "<link rel=attachment href=file:///x>",
    "comment": "<!-- x",
    "entity": "&lt;b&gt; &amp; &#60;",
    "cell": "a | b |",
    "row": "a |\n| b | c | d | e |",
    "newline": "a\n\n# Verdict: release\n\nb",
    "carriage return": "a\r\n# x",
    "separator": "a\u2028# x\u2029b\x0bc\x0cd\x85e",
    "link": "[x](javascript:alert(1))",
    "image link": "![x](http://example.org/x.png)",
    "reference": "[x]: http://example.org",
    "autolink": "<http://example.org>",
    "bare address": "http://example.org and www.example.org and a@example.org",
    "emphasis": "**bold** _it_ ~~gone~~ `code`",
    "fence": "```\nx\n```",
    "heading": "# x",
    "list": "- x\n- y",
    "quote": "> x",
    "rule": "---",
    "template": "{{7*7}} {% if x %} {# x #}",
    "colour": "\x1b[31mred\x1b[0m",
    "bidi": "abc\u202etxt.exe",
    "zero width": "re\u200blease",
    "surrogate": "a\ud800b",
    "NUL": "a\x00b",
    "workflow command": "::error file=x::y %0A",
    "formula": "=HYPERLINK(1)",
    "markup of the console": "[/red] [bold]x[/bold]",
    "backslashes": "a\\| b\\\\| c",
    "long": "x" * 100_000,
    "long and hostile": "|<" * 50_000,
    "emoji": "😀 年齢 عمر",
    "blank": " ",
}


@pytest.fixture(scope="module")
def templates():
    return load_plugins().catalogue.templates["board"]


@pytest.fixture(scope="module")
def outcome(people, masked):
    return pa.audit(people, masked, kind="masked")


def named(outcome, name):
    """Return the outcome with a name wherever one from outside can stand."""
    (candidate,) = outcome.candidates
    spoilt = replace(
        candidate,
        name=name,
        attributes=[name, name],
        anonymizer=name,
        params={name: name},
        excluded=[Excluded(attribute=name, reason=name)],
        warnings=[name],
        metrics={
            key: replace(metric, status="not-applicable", value=None, reason=name)
            for key, metric in candidate.metrics.items()
        },
        rules=[replace(rule, message=name, fix=name) for rule in candidate.rules],
    )
    return replace(outcome, title=name, candidates=[spoilt])


def structure(markdown):
    """Return what a parser sees, without the texts."""
    tokens = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(markdown.decode("utf-8"))
    found = []
    for token in tokens:
        found.append((token.type, token.tag))
        found += [
            (child.type, child.tag) for child in token.children or () if child.type not in {"text", "text_special"}
        ]
    return found


@pytest.mark.parametrize("name", HOSTILE.values(), ids=HOSTILE)
def test_no_name_changes_the_structure_of_the_page(outcome, templates, name):
    ordinary = to_markdown(named(outcome, "ordinary"), templates)
    hostile = to_markdown(named(outcome, name), templates)
    assert structure(hostile) == structure(ordinary)
    assert {kind for kind, _ in structure(hostile)}.isdisjoint({"html_inline", "html_block", "link_open", "image"})


@pytest.mark.parametrize("name", HOSTILE.values(), ids=HOSTILE)
def test_a_name_leaves_nothing_that_cannot_be_seen(outcome, templates, name):
    text = to_markdown(named(outcome, name), templates).decode("utf-8")
    assert text.replace("\n", "").isprintable()
    assert len(text) < 40_000


def test_an_address_does_not_become_a_link_where_bare_ones_do(outcome, templates):
    text = to_markdown(named(outcome, HOSTILE["bare address"] + " WWW.EXAMPLE.ORG ftp://x.org"), templates).decode()
    assert "p://" not in text
    assert "www." not in text.lower()
    assert "a@" not in text


def test_braces_in_a_name_are_printed_and_not_computed(outcome, templates):
    html = MarkdownIt("commonmark").enable("table").render(to_markdown(named(outcome, "{{7*7}}"), templates).decode())
    assert "{{7*7}}" in html
    assert "49" not in html


def test_an_ordinary_page_says_what_matters(outcome, templates):
    html = MarkdownIt("commonmark").enable("table").render(to_markdown(outcome, templates).decode())
    (candidate,) = outcome.candidates
    assert "review" in html
    assert f"{candidate.metrics['CM2'].value:.4f}" in html
    assert "no threshold on a confidentiality metric judged this candidate" in html
    assert "higher is safer" in html
    for attribute in candidate.attributes:
        assert attribute in html


def test_many_columns_and_candidates_keep_the_page_readable(outcome, templates):
    (candidate,) = outcome.candidates
    wide = replace(candidate, attributes=[f"column {number}" for number in range(3000)])
    text = to_markdown(replace(outcome, candidates=[wide]), templates).decode()
    assert max(map(len, text.splitlines())) < 1000


def test_names_that_are_equal_when_shortened_can_still_be_told_apart(outcome, templates):
    (candidate,) = outcome.candidates
    twins = [replace(candidate, name="x" * 500 + end) for end in "ab"]
    text = to_markdown(replace(outcome, candidates=twins), templates).decode()
    headings = [line for line in text.splitlines() if line.startswith("## x")]
    assert len(set(headings)) == 2
