"""What the machine must give: arithmetic, memory, randomness, a place to write, an encoding."""

from __future__ import annotations

import locale
import os
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from permaudit.data.memory import available_memory
from permaudit.doctor.checks import Check

if TYPE_CHECKING:
    from collections.abc import Iterator

    from permaudit.doctor.checks import State

_LIMITS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "PERMAUDIT_THREADS")
_LITTLE = 1 << 30
_UNLIMITED = 1 << 59
_GIB = 1 << 30


def check_machine() -> Iterator[Check]:
    """Look at everything that an audit takes for granted."""
    yield _arithmetic()
    yield _threads()
    yield _memory()
    yield _randomness()
    yield _place("working directory", Path.cwd)
    yield _place("temporary files", lambda: Path(tempfile.gettempdir()))
    yield _encoding()


def _arithmetic() -> Check:
    """Name the library that multiplies matrices, and see that floats are what they should be."""
    with np.errstate(all="ignore"):
        is_ieee = (
            np.float64(0.1) + np.float64(0.2) == np.float64(0.30000000000000004)
            and np.isnan(np.float64(0) * np.inf)
            and np.float64(5e-324) > 0
        )
    found = f"numpy {np.__version__}, {_blas()}"
    if is_ieee:
        return Check(name="arithmetic", state="ok", found=found)
    advice = "floats do not behave as IEEE 754 says, perhaps since a library was compiled with -ffast-math; find it"
    return Check(name="arithmetic", state="wrong", found=found, advice=advice)


def _blas() -> str:
    """Return the name and version of the linear algebra library that numpy was built with."""
    config: Any = np.show_config(mode="dicts")
    blas = config.get("Build Dependencies", {}).get("blas", {})
    return f"{blas.get('name', 'unknown BLAS')} {blas.get('version', '')}".strip()


def _threads() -> Check:
    """Say how many processors there are, and which limits are set; a limit that is no number limits nothing."""
    many = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    limits = {name: os.environ[name] for name in _LIMITS if os.environ.get(name)}
    wrong = [name for name, value in limits.items() if not (value.isascii() and value.isdigit() and int(value[:9]))]
    told = "".join(f", {name} {value[:9]!r}" for name, value in limits.items())
    found = f"{many} processor{'s' * (many != 1)}{told}"
    if wrong:
        return Check(
            name="threads", state="note", found=found, advice=f"set {', '.join(wrong)} to a whole number, or unset it"
        )
    return Check(name="threads", state="ok", found=found)


def _memory() -> Check:
    """Say how much memory there is to hope for."""
    free = available_memory()
    found = "no limit is known" if free > _UNLIMITED else f"{free / _GIB:,.1f} GiB free"
    if free < _LITTLE:
        return Check(name="memory", state="note", found=found, advice="audit small files only, or free some memory")
    return Check(name="memory", state="ok", found=found)


def _randomness() -> Check:
    """See that the system's entropy is there at once: releases are made from it."""
    try:
        drawn = os.getrandom(16, os.GRND_NONBLOCK) if hasattr(os, "getrandom") else os.urandom(16)
    except OSError:
        return Check(
            name="randomness",
            state="wrong",
            found="the system's entropy is not ready",
            advice="wait until the system has started up, or give the container a source of entropy",
        )
    return Check(name="randomness", state="ok", found=f"{len(drawn)} bytes of the system's entropy at once")


def _place(name: str, where: Any) -> Check:
    """Write and read a private file."""
    try:
        folder = where()
        with tempfile.TemporaryDirectory(prefix=".permaudit-doctor-", dir=folder) as made:
            path = Path(made) / "file"
            path.write_bytes(b"permaudit")
            path.replace(path.with_name("moved"))
    except OSError as error:
        reason = error.strerror or "unknown error"
        advice = "go where you may write, or set TMPDIR" if name.startswith("temp") else "name another place with --out"
        state: State = "wrong" if name.startswith("temp") else "note"
        return Check(name=name, state=state, found=f"cannot be written: {reason}", advice=advice)
    return Check(name=name, state="ok", found="can be written")


def _encoding() -> Check:
    """Say in which encoding names are printed; files are read and written the same everywhere."""
    # The stream that the process began with: while plugins are heard out, another one stands in for it.
    encoding = getattr(sys.__stdout__, "encoding", None) or "nothing"
    point = locale.localeconv()["decimal_point"]
    found = f"prints {encoding}, decimal point {point!r} (files do not depend on it)"
    if encoding.lower().replace("-", "") != "utf8":
        advice = "set PYTHONUTF8=1, or names with other letters are shown as codes"
        return Check(name="locale", state="note", found=found, advice=advice)
    return Check(name="locale", state="ok", found=found)
