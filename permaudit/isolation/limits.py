"""How much time and memory a call of a foreign plugin may take, and where the system is told so."""

from __future__ import annotations

import resource
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_MEGABYTE: Final = 1 << 20
_PATIENCE: Final = 60
_STATUS = Path("/proc/self/status")
_ENDED_FIRST = Path("/proc/self/oom_score_adj")


@dataclass(frozen=True, slots=True)
class Limits:
    """What one call may take."""

    seconds: float = 60.0
    memory: int = 2 << 30
    """In bytes, on top of what the process has when the call begins."""

    @property
    def in_host(self) -> float:
        """Return how long foreign code may take in the host, where its work grows with the data: no call of it is as short."""
        return _PATIENCE * self.seconds

    @property
    def memory_shown(self) -> str:
        """Write the memory as in an audit file."""
        megabytes = self.memory / _MEGABYTE
        return f"{megabytes:g} MB" if megabytes % 1024 else f"{megabytes / 1024:g} GB"


def limit_this_process(memory: int) -> None:
    """Let this process take no more than that much memory from now on, and leave no core dump, which would hold data.

    Linux counts what a process can write to (RLIMIT_DATA), so that inputs and mere reservations are free. It counts neither
    memory that processes share nor what several take together: where the machine runs out of it, this one is ended first,
    with those that it starts, and not the host. Elsewhere there is no limit that both holds and lets a numeric library start.
    """
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform == "linux":
        with suppress(OSError):  # no such file where /proc is not for writing
            _ENDED_FIRST.write_text("1000", encoding="ascii")
        most = _writable() + memory
        resource.setrlimit(resource.RLIMIT_DATA, (most, most))


def _writable() -> int:
    """Return how much memory this process can write to, in bytes."""
    for line in _STATUS.read_text(encoding="ascii").splitlines():
        if line.startswith("VmData:"):
            return int(line.split()[1]) * 1024
    return 0
