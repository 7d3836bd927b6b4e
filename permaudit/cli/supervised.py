"""A run with foreign plugins: in a child process, so that one that ends or hangs it is not taken for a verdict.

Metrics, anonymizers, rules and readers have processes of their own (`permaudit.isolation`). Engines, the models of parameters
and the templates of reports work in that of the host, whose exit code lets releases through: this is about that exit code.
"""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import select
import signal
import sys
from time import monotonic, sleep
from typing import TYPE_CHECKING, Final

import click

from permaudit.cli.exits import OF_VERDICT, WRONG
from permaudit.cli.interruption import INTERRUPTING
from permaudit.deadline import watched_by

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

_PR_SET_PDEATHSIG = 1
"""Linux: which signal to get when the parent dies (prctl(2))."""
_FAREWELL = 30.0
"""So many seconds has a child to remove what it laid down and to go, once it said its last word or was told to go.

On a busy machine that can take many times as long as on an idle one, and whoever is ended by force has no verdict."""
_TICK: Final = 0.005
_NOTHING: Final = "nothing may be released"


def supervised(work: Callable[[], int]) -> int:
    """Do the work in a child, and return its exit code only if the child itself said so at the end.

    Whoever calls `os._exit(0)` or crashes the interpreter ends the child without a word, and that blocks; so does whoever
    takes longer than was announced (`permaudit.deadline`). Must be called before threads are started, since only the
    calling one lives on in the child.
    """
    reading, writing = os.pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _end_with_parent()
        watched_by(lambda seconds, what: _say(writing, [seconds, what]))
        code = work()
        _say(writing, code)
        return code
    os.close(writing)
    _pass_on_signals(child)
    try:
        said = _heard(reading)
    except _TooLongError as error:
        os.kill(child, signal.SIGTERM)
        _ended(child)
        click.echo(f"{error}; {_NOTHING}", err=True)
        return OF_VERDICT["block"]
    finally:
        os.close(reading)
    status = _ended(child)
    if status == 0 and said != 0:
        click.echo(f"a plugin ended the audit before there was a verdict; {_NOTHING}", err=True)
        return OF_VERDICT["block"]
    if status < 0:
        click.echo(f"the audit was ended by signal {-status}; {_NOTHING}", err=True)
        return OF_VERDICT["block"] if -status not in INTERRUPTING else WRONG
    return status


class _TooLongError(Exception):
    """Something took longer than was announced; the text says what."""


def _say(writing: int, word: object) -> None:
    """Tell the parent something, in one piece."""
    os.write(writing, json.dumps(word).encode() + b"\n")


def _heard(reading: int) -> int | None:
    """Listen until the child is done, and return its exit code, if it said one before it fell silent."""
    poll = select.poll()
    poll.register(reading, select.POLLIN)
    heard = b""
    deadline, what, seconds = None, "", 0.0
    while True:
        if not poll.poll(None if deadline is None else max(0.0, 1000 * (deadline - monotonic()))):
            raise _TooLongError(f"{what} took longer than {seconds:g} seconds and was ended")
        part = os.read(reading, 1 << 16)
        if not part:
            return None
        *words, heard = (heard + part).split(b"\n")
        for word in map(json.loads, words):
            if isinstance(word, int):
                return word
            seconds, what = word[0] or 0.0, word[1]
            deadline = None if word[0] is None else monotonic() + seconds


def _ended(child: int) -> int:
    """Wait for a child that has nothing more to say, and end it where a plugin keeps it; return how it ended."""
    deadline = monotonic() + _FAREWELL
    while monotonic() < deadline:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        sleep(_TICK)
    os.kill(child, signal.SIGKILL)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def _end_with_parent() -> None:
    """Ask the system to end this child should its parent be killed; where it cannot, the child finishes alone."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def _pass_on_signals(child: int) -> None:
    """Let the child end as it would without a parent; the parent waits for it."""

    def pass_on(number: int, frame: FrameType | None) -> None:  # noqa: ARG001
        os.kill(child, number)

    for number in INTERRUPTING:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, pass_on)
