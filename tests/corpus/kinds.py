"""Every case of the corpus: importing a module adds its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import (  # noqa: F401 - each adds its cases
    bad_board,
    bad_cells,
    bad_columns,
    bad_declared,
    bad_files,
    bad_masking,
    bad_parts,
    bad_pieces,
    bad_plugins,
    bad_whole,
    bad_written,
    beyond,
    good_cells,
    good_columns,
    good_files,
    good_masked,
    good_synthetic,
    good_written,
)
from .case import CASES
from .run import run_case

if TYPE_CHECKING:
    from .run import Ended

__all__ = ["CASES", "run_numbered"]


def run_numbered(place: int, seed: int) -> Ended:
    """Run one case in a worker process, which finds it by its place."""
    return run_case(CASES[place], seed)
