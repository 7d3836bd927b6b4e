"""The operator's debug log: a private file that is made only when there is something to tell."""

from __future__ import annotations

import logging
import os
import tempfile
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from types import TracebackType

_LOG = logging.getLogger("permaudit")


class DebugLog(logging.Handler):
    """Write what may quote data, such as the texts of foreign exceptions, where only the operator can read it."""

    path: str | None = None
    _propagated = True

    def emit(self, record: logging.LogRecord) -> None:
        """Append a record, making the file (mode 0600) at the first one."""
        try:
            if self.path is None:
                descriptor, self.path = tempfile.mkstemp(prefix="permaudit-debug-", suffix=".log")
                os.close(descriptor)
            with open(self.path, "a", encoding="utf-8", errors="backslashreplace") as stream:  # noqa: PTH123
                stream.write(self.format(record) + "\n")
        except OSError:
            self.path = None  # a full disk must not turn a verdict into a crash

    def keep(self, error: BaseException) -> None:
        """Log an error with its traceback."""
        _LOG.error("unexpected error", exc_info=error)

    def __enter__(self) -> Self:
        """Listen to permaudit's own logger, and let nothing else hear it."""
        _LOG.addHandler(self)
        self._propagated, _LOG.propagate = _LOG.propagate, False
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Stop listening."""
        _LOG.removeHandler(self)
        _LOG.propagate = self._propagated
