"""Standard output: somebody may have stopped reading, the disk may be full, the encoding may know few characters."""

from __future__ import annotations

import os
import select
import sys
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from permaudit.errors import OutputError

if TYPE_CHECKING:
    from collections.abc import Iterator


def prepare_outputs() -> None:
    """Open what is closed, or the next file would get its number; write what cannot be encoded as codes."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest free number
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError):  # closed, or not a stream of text
            stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]


@contextmanager
def printing() -> Iterator[None]:
    """Print: a reader who has gone away, as with `| head`, is no error; a full disk is one."""
    try:
        yield
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:
        _drop_the_rest()
    except OSError as error:
        _drop_the_rest()
        raise OutputError(f"standard output cannot be written: {error.strerror or 'unknown error'}") from error


def reader_gone() -> bool:
    """Tell whether standard output is a pipe that nobody reads any more."""
    pipe = select.poll()
    pipe.register(1, 0)
    return any(event & select.POLLERR for _, event in pipe.poll(0))


def _drop_the_rest() -> None:
    """Lead standard output nowhere, or Python would try once more at its end."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
