"""Test each adapter beside this file against the package that it adapts, in environments of its own.

`python plugins/adapters.py BUILD WHEEL [NAME...]` makes one environment for each adapter from its pinned `constraints.txt`, and
a second one from `guest.txt` where the package cannot live beside permaudit. An adapter whose packages do not install is skipped
by name; one whose tests fail makes the whole fail. Two are tested at a time; what each one prints comes in one piece.
"""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

HERE = Path(__file__).resolve().parent
AT_ONCE = 2


def main(build: Path, wheel: Path, names: list[str]) -> int:
    """Test the adapters, all if none is named; return the exit code."""
    adapters = [folder for folder in sorted(HERE.glob("permaudit-*")) if not names or folder.name in names]
    adapters.sort(key=_size_of_tests, reverse=True)  # what takes longest must not come last
    with ThreadPoolExecutor(AT_ONCE) as pool:
        outcomes = list(pool.map(lambda adapter: _tested(adapter, build / adapter.name, wheel), adapters))
    for adapter, outcome in sorted(zip(adapters, outcomes, strict=True)):
        print(f"{adapter.name}: {outcome}")
    return 1 if not outcomes or "FAILED" in outcomes else 0


def _size_of_tests(adapter: Path) -> int:
    """Return how much there is to test."""
    return sum(path.stat().st_size for path in adapter.glob("tests/*.py"))


def _tested(adapter: Path, build: Path, wheel: Path) -> str:
    """Install and test one adapter, and print what that printed."""
    build.mkdir(parents=True)
    log = build / "log.txt"
    with log.open("w", encoding="utf-8") as stream:
        outcome = _Bench(adapter, build, stream).tested(wheel)
    print(f"== {adapter.name}\n{log.read_text(encoding='utf-8', errors='replace')}", end="", flush=True)
    return outcome


@dataclass(frozen=True)
class _Bench:
    """Where one adapter is tested."""

    adapter: Path
    build: Path
    log: TextIO

    def tested(self, wheel: Path) -> str:
        """Make the environments, and run the tests in them."""
        environment = dict(os.environ)
        python = self._made("venv", "constraints.txt")
        if python is None:
            return "skipped: what it needs does not install here"
        if (self.adapter / "guest.txt").exists():
            guest = self._made("guest", "guest.txt")
            if guest is None:
                return "skipped: the package that it adapts does not install here"
            environment[self.adapter.name.upper().replace("-", "_") + "_PYTHON"] = str(guest)
        own = self.build / "dist"
        passed = (
            self._runs(Path(sys.executable), "-m", "hatchling", "build", "-t", "wheel", "-d", str(own))
            and self._installs(python, str(wheel), *map(str, own.glob("*.whl")))
            and self._runs(python, "-m", "pytest", "-q", env=environment)
        )
        return "passed" if passed else "FAILED"

    def _made(self, name: str, pins: str) -> Path | None:
        """Make an environment with pinned packages; None where they do not install."""
        folder = self.build / name
        python = folder / "bin" / "python"
        made = self._runs(Path(sys.executable), "-m", "venv", "--without-pip", str(folder))
        return python if made and self._installs(python, "--require-hashes", "-r", str(self.adapter / pins)) else None

    def _installs(self, python: Path, *arguments: str) -> bool:
        """Install into an environment, by the pip of this one: it takes longer to install pip than most packages.

        The pins are complete, so nothing need be resolved; and of what is installed, Python compiles what is imported.
        """
        options = ("--quiet", "--disable-pip-version-check", "--no-deps", "--no-compile")
        return self._runs(Path(sys.executable), "-m", "pip", "--python", str(python), "install", *options, *arguments)

    def _runs(self, python: Path, *arguments: str, env: dict[str, str] | None = None) -> bool:
        """Run Python in the adapter's folder, and tell whether that went well."""
        command = [str(python), *arguments]
        done = subprocess.run(
            command, check=False, cwd=self.adapter, env=env, stdout=self.log, stderr=subprocess.STDOUT
        )
        return done.returncode == 0


if __name__ == "__main__":
    build_folder, wheel_path, *chosen = sys.argv[1:]
    sys.exit(main(Path(build_folder).resolve(), Path(wheel_path).resolve(), chosen))
