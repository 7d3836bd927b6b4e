"""What must hold of the markup of every chart, whatever the data are."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from xml.etree import ElementTree as ET

import pytest

from permaudit.outcome import RuleOutcome, Verdict
from permaudit.report import charts
from permaudit.report.charts.lettering import width_of
from permaudit.report.charts.palette import CLASSES, HEAT

SVG = "{http://www.w3.org/2000/svg}"
ELEMENTS = frozenset(["svg", "title", "style", "g", "text", "line", "rect", "circle", "polygon", "polyline", "path"])
OTHER_CLASSES = frozenset(
    {"pc", "pc-panel", "pc-mark", "pc-dense", *(f"pc-h{place}" for place in range(len(HEAT["light"])))}
)
SIGNS = [charts.verdict_sign(one) for one in Verdict.__args__] + [
    charts.outcome_sign(one) for one in RuleOutcome.__args__
]


def drawings(chart) -> list[ET.Element]:
    """Return the drawings of a chart, read by an XML parser that forgives nothing."""
    return list(ET.fromstring(f"<all>{chart.svg}</all>"))


def all_drawings(some_charts) -> list[ET.Element]:
    """Return the drawings of several charts."""
    return [drawing for chart in some_charts for drawing in drawings(chart)]


def told(chart) -> str:
    """Return all that a chart says, apart from its styles."""
    texts = [
        "".join(element.itertext())
        for drawing in drawings(chart)
        for element in drawing.iter()
        if element.tag in {f"{SVG}text", f"{SVG}title"}
    ]
    cells = [*chart.table.header, *(cell for row in chart.table.rows for cell in row), *chart.table.keys]
    return "\n".join([*texts, chart.title, chart.alt, *cells])


def test_the_markup_is_well_formed_and_holds_nothing_but_shapes_and_texts(some_charts):
    for drawing in all_drawings(some_charts):
        assert drawing.tag == f"{SVG}svg"
        for element in drawing.iter():
            assert element.tag.removeprefix(SVG) in ELEMENTS
            assert not any(name.startswith("on") or "href" in name for name in element.attrib)
            others = {name: value for name, value in element.attrib.items() if name != "data-key"}
            assert not [value for value in others.values() if re.search(r"[:/<]", value.removeprefix("max-width:"))]
        assert not re.search(r"url|import|http|expression", drawing.find(f"{SVG}style").text)


def test_every_class_is_one_of_the_palette(some_charts):
    elements = [element for drawing in all_drawings(some_charts) for element in drawing.iter()]
    used = {name for element in elements for name in element.get("class", "").split()}
    assert used <= OTHER_CLASSES | set(CLASSES)


def test_every_drawing_has_a_text_alternative_as_its_first_child(some_charts):
    assert some_charts
    for chart in some_charts:
        pictures = drawings(chart)
        for drawing in pictures:
            assert drawing.get("role") == "img"
            assert drawing[0].tag == f"{SVG}title"
            assert drawing[0].text.strip()
        assert pictures[0][0].text == chart.alt


def test_titles_alternatives_and_tables_are_complete(some_charts):
    for chart in some_charts:
        table = chart.table
        assert chart.alt.strip()
        assert table.header
        assert len(table.numeric) == len(table.header)
        assert len(table.keys) == len(table.rows)
        assert all(len(row) == len(table.header) for row in table.rows)


def test_no_id_stands_twice_on_a_page_with_all_charts(every_chart):
    ids = Counter(re.findall(r'\sid="([^"]*)"', "".join(chart.svg for chart in every_chart.values())))
    assert len(ids) > 100
    assert [name for name, count in ids.items() if count > 1] == []


def test_nothing_invisible_unbounded_or_half_is_written(some_charts):
    for chart in some_charts:
        text = told(chart)
        text.encode("utf-8")
        assert not {unicodedata.category(character) for character in text.replace("\n", "")} & {"Cc", "Cf", "Cs", "Co"}
        assert max(map(len, text.split("\n"))) <= 2100
        assert len(chart.svg) < 1_000_000


def test_numbers_that_are_none_are_never_written_as_numbers(some_charts):
    elements = [element for drawing in all_drawings(some_charts) for element in drawing.iter()]
    attributes = [value for one in elements for name, value in one.attrib.items() if name not in {"id", "data-key"}]
    assert not [value for value in attributes if re.search(r"\b(nan|inf|None)\b", value, re.IGNORECASE)]


def test_every_line_of_text_stays_on_the_paper(some_charts):
    """With the widths of a wide font, which the estimate assumes."""
    for drawing in all_drawings(some_charts):
        width, height = float(drawing.get("width")), float(drawing.get("height"))
        for left, baseline, text, size, bold, anchor in lines(drawing):
            wide = width_of(text, size, bold=bold)
            start = left - {"start": 0, "middle": wide / 2, "end": wide}[anchor]
            assert start >= -1, text
            assert start + wide <= width + 1, text
            assert size * 0.7 <= baseline <= height - 1, text


def lines(element: ET.Element, right: float = 0.0, down: float = 0.0):
    """Yield the texts with their places; those that are turned are left out."""
    for child in element:
        turn = child.get("transform", "")
        if "rotate" in turn:
            continue
        moved = re.match(r"translate\((\S+) (\S+)\)", turn)
        x, y = (right + float(moved[1]), down + float(moved[2])) if moved else (right, down)
        if child.tag == f"{SVG}text":
            size, bold = float(child.get("font-size", 12)), child.get("font-weight") == "bold"
            anchor = child.get("text-anchor", "start")
            yield x + float(child.get("x")), y + float(child.get("y")), child.text or "", size, bold, anchor
        yield from lines(child, x, y)


@pytest.mark.parametrize("sign", SIGNS)
def test_signs_are_for_the_eye_only_since_the_word_stands_beside_them(sign):
    drawing = ET.fromstring(sign)
    assert drawing.get("aria-hidden") == "true"
    assert "id" not in drawing.attrib


def test_signs_differ_in_shape_and_not_only_in_colour():
    shapes = {re.sub(r'<style>.*?</style>|class="[^"]*"', "", sign) for sign in SIGNS}
    assert len(shapes) == len({"release", "review", "block", "waived", "not-applicable", "error"})


def test_prefixes_that_are_no_ids_become_ids_and_stay_apart():
    prefixes = ["a b", "a-b", "1", "", "é", "<x>", "a" * 70, "a" * 71, "\ud800"]
    names = [re.search(r'id="([^"]*)"', charts.worked_picture(prefix).svg)[1] for prefix in prefixes]
    assert len(set(names)) == len(prefixes)
    assert all(re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]*", name) for name in names)


def test_the_same_data_give_the_same_bytes():
    assert charts.worked_picture("a") == charts.worked_picture("a")
