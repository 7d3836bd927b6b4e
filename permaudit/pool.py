"""Candidates over the cores: in this process where that is quick, in several where it is not."""

from __future__ import annotations

import logging
import pickle
from time import perf_counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

    from permaudit.candidate import CandidateRun
    from permaudit.outcome import CandidateResult
    from permaudit.plan import Candidate

_LOG = logging.getLogger("permaudit")

_WORTH_PROCESSES = 4.0
"""Starting processes takes about a second each: not for less work than this, in seconds."""


def audit_each(
    run: CandidateRun, candidates: Sequence[Candidate], workers: int, tell: Callable[[str], None]
) -> Generator[CandidateResult, None, None]:
    """Yield the result of every candidate as soon as it is there, and tell which one is next.

    The first candidates run here; once it is known how long they take, the rest may go to other processes.
    """
    started = perf_counter()
    for done, candidate in enumerate(candidates):
        left = len(candidates) - done
        if workers > 1 and done and left > 1 and (perf_counter() - started) / done * left > _WORTH_PROCESSES:
            packed = _packed(run)
            if packed is not None:
                from permaudit.processes import in_processes  # noqa: PLC0415 - short runs need no others

                yield from in_processes(packed, candidates[done:], workers, tell)
                return
            workers = 1
        tell(candidate.name)
        yield run.candidate(candidate)


def _packed(run: CandidateRun) -> bytes | None:
    """Return what all candidates share, for other processes; None where a plugin's objects cannot go there."""
    try:
        return pickle.dumps(run)
    except Exception:
        _LOG.warning("the candidates stay in one process, since a plugin cannot be sent to others", exc_info=True)
        return None
