"""What the page on the report shows is what happens."""

from __future__ import annotations

import re
import shlex
from dataclasses import fields
from pathlib import Path

import pytest
import yaml

from permaudit.demo import write_demo
from permaudit.report import pdf
from permaudit.report.context import Look, Report

DOCS = Path(__file__).parents[2] / "docs"
pytestmark = pytest.mark.skipif(not DOCS.is_dir(), reason="the docs are not beside the tests: this is the built wheel")


def text() -> str:
    return (DOCS / "report.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"(?ms)^```{language}\n(.*?)^```", text())


def test_the_commands_of_the_page_do_what_it_says(tmp_path, monkeypatch, permaudit):
    pytest.importorskip("weasyprint", reason="WeasyPrint or Pango is missing", exc_type=Exception)
    made: dict[bytes, bytes] = {}
    paint = pdf.to_pdf

    def painted_once(outcome, result, sets):
        """Paint each result once: two renderings of one are the same bytes, as other tests show."""
        if result not in made:
            made[result] = paint(outcome, result, sets)
        return made[result]

    monkeypatch.setattr(pdf, "to_pdf", painted_once)
    write_demo(tmp_path)
    monkeypatch.chdir(tmp_path)
    tried = 0
    for block in blocks("console"):
        for part in re.split(r"(?m)^\$ ", block)[1:]:
            command, *told = part.strip().splitlines()
            ran = permaudit(*shlex.split(command)[1:])
            assert told[-1] == f"exit code {ran.code}"
            if told[0] != "...":
                assert ran.out.splitlines() == told[:-1]
            tried += 1
    assert tried == 4
    assert "Dürfen diese Dateien hinaus?" in (tmp_path / "auf-deutsch" / "report.html").read_text(encoding="utf-8")


def test_the_template_set_of_the_page_is_a_whole_one(install, write_audit, permaudit, tmp_path):
    [module], [asked] = blocks("python"), blocks("yaml")
    folder = install("office-reports", {"office_reports": module}, {"office": "office_reports"})
    (folder / "office" / "style").mkdir(parents=True)
    [colour] = blocks("css")
    (folder / "office" / "style" / "brand.css").write_text(colour, encoding="utf-8")
    ran = permaudit("run", write_audit(**yaml.safe_load(asked)), "--format", "html", "--out", tmp_path / "out")
    assert ran.code == 0, ran.err
    assert colour in (tmp_path / "out" / "report.html").read_text(encoding="utf-8")


def test_the_page_names_every_field_that_templates_are_given():
    tables = re.findall(r"(?s)\| of `(\w+)` \| what \|\n\|---\|---\|\n(.*?)\n(?:\n|$)", text())
    told = {name: re.findall(r"`(\w+)`", "".join(re.findall(r"(?m)^\|(.*?)\|", rows))) for name, rows in tables}
    assert {name: sorted(found) for name, found in told.items()} == {
        "report": sorted(field.name for field in fields(Report)),
        "look": sorted(field.name for field in fields(Look)),
    }


def test_every_part_of_the_report_is_on_the_page():
    rows = re.findall(r"(?m)^\| ([a-z ]+) \| ", text().partition("## Making")[0])
    assert len(rows) == 8  # the heading of the table, and seven parts
    assert all((DOCS.parent / link).is_file() for link in re.findall(r"\]\(\.\./([^)]+)\)", text()))
