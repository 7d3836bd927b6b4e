"""The output directory: whole or not at all, never over somebody else's files, one run at a time.

A new set of files is written beside the old one in `.next/`, synced, and committed by one rename to `.commit/`. From then
on it is the result: whoever opens the directory next finishes the moves, the manifest last. A run that is killed before the
rename leaves the old result; one killed after it leaves the new one.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import shutil
from typing import TYPE_CHECKING, Any

from permaudit.errors import OutputError, shown
from permaudit.manifest import manifest_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

MANIFEST = "manifest.json"
CACHE = ".cache"
_LOCK, _NEXT, _COMMIT = ".lock", ".next", ".commit"
UNFINISHED = (_NEXT, _COMMIT)
"""What a run leaves behind that was killed while it wrote."""
BESIDE = {CACHE, _LOCK}
"""What stands in the directory and is no part of the result."""
_OWN = {MANIFEST, *BESIDE, *UNFINISHED}


class Bundle:
    """An output directory that this run holds."""

    def __init__(self, directory: Path) -> None:
        """Take the directory, which `open_bundle` has locked."""
        self.directory = directory

    def write(self, files: Mapping[str, bytes], about: Mapping[str, Any]) -> None:
        """Replace the directory's files by these, whole or not at all; the manifest says what they are about."""
        staged, commit = self.directory / _NEXT, self.directory / _COMMIT
        try:
            shutil.rmtree(staged, ignore_errors=True)
            staged.mkdir(mode=0o700)
            for name, content in files.items():
                _write_synced(staged / name, content)
            _write_synced(staged / MANIFEST, manifest_text(files, about))
            _sync_directory(staged)
            staged.rename(commit)
            _sync_directory(self.directory)
            _finish_commit(self.directory)
        except OSError as error:
            raise _unusable(self.directory, error) from error
        finally:  # also when interrupted
            shutil.rmtree(staged, ignore_errors=True)


@contextlib.contextmanager
def open_bundle(directory: Path) -> Iterator[Bundle]:
    """Make or take over an output directory and hold its lock; refuse one with files that permaudit did not write."""
    directory = directory.absolute()  # whoever changes the working directory meanwhile does not move the result
    is_new = not directory.exists()
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{directory}: cannot be made: {error.strerror or 'unknown error'}") from error
    # Before the lock file is made: a foreign directory is left without a trace.
    _refuse_foreign(directory)
    with _locked(directory):
        try:
            _finish_commit(directory)
            shutil.rmtree(directory / _NEXT, ignore_errors=True)
        except OSError as error:
            raise _unusable(directory, error) from error
        _refuse_foreign(directory)
        try:
            yield Bundle(directory)
        finally:
            if is_new and not (directory / MANIFEST).exists():
                _remove_empty(directory)


def _remove_empty(directory: Path) -> None:
    """Leave no empty directory behind where nothing was written."""
    with contextlib.suppress(OSError):
        (directory / _LOCK).unlink()
        directory.rmdir()


def manifest_files(directory: Path) -> dict[str, str]:
    """Return the files that the manifest names, with their hashes; none where there is no manifest."""
    try:
        manifest = json.loads((directory / MANIFEST).read_bytes())
        files = {str(name): str(digest) for name, digest in manifest["files"].items()}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise OutputError(f"{directory / MANIFEST} cannot be read as a manifest of permaudit") from error
    # A forged manifest must not make permaudit remove what lies elsewhere.
    if any(name in _OWN | {"", ".", ".."} or "/" in name or "\0" in name for name in files):
        raise OutputError(f"{directory / MANIFEST} names files that no manifest of permaudit can name")
    return files


def read_bundle_result(directory: Path) -> dict[str, Any]:
    """Return the result that lies in a directory as it was written; nothing where there is none that can be read."""
    try:
        result = json.loads((directory / "audit.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return result if isinstance(result, dict) else {}


def _refuse_foreign(directory: Path) -> None:
    """Refuse a directory that holds anything but an earlier result."""
    known = _OWN | set(manifest_files(directory))
    if (directory / _COMMIT / MANIFEST).exists():
        known |= set(manifest_files(directory / _COMMIT))
    try:
        foreign = sorted(entry.name for entry in directory.iterdir() if entry.name not in known or _odd(entry))
    except OSError as error:
        raise _unusable(directory, error) from error
    if foreign:
        raise OutputError(
            f"{directory} holds files that permaudit did not write, such as '{shown(foreign[0])}'; "
            "choose an empty or a new directory with --out"
        )


def _odd(entry: Path) -> bool:
    """Tell whether something else stands where permaudit would have put a file or one of its own folders."""
    return entry.is_symlink() or entry.is_dir() != (entry.name in {CACHE, _NEXT, _COMMIT})


def _unusable(directory: Path, error: OSError) -> OutputError:
    """Say that the directory cannot be written, and why."""
    return OutputError(f"{directory}: cannot be written: {error.strerror or 'unknown error'}")


@contextlib.contextmanager
def _locked(directory: Path) -> Iterator[None]:
    """Hold the directory's lock; the system frees it should this process die."""
    try:
        descriptor = os.open(directory / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    except OSError as error:
        raise _unusable(directory, error) from error
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            holder = os.read(descriptor, 32).decode("ascii", "replace").strip() or "unknown"
            raise OutputError(f"{directory} is in use by another run (process {shown(holder)})") from None
        try:
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
        except OSError as error:
            raise _unusable(directory, error) from error
        try:
            yield
        finally:
            with contextlib.suppress(OSError):
                os.ftruncate(descriptor, 0)
    finally:
        os.close(descriptor)


def _finish_commit(directory: Path) -> None:
    """Move a committed set of files into place, the manifest last; harmless to repeat."""
    commit = directory / _COMMIT
    if not commit.is_dir():
        return
    if (commit / MANIFEST).exists():
        stale = set(manifest_files(directory)) - set(manifest_files(commit))
        for entry in sorted(commit.iterdir()):
            if entry.name != MANIFEST:
                entry.replace(directory / entry.name)
        for name in stale:
            (directory / name).unlink(missing_ok=True)
        _sync_directory(directory)
        (commit / MANIFEST).replace(directory / MANIFEST)
    commit.rmdir()
    _sync_directory(directory)


def _write_synced(path: Path, content: bytes) -> None:
    """Write a private file and wait until it is on the disk."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    with open(descriptor, "wb") as stream:  # noqa: PTH123 - a descriptor, not a path
        stream.write(content)
        stream.flush()
        os.fsync(stream.fileno())


def _sync_directory(directory: Path) -> None:
    """Wait until the directory's entries are on the disk."""
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
