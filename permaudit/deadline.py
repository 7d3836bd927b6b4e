"""Deadlines for foreign code that must run in this process: whoever watches over it hears of them, and ends it when one is over."""

from __future__ import annotations

import signal
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Watcher = Callable[[float | None, str], None]
    """Hears how many seconds from now something may take, and what; None when it is done."""

_watcher: Watcher | None = None


def watched_by(watcher: Watcher | None) -> None:
    """Say who watches over this process from now on."""
    global _watcher  # noqa: PLW0603 - one for each process
    _watcher = watcher


def end_alone(seconds: float | None, what: str) -> None:  # noqa: ARG001 - nobody is left to say it
    """Watch over a process that nobody misses: the system ends it, whatever it does then."""
    signal.setitimer(signal.ITIMER_REAL, seconds or 0)


@contextmanager
def at_most(seconds: float, what: str) -> Iterator[None]:
    """Have this process ended should the work take longer; where nobody watches, it may take as long as it likes."""
    watcher = _watcher
    if watcher is None:
        yield
        return
    watcher(seconds, what)
    try:
        yield
    finally:
        watcher(None, what)
