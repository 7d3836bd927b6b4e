"""Drawings that others made: what could do harm is gone, what is seen stays."""

from __future__ import annotations

import re
from base64 import b64encode
from xml.etree import ElementTree as ET

import pytest

from permaudit.errors import PluginError
from permaudit.report.charts import from_svg
from permaudit.report.charts.allowed import ATTRIBUTES, KEPT, PROPERTIES

SVG = "{http://www.w3.org/2000/svg}"
PNG = b64encode(b"\x89PNG\r\n\x1a\n" + b"0" * 20).decode()
WITH = {"title": "A figure", "alt": "What it shows", "header": ["x", "y"], "rows": [["a", 1.25], ["b", None]]}

HARMFUL = {
    "script": "<script>alert(1)</script>",
    "script in another namespace": '<script xmlns="http://www.w3.org/1999/xhtml">alert(1)</script>',
    "script with an address": '<script href="http://example.invalid/x.js"/>',
    "event": '<rect width="1" height="1" onclick="alert(1)" onload="alert(1)"/>',
    "event on the text": '<text onmouseover="alert(1)">x</text>',
    "link": '<a href="javascript:alert(1)"><text>x</text></a>',
    "foreign object": '<foreignObject><iframe xmlns="http://www.w3.org/1999/xhtml" src="//example.invalid"/></foreignObject>',
    "image from the network": '<image href="http://example.invalid/x.png" width="9" height="9"/>',
    "image from the disk": '<image href="file:///etc/hostname" width="9" height="9"/>',
    "image that is a drawing": f'<image href="data:image/svg+xml;base64,{PNG}"/>',
    "image that is none": '<image href="data:image/png;base64,AAAA"/>',
    "use from elsewhere": '<use href="http://example.invalid/x.svg#a"/>',
    "style": "<style>@import url(http://example.invalid/x.css); * {fill: red}</style>",
    "style that fetches": '<rect style="fill: url(http://example.invalid/x)" width="1" height="1"/>',
    "fill that fetches": '<rect fill="url(http://example.invalid/x#a)" width="1" height="1"/>',
    "escaped address": r'<rect fill="u\72l(http://example.invalid)" width="1" height="1"/>',
    "upper case address": '<rect fill="URL(//example.invalid/x)" width="1" height="1"/>',
    "cursor": '<rect style="cursor: url(http://example.invalid/x)" width="1" height="1"/>',
    "second rule": '<rect style="fill: red } * { background: url(http://example.invalid)" width="1" height="1"/>',
    "animation": '<rect><animate attributeName="href" to="javascript:alert(1)"/><set attributeName="onclick" to="x"/></rect>',
    "handler": '<handler type="application/ecmascript">alert(1)</handler>',
    "attachment": '<link xmlns="http://www.w3.org/1999/xhtml" rel="attachment" href="file:///etc/hostname"/>',
    "metadata": "<metadata>C:\\Users\\somebody</metadata>",
    "comment": "<!-- --><script>alert(1)</script><!-- -->",
    "processing instruction": '<?xml-stylesheet href="http://example.invalid/x.css"?>',
    "marked section": "<text><![CDATA[</text><script>alert(1)</script>]]></text>",
    "filter": '<filter id="f"><feImage href="http://example.invalid/x"/></filter><rect filter="url(#f)" width="1" height="1"/>',
    "base": '<g xml:base="http://example.invalid/"><rect width="1" height="1"/></g>',
}


def svg(body: str, root: str = 'viewBox="0 0 100 50"') -> str:
    """Return a drawing."""
    return f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" {root}>{body}</svg>'


def taken(body: str, prefix: str = "f") -> ET.Element:
    """Return what becomes of a drawing."""
    return ET.fromstring(from_svg(svg(body), prefix=prefix, **WITH).svg)


@pytest.mark.parametrize("body", HARMFUL.values(), ids=HARMFUL)
def test_nothing_that_runs_fetches_or_links_is_left(body):
    markup = from_svg(svg(body + '<circle r="3"/>'), prefix="f", **WITH).svg
    root = ET.fromstring(markup)
    for element in list(root.iter())[1:]:
        name = element.tag.removeprefix(SVG)
        assert name in KEPT | {"title", "style"}
        assert set(element.attrib) <= ATTRIBUTES | PROPERTIES | {"id", "href"}
    rest = markup.replace("http://www.w3.org/2000/svg", "")
    without_texts = re.sub(r"<text>.*?</text>", "", rest)
    assert not re.search(r"example|javascript:|file:|alert|somebody|http|url\((?!#)", without_texts, re.IGNORECASE)
    assert root.find(f"{SVG}circle").get("r") == "3"


def test_shapes_texts_and_colours_stay():
    root = taken(
        '<g transform="translate(1 2)"><path d="M0 0L1 1" style="fill: none; stroke: #ff0000; stroke-width: 2"/>'
        '<text x="1" y="2" style="font: italic bold 10px \'DejaVu Sans\', sans-serif">a &lt; b</text></g>'
    )
    path, text = root.find(f".//{SVG}path"), root.find(f".//{SVG}text")
    assert (path.get("d"), path.get("fill"), path.get("stroke"), path.get("stroke-width")) == (
        "M0 0L1 1",
        "none",
        "#ff0000",
        "2",
    )
    assert text.text == "a < b"
    assert (text.get("font-size"), text.get("font-weight"), text.get("font-style")) == ("10px", "bold", "italic")
    assert text.get("font-family").startswith("'DejaVu Sans'")


def test_an_image_within_the_drawing_stays():
    root = taken(f'<image width="9" height="9" xlink:href="data:image/png;base64,\n{PNG}"/>')
    assert root.find(f"{SVG}image").get("href") == f"data:image/png;base64,{PNG}"


def test_ids_get_the_prefix_and_pointers_follow():
    body = (
        '<defs><path id="m" d="M0 0"/><clipPath id="c"><rect width="1" height="1"/></clipPath></defs>'
        '<g clip-path="url(#c)"><use xlink:href="#m" x="3"/></g><rect id="unused" fill="url(#c)"/>'
    )
    first, second = taken(body, "one"), taken(body, "two")
    ids = [{element.get("id") for element in root.iter()} - {None} for root in (first, second)]
    assert not ids[0] & ids[1]
    assert all(name.startswith("one") for name in ids[0])
    assert first.find(f".//{SVG}use").get("href") == "#" + first.find(f".//{SVG}path").get("id")
    assert first.find(f".//{SVG}g").get("clip-path") == f"url(#{first.find(f'.//{SVG}clipPath').get('id')})"


def test_only_plain_shapes_can_be_used_again():
    """Or ten lines that use the line before ten times would draw ten thousand million shapes."""
    bomb = '<g id="a0"><rect id="r" width="1" height="1"/></g>' + "".join(
        f'<g id="a{place}">' + f'<use href="#a{place - 1}"/>' * 10 + "</g>" for place in range(1, 10)
    )
    root = taken(bomb + '<use href="#r"/>')
    assert len(root.findall(f".//{SVG}use")) == 1


def test_what_others_point_to_points_no_further():
    root = taken(
        '<pattern id="p"><rect fill="url(#p)" width="1" height="1"/><use href="#p"/></pattern><rect fill="url(#p)"/>'
    )
    within, outside = root.findall(f".//{SVG}rect")
    assert within.get("fill") is None
    assert outside.get("fill", "").startswith("url(#f-")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no well-formed XML"),
        ("<svg", "no well-formed XML"),
        ("not markup", "no well-formed XML"),
        ("<html/>", "is no SVG drawing"),
        (svg("<rect>"), "no well-formed XML"),
        (svg("", root=""), "has no size"),
        (svg("", root='viewBox="0 0 0 10"'), "has no size"),
        (svg("", root='viewBox="0 0 1e9 10"'), "has no size"),
        (svg("<g>" * 100 + "</g>" * 100), "too many elements"),
        (svg("<g/>" * 70_000), "too many elements"),
        (svg(f"<text>{'x' * 2_000_001}</text>"), "more than 2000000 characters"),
        (f'<!DOCTYPE svg [<!ENTITY a "{"b" * 9}">]>' + svg("<text>&a;</text>"), "declares entities"),
        ('<!DOCTYPE svg [<!ENTITY a SYSTEM "file:///etc/hostname">]>' + svg("<text>&a;</text>"), "declares entities"),
        (svg(f'<path id="p" d="{"M0 0" * 50_000}"/>' + '<use href="#p"/>' * 1000), "draws too much"),
    ],
)
def test_what_is_no_drawing_or_too_large_is_refused(text, message):
    with pytest.raises(PluginError, match=message):
        from_svg(text, prefix="f", **WITH)


def test_a_size_in_points_is_taken_where_there_is_no_view_box():
    assert taken("").get("viewBox") == "0 0 100 50"
    root = ET.fromstring(from_svg(svg("", root='width="30pt" height="20.5pt"'), prefix="f", **WITH).svg)
    assert root.get("viewBox") == "0 0 30 20.5"


@pytest.mark.parametrize("text", ["a\u202eb", "a\u200bb", "x" * 5000, "&#x200e;"])
def test_texts_in_the_drawing_are_shown_as_everywhere(text):
    shown = taken(f"<text>{text}</text>").find(f"{SVG}text").text
    assert len(shown) <= 300
    assert shown.isprintable()


@pytest.mark.parametrize(
    "missing",
    [
        {"title": " "},
        {"alt": ""},
        {"header": []},
        {"rows": []},
        {"rows": [["a"]]},
    ],
)
def test_title_alternative_and_table_are_demanded(missing):
    with pytest.raises(PluginError):
        from_svg(svg(""), prefix="f", **{**WITH, **missing})


def test_the_table_writes_numbers_as_everywhere():
    given = {**WITH, "header": ["a", "b", "c"], "rows": [["x", 1.25, 7], ["<y>\n", None, True]]}
    table = from_svg(svg(""), prefix="f", **given).table
    assert table.rows == (("x", "1.2500", "7"), ("<y>\\n", "-", "True"))
    assert table.numeric == (False, True, False)


def test_what_was_cleaned_once_stays_as_it_is():
    """A figure is cleaned when it is made, and again when it is read from a result that anybody may have changed."""
    body = '<defs><path id="m" d="M0 0"/></defs><g stroke="red"><use href="#m" x="3"/><text x="1">a b</text></g>'
    once = from_svg(svg(body), **WITH)
    assert from_svg(once.svg, **WITH) == once
