"""`summary.md`: whatever the names are, the structure of the page stays the same, also for GitHub's own parser."""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser

import pytest
from cmarkgfm import github_flavored_markdown_to_html
from markdown_it import MarkdownIt

from permaudit import shown
from permaudit.outcome import Baseline, PolicyRecord, WaiverResult
from permaudit.report.markdown import escaped
from permaudit.report.summary import to_markdown

from .hostile import HOSTILE, named

TEXTS = {"text", "text_special", "code_inline", "softbreak"}


def structure(markdown):
    """Return what a parser sees, without the texts."""
    tokens = MarkdownIt("commonmark").enable(["table", "strikethrough"]).parse(markdown.decode("utf-8"))
    found = []
    for token in tokens:
        found.append((token.type, token.tag))
        found += [(child.type, child.tag) for child in token.children or () if child.type not in TEXTS]
    return found


class Page(HTMLParser):
    """The tags of a page, and its texts outside of code."""

    def __init__(self, markdown):
        super().__init__()
        self.tags, self.texts, self.titles = [], [], []
        self._within = []
        html = github_flavored_markdown_to_html(markdown.decode("utf-8"))
        self.feed(html)

    def handle_starttag(self, tag, attrs):  # noqa: ARG002
        self._within.append(tag)
        if tag not in {"code", "br"}:
            self.tags.append(tag)
        if tag == "h1":
            self.titles.append("")

    def handle_endtag(self, tag):
        self._within.remove(tag)

    def handle_data(self, data):
        if "h1" in self._within:
            self.titles[-1] += data
        if "code" not in self._within:
            self.texts.append(data)


@pytest.fixture(scope="module")
def ordinary(outcome):
    return to_markdown(named(outcome, "ordinary"))


@pytest.fixture(scope="module", params=HOSTILE.values(), ids=HOSTILE)
def hostile(request, outcome):
    """Return a name and the page in which it stands everywhere."""
    return request.param, to_markdown(named(outcome, request.param))


def test_no_name_changes_the_structure_of_the_page(ordinary, hostile):
    _, markdown = hostile
    assert structure(markdown) == structure(ordinary)
    assert {kind for kind, _ in structure(markdown)}.isdisjoint({"html_inline", "html_block", "link_open", "image"})


def test_no_name_becomes_a_link_or_a_mention_for_the_parser_of_github(ordinary, hostile):
    page = Page(hostile[1])
    assert page.tags == Page(ordinary).tags
    assert {"a", "img", "script", "del", "em"}.isdisjoint(page.tags)
    assert not re.search(r"@|://|www\.|:\w+:|#\d|\$", " ".join(page.texts), re.IGNORECASE)


def test_a_name_is_read_as_it_is_written(hostile):
    name, markdown = hostile
    (title,) = Page(markdown).titles
    if name != HOSTILE["awkward address"]:  # in which signs are written as their codes
        assert title.strip() == shown(name, 400).strip()


def test_a_name_leaves_nothing_that_cannot_be_seen(hostile):
    text = hostile[1].decode("utf-8")
    assert text.replace("\n", "").isprintable()
    assert len(text) < 60_000


@pytest.mark.parametrize(
    "text",
    [
        "CM2 is 0.1184, as demanded: at least 0.05",
        "no_copied_records (k=10): 5 of 7 + 1!",
        "columns {A, B} and A/B - C^2 = D; 95 %; it's -0.5 > 3",
        "-",
        "-0.5",
        "1.5",
        "0 & 1",
    ],
)
def test_ordinary_texts_are_written_as_they_are(text):
    assert escaped(text) == text


def test_braces_in_a_name_are_printed_and_not_computed(outcome):
    html = github_flavored_markdown_to_html(to_markdown(named(outcome, "{{7777*7777}}")).decode())
    assert "{{7777*7777}}" in html
    assert str(7777 * 7777) not in html


# --------------------------------------------------------------------------- what the page says


def page_of(outcome):
    """Return the page as text in one line."""
    html = github_flavored_markdown_to_html(to_markdown(outcome).decode())
    return unescape(re.sub(r"<[^>]+>", " ", html))


def test_an_ordinary_page_says_what_matters(outcome):
    (candidate,) = outcome.candidates
    page = page_of(outcome)
    metric = candidate.metrics["CM2"]
    assert "release : nothing that was checked speaks against the release" in page
    assert f"{metric.value:.4f}" in page
    assert f"{metric.null:.4f} if unrelated" in page
    assert "judged by a limit on CM2" in page
    assert "higher is safer" in page
    for attribute in candidate.attributes:
        assert attribute in page


def test_a_number_stands_beside_its_interval_and_its_baseline(outcome):
    (candidate,) = outcome.candidates
    metric = replace(
        candidate.metrics["CM2"], interval=(0.1, 0.25), baseline=Baseline(value=0.6, spread=0.02, what="other people")
    )
    page = page_of(replace(outcome, candidates=[replace(candidate, metrics={"CM2": metric})]))
    assert "0.1000 to 0.2500" in page
    assert "0.6000 ± 0.0200 for other people" in page


def test_waivers_come_first_then_the_verdict_and_the_policy_with_its_hash(outcome):
    waiver = WaiverResult(
        rule="threshold",
        candidate="release",
        attribute="AGE",
        reason="agreed in May",
        approved_by=["A. Smith", "B. Jones"],
        expires="2027-01-31",
        sha256=None,
        state="applied",
        message="the rule is waived",
    )
    policy = PolicyRecord(path="board.yaml", sha256="ab" * 32, title="Board policy", pinned=False)
    page = page_of(replace(outcome, waivers=[waiver], policy=policy))
    parts = ["threshold for release, attribute AGE [applied]", "A. Smith and B. Jones", "2027-01-31", "agreed in May"]
    places = [
        page.index(part) for part in [*parts, "nothing that was checked", "Board policy", "ab" * 32, "not pinned"]
    ]
    assert places == sorted(places)


def test_a_study_says_that_it_is_one(outcome):
    page = page_of(replace(outcome, provenance=replace(outcome.provenance, study=True)))
    assert "must not be released" in page


def test_many_columns_and_candidates_keep_the_page_readable(outcome):
    (candidate,) = outcome.candidates
    wide = replace(candidate, attributes=[f"column {number}" for number in range(3000)])
    text = to_markdown(replace(outcome, candidates=[wide])).decode()
    assert max(map(len, text.splitlines())) < 1000


def test_names_that_are_equal_when_shortened_can_still_be_told_apart(outcome):
    (candidate,) = outcome.candidates
    twins = [replace(candidate, name="x" * 500 + end) for end in "ab"]
    text = to_markdown(replace(outcome, candidates=twins)).decode()
    headings = [line for line in text.splitlines() if line.startswith("## x")]
    assert len(set(headings)) == 2
