"""`report.html`: the whole report in one file that needs no network and no script."""

from __future__ import annotations

from typing import TYPE_CHECKING

from permaudit.report.build import build_report

if TYPE_CHECKING:
    from permaudit.outcome import Outcome
    from permaudit.report.look import TemplateFolders


def to_html(outcome: Outcome, result: bytes, folders: TemplateFolders, *, paged: bool = False) -> bytes:
    """Render the report of an outcome, whose `audit.json` is `result`; `paged` is the version that becomes the PDF."""
    texts = folders.texts(outcome.presentation.language)
    report = build_report(outcome, result, texts, paged=paged)
    return folders.render(report, texts).encode("utf-8", "replace")
