"""Paint pages: a program of its own, so that a crash or a hang of the libraries beneath costs the PDF and nothing else.

    python -P -m permaudit.report.paper RESULT <PAGES >PDF

Nothing is fetched but what stands in the page itself, and nothing is attached but RESULT, the `audit.json` of the report.
"""

from __future__ import annotations

import gc
import hashlib
import logging
import os
import sys
from datetime import UTC, datetime
from pathlib import Path

MISSING = 3
"""The exit code where a library is missing."""
_EPOCH = datetime(1980, 1, 1, tzinfo=UTC)
"""Dates in the file say nothing: the same report is the same file."""
_EPOCH_OF_FONTS = "SOURCE_DATE_EPOCH"
"""Where the library that unpacks fonts looks for the date that it writes into them."""


def main(result: Path) -> int:
    """Read pages from standard input and write the PDF to standard output."""
    try:
        from weasyprint import CSS, HTML, Attachment  # noqa: F401, PLC0415
    except Exception as error:  # not installed, or a system library that is missing or too old
        sys.stderr.write(f"{error}\n")
        return MISSING
    os.environ[_EPOCH_OF_FONTS] = str(int(_EPOCH.timestamp()))
    gc.disable()  # this process lives for one document, and a tenth of its time would go into looking for garbage
    logging.getLogger("weasyprint").addHandler(logging.StreamHandler())  # what no font has is told there
    sys.stdout.buffer.write(paint(sys.stdin.buffer.read(), result.read_bytes()))
    return 0


def paint(pages: bytes, result: bytes) -> bytes:
    """Return the PDF (PDF/A-3a, tagged) of pages, with the result attached."""
    from weasyprint import HTML, Attachment  # noqa: PLC0415
    from weasyprint.text.fonts import FontConfiguration  # noqa: PLC0415
    from weasyprint.urls import URLFetcher  # noqa: PLC0415

    fetcher = URLFetcher(allowed_protocols=("data",), allow_redirects=False, fail_on_errors=True)
    page = HTML(string=pages.decode("utf-8"), url_fetcher=fetcher, encoding="utf-8")
    document = page.render(font_config=FontConfiguration())
    document.metadata.attachments = [
        Attachment(
            string=result.decode("ascii"),
            url_fetcher=fetcher,
            name="audit.json",
            description="the result of the audit, of which this report is a view",
            relationship="Source",
            created=_EPOCH,
            modified=_EPOCH,
        )
    ]
    identifier = hashlib.sha256(pages + result).hexdigest()[:32].encode()
    painted: bytes = document.write_pdf(pdf_variant="pdf/a-3a", pdf_identifier=identifier)
    return painted


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
