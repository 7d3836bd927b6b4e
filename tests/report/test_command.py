"""`permaudit report`: the report again from `audit.json`, without the data."""

from __future__ import annotations

import json
import re
import shutil
import subprocess

import pytest

from permaudit.report import pdf

from .test_pdf import painted_by


@pytest.fixture
def result(write_audit, permaudit, tmp_path):
    """Return the directory of an audit whose data are gone."""
    audit = write_audit()
    assert permaudit("run", audit, "--format", "html", "--out", tmp_path / "out").code == 0
    shutil.rmtree(audit.parent)
    return tmp_path / "out"


def test_the_report_is_made_again_without_the_data(result, permaudit):
    before = {path.name: path.read_bytes() for path in result.iterdir() if path.is_file()}
    (result / "report.html").unlink()
    manifest = json.loads(before["manifest.json"])
    del manifest["files"]["report.html"]
    (result / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    ran = permaudit("report", result, "--format", "html")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == "release; written: audit.json, report.html\n"
    assert (result / "report.html").read_bytes() == before["report.html"]
    assert (result / "audit.json").read_bytes() == before["audit.json"]


def test_by_default_there_is_a_page_and_a_pdf_and_the_result_still_verifies(result, permaudit):
    assert permaudit("report", result, "--quiet").code == 0
    assert {"audit.json", "manifest.json", "report.html", "report.pdf"} <= {path.name for path in result.iterdir()}
    assert permaudit("verify", result).code == 0


def test_another_language_is_a_result_of_its_own(result, permaudit, tmp_path):
    ran = permaudit("report", result, "--language", "de", "--format", "html")
    assert ran.code == 2
    assert "name its directory with --out" in ran.err
    ran = permaudit("report", result, "--language", "de", "--format", "html", "--out", tmp_path / "de")
    assert ran.code == 0
    page = (tmp_path / "de" / "report.html").read_text(encoding="utf-8")
    assert '<html lang="de">' in page
    assert "Darf diese Datei hinaus?" in page
    assert "Darf diese Datei" not in (result / "report.html").read_text(encoding="utf-8")
    assert json.loads((tmp_path / "de" / "audit.json").read_bytes())["presentation"]["language"] == "de"


def test_a_version_for_outsiders_cannot_be_turned_back(result, permaudit, tmp_path):
    out = tmp_path / "outside"
    assert permaudit("report", result, "--audience", "external", "--format", "html", "--out", out).code == 0
    assert "External version" in (out / "report.html").read_text(encoding="utf-8")
    ran = permaudit("report", out, "--audience", "internal", "--format", "html", "--out", tmp_path / "back")
    assert ran.code == 2
    assert "cannot be put back" in ran.err


def test_a_result_for_outsiders_leaves_the_whole_one_beside_it_for_the_controller(write_audit, permaudit, tmp_path):
    """Who approved what, and every number, must be there when the controller is asked one day."""
    waiver = {"rule": "threshold", "candidate": "noisy", "metric": "CM2", "reason": "for a test"}
    waiver |= {"approved-by": ["A. Ito", "B. Meyer"], "expires": "2099-12-31"}
    rules = [{"rule": "threshold", "metric": "CM2", "min": 0.9999}]
    audit, out, inside = write_audit(rules=rules, waivers=[waiver]), tmp_path / "out", tmp_path / "out-internal"
    ran = permaudit("run", audit, "--audience", "external", "--format", "html", "--out", out)
    assert ran.code == 3, ran.err
    told, whole = (json.loads((folder / "audit.json").read_bytes()) for folder in (out, inside))
    assert [one["presentation"]["audience"] for one in (told, whole)] == ["external", "internal"]
    assert whole["waivers"][0]["approved_by"] == ["A. Ito", "B. Meyer"]
    assert b"Ito" not in (out / "audit.json").read_bytes() + (out / "report.html").read_bytes()
    assert permaudit("verify", out).code == permaudit("verify", inside).code == 0
    again = tmp_path / "again"
    assert permaudit("report", inside, "--audience", "external", "--format", "html", "--out", again).code == 3
    assert (again / "audit.json").read_bytes() == (out / "audit.json").read_bytes()
    assert (again / "report.html").read_bytes() == (out / "report.html").read_bytes()
    assert inside.stat().st_mode & 0o077 == 0


def test_the_command_line_says_for_whom_whatever_the_audit_file_says(write_audit, permaudit, tmp_path):
    audit = write_audit(report={"audience": "external"})
    assert permaudit("run", audit, "--audience", "internal", "--out", tmp_path / "out").code == 0
    assert json.loads((tmp_path / "out" / "audit.json").read_bytes())["presentation"]["audience"] == "internal"
    assert not (tmp_path / "out-internal").exists()


def test_outsiders_get_no_more_decimals_than_they_are_told(result, permaudit, tmp_path):
    out = tmp_path / "outside"
    formats = "html,md,junit"
    assert permaudit("report", result, "--audience", "external", "--format", formats, "--out", out).code == 0
    for name in ("report.html", "summary.md", "junit.xml"):
        text = re.sub(
            r"<(?:style|svg)\b.*?</(?:style|svg)>|\[[^]]*\]",
            "",
            (out / name).read_text(encoding="utf-8"),
            flags=re.DOTALL,
        )
        assert re.search(r"\b0\.\d\d\b", text)
        assert re.findall(r"(?<![\d.])[01]\.\d{3,}\b", text) == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--language", "fr"), "no texts for the language 'fr'"),
        (("--template", "nobody"), "no template set 'nobody'; installed are board"),
        (("--format", "docx"), "'docx' is not one of"),
        (("--allow", "==="), "must be the name of a distribution"),
    ],
)
def test_what_cannot_be_made_is_said_and_nothing_is_written(result, permaudit, tmp_path, arguments, message):
    ran = permaudit("report", result, "--format", "html", *arguments, "--out", tmp_path / "other")
    assert ran.code == 2
    assert message in " ".join(ran.err.split())
    assert not (tmp_path / "other" / "audit.json").exists()


@pytest.mark.parametrize("name", ["audit.json", "report.html"])
def test_a_result_that_somebody_changed_is_refused(result, permaudit, name):
    path = result / name
    path.write_bytes(path.read_bytes().replace(b"release", b"RELEASE", 1))
    ran = permaudit("report", result, "--format", "html")
    assert ran.code == 2
    assert f"{name} was changed after the audit" in ran.err


def test_a_directory_without_a_result_is_refused(permaudit, tmp_path):
    assert permaudit("report", tmp_path).code == 2


# --------------------------------------------------------------------------- where no PDF can be made


def test_without_pango_the_rest_is_written_and_the_code_says_so_if_a_pdf_was_asked_for(
    write_audit, permaudit, tmp_path, monkeypatch
):
    painted_by(monkeypatch, "import sys; sys.exit(3)")
    audit, out = write_audit(), tmp_path / "out"
    ran = permaudit("run", audit, "--format", "html,pdf", "--out", out)
    assert ran.code == 2
    assert "Pango is missing; install libpango-1.0-0" in ran.err
    assert {path.name for path in out.iterdir() if path.suffix in {".json", ".html", ".pdf"}} == {
        "audit.json",
        "manifest.json",
        "report.html",
    }
    assert permaudit("verify", out).code == 0
    asked, unasked = permaudit("report", out, "--format", "pdf"), permaudit("report", out)
    assert (asked.code, unasked.code) == (2, 0)
    assert "Pango is missing" in asked.err
    assert "Pango is missing" in unasked.err
    assert unasked.out == "release; written: audit.json, report.html\n"


def test_a_pdf_that_takes_too_long_leaves_the_page(write_audit, permaudit, tmp_path, monkeypatch):
    painted_by(monkeypatch, "import time; time.sleep(60)")
    monkeypatch.setattr(pdf, "_LONGEST", 0.5)
    ran = permaudit("run", write_audit(), "--format", "html,pdf", "--out", tmp_path / "out")
    assert ran.code == 2
    assert "given up after 0.5 seconds" in ran.err
    assert (tmp_path / "out" / "report.html").exists()
    assert not (tmp_path / "out" / "report.pdf").exists()


def test_a_painting_program_that_cannot_be_started_costs_the_pdf_only(write_audit, permaudit, tmp_path, monkeypatch):
    def broken(*_, **__):
        raise OSError(12, "Cannot allocate memory")

    monkeypatch.setattr(subprocess, "run", broken)
    ran = permaudit("run", write_audit(), "--format", "html,pdf", "--out", tmp_path / "out")
    assert ran.code == 2
    assert "the PDF cannot be made: Cannot allocate memory" in ran.err
    assert (tmp_path / "out" / "report.html").exists()
