"""An organisation's own template set, from a distribution of its own."""

from __future__ import annotations

import base64
import re

import pytest

from permaudit.errors import PermauditError
from permaudit.plugins import load_plugins
from permaudit.report.look import template_folders

MODULE = """
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from permaudit import TemplateCard, hookimpl

permaudit_api = 1


@dataclass(frozen=True)
class Office:
    card: ClassVar = TemplateCard(id="office", title="Statistical office", summary="In the colours of the office.")
    directory: ClassVar = Path(__file__).parent / "office"


@hookimpl
def permaudit_templates():
    return [Office()]
"""
LOGO = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="90" height="30"><rect width="90" height="30" fill="#123456"/></svg>'
)
FILES = {
    "logo.svg": LOGO,
    "style/brand.css": ":root { --accent: #6a1b9a }\n@media screen { h1 { letter-spacing: .01em } }\n",
    "texts/en.yaml": "page: {kind: Report to the board of the office, organisation: The statistical office}\n",
    "texts/es.yaml": (
        "page: {contents: Contenido, kind: Informe para la junta}\n"
        "verdict: {release: Publicar, review: Decidir, block: No publicar}\n"
    ),
    "parts/decision.html.j2": '<section class="decision"><h2>{{ t("decision.title") }}</h2><p>Form 12b.</p></section>\n',
}


@pytest.fixture
def office(install):
    """Install a small distribution with a template set."""
    folder = install("office-reports", {"office_reports": MODULE}, version="2.1")
    for name, content in FILES.items():
        path = folder / "office" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    return folder


@pytest.fixture
def out(tmp_path):
    return tmp_path / "out"


def test_an_audit_file_can_ask_for_the_set_of_an_organisation(office, write_audit, permaudit, out):
    audit = write_audit(
        report={"formats": ["html", "pdf"], "template": "office"}, plugins={"allow": ["office-reports>=2"]}
    )
    ran = permaudit("run", audit, "--out", out)
    assert (ran.code, ran.err) == (0, "")
    page = (out / "report.html").read_text(encoding="utf-8")
    picture = base64.b64encode(LOGO.encode()).decode()
    assert f'<img class="logo" src="data:image/svg+xml;base64,{picture}" alt="The statistical office">' in page
    assert "Report to the board of the office" in page
    assert page.index("--accent: #0b5394") < page.index("--accent: #6a1b9a")
    assert "Form 12b." in page
    assert "Signatory" not in page
    assert "How to read the numbers" in page
    assert (out / "report.pdf").read_bytes().startswith(b"%PDF-")


def test_a_language_of_the_set_is_used_and_the_rest_stays_english(office, write_audit, permaudit, out, tmp_path):
    assert permaudit("run", write_audit(), "--out", out).code == 0
    ran = permaudit(
        "report", out, "--format", "html", "--template", "office", "--language", "es", "--allow", "office-reports",
        "--out", tmp_path / "es",
    )  # fmt: skip
    assert ran.code == 0
    page = (tmp_path / "es" / "report.html").read_text(encoding="utf-8")
    assert '<html lang="es">' in page
    assert "Informe para la junta" in page
    assert re.search(r'<span class="word">Publicar</span>', page)
    assert "What would be released" in page


def test_a_set_that_is_not_allowed_is_not_imported(office, write_audit, permaudit, out):
    ran = permaudit("run", write_audit(report={"formats": ["html"], "template": "office"}), "--out", out)
    assert ran.code == 2
    assert "office" in ran.err
    assert not out.exists() or not (out / "audit.json").exists()


@pytest.mark.parametrize(
    ("name", "content"), [("style/brand.css", "a { } </style><b>"), ("script/report.js", "'</script><b>'")]
)
def test_a_style_or_script_that_ends_its_element_is_refused(tmp_path, name, content):
    path = tmp_path / name
    path.parent.mkdir(parents=True)
    path.write_text(content, encoding="utf-8")
    base = template_folders(load_plugins().catalogue.templates, "board")
    folders = type(base)((tmp_path, *base.folders))

    class Asked:
        paged = False

    with pytest.raises(PermauditError, match="ends its element"):
        folders.look(Asked())


def test_a_logo_can_be_a_png_too(tmp_path):
    (tmp_path / "logo.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    base = template_folders(load_plugins().catalogue.templates, "board")

    class Asked:
        paged = True

    assert type(base)((tmp_path, *base.folders)).look(Asked()).logo.startswith("data:image/png;base64,iVBOR")
    assert base.look(Asked()).logo == ""
