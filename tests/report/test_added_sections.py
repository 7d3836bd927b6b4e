"""A metric of a foreign distribution adds a figure and a table to the report."""

from __future__ import annotations

import io
import json
import re

import pypdf
import pytest

pytest.importorskip("matplotlib")

METRIC = """
from matplotlib.figure import Figure

from permaudit import Measured, MetricCard, chart_section, from_matplotlib, hookimpl

permaudit_api = 1


class Spread:
    card = MetricCard(
        id="SPREAD",
        title="Spread of the first attribute",
        measures="diagnostic",
        better="higher",
        summary="How wide it is.",
        bounds=(0, 1),
        low="nothing",
        high="everything",
        blind_spots="nearly everything",
        reference="made up for a test",
    )

    def compute(self, pair, rng):
        figure = Figure(figsize=(4, 3))
        axes = figure.subplots()
        axes.bar(["low", "high <b>"], [1, 2], hatch="//")
        axes.set_title("<script>alert(1)</script>")
        chart = from_matplotlib(
            figure, prefix="spread", title="Bars of <i>spread</i>", alt="two bars, the second is twice as high",
            header=["class", "share"], rows=[["low", 0.25], ["high <b>", 0.75]],
        )
        return Measured(0.5, section=chart_section(chart, "What the bars <u>mean</u>."))


@hookimpl
def permaudit_metrics():
    return [Spread()]
"""


@pytest.fixture
def out(install, write_audit, permaudit, tmp_path):
    install("spread-metric", {"spread_metric": METRIC})
    audit = write_audit(metrics=["CM2", "SPREAD"], plugins={"allow": ["spread-metric"]})
    ran = permaudit("run", audit, "--format", "html", "--out", tmp_path / "out")
    assert ran.code == 0, ran.err + ran.log
    return tmp_path / "out"


def test_the_section_stands_in_the_page_with_its_drawing_and_its_table(out):
    page = (out / "report.html").read_text(encoding="utf-8")
    start = page.index('<div class="added">')
    section = page[start : page.index("</article>", start)]
    assert "<h5>SPREAD: Bars of &lt;i&gt;spread&lt;/i&gt;</h5>" in section
    assert "What the bars &lt;u&gt;mean&lt;/u&gt;." in section
    assert re.search(r'<svg[^>]* role="img"', section)
    assert "two bars, the second is twice as high" in section
    assert re.search(r"<th[^>]*>high &lt;b&gt;</th>\s*<td[^>]*>0.7500</td>", section)
    assert "<script>alert" not in page
    assert "SPREAD" in page


def test_the_section_is_in_the_pdf_and_in_the_result(out, permaudit):
    assert permaudit("report", out, "--format", "pdf").code == 0
    report = pypdf.PdfReader(io.BytesIO((out / "report.pdf").read_bytes()))
    text = " ".join(page.extract_text() for page in report.pages)
    assert "What the bars <u>mean</u>." in re.sub(r"\s+", " ", text)
    result = json.loads((out / "audit.json").read_bytes())
    section = result["candidates"][0]["metrics"]["SPREAD"]["section"]
    assert section["header"] == ["class", "share"]
    assert section["rows"] == [["low", "0.2500"], ["high <b>", "0.7500"]]


def test_the_report_is_made_again_without_the_metric(out, permaudit):
    before = (out / "report.html").read_bytes()
    assert permaudit("report", out, "--format", "html").code == 0
    assert (out / "report.html").read_bytes() == before


def test_outsiders_do_not_get_the_section(out, permaudit, tmp_path):
    assert permaudit("report", out, "--audience", "external", "--format", "html", "--out", tmp_path / "ext").code == 0
    page = (tmp_path / "ext" / "report.html").read_text(encoding="utf-8")
    assert "two bars" not in page
    assert "mean&lt;" not in page


SECTION = """
from permaudit import Measured, MetricCard, Section, hookimpl

permaudit_api = 1


class Odd:
    card = MetricCard(
        id="ODD", title="Odd", measures="diagnostic", better="higher", summary="none", bounds=(0, 1), low="low", high="high",
        blind_spots="everything", reference="made up for a test",
    )

    def compute(self, pair, rng):
        return Measured(0.5, section={section})


@hookimpl
def permaudit_metrics():
    return [Odd()]
"""


@pytest.mark.parametrize("figure", ["no drawing", "<svg", "<html/>", "<!DOCTYPE x [<!ENTITY e 'x'>]><svg>&e;</svg>"])
def test_what_is_no_drawing_costs_the_drawing_and_is_said(install, write_audit, permaudit, tmp_path, figure):
    section = f"Section(title='T', text='Words.', figure={figure!r}, alt='a', header=['class', 'share'], rows=[['low', 0.25]])"
    install("odd-metric", {"odd_metric": SECTION.format(section=section)})
    audit = write_audit(metrics=["CM2", "ODD"], plugins={"allow": ["odd-metric"]})
    ran = permaudit("run", audit, "--format", "html", "--out", tmp_path / "out")
    assert ran.code == 0, ran.err + ran.log
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "T (Its drawing is none that can be shown.)" in page
    assert re.search(r"<th[^>]*>low</th>\s*<td[^>]*>0.25</td>", page)


@pytest.mark.parametrize("section", ["'text'", "Section(title='')", "Section(title='T', header=['a'], rows=[[1, 2]])"])
def test_what_is_no_section_is_an_error_of_its_metric_and_blocks(install, write_audit, permaudit, tmp_path, section):
    install("odd-metric", {"odd_metric": SECTION.format(section=section)})
    rules = [{"rule": "threshold", "metric": name, "min": 0.05} for name in ("CM2", "ODD")]
    ran = permaudit("run", write_audit(rules=rules, plugins={"allow": ["odd-metric"]}), "--out", tmp_path / "out")
    assert ran.code == 1
    result = json.loads((tmp_path / "out" / "audit.json").read_bytes())
    assert result["candidates"][0]["metrics"]["ODD"]["status"] == "error"
