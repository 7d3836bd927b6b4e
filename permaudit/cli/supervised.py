"""A run with foreign plugins: in a child process, so that one that ends it is not taken for a verdict.

Metrics and anonymizers have processes of their own (`permaudit.isolation`). Rules, readers and engines work in that of the
host, whose exit code lets releases through: this is about that exit code.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import sys
from typing import TYPE_CHECKING

import click

from permaudit.cli.exits import OF_VERDICT, WRONG

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

_PR_SET_PDEATHSIG = 1
"""Linux: which signal to get when the parent dies (prctl(2))."""


def supervised(work: Callable[[], int]) -> int:
    """Do the work in a child, and return its exit code only if the child itself said so at the end.

    A rule, reader or engine that calls `os._exit(0)` or crashes the interpreter ends the child without a word, and that blocks. Must be
    called before threads are started, since only the calling one lives on in the child.
    """
    reading, writing = os.pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _end_with_parent()
        code = work()
        os.write(writing, f"{code}".encode())
        return code
    os.close(writing)
    _pass_on_signals(child)
    with open(reading, "rb") as stream:  # noqa: PTH123 - a descriptor, not a path
        said = stream.read()
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if status == 0 and said != b"0":
        click.echo("a plugin ended the audit before there was a verdict; nothing may be released", err=True)
        return OF_VERDICT["block"]
    if status < 0:
        click.echo(f"the audit was ended by signal {-status}; nothing may be released", err=True)
        return OF_VERDICT["block"] if -status not in {signal.SIGINT, signal.SIGTERM} else WRONG
    return status


def _end_with_parent() -> None:
    """Ask the system to end this child should its parent be killed; where it cannot, the child finishes alone."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _pass_on_signals(child: int) -> None:
    """Let the child end as it would without a parent; the parent waits for it."""

    def pass_on(number: int, frame: FrameType | None) -> None:  # noqa: ARG001
        os.kill(child, number)

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, pass_on)
