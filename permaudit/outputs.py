"""Standard output and standard error, whoever writes there: Python, whoever kept its first streams, or a library in C."""

from __future__ import annotations

import ctypes
import os
import sys
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def led_to(descriptor: int, target: int) -> Iterator[None]:
    """Lead a descriptor somewhere else for a while; one that is closed has nothing to protect.

    What was written before goes where it belongs, and what is written meanwhile does not come out later.
    """
    flush_outputs()
    try:
        kept = os.dup(descriptor)
    except OSError:
        yield
        return
    try:
        os.dup2(target, descriptor)
        yield
    finally:
        flush_outputs()
        os.dup2(kept, descriptor)
        os.close(kept)


def flush_outputs() -> None:
    """Write out what is still in a buffer: of the streams in use, of those that Python began with, and of C libraries."""
    for stream in (sys.stdout, sys.stderr, sys.__stdout__, sys.__stderr__):
        with suppress(Exception):  # closed, missing, or somebody's own
            stream.flush()  # type: ignore[union-attr]
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).fflush(None)
