"""Figures of matplotlib, made by matplotlib."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import pytest

from permaudit.errors import PluginError
from permaudit.report.charts import from_matplotlib

figures = pytest.importorskip("matplotlib.figure")

SVG = "{http://www.w3.org/2000/svg}"
WITH = {"title": "Distances", "alt": "They fall", "header": ["x", "y"], "rows": [[1, 0.5], [2, 0.25]]}


@pytest.fixture
def figure():
    """Return a figure with lines, marks, hatching, an image, a formula and a link."""
    drawn = figures.Figure(figsize=(4, 3))
    left, right = drawn.subplots(1, 2)
    left.plot([1, 2, 3], [3, 2, 1], "o--", label="a <b> & c")
    left.set_title("$x^2$")
    left.legend()
    right.imshow([[0, 1], [1, 0]])
    right.bar([0, 1], [1, 2], hatch="//")
    right.text(0, 0, "linked", url="javascript:alert(1)")
    return drawn


def test_a_figure_becomes_a_drawing_with_its_texts(figure):
    chart = from_matplotlib(figure, prefix="m", **WITH)
    root = ET.fromstring(chart.svg)
    texts = {"".join(text.itertext()).strip() for text in root.iter(f"{SVG}text")}
    assert {"a <b> & c", "linked"} <= texts
    assert {"use", "pattern", "clipPath", "image"} <= {element.tag.removeprefix(SVG) for element in root.iter()}
    assert not re.search(r"javascript|http(?!://www\.w3\.org/2000/svg)|<style>\*", chart.svg)
    assert root.get("viewBox") == "0 0 288 216"
    assert (chart.title, chart.alt, chart.table.rows) == ("Distances", "They fall", (("1", "0.5000"), ("2", "0.2500")))


def test_every_pointer_in_the_drawing_has_a_target(figure):
    markup = from_matplotlib(figure, prefix="m", **WITH).svg
    ids = re.findall(r'\sid="([^"]*)"', markup)
    pointers = set(re.findall(r'url\(#([^)]*)\)|href="#([^"]*)"', markup))
    assert {one or other for one, other in pointers} <= set(ids)
    assert len(ids) == len(set(ids))


def test_a_figure_can_become_an_image(figure):
    root = ET.fromstring(from_matplotlib(figure, prefix="m", image="png", **WITH).svg)
    assert root.find(f"{SVG}image").get("href").startswith("data:image/png;base64,")
    assert root.get("viewBox") == "0 0 288 216"


@pytest.mark.parametrize("image", ["svg", "png"])
def test_the_same_figure_gives_the_same_bytes(figure, image):
    first = from_matplotlib(figure, prefix="m", image=image, **WITH)
    assert from_matplotlib(figure, prefix="m", image=image, **WITH) == first


def test_the_settings_of_the_caller_stay_as_they_are(figure):
    matplotlib = pytest.importorskip("matplotlib")
    before = dict(matplotlib.rcParams)
    from_matplotlib(figure, prefix="m", **WITH)
    assert dict(matplotlib.rcParams) == before


def test_what_is_no_figure_is_refused():
    with pytest.raises(PluginError, match="takes a matplotlib figure"):
        from_matplotlib(object(), prefix="m", **WITH)


def test_the_charts_come_without_matplotlib(child):
    code = "import sys, permaudit.report.charts; print('matplotlib' in sys.modules)"
    assert child(code, python=("-c",)).stdout == "False\n"
