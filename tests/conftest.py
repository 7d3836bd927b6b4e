"""What the tests share: small data, foreign distributions made on the fly, and the command line."""

from __future__ import annotations

import importlib
import os
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pytest
import yaml
from hypothesis import settings

from permaudit.census_like import census_like
from permaudit.cli.interruption import INTERRUPTING

if TYPE_CHECKING:
    from pathlib import Path

# A busy machine is no failure.
settings.register_profile("no deadline", deadline=None)
settings.load_profile("no deadline")

# A shell lets what it starts in the background ignore interruptions, and children would go on ignoring them.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@dataclass(frozen=True)
class Ran:
    """What a command left behind."""

    code: int
    out: str
    err: str
    log: str
    """The operator's debug log, if there was something to tell."""


# --------------------------------------------------------------------------- data


@pytest.fixture(scope="session")
def people() -> pd.DataFrame:
    """Return 200 made-up people with three attributes."""
    return pd.DataFrame(census_like(records=200)).drop(columns="POTHVAL")


@pytest.fixture(scope="session")
def masked(people) -> pd.DataFrame:
    """Return the same people under noise that is larger than what it hides."""
    rng = np.random.default_rng(7)
    return people + rng.normal(0, 2 * people.std().to_numpy(), people.shape)


@pytest.fixture(scope="session")
def others() -> pd.DataFrame:
    """Return 200 other people."""
    return pd.DataFrame(census_like(records=200, seed=2024)).drop(columns="POTHVAL")


# --------------------------------------------------------------------------- audit files


@pytest.fixture
def write_audit(tmp_path, people, masked):
    """Return a function that writes data and an audit file, and returns the path of the audit file.

    The audit as it stands gives `release`; each test changes what it is about. A value of None removes a key.
    """

    def write(folder: Path | None = None, *, files: dict[str, pd.DataFrame] | None = None, **changes: Any) -> Path:
        folder = folder or tmp_path / "audit"
        folder.mkdir(parents=True, exist_ok=True)
        for name, frame in ({"original.csv": people, "masked.csv": masked} | (files or {})).items():
            frame.to_csv(folder / name, index=False)
        content = {
            "permaudit": 1,
            "title": "A small audit",
            "original": "original.csv",
            "attributes": dict.fromkeys(people.columns, "numeric"),
            "candidates": {"noisy": {"path": "masked.csv", "kind": "masked"}},
            "rules": [{"rule": "threshold", "metric": "CM2", "min": 0.05}],
            "seed": 1,
        }
        content |= {name.replace("_", "-"): value for name, value in changes.items()}
        path = folder / "audit.yaml"
        kept = {name: value for name, value in content.items() if value is not None}
        path.write_text(yaml.safe_dump(kept, allow_unicode=True, sort_keys=False), encoding="utf-8")
        return path

    return write


# --------------------------------------------------------------------------- foreign distributions


@pytest.fixture
def distribution(tmp_path_factory):
    """Return a function that writes a made-up distribution and returns the folder to put on the path."""

    def write(
        name: str, modules: dict[str, str], points: dict[str, str] | None = None, *, version: str = "1.0"
    ) -> Path:
        folder = tmp_path_factory.mktemp("site")
        for module, source in modules.items():
            (folder / f"{module}.py").write_text(source, encoding="utf-8")
        info = folder / f"{name.replace('-', '_')}-{version}.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n", encoding="utf-8")
        listed = points if points is not None else {module: module for module in modules}
        lines = [f"{point} = {module}\n" for point, module in listed.items()]
        (info / "entry_points.txt").write_text("".join(["[permaudit]\n", *lines]), encoding="utf-8")
        return folder

    return write


@pytest.fixture
def install(distribution, monkeypatch):
    """Return a function that installs a made-up distribution in this process, for the length of one test."""
    installed: list[str] = []

    def put(name: str, modules: dict[str, str], points: dict[str, str] | None = None, *, version: str = "1.0") -> Path:
        folder = distribution(name, modules, points, version=version)
        monkeypatch.syspath_prepend(str(folder))
        installed.extend(modules)
        return folder

    yield put
    for module in installed:
        sys.modules.pop(module, None)
    importlib.invalidate_caches()


# --------------------------------------------------------------------------- the command line


@pytest.fixture
def permaudit(monkeypatch, capsys, tmp_path):
    """Return a function that runs the command line in this process, in a directory of its own: it is where results go."""
    from permaudit.cli import main  # noqa: PLC0415 - the tests of the host need no command line

    monkeypatch.chdir(tmp_path)
    logs = tmp_path / "logs"

    def run(*arguments: object) -> Ran:
        logs.mkdir(exist_ok=True)
        for old in logs.iterdir():
            old.unlink()
        capsys.readouterr()
        monkeypatch.setattr(sys, "argv", ["permaudit", *map(str, arguments)])
        monkeypatch.setattr(tempfile, "tempdir", str(logs))
        before = {number: signal.getsignal(number) for number in INTERRUPTING}
        try:
            with pytest.raises(SystemExit) as end:
                main(supervise=False)
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
        captured = capsys.readouterr()
        log = "".join(path.read_text(encoding="utf-8") for path in logs.iterdir())
        return Ran(end.value.code, captured.out, captured.err, log)

    return run


@pytest.fixture
def environment(tmp_path):
    """Return a function that makes the environment of a child: that of the tests, with some changes."""

    def make(**changes: str | None) -> dict[str, str]:
        scratch = tmp_path / "scratch"
        scratch.mkdir(exist_ok=True)
        if changes.get("PYTHONPATH"):
            changes["PYTHONPATH"] = os.pathsep.join(filter(None, [changes["PYTHONPATH"], os.environ.get("PYTHONPATH")]))
        wanted = {**os.environ, "TMPDIR": str(scratch), **changes}
        return {name: value for name, value in wanted.items() if value is not None}

    return make


@pytest.fixture(scope="session")
def keeps_no_bytecode() -> dict[str, str]:
    """Return what children on a full disk need: Python would cut off what it compiled, and whoever imports that next would fail."""
    return {"PYTHONDONTWRITEBYTECODE": "1"}


@pytest.fixture
def child(environment, tmp_path):
    """Return a function that runs Python in a process of its own: `-m permaudit`, or other arguments."""

    def run(*arguments: object, python: tuple[str, ...] = ("-m", "permaudit"), **options: Any):
        changes = options.pop("env", {})
        settings: dict[str, Any] = {"capture_output": True, "text": True, "timeout": 600, "cwd": tmp_path} | options
        command = [sys.executable, *python, *map(str, arguments)]
        return subprocess.run(command, env=environment(**changes), check=False, **settings)

    return run
