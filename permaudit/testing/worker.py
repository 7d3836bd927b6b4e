"""Another process: what a plugin's object does there must be what it does here."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from permaudit.testing.failures import described

if TYPE_CHECKING:
    from collections.abc import Callable

    from permaudit.testing.failures import Inspection

_SECONDS = 300
_OTHER_HASHES = "4711"
"""The seed of the hashes there, so that whoever relies on the order of a set gives another answer."""


def check_worker(found: Inspection, call: Callable[..., Any], *arguments: Any, here: Any) -> None:
    """Send a call with its arguments to another process, and compare its answer, plain values, with the one from here."""
    try:
        task = pickle.dumps((call, arguments))
    except Exception as error:
        advice = "define its class at the top of a module, and keep no open file, lock or lambda in it"
        found.fail("worker", f"cannot be sent to another process: {described(error)}; {advice}")
        return
    with tempfile.TemporaryDirectory(prefix="permaudit-worker-") as name:
        folder = Path(name)
        (folder / "task").write_bytes(task)
        paths = os.pathsep.join(path or str(Path.cwd()) for path in sys.path)
        environment = {**os.environ, "PYTHONPATH": paths, "PYTHONHASHSEED": _OTHER_HASHES}
        command = [sys.executable, "-m", __name__, str(folder)]
        try:
            ran = subprocess.run(command, env=environment, capture_output=True, check=False, timeout=_SECONDS)  # noqa: S603
        except subprocess.TimeoutExpired:
            found.fail("worker", f"does not come back from another process within {_SECONDS} seconds")
            return
        answer = folder / "answer"
        if not found.expect(answer.exists(), "worker", f"ends the process it works in (exit code {ran.returncode})"):
            return
        raised, there = pickle.loads(answer.read_bytes())  # noqa: S301 - written by our own child, just now
    if found.expect(raised is None, "worker", f"raised {raised} in another process"):
        same = there == here
        found.expect(same, "worker", "gives another answer in another process, from the same input and generator")


def main(folder: Path) -> None:
    """Answer one task: what was raised, or what came back."""
    answer: tuple[str | None, Any]
    try:
        call, arguments = pickle.loads((folder / "task").read_bytes())  # noqa: S301 - written by our own parent
        answer = None, call(*arguments)
    except Exception as error:
        answer = described(error), None
    (folder / "answer").write_bytes(pickle.dumps(answer))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
