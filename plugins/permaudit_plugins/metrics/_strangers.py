"""Records that cannot be copies: what looks like a copy among them is chance."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import NDArray

    from permaudit_plugins.metrics._files import File, Files


@dataclass(frozen=True, eq=False)
class Strangers:
    """People of the same population, as they are and in the release's values."""

    file: File
    rows: NDArray[np.intp] | None
    """Which rows of the original these are, each looked up among all others; None for people who are not in it."""
    what: str
    release: File
    rng: Generator

    @property
    def what_dressed(self) -> str:
        """Say whose records these are in the release's values."""
        return f"{self.what} in the released values"

    @cached_property
    def dressed(self) -> File:
        """Return the same people with the values of the release that have nearly the same ranks."""
        return self.file.dressed_as(self.release, self.rng)

    def some(self, chosen: NDArray[np.intp]) -> tuple[Strangers, File]:
        """Return some of them, and the same ones dressed."""
        if chosen.size == self.file.records:
            return self, self.dressed
        rows = None if self.rows is None else self.rows[chosen]
        drawn = Strangers(self.file.taken(chosen), rows, self.what, self.release, self.rng)
        return drawn, self.file.dressed_as(self.release, self.rng, chosen)


def strangers_of(files: Files, rng: Generator) -> tuple[Strangers, ...]:
    """Return the original's own records, each beside all others (leave one out), and those of a holdout.

    Where there is a holdout, what was found is held against both: one that shares records with the original, by mistake or
    not, must not make copies look like chance.
    """
    original, release, holdout = files.original, files.release, files.holdout
    rows = np.arange(original.records)
    found = [Strangers(original, rows, "the original's records, each beside all others", release, rng)]
    if holdout is not None and holdout.records:
        found.insert(0, Strangers(holdout, None, "the holdout's records", release, rng))
    return tuple(found)
