"""What happens in the child: limits are set, one object is called once, and the answer is written down."""

from __future__ import annotations

import contextlib
import ctypes
import io
import json
import os
import signal
import sys
import traceback
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from permaudit.errors import DataError, NotApplicable, PermauditError
from permaudit.isolation.failure import CallFailedError
from permaudit.isolation.limits import limit_this_process
from permaudit.isolation.parcel import generators_in, pack, unpack
from permaudit.outputs import flush_outputs

if TYPE_CHECKING:
    from permaudit.isolation.limits import Limits
    from permaudit.isolation.parcel import Layout

MOST_ANSWER = 16 << 20
"""An answer that is no table may have so many bytes."""
_LONGEST_TRACE = 20_000
_PR_SET_PDEATHSIG = 1
"""Linux: which signal to get when the parent dies (prctl(2))."""


@dataclass(frozen=True, slots=True)
class Call:
    """Which object is called, with what, and where the answer belongs."""

    thing: Any
    method: str
    layout: Layout
    arguments: int
    """The file with the arguments."""
    answer: int
    """The file for the answer."""
    tables: bool
    """May the answer be as large as the memory?"""


def end_with_parent() -> None:
    """Ask the system to end this process should its parent be gone; where it cannot, the time limit does."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


@dataclass(frozen=True, slots=True)
class Mouths:
    """Where a child writes: what came of the call, what it printed to standard output, and to standard error."""

    words: int
    printed: int
    said: int


def answer_in_child(call: Call, limits: Limits, mouths: Mouths) -> None:
    """Call the object and write down what came of it."""
    os.setsid()
    end_with_parent()
    nothing = os.open(os.devnull, os.O_RDONLY)
    for descriptor, place in ((nothing, 0), (mouths.printed, 1), (mouths.said, 2)):
        os.dup2(descriptor, place)
        os.close(descriptor)
    own = open(0), open(1, "w"), open(2, "w")  # noqa: SIM115 - as long as the process
    sys.stdin, sys.stdout, sys.stderr = own
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)
    np.random.seed()  # noqa: NPY002 - as Python's own after a fork, or every call would draw the same numbers from it
    word = _word(call, limits)
    for stream in own[1:]:  # the plugin may have put others in their place
        with contextlib.suppress(Exception):
            stream.flush()
    flush_outputs()
    content = json.dumps(word).encode()
    while content:
        content = content[os.write(mouths.words, content) :]


def _word(call: Call, limits: Limits) -> dict[str, Any]:
    """Return what came of the call, in plain data."""
    out_of_memory = {"failed": f"ran out of memory (its limit is {limits.memory_shown})"}
    try:
        arguments, named = unpack(call.arguments, call.layout)
        limit_this_process(limits.memory)
        answer = _called(call, arguments, named)
        drawn = [one.bit_generator.state for one in generators_in(arguments)]
        return _packed((answer, drawn), call, limits.memory if call.tables else MOST_ANSWER)
    except MemoryError:
        return out_of_memory
    except BaseException as error:
        return _told(error)


def _called(call: Call, arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """Call the object; a copy of this process that it made and did not end has no word in what comes of it."""
    own = os.getpid()
    try:
        return getattr(call.thing, call.method)(*arguments, **named)
    finally:
        if os.getpid() != own:
            os._exit(0)


def _told(error: BaseException) -> dict[str, Any]:
    """Say what was raised: in its own words where these are for users, else by its name and, for the log, its trace."""
    match error:
        case NotApplicable():
            return {"not_applicable": str(error)}
        case DataError():
            return {"mistakes": [[one.where, one.line, one.column, one.message] for one in error.mistakes]}
        case PermauditError():
            return {"refused": str(error)}
        case CallFailedError():
            return {"failed": str(error)}
        case _:
            return {"failed": f"raised {type(error).__name__}", "trace": _trace(error)}


def _packed(answer: Any, call: Call, most: int) -> dict[str, Any]:
    """Write the answer down, if it is data and not too large."""
    try:
        layout = pack(answer, call.answer, most)
    except (MemoryError, KeyboardInterrupt):
        raise
    except Exception as error:
        raise CallFailedError(f"returned {type(answer[0]).__name__}, which cannot leave its process") from error
    if layout is None:
        raise CallFailedError(f"returned more than {most >> 20} MB")
    return {"answer": layout.places}


def _trace(error: BaseException) -> str:
    """Return the traceback, for the operator's log."""
    text = io.StringIO()
    with contextlib.suppress(Exception):
        traceback.print_exception(error, file=text)
    return text.getvalue()[-_LONGEST_TRACE:]
