"""Keep this process as it was, whatever a foreign module does to it while it is imported here."""

from __future__ import annotations

import locale
import os
import random
import resource
import signal
import sys
import threading
import warnings
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from permaudit.outputs import led_to

if TYPE_CHECKING:
    from collections.abc import Iterator


_LIMITS = tuple(getattr(resource, name) for name in dir(resource) if name.startswith("RLIMIT_"))


@contextmanager
def kept_as_it_was() -> Iterator[None]:
    """Give back all of a process that its results or its end can depend on.

    Directory, environment, mask, limits, timer, locale, depth of calls, random states, numpy's settings, warnings, signal
    handlers and outputs.

    What is printed meanwhile goes nowhere: the warden, which imported the same modules before, has logged it.
    """
    with ExitStack() as stack:
        nowhere = stack.enter_context(open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123 - no file
        for descriptor in (1, 2):
            stack.enter_context(led_to(descriptor, nowhere.fileno()))
        stack.enter_context(redirect_stdout(nowhere))
        stack.enter_context(redirect_stderr(nowhere))
        stack.enter_context(warnings.catch_warnings())
        stack.callback(signal.setitimer, signal.ITIMER_REAL, *signal.getitimer(signal.ITIMER_REAL))
        stack.callback(_restore_signals, {number: signal.getsignal(number) for number in signal.valid_signals()})
        stack.callback(random.setstate, random.getstate())
        stack.callback(_restore_environment, dict(os.environ))
        stack.callback(os.umask, _mask())
        stack.callback(locale.setlocale, locale.LC_ALL, locale.setlocale(locale.LC_ALL))
        stack.callback(sys.setrecursionlimit, sys.getrecursionlimit())
        for kind in _LIMITS:
            stack.callback(_restore_limit, kind, resource.getrlimit(kind)[0])
        with suppress(OSError):
            stack.callback(os.chdir, Path.cwd())
        if (numpy := sys.modules.get("numpy")) is not None:
            settings = numpy.geterr()
            stack.callback(lambda: numpy.seterr(**settings))
            stack.callback(numpy.random.set_state, numpy.random.get_state())
        yield


def _mask() -> int:
    """Return the mask for new files."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _restore_limit(kind: int, before: int) -> None:
    """Give back what this process may take, as far as the system still lets it."""
    now, most = resource.getrlimit(kind)
    if now != before:
        with suppress(ValueError, OSError):
            resource.setrlimit(kind, (before, most))


def _restore_environment(before: dict[str, str]) -> None:
    """Give back the environment."""
    if dict(os.environ) != before:
        os.environ.clear()
        os.environ.update(before)


def _restore_signals(before: dict[int, Any]) -> None:
    """Give back the handlers that were changed; only the main thread can change them."""
    if threading.current_thread() is not threading.main_thread():
        return
    for number, handler in before.items():
        if handler is not None and signal.getsignal(number) != handler:
            signal.signal(number, handler)
