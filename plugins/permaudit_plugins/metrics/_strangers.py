"""Records that cannot be copies: what looks like a copy among them is chance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.random import Generator
    from numpy.typing import NDArray

    from permaudit_plugins.metrics._files import File, Files


@dataclass(frozen=True, slots=True, eq=False)
class Strangers:
    """People of the same population, as they are and in the release's values."""

    file: File
    dressed: File
    """The same, with the values of the release that have the same ranks."""
    rows: NDArray[np.intp] | None
    """Which rows of the original these are, each looked up among all others; None for people who are not in it."""
    what: str


def strangers_of(files: Files, rng: Generator) -> tuple[Strangers, ...]:
    """Return the original's own records, each beside all others (leave one out), and those of a holdout.

    Where there is a holdout, what was found is held against both: one that shares records with the original, by mistake or
    not, must not make copies look like chance.
    """
    original, release, holdout = files.original, files.release, files.holdout
    rows = np.arange(original.records)
    found = [
        Strangers(original, original.dressed_as(release, rng), rows, "the original's records, each beside all others")
    ]
    if holdout is not None and holdout.records:
        found.insert(0, Strangers(holdout, holdout.dressed_as(release, rng), None, "the holdout's records"))
    return tuple(found)
