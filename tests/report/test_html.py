"""`report.html` as text: one file that needs nothing, with a text and a table for every drawing."""

from __future__ import annotations

import base64
import hashlib
import re
from collections import Counter
from html.parser import HTMLParser
from itertools import pairwise

import pytest

from .scenes import SCENES, page

VOID = {"meta", "img", "link", "br", "hr", "input"}


class Tree(HTMLParser):
    """All elements with their attributes and the elements around them."""

    def __init__(self, content: str) -> None:
        super().__init__()
        self.stack: list[int] = []
        self.elements: list[tuple[str, dict[str, str | None], tuple[int, ...]]] = []
        self.texts: dict[int, str] = {}
        self.within: dict[tuple[int, str], list[int]] = {}
        self.feed(content)
        self.close()

    def add(self, tag, attrs):
        self.elements.append((tag, dict(attrs), tuple(self.stack)))
        for outer in self.stack:
            self.within.setdefault((outer, tag), []).append(len(self.elements) - 1)

    def handle_starttag(self, tag, attrs):
        self.add(tag, attrs)
        if tag not in VOID:
            self.stack.append(len(self.elements) - 1)

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self.elements[self.stack.pop()][0] == tag

    def handle_startendtag(self, tag, attrs):
        self.add(tag, attrs)

    def handle_data(self, data):
        for place in self.stack:
            self.texts[place] = self.texts.get(place, "") + data

    def of(self, tag: str) -> list[int]:
        return [place for place, (name, _, _) in enumerate(self.elements) if name == tag]

    def inside(self, outer: int, tag: str) -> list[int]:
        return self.within.get((outer, tag), [])


@pytest.fixture(params=[*SCENES, "paper"], scope="module")
def tree(request):
    content = page("board", paged=True) if request.param == "paper" else page(request.param)
    return Tree(content)


def test_every_element_is_closed_and_no_name_is_used_twice(tree):
    assert tree.stack == []
    ids = Counter(attributes["id"] for _, attributes, _ in tree.elements if "id" in attributes)
    assert [name for name, times in ids.items() if times > 1] == []


def test_every_link_leads_to_a_place_on_the_page(tree):
    ids = {attributes.get("id") for _, attributes, _ in tree.elements}
    links = [tree.elements[place][1]["href"] for place in tree.of("a")]
    assert links
    assert [link for link in links if link[:1] != "#" or link[1:] not in ids] == []
    named = [name for _, attributes, _ in tree.elements for name in (attributes.get("aria-labelledby") or "").split()]
    assert set(named) <= ids


def test_nothing_is_fetched(tree):
    fetched = {"src", "srcset", "action", "formaction", "poster", "data", "background", "ping"}
    for tag, attributes, _ in tree.elements:
        assert tag not in {"link", "iframe", "object", "embed", "base", "form", "audio", "video"}
        for name, value in attributes.items():
            assert name not in fetched or value.startswith("data:")
            assert not name.startswith("on")
            assert not re.search(r"url\((?!#)", value or "") or tag == "style"
    for place in tree.of("style"):
        assert re.findall(r"@import|url\((?!#|data:font/woff)", tree.texts.get(place, "")) == []


def test_every_drawing_has_a_text_for_those_who_do_not_see_it(tree):
    for place in tree.of("svg"):
        _, attributes, around = tree.elements[place]
        if any(tree.elements[outer][0] == "svg" for outer in around):
            continue
        hidden = attributes.get("aria-hidden") == "true"
        assert hidden or (attributes["role"] == "img" and (attributes.get("aria-label") or tree.inside(place, "title")))


def test_every_figure_has_a_caption_and_on_screen_its_data_as_a_table(tree):
    is_paper = not tree.inside(tree.of("body")[0], "script")
    figures = tree.of("figure")
    assert figures
    for place in figures:
        assert tree.texts[tree.inside(place, "figcaption")[0]].strip()
        assert len(tree.inside(place, "table")) == (0 if is_paper else 1)


def test_every_table_has_headings_with_a_scope_and_rows_of_the_same_length(tree):
    for place in tree.of("table"):
        heads = tree.inside(place, "th")
        assert heads
        assert all(tree.elements[head][1].get("scope") in {"col", "row"} for head in heads)
        widths = {
            sum(tree.elements[cell][2][-1] == row for cell in (*tree.inside(row, "th"), *tree.inside(row, "td")))
            for row in tree.inside(place, "tr")
        }
        assert len(widths) == 1


def test_headings_leave_out_no_level(tree):
    levels = [int(tag[1]) for tag, _, _ in tree.elements if re.fullmatch(r"h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))


def test_the_security_policy_allows_this_script_and_nothing_from_outside():
    tree = Tree(page("board"))
    policy = next(
        attributes["content"]
        for tag, attributes, _ in tree.elements
        if tag == "meta" and attributes.get("http-equiv") == "Content-Security-Policy"
    )
    [script] = tree.of("script")
    digest = base64.b64encode(hashlib.sha256(tree.texts[script].encode()).digest()).decode()
    parts = dict(part.strip().split(" ", 1) for part in policy.split(";"))
    assert parts == {
        "default-src": "'none'",
        "style-src": "'unsafe-inline'",
        "script-src": f"'sha256-{digest}'",
        "img-src": "data:",
        "base-uri": "'none'",
        "form-action": "'none'",
    }


def test_the_same_outcome_gives_the_same_page():
    first = page("single")
    page.cache_clear()
    assert page("single") == first


def test_a_page_of_three_candidates_and_a_sweep_is_smaller_than_a_megabyte():
    assert len(page("board").encode()) < 1_000_000


def test_code_in_a_sentence_is_set_as_code_and_everything_is_escaped():
    from permaudit.report.look import with_code  # noqa: PLC0415

    assert with_code("try `a <b>` & `c`") == "try <code>a &lt;b&gt;</code> &amp; <code>c</code>"
    assert with_code("one ` alone") == "one ` alone"
    assert with_code("``") == "``"
    assert "`" not in re.sub(r"<pre.*?</pre>|<script.*?</script>", "", page("board"), flags=re.DOTALL)
