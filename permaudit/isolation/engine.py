"""What stands for a foreign engine: the engine itself, in this process, with somebody who waits only so long."""

from __future__ import annotations

import logging
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from permaudit.deadline import at_most
from permaudit.errors import PermauditError, PluginFailedError, shown
from permaudit.model import Moments

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from permaudit.cards import EngineCard
    from permaudit.columns import Shelf
    from permaudit.model import Columns, Engine

_LOG = logging.getLogger("permaudit")


@dataclass(frozen=True, slots=True, eq=False)
class WatchedEngine:
    """An engine of somebody else.

    What it prepares is its own and may be as large as the data, or lie on other machines: it cannot go from a process to
    another with every call. So the engine works here, and whoever watches over this process ends it when a call takes too long.
    """

    card: EngineCard
    engine: Engine
    origin: str
    seconds: float

    def prepare(self, columns: Columns) -> Any:
        """Let the engine work on one file."""
        with self._watched():
            return self.engine.prepare(columns)

    def moments(self, original: Any, release: Any, *, mirrored: bool = False) -> Moments:
        """Let the engine compare two files; refuse what are no moments, since every metric builds on them."""
        with self._watched():
            found = self.engine.moments(original, release, mirrored=mirrored)
        if not isinstance(found, Moments):
            raise self._failed(f"returned {type(found).__name__}, not moments")
        if not _are_sound(found, mirrored=mirrored):
            raise self._failed("returned moments of a wrong shape, or without a number in every place")
        return found

    def approximate(self, seed: int) -> WatchedEngine:
        """Let the engine take less time for an error that it states."""
        with self._watched():
            other: Any = self.engine
            return replace(self, engine=other.approximate(seed))

    def each(self, work: Callable[[Any], Any], tasks: Sequence[Any], shelf: Shelf) -> list[Any]:
        """Let the engine have work done wherever it does its own; refuse fewer results than there are tasks."""
        with self._watched():
            other: Any = self.engine
            found = other.each(work, tasks, shelf)
        if not isinstance(found, list) or len(found) != len(tasks):
            raise self._failed("did not return a result for each piece of a file")
        return found

    @contextmanager
    def _watched(self) -> Iterator[None]:
        """Announce the work, and take what is raised for no answer."""
        try:
            with at_most(self.seconds, f"the engine '{shown(self.card.id)}'"):
                yield
        except (PermauditError, KeyboardInterrupt):
            raise
        except BaseException as error:
            _LOG.exception("engine %s raised", self.card.id)
            raise self._failed(f"raised {type(error).__name__}") from error

    def _failed(self, what: str) -> PluginFailedError:
        """Say what the engine did instead of comparing."""
        return PluginFailedError(f"the engine '{shown(self.card.id)}' of {self.origin} {what}")


def _are_sound(found: Moments, *, mirrored: bool) -> bool:
    """Tell whether there is a finite number wherever a metric will look for one."""
    many = len(found.attributes)
    square, cube = (many, many), (many, many, many)
    wanted: list[tuple[object, tuple[int, ...]]] = [
        (found.original, square),
        (found.release, square),
        (found.cross, square),
        (found.cross_by_key, cube),
    ]
    if mirrored:
        wanted.append((found.mirror_by_key, cube))
    error = found.by_key_error
    if error is not None and not (isinstance(error, float) and 0 <= error < np.inf):
        return False
    return len(found.unchanged) == many and all(
        isinstance(matrix, np.ndarray)
        and matrix.dtype == np.float64
        and matrix.shape == shape
        and bool(np.isfinite(matrix).all())
        for matrix, shape in wanted
    )
