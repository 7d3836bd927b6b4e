"""Choose between numpy and the compiled kernels: they give the same numbers, and loading the latter takes time, too."""

from __future__ import annotations

import os
import sys
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import ModuleType

_KERNELS = "permaudit.permutation.kernels"
_WORTH_LOADING = 4_000_000
"""From so many values of a file on, loading the compiled kernels (a third of a second) pays: half a second is saved for each
ten million values, and what was compiled once (two seconds) is kept."""
_WORTH_CALLING = 10_000
"""From so many values on they are used once they are there."""


def compiled_kernels(values: int) -> ModuleType | None:
    """Return the compiled kernels where they pay for a file of so many values, and numba is there (extra `fast`).

    The environment variable PERMAUDIT_KERNELS may say `numpy`: then they are never used.
    """
    if os.environ.get("PERMAUDIT_KERNELS") == "numpy":
        return None
    if values < (_WORTH_CALLING if _KERNELS in sys.modules else _WORTH_LOADING):
        return None
    return _loaded()


@cache
def _loaded() -> ModuleType | None:
    """Load the kernels; without numba, or with one that does not work here, numpy gives the same numbers."""
    try:
        return import_module(_KERNELS)
    except Exception:  # numba fails in many ways: a file named like a module that it looks for is enough
        return None
