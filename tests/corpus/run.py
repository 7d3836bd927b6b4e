"""Run a case through the command line, in this process or in one of its own."""

from __future__ import annotations

import importlib
import io
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from .desk import Desk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .case import Case

SITE = "site"
"""The folder of a case that holds foreign distributions, where it has some."""


@dataclass(frozen=True)
class Ended:
    """How one case ended."""

    case: Case
    seed: int
    code: int
    seconds: float
    told: str
    """What speaks against the release, or the messages where nothing was audited."""

    @property
    def right(self) -> bool:
        """Tell whether it ended as it must."""
        return self.code in self.case.codes


def run_case(case: Case, seed: int, *, quick: bool = False) -> Ended:
    """Write the case and audit it; quickly means with fewer records and attributes."""
    with tempfile.TemporaryDirectory(prefix="corpus-") as name:
        folder = Path(name)
        case.make(Desk(folder, seed, case.declared, quick))
        # A study seed, so that what anonymizers make is the same whenever the corpus is run.
        options = {"--out": folder / "out", "--format": "json", "--jobs": 1, "--study-seed": seed}
        arguments = [
            "run",
            str(folder / "audit.yaml"),
            "--quiet",
            *(str(part) for pair in options.items() for part in pair),
        ]
        started = time.perf_counter()
        code, said = (_in_a_child if case.child else _here)(arguments, folder)
        return Ended(case, seed, code, time.perf_counter() - started, _told(folder) or said)


def _here(arguments: list[str], folder: Path) -> tuple[int, str]:
    """Call the command line in this process; what it says to the operator is gone with the folder."""
    from permaudit.cli import main  # noqa: PLC0415 - only where cases are run
    from permaudit.cli.interruption import INTERRUPTING  # noqa: PLC0415 - only where cases are run

    kept = sys.argv, tempfile.tempdir, {number: signal.getsignal(number) for number in INTERRUPTING}
    err = io.StringIO()
    sys.argv, tempfile.tempdir = ["permaudit", *arguments], str(folder)
    code: object = None
    try:
        with _installed(folder / SITE), redirect_stdout(io.StringIO()), redirect_stderr(err):
            main(supervise=False)
    except SystemExit as end:
        code = end.code
    finally:
        sys.argv, tempfile.tempdir = kept[:2]
        for number, handler in kept[2].items():
            signal.signal(number, handler)
    assert isinstance(code, int)
    return code, err.getvalue()


@contextmanager
def _installed(site: Path) -> Iterator[None]:
    """Have the case's foreign distributions installed for a while."""
    sys.path.insert(0, str(site))
    importlib.invalidate_caches()
    try:
        yield
    finally:
        sys.path.remove(str(site))
        for path in site.glob("*.py"):
            sys.modules.pop(path.stem, None)


def _in_a_child(arguments: list[str], folder: Path) -> tuple[int, str]:
    """Call the command line in a process of its own, beside the case's foreign distributions."""
    paths = filter(None, [str(folder / SITE), os.environ.get("PYTHONPATH")])
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "TMPDIR": str(folder)}
    command = [sys.executable, "-m", "permaudit", *arguments]
    ran = subprocess.run(command, capture_output=True, text=True, env=environment, check=False, timeout=300)
    return ran.returncode, ran.stderr


def _told(folder: Path) -> str:
    """Return what speaks against the release, from the result."""
    path = folder / "out" / "audit.json"
    if not path.exists():
        return ""
    result = json.loads(path.read_bytes())
    found = [
        f"{finding['rule']} {finding['outcome']}: {finding['message']}"
        for candidate in result["candidates"]
        for finding in candidate["rules"]
        if finding["outcome"] not in {"pass", "not-applicable"}
    ]
    values = [
        f"{name} {metric['value']:.4f}"
        for candidate in result["candidates"]
        for name, metric in candidate["metrics"].items()
        if metric["value"] is not None
    ]
    return "; ".join([*found, ", ".join(values)])
