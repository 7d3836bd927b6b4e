"""The host's side: start the warden of a distribution, ask, wait, and never longer than allowed."""

from __future__ import annotations

import contextlib
import logging
import os
import select
import signal
import socket
import subprocess
import sys
import threading
import weakref
from dataclasses import dataclass
from time import monotonic
from typing import TYPE_CHECKING, Any

from permaudit.errors import DataError, Mistake, NotApplicable, PermauditError, PluginError
from permaudit.isolation.failure import CallFailedError
from permaudit.isolation.parcel import Layout, generators_in, memory_file, pack, seal, unpack_answer
from permaudit.isolation.wire import left_until, receive, send

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Self

    from permaudit.isolation.limits import Limits

_LOG = logging.getLogger("permaudit")
_START = "import sys; sys.path[:] = sys.argv[2:]; from permaudit.warden import main; main()"
_GRACE = 30.0
"""So many seconds more than a call may take are given to the warden, which ends the call itself."""
_LEAST_TO_IMPORT = 60.0
"""So many seconds are given for the import at least, however short the calls must be: large libraries take their time."""
_PATIENCE = 1.0
"""So many seconds has a warden to end what it watches over once nobody listens to it."""
_MOST_SAID = 1 << 16


@dataclass(frozen=True, slots=True)
class Family:
    """The plugins of one distribution, each as name, distribution, version and module, and what a call may take."""

    plugins: tuple[tuple[str, str, str, str], ...]
    limits: Limits
    path: tuple[str, ...]
    """Where modules are looked for, as in this process."""

    @property
    def origin(self) -> str:
        """Name the distribution and its version."""
        _, distribution, version, _ = self.plugins[0]
        return f"{distribution} {version}"


class Nursery:
    """The warden of a family, started when it is needed, and once again where it was lost."""

    def __init__(self, family: Family) -> None:
        """Take the family."""
        self.family = family
        self._warden: _Warden | None = None
        self._lock = threading.Lock()

    def __reduce__(self) -> tuple[Callable[[Family], Nursery], tuple[Family]]:
        """Go to another process as an order to start a warden there."""
        return nursery_of, (self.family,)

    def open(self) -> None:
        """Import the family in its warden; raise `PluginError` where that fails, also where it ends or hangs the process."""
        with self._lock:
            self._running()

    def call(self, noun: str, name: str, method: str, *arguments: Any, tables: bool = False, **named: Any) -> Any:
        """Call an object of the family and return its answer.

        Raise `CallFailedError` where there is none; `NotApplicable`, `DataError` and other errors that are shown to users
        come out as they went in. Generators among the arguments have drawn what the object drew.
        """
        files: list[int] = []
        try:
            files += (memory_file(), memory_file())
            layout = pack((arguments, named), files[0])
            assert layout is not None  # noqa: S101 - only answers have a limit
            seal(files[0])
            order = {"noun": noun, "id": name, "method": method, "layout": layout.places, "tables": tables}
            with self._lock:
                reply = self._asked(order, (files[0], files[1]))
            return _taken(reply, files[1], arguments, f"{noun} {name}")
        except OSError as error:
            _LOG.exception("%s %s cannot be called", noun, name)
            raise CallFailedError("could not be called: the system has no room for its process") from error
        finally:
            for file in files:
                os.close(file)

    def _asked(self, order: dict[str, Any], files: tuple[int, ...]) -> dict[str, Any]:
        """Put one question to the warden; one that is lost on the way is replaced for the next question."""
        try:
            warden = self._running()
        except PluginError as error:
            _LOG.exception("a plugin cannot be imported any more")
            raise CallFailedError("could not be imported again") from error
        try:
            send(warden.wire, order, files)
            return warden.reply(monotonic() + self.family.limits.seconds + _GRACE)
        except TimeoutError as error:
            self._lost()
            raise CallFailedError("did not let itself be ended in time") from error
        except (EOFError, OSError, ValueError) as error:
            self._lost()
            raise CallFailedError("ended the process that watches over it") from error
        except BaseException:  # also when interrupted: nobody will hear the answer
            self._lost()
            raise

    def _running(self) -> _Warden:
        """Return the warden of this process; one from before a fork belongs to the parent."""
        if self._warden is None or self._warden.owner != os.getpid():
            self._warden = _Warden.started(self.family)
        return self._warden

    def _lost(self) -> None:
        """End the warden, with all that it watches over."""
        if self._warden is not None:
            self._warden.end()
        self._warden = None


class _Warden:
    """A running warden."""

    def __init__(self, process: subprocess.Popen[bytes], wire: socket.socket) -> None:
        """Take the process, and the host's end of the wire."""
        assert process.stdout is not None  # noqa: S101 - asked for below
        self.owner = os.getpid()
        self.wire = wire
        self._said = process.stdout
        self.end = weakref.finalize(self, _ended, process, wire, self.owner)

    @classmethod
    def started(cls, family: Family) -> Self:
        """Start a warden and let it import its family."""
        ours, theirs = socket.socketpair()
        command = [sys.executable, "-P", "-c", _START, str(theirs.fileno()), *family.path]
        try:
            process = subprocess.Popen(  # noqa: S603 - this Python, with a program of permaudit
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                pass_fds=[theirs.fileno()],
                start_new_session=True,
            )
        except OSError as error:
            ours.close()
            raise PluginError(f"no process can be started for the plugins of {family.origin}") from error
        finally:
            theirs.close()
        warden = cls(process, ours)
        limits = family.limits
        seconds = max(limits.seconds, _LEAST_TO_IMPORT)
        try:
            send(ours, {"plugins": family.plugins, "seconds": limits.seconds, "memory": limits.memory})
            reply = warden.reply(monotonic() + seconds)
        except TimeoutError:
            warden.end()
            raise PluginError(
                f"the plugins of {family.origin} took longer than {seconds:g} seconds to be imported"
            ) from None
        except (EOFError, OSError, ValueError):
            warden.end()
            raise PluginError(f"the plugins of {family.origin} ended the process that imported them") from None
        except BaseException:
            warden.end()
            raise
        if "refused" in reply:
            warden.end()
            raise PluginError(reply["refused"])
        return warden

    def reply(self, deadline: float) -> dict[str, Any]:
        """Return what the warden says, and log what the plugins print meanwhile."""
        poll = select.poll()
        poll.register(self.wire, select.POLLIN)
        poll.register(self._said, select.POLLIN)
        heard = bytearray()
        try:
            while monotonic() < deadline:
                ready = [descriptor for descriptor, _ in poll.poll(left_until(deadline))]
                if self._said.fileno() in ready:
                    part = os.read(self._said.fileno(), _MOST_SAID)
                    heard += part[: max(0, _MOST_SAID - len(heard))]
                    if not part:
                        poll.unregister(self._said)
                if self.wire.fileno() in ready:
                    reply, _ = receive(self.wire)
                    if not isinstance(reply, dict):
                        raise ValueError(type(reply).__name__)
                    return reply
        finally:
            _log_said(heard.decode("utf-8", "backslashreplace"), "a plugin")
        raise TimeoutError


def _ended(process: subprocess.Popen[bytes], wire: socket.socket, owner: int) -> None:
    """Hang up, which ends a warden that is well, and end one that is not; after a fork only forget it."""
    wire.close()
    if process.stdout is not None:
        process.stdout.close()
    if os.getpid() != owner:
        process.returncode = 0  # it is the parent's to wait for
        return
    try:
        process.wait(_PATIENCE)
    except subprocess.TimeoutExpired:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _taken(reply: dict[str, Any], file: int, arguments: tuple[Any, ...], who: str) -> Any:
    """Return the answer of a reply, or raise what it says instead."""
    for stream in ("printed", "said"):
        _log_said(reply.get(stream, ""), who)
    match reply:
        case {"answer": places}:
            return _answer(file, Layout(tuple((start, length) for start, length in places)), arguments)
        case {"not_applicable": reason}:
            raise NotApplicable(reason)
        case {"mistakes": mistakes}:
            raise DataError(Mistake(*one) for one in mistakes)
        case {"refused": reason}:
            raise PermauditError(reason)
        case {"failed": reason, **rest}:
            _LOG.error("%s %s in its process\n%s", who, reason, rest.get("trace", ""))
            raise CallFailedError(reason)
        case _:
            raise CallFailedError("gave no answer that can be understood")


def _answer(file: int, layout: Layout, arguments: tuple[Any, ...]) -> Any:
    """Read an answer, and let the generators of the call go on where the object left them."""
    try:
        answer, states = unpack_answer(file, layout)
        for generator, state in zip(generators_in(arguments), states, strict=True):
            generator.bit_generator.state = state
    except CallFailedError:
        raise
    except Exception as error:
        raise CallFailedError("gave an answer that cannot be read") from error
    return answer


def _log_said(text: str, who: str) -> None:
    """Log what was printed, which may quote data."""
    if text:
        _LOG.warning("printed by %s:\n%s", who, text)


_NURSERIES: weakref.WeakValueDictionary[Family, Nursery] = weakref.WeakValueDictionary()


def nursery_of(family: Family) -> Nursery:
    """Return the nursery of a family: one in each process, as long as somebody needs it."""
    return _NURSERIES.setdefault(family, Nursery(family))
