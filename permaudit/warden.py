"""A process that imports the plugins of one distribution and lets a child answer each call.

Started by the host with `python -c`; ends when the host does, since then nobody holds the other end of the wire.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import json
import os
import select
import signal
import sys
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from socket import socket
from time import monotonic
from typing import TYPE_CHECKING, Any

from permaudit.errors import PluginError
from permaudit.isolation.child import Call, Mouths, answer_in_child
from permaudit.isolation.limits import Limits
from permaudit.isolation.parcel import Layout
from permaudit.isolation.wire import left_until, receive, send
from permaudit.outputs import flush_outputs
from permaudit.plugins import Plugin, read_plugins

if TYPE_CHECKING:
    from collections.abc import Iterator

_TICK = 20
"""So often, in milliseconds, is looked after a child where the system does not tell that it has ended."""
_MOST_SAID = 1 << 16
_MOST_TOLD = 1 << 24
"""So long may be what came of a call: where the parts of a table of many columns are, or all that is wrong with a file."""
_PRINTED = (
    "printed to standard output, and what is printed may hold records: it must return its result and print nothing, "
    "and use logging or standard error for notes"
)
_PR_SET_CHILD_SUBREAPER = 36
"""Linux: whoever loses his parent below this process becomes its child (prctl(2))."""


def main() -> None:
    """Import what the host names, then answer until it is gone."""
    wire = socket(fileno=int(sys.argv[1]))
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    order, _ = receive(wire)
    limits = Limits(order["seconds"], order["memory"])
    output = os.dup(1)
    try:
        provided = read_plugins([Plugin(*one) for one in order["plugins"]])
    except PluginError as error:
        send(wire, {"refused": str(error)})
        return
    things = {(thing.noun, thing.id): thing.object for thing in provided}
    flush_outputs()  # or a child would find in its buffers what the import printed
    for descriptor in (0, 1, 2):  # a module may have closed them, and then the next pipe would take their place
        os.dup2(output, descriptor)
    send(wire, {"ready": True})
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1)
    # Python warns of forks beside threads, which BLAS has and takes care of; where warnings are errors, that would be one.
    warnings.filterwarnings("ignore", ".*fork.*", DeprecationWarning)
    gc.freeze()  # what the children share is not touched when they collect
    with contextlib.suppress(EOFError, ConnectionError):
        while True:
            order, files = receive(wire)
            thing = things[order["noun"], order["id"]]
            layout = Layout(tuple((start, length) for start, length in order["layout"]))
            arguments, answer = files
            call = Call(thing, order["method"], layout, arguments, answer, order["tables"])
            send(wire, _answered(call, limits, wire))
            for file in files:
                os.close(file)


def _answered(call: Call, limits: Limits, wire: socket) -> dict[str, Any]:
    """Let a child answer one call, and return what came of it; afterwards nothing of it is left."""
    pipes = [os.pipe() for _ in range(3)]
    mouths = Mouths(*(mouth for _, mouth in pipes))
    child = os.fork()
    if child == 0:
        try:
            wire.close()
            answer_in_child(call, limits, mouths)
        finally:
            os._exit(0)  # no handler, no thread and no buffer of the plugin has a say in it
    for _, mouth in pipes:
        os.close(mouth)
    ears = {ear: _Ear(most) for (ear, _), most in zip(pipes, (_MOST_TOLD, _MOST_SAID, _MOST_SAID), strict=True)}
    try:
        with _end_of(child) as end:
            status = _watched(child, end, ears, monotonic() + limits.seconds, wire)
    finally:
        _end_all(child)
        for ear in ears:
            os.close(ear)
    word, printed, said = (bytes(ear.heard) for ear in ears.values())
    outcome = _outcome(status, word, limits)
    if printed and "failed" not in outcome:
        outcome = {"failed": _PRINTED}
    return {**outcome, "printed": _text(printed), "said": _text(said)}


@dataclass(frozen=True, slots=True)
class _Ear:
    """What came through a pipe, cut off where it is too much."""

    most: int
    heard: bytearray = field(default_factory=bytearray)

    def hear(self, part: bytes) -> None:
        """Keep what there is room for."""
        self.heard.extend(part[: max(0, self.most - len(self.heard))])


def _text(said: bytes) -> str:
    """Read what a plugin said, whatever the bytes are."""
    return said.decode("utf-8", "backslashreplace")


@contextlib.contextmanager
def _end_of(child: int) -> Iterator[int | None]:
    """Give what can be polled for the end of a process, where the system has it."""
    if not hasattr(os, "pidfd_open"):
        yield None
        return
    descriptor = os.pidfd_open(child)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _watched(child: int, end: int | None, ears: dict[int, _Ear], deadline: float, wire: socket) -> int | None:
    """Listen until the child has ended; return its status, or None where its time was over."""
    poll = select.poll()
    poll.register(wire, 0)  # only whether the host is gone
    for descriptor in (*ears, *(() if end is None else (end,))):
        poll.register(descriptor, select.POLLIN)
    while monotonic() < deadline:
        for descriptor, _ in poll.poll(left_until(deadline) if end is not None else _TICK):
            if descriptor == wire.fileno():
                raise EOFError
            if descriptor == end:
                continue
            part = os.read(descriptor, _MOST_SAID)
            if not part:
                poll.unregister(descriptor)
            ears[descriptor].hear(part)
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            _rest(ears)
            return os.waitstatus_to_exitcode(status)
    return None


def _rest(ears: dict[int, _Ear]) -> None:
    """Take what is still in the pipes of a child that has ended, without waiting for others who hold them."""
    for descriptor, ear in ears.items():
        os.set_blocking(descriptor, False)
        with contextlib.suppress(BlockingIOError):
            while part := os.read(descriptor, _MOST_SAID):
                ear.hear(part)


def _outcome(status: int | None, word: bytes, limits: Limits) -> dict[str, Any]:
    """Put into words how a child ended; that it ended well counts only with its word."""
    if status is None:
        return {"failed": f"took longer than {limits.seconds:g} seconds"}
    with contextlib.suppress(ValueError, RecursionError):
        told = json.loads(word)
        if status == 0 and isinstance(told, dict):
            return told
    if status >= 0:
        return {"failed": f"ended its process with exit code {status}"}
    with contextlib.suppress(ValueError):
        return {"failed": f"was ended by the signal {signal.Signals(-status).name}"}
    return {"failed": f"was ended by signal {-status}"}


def _end_all(child: int) -> None:
    """End the child, its group, and whatever else came from it, also where that made itself independent."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child, signal.SIGKILL)
    with contextlib.suppress(ChildProcessError):
        while True:
            for other in _children():
                with contextlib.suppress(ProcessLookupError):
                    os.kill(other, signal.SIGKILL)
            os.waitpid(-1, 0)


def _children() -> list[int]:
    """Return the children of this process, where the system tells."""
    with contextlib.suppress(OSError):
        return [int(one) for one in Path(f"/proc/self/task/{os.getpid()}/children").read_text("ascii").split()]
    return []
