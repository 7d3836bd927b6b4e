"""Whose randomness is used: that of the given generator, or one that everybody shares."""

from __future__ import annotations

import pickle
import random
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from permaudit.testing.failures import Inspection


@contextmanager
def untouched_randomness(found: Inspection, seed: int) -> Iterator[None]:
    """Set the global random states, note whether somebody moved them, and put them back.

    Different seeds for different calls: whoever reads a global state then gives different answers, too.
    """
    before = random.getstate(), np.random.get_state()  # noqa: NPY002 - the global state is what is guarded
    random.seed(seed)
    np.random.seed(seed)  # noqa: NPY002 - as above
    set_to = _states()
    try:
        yield
    finally:
        for whose, one, other in zip(("Python's", "numpy's"), set_to, _states(), strict=True):
            advice = "draw from the generator that is given, and from nothing else"
            found.expect(one == other, "global random state", f"moves {whose} global random state; {advice}")
        random.setstate(before[0])
        np.random.set_state(before[1])  # noqa: NPY002 - as above


def _states() -> tuple[bytes, bytes]:
    """Return both global states so that they can be compared."""
    return pickle.dumps(random.getstate()), pickle.dumps(np.random.get_state())  # noqa: NPY002 - as above
