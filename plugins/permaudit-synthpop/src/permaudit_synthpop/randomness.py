"""python-synthpop draws from numpy's global random state: lend it one, and give back what was there."""

from __future__ import annotations

import random
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.random import Generator

_WORDS = 624
"""The whole state of the Mersenne Twister: a seed of 32 bits would make four billion releases, which can be tried out."""


@contextmanager
def lent_randomness(rng: Generator) -> Iterator[None]:
    """Fill numpy's global random state from a generator for a while, and put back Python's, too."""
    before, pythons = np.random.get_state(), random.getstate()  # noqa: NPY002 - the package, and what it imports, draw from both
    np.random.set_state(("MT19937", rng.integers(2**32, size=_WORDS, dtype=np.uint32), _WORDS, 0, 0.0))  # noqa: NPY002 - as above
    try:
        yield
    finally:
        np.random.set_state(before)  # noqa: NPY002 - as above
        random.setstate(pythons)
