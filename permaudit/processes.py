"""Candidates in several processes of one thread each, none of which is left behind."""

from __future__ import annotations

import io
import logging
import os
import pickle
import signal
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from multiprocessing import active_children, get_context, parent_process
from threading import Thread
from typing import TYPE_CHECKING

from permaudit.deadline import end_alone, watched_by
from permaudit.errors import PermauditError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from permaudit.candidate import CandidateRun
    from permaudit.outcome import CandidateResult
    from permaudit.plan import Candidate

_LOG = logging.getLogger("permaudit")

_LIMITS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "PERMAUDIT_THREADS")
"""Each process of several uses one thread, or they would get in each other's way."""

_run: CandidateRun | None = None
"""What the candidates of a worker process share."""


def in_processes(
    packed: bytes, candidates: Sequence[Candidate], workers: int, tell: Callable[[str], None]
) -> Iterator[CandidateResult]:
    """Share the candidates out among processes of one thread each."""
    with _limited_threads(), _processes(min(workers, len(candidates)), packed) as pool:
        with _uninterrupted():  # the processes start here
            names = {pool.submit(_audit, candidate): candidate.name for candidate in candidates}
        try:
            for future in as_completed(list(names)):
                tell(next(iter(names.values())))
                result, said = future.result()
                if said:
                    _LOG.warning("in a process of its own:\n%s", said)
                del names[future]
                yield result
        except BrokenProcessPool:
            raise PermauditError(
                "a process ended before its candidate was audited (a plugin ended it, or memory ran out); "
                "nothing may be released; --jobs 1 takes one candidate at a time"
            ) from None


@contextmanager
def _processes(many: int, packed: bytes) -> Iterator[ProcessPoolExecutor]:
    """Give some processes; when something goes wrong they are ended, not waited for."""
    others = set(active_children())
    pool = ProcessPoolExecutor(many, get_context("spawn"), initializer=_start, initargs=(packed,))
    try:
        yield pool
    except BaseException:
        for process in set(active_children()) - others:
            process.terminate()
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


@contextmanager
def _limited_threads() -> Iterator[None]:
    """Tell numpy and its like, through the environment, to use one thread."""
    before = {name: os.environ.get(name) for name in _LIMITS}
    os.environ.update(dict.fromkeys(_LIMITS, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Let the processes that start meanwhile not hear Ctrl-C, which a terminal sends to all: this process ends them."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


# --------------------------------------------------------------------------- in the other processes


def _start(packed: bytes) -> None:
    """Receive what all candidates share, once for each process."""
    global _run  # noqa: PLW0603 - the only way to hand something to every task of a worker
    Thread(target=_end_with_parent, daemon=True).start()
    watched_by(end_alone)  # a process that ended is told from a candidate that was audited
    _run = pickle.loads(packed)  # noqa: S301 - from the parent process


def _end_with_parent() -> None:
    """End this process should the one that started it be killed: nobody else would."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _audit(candidate: Candidate) -> tuple[CandidateResult, str]:
    """Audit one candidate; return the result, and what is for the operator's log, which is in the other process."""
    assert _run is not None  # noqa: S101 - set by the initializer
    ear = io.StringIO()
    handler = logging.StreamHandler(ear)
    _LOG.addHandler(handler)
    try:
        with redirect_stdout(ear), redirect_stderr(ear):
            return _run.candidate(candidate), ear.getvalue()
    finally:
        _LOG.removeHandler(handler)
