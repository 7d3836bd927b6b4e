"""The same drawings on paper, where WeasyPrint is installed."""

from __future__ import annotations

import logging
import re

import pytest

from permaudit.report import charts

try:
    from weasyprint import HTML
except (ImportError, OSError):
    pytest.skip("WeasyPrint or Pango is not installed", allow_module_level=True)

SVG = "{http://www.w3.org/2000/svg}"


def drawn(markup: str):
    """Return the boxes that a page gives to drawings, with the document."""
    document = HTML(string=f"<body>{markup}</body>").render()
    found = []

    def look(box) -> None:
        if str(getattr(box, "element_tag", "")) == f"{SVG}svg":
            found.append(box)
        for child in getattr(box, "children", None) or ():
            look(child)

    for page in document.pages:
        look(page._page_box)  # noqa: SLF001 - there is no other way to ask for places
    return document, found


def test_every_drawing_has_its_size_on_paper(every_chart):
    for name in (
        "scale-usual",
        "bars-parts",
        "spectra-usual",
        "density-usual",
        "map-usual",
        "curves-usual",
        "other-picture",
    ):
        markup = every_chart[name].svg
        sizes = re.findall(r'role="img" width="([\d.]+)" height="([\d.]+)"', markup)
        _, boxes = drawn(markup)
        assert [(box.width, box.height) for box in boxes] == [
            pytest.approx((float(w), float(h)), abs=0.1) for w, h in sizes
        ]


def test_drawing_complains_about_nothing_but_letters_that_no_font_has(every_chart, caplog):
    caplog.set_level(logging.WARNING, logger="weasyprint")
    kept = ("-usual", "-gaps", "-odd", "-none", "hostile-3-map", "hostile-5-bars", "hostile-9-scale")
    some = [chart.svg for name, chart in every_chart.items() if name.endswith(kept)]
    drawn("".join(some))[0].write_pdf()
    assert [text for text in map(str, caplog.messages) if ".notdef" not in text] == []


def test_the_text_alternative_of_a_drawing_is_in_the_pdf(every_chart):
    document, _ = drawn(every_chart["other-block"].svg)
    content = document.write_pdf(pdf_tags=True, uncompressed_pdf=True)
    assert b"verdict: block" in content


def test_paper_takes_the_light_colours():
    content = drawn(charts.key_bars("b", title="t", items=[("a", 0.5)], value_name="v").svg)[0].write_pdf(
        uncompressed_pdf=True
    )
    blue = b"0 0.447059 0.698039 rg"
    assert blue in content
