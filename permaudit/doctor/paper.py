"""Whether reports can be printed: WeasyPrint, the system's Pango, and fonts."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib import metadata

from permaudit.doctor.checks import Check

_LONGEST = 60
_PAINT = """
import json, weasyprint
from weasyprint.text.ffi import pango
page = weasyprint.HTML(string="<p>permaudit</p>").render()
page.write_pdf()
version = pango.pango_version()
print(json.dumps({"pango": [version // 10000, version // 100 % 100, version % 100], "fonts": len(page.fonts)}))
"""
_HOW = "install Pango with the system's packages (Debian: libpango-1.0-0 libpangoft2-1.0-0), or leave out the PDF"


def check_paper() -> Check:
    """Paint a page in a process of its own: a system library that is broken may end it."""
    try:
        version = metadata.version("weasyprint")
    except metadata.PackageNotFoundError:
        return Check(
            name="PDF", state="note", found="WeasyPrint missing", advice="pip install weasyprint, for PDF reports"
        )
    name = f"WeasyPrint {version}"
    try:
        ran = subprocess.run(  # noqa: S603 - our own words
            [sys.executable, "-P", "-c", _PAINT], capture_output=True, text=True, check=False, timeout=_LONGEST
        )
        told = json.loads(ran.stdout.splitlines()[-1])
        pango, fonts = ".".join(map(str, told["pango"])), int(told["fonts"])
    except (OSError, subprocess.SubprocessError, ValueError, LookupError, TypeError):
        return Check(name="PDF", state="note", found=f"{name} cannot paint a page", advice=_HOW)
    if not fonts:
        advice = "install a font, such as DejaVu (Debian: fonts-dejavu-core)"
        return Check(name="PDF", state="note", found=f"{name}, Pango {pango}, no font", advice=advice)
    return Check(name="PDF", state="ok", found=f"{name}, Pango {pango}, fonts found")
