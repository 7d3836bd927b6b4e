"""Does an object print while it is called? In an audit that is an error, since what is printed may hold records."""

from __future__ import annotations

import os
import sys
import tempfile
from contextlib import contextmanager, redirect_stdout
from typing import TYPE_CHECKING

from permaudit.outputs import led_to

if TYPE_CHECKING:
    from collections.abc import Iterator

    from permaudit.testing.failures import Inspection

_ADVICE = "in an audit that is an error; return the result, and use logging or standard error for notes"


@contextmanager
def nothing_printed(found: Inspection) -> Iterator[None]:
    """Note whether anything was written to standard output meanwhile, and write it there afterwards, for the author to see."""
    with tempfile.TemporaryFile() as heard:
        with (
            os.fdopen(os.dup(heard.fileno()), "w", encoding="utf-8", errors="backslashreplace") as stream,
            led_to(1, heard.fileno()),
            redirect_stdout(stream),
        ):
            yield
        heard.seek(0)
        text = heard.read().decode("utf-8", "backslashreplace")
    if text:
        found.fail("output", f"prints to standard output while it is called; {_ADVICE}")
        sys.stdout.write(text)
