"""Test each adapter beside this file against the package that it adapts, in environments of its own.

`python plugins/adapters.py BUILD WHEEL [NAME...]` makes one environment for each adapter from its pinned `constraints.txt`, and
a second one from `guest.txt` where the package cannot live beside permaudit. An adapter whose packages do not install is skipped
by name; one whose tests fail makes the whole fail.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


def main(build: Path, wheel: Path, names: list[str]) -> int:
    """Test the adapters, all if none is named; return the exit code."""
    adapters = [folder for folder in sorted(HERE.glob("permaudit-*")) if not names or folder.name in names]
    outcomes = {adapter.name: tested(adapter, build / adapter.name, wheel) for adapter in adapters}
    for name, outcome in outcomes.items():
        print(f"{name}: {outcome}")
    return 1 if not outcomes or "FAILED" in outcomes.values() else 0


def tested(adapter: Path, build: Path, wheel: Path) -> str:
    """Install and test one adapter."""
    print(f"== {adapter.name}", flush=True)
    environment = dict(os.environ)
    python = made(build / "venv", adapter / "constraints.txt")
    if python is None:
        return "skipped: what it needs does not install here"
    if (adapter / "guest.txt").exists():
        guest = made(build / "guest", adapter / "guest.txt")
        if guest is None:
            return "skipped: the package that it adapts does not install here"
        environment[adapter.name.upper().replace("-", "_") + "_PYTHON"] = str(guest)
    run(Path(sys.executable), "-m", "hatchling", "build", "-t", "wheel", "-d", str(build / "dist"), cwd=adapter)
    install(python, "--no-deps", str(wheel), *map(str, (build / "dist").glob("*.whl")))
    return "passed" if run(python, "-m", "pytest", "-q", cwd=adapter, env=environment, check=False) == 0 else "FAILED"


def made(folder: Path, pins: Path) -> Path | None:
    """Make an environment with pinned packages; None where they do not install."""
    run(Path(sys.executable), "-m", "venv", "--without-pip", str(folder))
    python = folder / "bin" / "python"
    return python if install(python, "--require-hashes", "-r", str(pins), check=False) == 0 else None


def install(python: Path, *arguments: str, check: bool = True) -> int:
    """Install something into an environment, by the pip of this one: it takes longer to install pip than most packages."""
    quietly = ("--quiet", "--disable-pip-version-check")
    return run(Path(sys.executable), "-m", "pip", "--python", str(python), "install", *quietly, *arguments, check=check)


def run(python: Path, *arguments: str, check: bool = True, **options: object) -> int:
    """Run Python, and return its exit code."""
    return subprocess.run([str(python), *arguments], check=check, **options).returncode  # type: ignore[call-overload, no-any-return]


if __name__ == "__main__":
    build_folder, wheel_path, *chosen = sys.argv[1:]
    sys.exit(main(Path(build_folder).resolve(), Path(wheel_path).resolve(), chosen))
