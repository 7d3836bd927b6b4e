"""Everything that a run leaves behind, as texts in which something can be looked for."""

from __future__ import annotations

import html
import io
import re
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

ALL = "json,md,html,pdf,junit,sarif,github"
FILES = {
    "audit.json",
    "summary.md",
    "report.html",
    "report.pdf",
    "junit.xml",
    "audit.sarif",
    "annotations.txt",
    "manifest.json",
}


def texts_of(folder: Path) -> dict[str, str]:
    """Return each file of a result as text, with escapes undone; of a PDF the pages, the attachments and what it says of itself."""
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.suffix != ".pdf":
            found[str(path.relative_to(folder))] = plain(path.read_text(encoding="utf-8"))
        elif path.is_file():
            found |= texts_of_pdf(path.read_bytes())
    return found


def texts_of_pdf(content: bytes) -> dict[str, str]:
    """Return what is in a PDF, packed or not."""
    pypdf = pytest.importorskip("pypdf", reason="needs pypdf")
    document = pypdf.PdfReader(io.BytesIO(content))
    attached = {
        f"report.pdf, attached {name}": plain(part.decode("utf-8"))
        for name, parts in document.attachments.items()
        for part in parts
    }
    about = {**(document.metadata or {}), "xmp": document.xmp_metadata and document.xmp_metadata.stream.get_data()}
    outline = [str(entry) for entry in document.outline]
    return {
        "report.pdf, pages": "\n".join(page.extract_text() for page in document.pages),
        "report.pdf, about": f"{about} {outline}",
        "report.pdf, bytes": content.decode("latin-1"),
        **attached,
    }


def plain(text: str) -> str:
    """Undo the escapes of HTML, XML and JSON, beside the text as it stands."""
    unescaped = re.sub(r"\\u([0-9a-fA-F]{4})", lambda found: chr(int(found[1], 16)), text)
    return f"{text}\n{html.unescape(unescaped)}"
