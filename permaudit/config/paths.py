"""Paths in the audit file -> files that are there: local, regular, and inside the root where one is given."""

from __future__ import annotations

import errno
import os
import re
import stat
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from permaudit.config.words import Problem, nearest, place_name
from permaudit.errors import shown

if TYPE_CHECKING:
    from permaudit.config.words import Steps

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]+:")
_WINDOWS = re.compile(r"[A-Za-z]:[\\/]|.*\\")
_MOST_NEIGHBOURS = 1000
_KINDS = {
    stat.S_IFDIR: "a directory",
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}

_IN_PARTS = (("original",), ("holdout",), ("candidates",))
"""Data may lie in several files of one directory."""


def located(text: str, folder: Path) -> Path:
    """Return where a path of the audit file leads."""
    return Path(os.path.abspath(folder)) / text  # noqa: PTH100 - resolve() would lose the suffix of a link


def check_path(text: str, steps: Steps, folder: Path, root: Path | None) -> list[Problem]:
    """Say what is wrong with a path, without opening the file."""
    reason = (
        _refused(text) or _outside(text, folder, root) or _not_a_file(text, folder, in_parts=steps[:1] in _IN_PARTS)
    )
    return [Problem(steps, f"{place_name(steps)} {reason}")] if reason else []


def _refused(text: str) -> str | None:
    if not text:
        return "must not be empty"
    if "\0" in text:
        return "cannot hold a NUL character"
    if scheme := _SCHEME.match(text):
        return (
            f"must be a local file, not '{shown(scheme[0])}'; download it first (or put ./ before a name with a colon)"
        )
    if text.startswith("~"):
        return "cannot start with ~, which is not expanded; write the whole path (or put ./ before such a name)"
    return None


def _outside(text: str, folder: Path, root: Path | None) -> str | None:
    """Follow every link, and say so where the end of the way is not below the root."""
    if root is None:
        return None
    try:
        inside = Path(os.path.realpath(located(text, folder))).is_relative_to(os.path.realpath(root))
    except (OSError, ValueError):
        return f"leads nowhere: '{shown(text)}' cannot be resolved"
    return None if inside else f"leads out of the root directory: '{shown(text)}'"


def _not_a_file(text: str, folder: Path, *, in_parts: bool) -> str | None:
    path = located(text, folder)
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return f"does not exist: '{shown(text)}'{_neighbour(text, path)}"
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            return f"is too long for a file name: '{shown(text)}'"
        return f"cannot be reached: '{shown(text)}': {(error.strerror or 'unknown reason').lower()}"
    except ValueError:
        return f"is not a usable path: '{shown(text)}'"
    if stat.S_ISREG(mode) or (in_parts and stat.S_ISDIR(mode)):
        return None
    return f"must be a regular file, but '{shown(text)}' is {_KINDS.get(stat.S_IFMT(mode), 'something else')}"


def _neighbour(text: str, path: Path) -> str:
    """Suggest a file beside the missing one."""
    if _WINDOWS.match(text) and os.sep != "\\":
        return "; write / instead of \\, and no drive letter"
    try:
        with os.scandir(path.parent) as entries:
            names = [entry.name for entry in islice(entries, _MOST_NEIGHBOURS)]
    except OSError:
        return ""
    close = nearest(path.name, names)
    return f"; did you mean '{shown(text[: len(text) - len(path.name)] + close)}'?" if close else ""
