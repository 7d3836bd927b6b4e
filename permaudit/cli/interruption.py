"""What ends a run early, and that it is given time to leave nothing behind."""

from __future__ import annotations

import signal
from time import monotonic

INTERRUPTING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
"""Ctrl-C, whoever ends a job, and a terminal or a connection that is closed."""
_CLEANING_UP = 10.0
"""For so many seconds nobody is heard who interrupts once more: files in which the original lies are being removed."""


def end_when_interrupted() -> None:
    """End on every signal of these as on Ctrl-C, but for those that whoever started this process wants ignored."""
    interrupt = _Interrupt()
    for number in INTERRUPTING:
        if signal.getsignal(number) is not signal.SIG_IGN:  # nohup: go on without a terminal
            signal.signal(number, interrupt)


class _Interrupt:
    """Raise once; what comes right after it, as from a terminal that tells a process and the one that started it, says no more."""

    def __init__(self) -> None:
        """Begin without an interruption."""
        self._until = -1.0

    def __call__(self, *_: object) -> None:
        """Hear a signal."""
        if monotonic() >= self._until:
            self._until = monotonic() + _CLEANING_UP
            raise KeyboardInterrupt
