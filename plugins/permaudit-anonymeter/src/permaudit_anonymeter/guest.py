"""The other Python, in which anonymeter is installed: a question goes there as JSON, and an answer comes back."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any

VARIABLE = "PERMAUDIT_ANONYMETER_PYTHON"
"""The environment variable that names the other Python."""
_SCRIPT = Path(__file__).with_name("_in_the_guest.py")
_SECONDS = 600


class GuestError(Exception):
    """The other Python did not answer; the text names what it raised or warned of, and no cell of the data."""


def ask(question: dict[str, Any]) -> dict[str, Any]:
    """Ask the other Python; raise `GuestError` where there is none, or where it fails."""
    python = os.environ.get(VARIABLE, "")
    if not Path(python).is_file():
        raise GuestError(
            f"anonymeter needs an environment of its own: set {VARIABLE} to the Python of one in which it is installed"
        )
    with tempfile.TemporaryDirectory(prefix="permaudit-anonymeter-") as name:
        asked, answered = Path(name) / "question.json", Path(name) / "answer.json"
        asked.write_text(json.dumps(question), encoding="utf-8")
        # Isolated (-I): neither our paths nor the user's reach the other Python. What it prints may quote data.
        command = [python, "-I", str(_SCRIPT), str(asked), str(answered)]
        try:
            ran = subprocess.run(command, capture_output=True, check=False, timeout=_SECONDS)  # noqa: S603 - named by the operator
        except (subprocess.TimeoutExpired, OSError) as error:
            raise GuestError(f"the other Python gave no answer: {type(error).__name__}") from None
        if ran.returncode or not answered.exists():
            raise GuestError(f"the other Python ended with code {ran.returncode} and no answer")
        answer: dict[str, Any] = json.loads(answered.read_text(encoding="utf-8"))
    if "raised" in answer:
        raise GuestError(f"anonymeter raised {answer['raised']}")
    return answer
