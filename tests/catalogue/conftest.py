"""Audits through the command line, each of them held against what is promised of every run."""

from __future__ import annotations

import itertools
import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

if TYPE_CHECKING:
    from pathlib import Path

CODES = {"release": 0, "block": 1, "review": 3}
SHORTEST_CELL = 6
"""Shorter cells may stand in an output by chance."""
CELL_ENDS = re.compile(rb'[,;\t\r\n"]')
WORD_ENDS = re.compile(rb"[,;:\s\[\]{}'\"]+")
CANARY = "c4n4ry-4711"
"""A cell that no output may hold."""


@dataclass(frozen=True)
class Audited:
    """What a run left behind."""

    code: int
    out: str
    err: str
    result: Any

    @property
    def candidate(self) -> Any:
        (only,) = self.result["candidates"]
        return only

    @property
    def warnings(self) -> str:
        return "\n".join(self.candidate["warnings"])

    @property
    def numbers(self) -> dict[str, float | None]:
        return {name: metric["value"] for name, metric in self.candidate["metrics"].items()}

    def details(self, metric: str) -> Any:
        return self.candidate["metrics"][metric]["details"]

    def rule(self, name: str) -> Any:
        (found,) = [finding for finding in self.candidate["rules"] if finding["rule"] == name]
        return found

    def statements(self, attribute: str) -> str:
        (note,) = [note for note in self.candidate["columns"] if note["attribute"] == attribute]
        return "\n".join(note["statements"])

    def refused(self, *parts: str) -> None:
        """Hold that nothing was audited, and that the message has these parts."""
        assert self.code == 2, self.out
        for part in parts:
            assert part in self.err

    def blocked(self, rule: str) -> Any:
        """Hold that this rule blocked, and return its finding."""
        assert self.code == 1, self.err
        finding = self.rule(rule)
        assert finding["outcome"] in {"fail", "error"}
        return finding


@pytest.fixture
def run(permaudit, tmp_path):
    """Return a function that runs an audit file and checks what must be true of every run.

    The exit code is one of the contract's and fits the verdict; a refusal writes a message and nothing else; there is no
    traceback, no log of a bug, no NaN, and no cell of any data file in any output.
    """
    count = itertools.count(1)

    def audit(path: Path, *arguments: object) -> Audited:
        out = tmp_path / f"out-{next(count)}"
        ran = permaudit("run", path, "--out", out, *arguments)
        told = ran.out + ran.err
        assert ran.code in {0, 1, 2, 3}, ran.log
        assert ran.log == ""
        assert "Traceback" not in told
        result = None
        if ran.code == 2:
            assert ran.out == ""
            assert ran.err.strip()
            assert not out.exists()
        else:
            text = (out / "audit.json").read_text(encoding="ascii")
            result = json.loads(text, parse_constant=pytest.fail)
            assert CODES[result["verdict"]] == ran.code
            told += text + (out / "summary.md").read_text(encoding="utf-8")
        assert CANARY not in told
        if path.is_file():
            assert not (cells_near(path) & set(re.findall(r"[\w.+-]{6,}", told)))
        return Audited(ran.code, ran.out, ran.err, result)

    return audit


def cells_near(audit: Path) -> set[str]:
    """Return the cells of all text files beside an audit file that do not stand in that file itself."""
    cells = set()
    for path in audit.parent.glob("*.[ct]sv"):
        if path.is_file() and path.stat().st_size < 1 << 22:
            body = content(path).partition(b"\n")[2]
            cells |= {cell for cell in CELL_ENDS.split(body) if len(cell) >= SHORTEST_CELL}
    return {cell.decode("latin-1") for cell in cells - set(WORD_ENDS.split(content(audit)))}


def content(path: Path) -> bytes:
    """Return the bytes of a file, whatever a test did to `Path`."""
    with open(path, "rb") as stream:  # noqa: PTH123
        return stream.read()


@pytest.fixture
def audit_of(write_audit):
    """Return a function that writes an audit of these frames, all columns numeric, and returns its path."""

    def write(original, release, /, **changes: Any) -> Path:
        names = dict.fromkeys(original.columns, "numeric")
        return write_audit(files={"original.csv": original, "masked.csv": release}, **{"attributes": names, **changes})

    return write


@pytest.fixture
def noisy():
    """Return a function that puts noise of twice the standard deviation on every column."""

    def add(frame, seed=5, factor=2.0):
        rng = np.random.default_rng(seed)
        return frame + rng.normal(0, factor * frame.std().to_numpy(), frame.shape)

    return add


SYNTHETIC = {
    "candidates": {"made": {"path": "masked.csv", "kind": "synthetic"}},
    "rules": [{"rule": "threshold", "metric": "CM3", "min": 0.05}],
}

METRICS = ("CM1", "CM2", "CM3", "UM")


def with_cell(frame, value, record=6, column="FICA"):
    """Return the frame with one cell replaced."""
    changed = frame.astype(object)
    changed.iloc[record, changed.columns.get_loc(column)] = value
    return changed


def values(ran, *names):
    """Return what some metrics read."""
    return [ran.numbers[name] for name in names or METRICS]
