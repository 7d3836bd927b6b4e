"""Put the audit file in its place: whole or not at all, and never over another file unless that was asked for."""

from __future__ import annotations

import os
from contextlib import suppress
from secrets import token_hex
from typing import TYPE_CHECKING

from permaudit.errors import OutputError, shown

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


def refuse_existing(target: Path, inputs: Iterable[Path], *, force: bool) -> None:
    """Refuse a target that is there already, or, also with `force`, that is a directory or one of the inputs."""
    if not os.path.lexists(target):
        return
    if not force:
        raise _exists(target)
    if target.is_dir():
        raise OutputError(f"{_name(target)} is a directory; name a file with -o")
    for path in inputs:
        with suppress(OSError):
            if target.samefile(path):
                raise OutputError(f"{_name(target)} is one of the data files; name another file with -o")


def write_text(target: Path, text: str, *, force: bool) -> None:
    """Write beside the target first, wait for the disk, and only then take the name."""
    beside = target.with_name(f".permaudit-{token_hex(8)}.part")
    try:
        with beside.open("xb") as stream:
            stream.write(text.encode())
            stream.flush()
            os.fsync(stream.fileno())
        _take_name(beside, target, force=force)
    except OSError as error:
        raise OutputError(f"{_name(target)}: cannot be written: {error.strerror or 'unknown error'}") from error
    finally:  # also when interrupted
        with suppress(OSError):
            beside.unlink()


def _take_name(beside: Path, target: Path, *, force: bool) -> None:
    """Give the new file its name; without `force`, a file that came up meanwhile keeps it."""
    if force:
        beside.replace(target)
        return
    try:
        target.hardlink_to(beside)  # unlike a rename, a link never takes the place of another file
    except FileExistsError:
        raise _exists(target) from None
    except OSError:  # a file system without links
        if os.path.lexists(target):
            raise _exists(target) from None
        beside.replace(target)


def _exists(target: Path) -> OutputError:
    """Say that the file is there."""
    return OutputError(f"{_name(target)} exists already; name another file with -o, or replace it with --force")


def _name(target: Path) -> str:
    """Write the target's name so that it can be printed."""
    return shown(str(target), 200)
