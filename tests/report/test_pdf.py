"""`report.pdf`: archivable, tagged, with marks and contents, the result attached, and the same bytes every time."""

from __future__ import annotations

import io
import logging
import re
import shutil
import subprocess
import sys
from datetime import UTC, datetime
from xml.etree import ElementTree as ET

import pypdf
import pytest
from fontTools.ttLib import TTFont

from permaudit.plugins import load_plugins
from permaudit.report import pdf, to_json
from permaudit.report.build import build_report
from permaudit.report.formats import NoPdfError
from permaudit.report.look import template_folders
from permaudit.report.pdf import to_pdf

from .scenes import paper, scene

pytest.importorskip("weasyprint", reason="WeasyPrint or Pango is missing", exc_type=Exception)

RDF = "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}"
EPOCH_OF_FONTS = 66 * 365 * 86400 + 17 * 86400
"""Seconds from 1904, where the dates of fonts begin, to 1970."""
PDFA = "{http://www.aiim.org/pdfa/ns/id/}"


def folders():
    return template_folders(load_plugins().catalogue.templates, "board")


@pytest.fixture(scope="module")
def report() -> pypdf.PdfReader:
    return pypdf.PdfReader(io.BytesIO(paper("board")), strict=True)


@pytest.fixture(scope="module")
def pages(report) -> list[str]:
    return [re.sub(r"\s+", " ", page.extract_text()) for page in report.pages]


def below(entry, kind: str):
    """Yield the structure elements of a kind."""
    entry = entry.get_object()
    if isinstance(entry, list):
        for one in entry:
            yield from below(one, kind)
    elif isinstance(entry, dict):
        if entry.get("/S") == kind:
            yield entry
        if "/K" in entry:
            yield from below(entry["/K"], kind)


# --------------------------------------------------------------------------- the same bytes


def test_two_renderings_are_the_same_bytes():
    outcome = scene("single")
    again = to_pdf(outcome, to_json(outcome), folders())
    assert again == paper("single")


def test_nothing_in_the_file_tells_when_or_where_it_was_made(report):
    assert {"/CreationDate", "/ModDate", "/Author"} & set(report.metadata) == set()
    assert report.metadata["/Creator"] == "permaudit"
    [attached] = report.attachment_list
    assert str(attached.creation_date).startswith("1980-01-01")
    assert str(attached.modification_date).startswith("1980-01-01")


def test_the_fonts_inside_do_not_tell_when_they_were_unpacked(report):
    """Or two renderings would be the same only within one second."""
    files = {
        described["/FontFile2"].get_data()
        for page in report.pages
        for font in page["/Resources"].get("/Font", {}).values()
        for described in (inner["/FontDescriptor"] for inner in font.get_object()["/DescendantFonts"])
        if "/FontFile2" in described
    }
    assert len(files) >= 3
    for content in files:
        assert (
            TTFont(io.BytesIO(content))["head"].modified
            == EPOCH_OF_FONTS + datetime(1980, 1, 1, tzinfo=UTC).timestamp()
        )


# --------------------------------------------------------------------------- for archives, and for readers who listen


def test_it_says_that_it_is_an_archivable_file_with_attachments(report):
    root = ET.fromstring(report.xmp_metadata.stream.get_data())
    told = {(part.tag, part.text) for part in root.iter()} | {
        pair for part in root.iter(f"{RDF}Description") for pair in part.attrib.items()
    }
    assert {(f"{PDFA}part", "3"), (f"{PDFA}conformance", "A")} <= told
    intents = report.trailer["/Root"]["/OutputIntents"]
    assert [intent["/S"] for intent in intents] == ["/GTS_PDFA1"]
    assert report.is_encrypted is False


def test_every_font_is_inside(report):
    fonts = {}
    for page in report.pages:
        for entry in page["/Resources"].get("/Font", {}).values():
            font = entry.get_object()
            for inner in font.get("/DescendantFonts", [font]):
                described = inner.get_object()["/FontDescriptor"]
                fonts[font["/BaseFont"]] = any(name.startswith("/FontFile") for name in described)
            assert "/ToUnicode" in font
    assert len(fonts) >= 3
    assert all(fonts.values())


def test_it_is_tagged_and_has_a_language_and_a_title(report):
    root = report.trailer["/Root"]
    assert root["/MarkInfo"]["/Marked"]
    assert root["/Lang"] == "en"
    assert root["/ViewerPreferences"]["/DisplayDocTitle"]
    assert report.metadata.title == "Income of made-up people: Block"
    tree = root["/StructTreeRoot"]
    for kind, least in (("/H1", 1), ("/H2", 5), ("/Table", 10), ("/TH", 50), ("/TD", 50), ("/Figure", 10)):
        assert len(list(below(tree["/K"], kind))) >= least, kind
    assert all(figure.get("/Alt") for figure in below(tree["/K"], "/Figure"))


def test_a_german_report_says_that_it_is_german():
    report = pypdf.PdfReader(io.BytesIO(paper("german")))
    assert report.trailer["/Root"]["/Lang"] == "de"
    assert "Darf" in report.pages[0].extract_text() or "Dürfen" in report.pages[0].extract_text()


def test_there_is_no_script_no_form_and_no_link_to_the_outside(report):
    root = report.trailer["/Root"]
    assert {"/OpenAction", "/AA", "/AcroForm"} & set(root) == set()
    assert "/JavaScript" not in root.get("/Names", {})
    for page in report.pages:
        for entry in page.get("/Annots", []):
            annotation = entry.get_object()
            assert annotation["/Subtype"] == "/Link"
            assert annotation.get("/A", {}).get("/S") != "/URI"


# --------------------------------------------------------------------------- finding one's way


def test_the_bookmarks_are_the_contents_and_lead_to_the_right_pages(report, pages):
    def flat(outline, level=1):
        for one in outline:
            if isinstance(one, list):
                yield from flat(one, level + 1)
            else:
                yield level, one.title, report.get_destination_page_number(one)

    marks = list(flat(report.outline))
    tops = [title for level, title, _ in marks if level == 1]
    assert tops == [
        "Waivers",
        "The candidates beside each other",
        "The candidates one by one",
        "The data",
        "How to read the numbers",
        "Provenance",
    ]
    assert {"Release noisy", "Block one-bare"} <= {title for level, title, _ in marks if level == 2}
    for _, title, number in marks:
        assert title in pages[number], title


def test_the_contents_tell_the_page_of_each_part(report, pages):
    [contents] = [page for page in pages if "Contents" in page[:200]]
    for title in ("Waivers", "The candidates beside each other", "The data", "Provenance"):
        told = re.search(rf"{title}(?: \.)*[ .]*(\d+)", contents)
        assert f"{title}" in pages[int(told[1]) - 1]


def test_every_page_but_the_first_is_headed_by_audit_and_verdict(pages):
    outcome = scene("board")
    identity = build_report(outcome, to_json(outcome), folders().texts("en"), paged=True).identity
    for number, text in enumerate(pages, start=1):
        assert f"Audit {identity}" in text
        assert f"Page {number} of {len(pages)}" in text
        assert "Internal version" in text
        if number > 1:
            assert f"Audit {identity} · Block" in text


@pytest.mark.parametrize("name", ["board", "single", "german", "wide", "crowd"])
def test_the_first_page_has_the_verdict_and_the_place_to_sign(name):
    first = re.sub(r"\s+", " ", pypdf.PdfReader(io.BytesIO(paper(name))).pages[0].extract_text())
    signed = ("Signatory 2", "Unterschrift 2")
    assert any(text in first for text in signed)
    assert any(word in first for word in ("Release", "Review", "Block", "Sperre"))


# --------------------------------------------------------------------------- what is attached, what is left out


def test_the_result_and_nothing_else_is_attached(report):
    assert report.attachments == {"audit.json": [to_json(scene("board"))]}
    files = [file.get_object() for file in report.trailer["/Root"]["/AF"]]
    assert {(file["/UF"], file["/AFRelationship"]) for file in files} == {("audit.json", "/Source")}


def test_long_tables_are_cut_and_say_how_much_is_left_out():
    text = " ".join(page.extract_text() for page in pypdf.PdfReader(io.BytesIO(paper("crowd"))).pages)
    text = re.sub(r"\s+", " ", text)
    assert "18 more candidates are in audit.json." in text
    assert "25 more are listed with the candidates." in text


def test_poppler_reads_it_without_a_complaint(tmp_path):
    tools = [shutil.which(name) for name in ("pdfinfo", "pdftotext", "pdffonts", "pdfdetach")]  # poppler-utils
    if not all(tools):
        pytest.skip("poppler's programs are not installed")
    path = tmp_path / "report.pdf"
    path.write_bytes(paper("board"))
    for tool, arguments in zip(tools, ([], [], [], ["-list"]), strict=True):
        ends = ["-"] if tool.endswith("pdftotext") else []
        done = subprocess.run([tool, *arguments, path, *ends], capture_output=True, text=True, check=True)
        assert done.stderr == ""
        if tool.endswith("pdffonts"):
            rows = [line.split() for line in done.stdout.splitlines()[2:]]
            assert all(row[-5:-2] == ["yes", "yes", "yes"] for row in rows)  # embedded, a subset, readable
        if tool.endswith("pdfdetach"):
            assert done.stdout.splitlines() == ["1 embedded files", "1: audit.json"]


# --------------------------------------------------------------------------- where it cannot be made


def painted_by(monkeypatch, source: str) -> None:
    """Let something else than the painting program run in its place."""
    run = subprocess.run
    monkeypatch.setattr(
        pdf.subprocess, "run", lambda _command, **options: run([sys.executable, "-c", source], **options)
    )


def make():
    outcome = scene("single")
    return to_pdf(outcome, to_json(outcome), folders())


def test_a_missing_library_is_named_with_the_packages_that_have_it(monkeypatch):
    painted_by(monkeypatch, "import sys; sys.exit(3)")
    with pytest.raises(NoPdfError, match=r"Pango is missing; install libpango-1\.0-0, .*the other files are complete"):
        make()


def test_a_painting_that_takes_too_long_is_given_up(monkeypatch):
    painted_by(monkeypatch, "import time; time.sleep(60)")
    monkeypatch.setattr(pdf, "_LONGEST", 0.5)
    with pytest.raises(NoPdfError, match=r"given up after 0\.5 seconds; the other files are complete"):
        make()


@pytest.mark.parametrize(
    "source",
    [
        "import os; os.abort()",
        "raise BaseException('quotes a cell 4711')",
        "print('not a PDF')",
        "from weasyprint.urls import FatalURLFetchingError as E; raise E('quotes a cell 4711')",
    ],
)
def test_a_painting_that_breaks_off_costs_the_pdf_only_and_tells_nobody_but_the_log(monkeypatch, caplog, source):
    painted_by(monkeypatch, source)
    with (
        caplog.at_level(logging.ERROR, "permaudit"),
        pytest.raises(NoPdfError, match="the other files are complete") as e,
    ):
        make()
    assert "4711" not in str(e.value)
    assert ("4711" in caplog.text) == ("4711" in source)


@pytest.mark.parametrize("address", ["http://127.0.0.1:9/x.png", "file:///etc/hostname"])
def test_a_page_that_wants_to_fetch_something_becomes_no_pdf(tmp_path, address):
    """The fetcher gives up with an exception that is no `Exception`."""
    result = tmp_path / "audit.json"
    result.write_bytes(b"{}")
    command = [sys.executable, "-P", "-m", "permaudit.report.paper", result]
    page = f'<html lang="en"><title>t</title><img alt="x" src="{address}"></html>'.encode()
    done = subprocess.run(command, input=page, capture_output=True, check=False)
    assert done.returncode not in {0, 3}
    assert done.stdout == b""
    assert b"FatalURLFetchingError" in done.stderr


def test_without_pdf_weasyprint_is_never_imported(child, write_audit, tmp_path):
    source = (
        "import sys; from permaudit.cli import main\n"
        "try: main(supervise=False)\n"
        "except SystemExit as end: print('code', end.code, 'weasyprint' in sys.modules)"
    )
    done = child(
        "run", write_audit(), "--format", "html,md", "--out", tmp_path / "out", "--quiet", python=("-c", source)
    )
    assert done.stdout.split()[-3:] == ["code", "0", "False"], done.stderr
