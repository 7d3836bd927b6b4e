"""Another Python that stays: importing anonymeter and compiling its loops takes longer than most attacks of these tests."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from permaudit_anonymeter import attacks, guest
from permaudit_anonymeter.guest import VARIABLE, GuestError

STAYS = """
import os, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
import _in_the_guest, pandas, polars
from anonymeter.evaluators import LinkabilityEvaluator
few = pandas.DataFrame({"a0": range(60), "a1": range(60)})
LinkabilityEvaluator(few, few, control=few, aux_cols=(["a0"], ["a1"]), n_attacks=20).evaluate(n_jobs=1)
for line in sys.stdin:
    child = os.fork()
    if child == 0:
        _in_the_guest.main(*map(Path, line.split()))
        os._exit(0)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""
"""Answers each question in a child of its own, as fresh as a new process, but with everything loaded."""


@pytest.fixture(scope="session")
def one_that_stays(tmp_path_factory):
    """Return a function that asks as `permaudit_anonymeter.guest.ask` does, and questions that were put before only once."""
    command = [os.environ[VARIABLE], "-I", "-c", STAYS, str(Path(guest.__file__).parent)]
    asked, answered = (tmp_path_factory.mktemp("guest") / name for name in ("question.json", "answer.json"))
    known = {}
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:

        def ask(question):
            text = json.dumps(question)
            if text not in known:
                asked.write_text(text, encoding="utf-8")
                process.stdin.write(f"{asked} {answered}\n")
                process.stdin.flush()
                assert process.stdout.readline() == "0\n"
                known[text] = json.loads(answered.read_text(encoding="utf-8"))
            if "raised" in known[text]:
                raise GuestError(f"anonymeter raised {known[text]['raised']}")
            return known[text]

        yield ask
        process.stdin.close()


@pytest.fixture
def soon(one_that_stays, monkeypatch):
    """Let the attacks ask the Python that stays."""
    monkeypatch.setattr(attacks, "ask", one_that_stays)
