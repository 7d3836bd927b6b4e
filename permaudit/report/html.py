"""`report.html`: the whole report in one file that needs no network and no script."""

from __future__ import annotations

import base64
import re
from html import escape, unescape
from typing import TYPE_CHECKING

from permaudit.report.build import build_report

if TYPE_CHECKING:
    from permaudit.outcome import Outcome
    from permaudit.report.look import TemplateFolders

_STYLE = re.compile(r"(<svg\b[^>]*>(?:<title>[^<]*</title>)?)<style>([^<]*)</style>")
_DRAWING = re.compile(r"<svg\b([^>]*)><title>([^<]*)</title>.*?</svg>", re.DOTALL)
_DRESS = re.compile(r' (?:class|style)="[^"]*"')


def to_html(outcome: Outcome, result: bytes, folders: TemplateFolders, *, paged: bool = False) -> bytes:
    """Render the report of an outcome, whose `audit.json` is `result`; `paged` is the version that becomes the PDF."""
    texts = folders.texts(outcome.presentation.language)
    report = build_report(outcome, result, texts, paged=paged)
    text = folders.render(report, texts)
    return (_as_pictures(text) if paged else _styled_once(text)).encode("utf-8", "replace")


def _styled_once(page: str) -> str:
    """Leave the style of a drawing out where an earlier one has the same: in a browser it holds for the whole page."""
    seen: set[str] = set()

    def kept(found: re.Match[str]) -> str:
        start, style = found[1], found[2]
        is_known = style in seen
        seen.add(style)
        return start if is_known else found[0]

    return _STYLE.sub(kept, page)


def _as_pictures(page: str) -> str:
    """Make a picture of each drawing, with its text: else every line of it is read as a part of the page, which takes long."""

    def picture(found: re.Match[str]) -> str:
        content = base64.b64encode(found[0].encode("utf-8", "replace")).decode()
        dress, told = "".join(_DRESS.findall(found[1])), escape(unescape(found[2]))
        return f'<img{dress} alt="{told}" src="data:image/svg+xml;base64,{content}">'

    return _DRAWING.sub(picture, page)
