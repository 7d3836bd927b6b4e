"""`report.pdf`: the report on paper, painted by a program of its own."""

from __future__ import annotations

import logging
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from permaudit.report.formats import NoPdfError
from permaudit.report.html import to_html

if TYPE_CHECKING:
    from permaudit.outcome import Outcome
    from permaudit.report.look import TemplateFolders

_LOG = logging.getLogger("permaudit")
_MISSING = 3
"""What the painting program exits with where a library is missing."""
_LONGEST = 300
"""Seconds after which painting is given up."""
_PACKAGES = "libpango-1.0-0, libpangoft2-1.0-0 and libharfbuzz-subset0 (Debian, Ubuntu), pango (Fedora, Homebrew)"
_NO_GLYPH = re.compile(rb"unsupported by fonts: .{3,16} \(U\+([0-9A-F]{4,6})\)")
"""How the painting program names a character that no font has."""


def to_pdf(outcome: Outcome, result: bytes, folders: TemplateFolders) -> bytes:
    """Return the PDF of an outcome, whose `audit.json` is `result` and is attached; raise `NoPdfError` where none can be made."""
    pages = to_html(outcome, result, folders, paged=True)
    with tempfile.TemporaryDirectory(prefix="permaudit-") as folder:
        attached = Path(folder) / "audit.json"
        attached.write_bytes(result)
        command = [sys.executable, "-P", "-m", "permaudit.report.paper", str(attached)]
        try:
            done = subprocess.run(command, input=pages, capture_output=True, timeout=_LONGEST, check=False)  # noqa: S603
        except subprocess.TimeoutExpired:
            raise NoPdfError(f"the PDF was given up after {_LONGEST} seconds; the other files are complete") from None
        except OSError as error:
            raise NoPdfError(f"the PDF cannot be made: {error.strerror or 'unknown error'}") from error
    if done.returncode:  # what the libraries say may quote names: it is for the operator only
        _LOG.error("painting ended with code %s: %s", done.returncode, done.stderr.decode("utf-8", "replace"))
    if done.returncode == _MISSING:
        raise NoPdfError(f"the PDF cannot be made: Pango is missing; install {_PACKAGES}; the other files are complete")
    if done.returncode != 0 or not done.stdout.startswith(b"%PDF-"):
        raise NoPdfError(
            f"the PDF cannot be made: painting ended with code {done.returncode}; the other files are complete"
        )
    _tell_of_missing_letters(done.stderr)
    return done.stdout


def _tell_of_missing_letters(said: bytes) -> None:
    """Tell the operator how many different characters cannot be read on paper, and not which: they are of names."""
    missing = len(set(_NO_GLYPH.findall(said)))
    if missing:
        sys.stderr.write(
            f"report.pdf: no font of this machine has {missing} of the characters in names and texts; "
            "they are boxes on paper, and as they should be in audit.json\n"
        )
