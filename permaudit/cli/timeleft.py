"""How long a run will still take, judged by what it did last."""

from __future__ import annotations

import math
from collections import deque
from time import monotonic
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_REMEMBERED = 16
"""The pace is that of the last so many steps,"""
_STARTING = 3
"""without the first ones, as soon as there are others: they run before the other processes are there, or while these start."""
_FEWEST = 2
_MINUTE = 60
_HOUR = 3600
_MANY_MINUTES = 90


class TimeLeft:
    """Watch steps being done, and say when the rest will be.

    What is done when the first message comes was found and not made: it says nothing of the pace.
    """

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        """Begin without any step."""
        self._clock = clock
        self._seen: deque[tuple[float, int]] = deque(maxlen=_REMEMBERED + 1)
        self._total = 0
        self._found: int | None = None

    def heard(self, done: int, total: int) -> None:
        """Take notice of how many steps are done."""
        self._total = total
        self._found = done if self._found is None else self._found
        if not self._seen or done > self._seen[-1][1]:
            self._seen.append((self._clock(), done))

    def seconds(self) -> float | None:
        """Return how many seconds the rest will take; None while nobody can know.

        A step that takes longer than those before it puts the end off, and never brings it nearer.
        """
        if self._found is None:
            return None
        last, done = self._seen[-1]
        starting = self._found + min(_STARTING, done - self._found - _FEWEST)
        first, before = next((seen for seen in self._seen if seen[1] >= starting), (last, done))
        if done - before < _FEWEST:
            return None
        pace = (last - first) / (done - before)
        return max(0.0, pace * (self._total - done) - min(self._clock() - last, pace))

    def __str__(self) -> str:
        """Say it in words that promise no more than is known."""
        seconds = self.seconds()
        if seconds is None:
            return ""
        if seconds <= _MINUTE:
            return "less than a minute left"
        if seconds < _MANY_MINUTES * _MINUTE:
            return f"about {math.ceil(seconds / _MINUTE)} min left"
        return f"about {math.ceil(seconds / _HOUR)} h left"
