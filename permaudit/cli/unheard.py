"""What plugins and data libraries say on their own: to the operator's log, because it may quote data."""

from __future__ import annotations

import io
import logging
import os
import warnings
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout, suppress
from typing import TYPE_CHECKING, TextIO

from permaudit.outputs import led_to

if TYPE_CHECKING:
    from collections.abc import Iterator

_LOG = logging.getLogger("permaudit")


class _Ear(io.StringIO):
    """A stream that nobody can close."""

    def close(self) -> None:
        """Stay open."""


@contextmanager
def unheard(*, errors: bool) -> Iterator[None]:
    """Keep standard output clean, with `errors` also standard error, and take warnings; log what was said."""
    ear = _Ear()
    with ExitStack() as stack:
        stack.callback(_tell, ear)
        nowhere = stack.enter_context(open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123 - no file
        stack.enter_context(led_to(1, nowhere.fileno()))  # for those who write to it directly
        stack.enter_context(redirect_stdout(ear))
        if errors:
            stack.enter_context(redirect_stderr(ear))
        stack.enter_context(warnings.catch_warnings())
        warnings.showwarning = _warned
        yield


def _warned(  # noqa: PLR0913, PLR0917 - what Python passes
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,  # noqa: ARG001
    line: str | None = None,  # noqa: ARG001
) -> None:
    """Log a warning."""
    _LOG.warning("%s:%s: %s: %s", filename, lineno, category.__name__, message)


def _tell(ear: _Ear) -> None:
    """Log what was printed."""
    with suppress(ValueError):
        if said := ear.getvalue():
            _LOG.warning("printed by a plugin:\n%s", said)
