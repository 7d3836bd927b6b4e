"""Candidates over the cores: in this process where that is quick, in several where it is not."""

from __future__ import annotations

import os
import pickle
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from time import perf_counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from permaudit.candidate import CandidateRun
    from permaudit.outcome import CandidateResult
    from permaudit.plan import Candidate

_WORTH_PROCESSES = 4.0
"""Starting processes takes about a second each: not for less work than this, in seconds."""
_LIMITS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "PERMAUDIT_THREADS")
"""Each process of several uses one thread, or they would get in each other's way."""

_run: CandidateRun | None = None
"""What the candidates of a worker process share."""


def audit_each(
    run: CandidateRun, candidates: Sequence[Candidate], workers: int, tell: Callable[[str], None]
) -> Iterator[CandidateResult]:
    """Yield the result of every candidate, in order, and tell which one is next.

    The first candidates run here; once it is known how long they take, the rest may go to other processes.
    """
    started = perf_counter()
    for done, candidate in enumerate(candidates):
        left = len(candidates) - done
        if workers > 1 and done and left > 1 and (perf_counter() - started) / done * left > _WORTH_PROCESSES:
            yield from _in_processes(run, candidates[done:], workers, tell)
            return
        tell(candidate.name)
        yield run.candidate(candidate)


def _in_processes(
    run: CandidateRun, candidates: Sequence[Candidate], workers: int, tell: Callable[[str], None]
) -> Iterator[CandidateResult]:
    """Share the candidates out among processes of one thread each."""
    before = {name: os.environ.get(name) for name in _LIMITS}
    os.environ.update(dict.fromkeys(_LIMITS, "1"))
    pool = ProcessPoolExecutor(
        min(workers, len(candidates)), get_context("spawn"), initializer=_start, initargs=(pickle.dumps(run),)
    )
    try:
        results = pool.map(_audit, candidates)
        for candidate in candidates:
            tell(candidate.name)
            yield next(results)
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def _start(run: bytes) -> None:
    """Receive what all candidates share, once for each process."""
    global _run  # noqa: PLW0603 - the only way to hand something to every task of a worker
    _run = pickle.loads(run)  # noqa: S301 - from the parent process


def _audit(candidate: Candidate) -> CandidateResult:
    """Audit one candidate in a worker."""
    assert _run is not None  # noqa: S101 - set by the initializer
    return _run.candidate(candidate)
