"""The random streams of an audit."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.random import Generator


@dataclass(frozen=True, slots=True)
class Streams:
    """The random streams of an audit, one for each candidate and metric: adding one changes no other number."""

    seed: int

    def __call__(self, candidate: str, metric: str = "") -> Generator:
        """Return a stream by the names of what draws from it."""
        return np.random.default_rng([self.seed, stable_number(candidate), stable_number(metric)])


def stable_number(text: str) -> int:
    """Turn a name into a number that is the same in every process."""
    return int.from_bytes(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:8], "big")
