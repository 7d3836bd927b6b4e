"""Runs beside each other, elsewhere, and with other numbers of threads: the same result."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

ELSEWHERE = {
    "the other side of the earth": {"TZ": "Pacific/Kiritimati"},
    "a decimal comma": {"LC_ALL": "de_DE.UTF-8", "LANG": "de_DE.UTF-8", "LANGUAGE": "de"},
    "letters of another order": {"LC_ALL": "tr_TR.UTF-8"},
    "no letters but ASCII": {"LC_ALL": "C", "PYTHONUTF8": "0"},
    "another order of hashes": {"PYTHONHASHSEED": "4711"},
}
FORMATS = "json,md,html,junit,sarif,github"


def result_of(folder):
    """Return every file of a result."""
    return {
        path.name: path.read_bytes() for path in sorted(folder.iterdir()) if path.is_file() and path.name != ".lock"
    }


@pytest.fixture
def audit(write_audit):
    """Write an audit with a synthetic candidate, whose audit draws at random."""
    return write_audit(
        candidates={
            "noisy": {"path": "masked.csv", "kind": "masked"},
            "unlinked": {"path": "masked.csv", "kind": "synthetic"},
        },
        rules=[{"rule": "threshold", "metric": metric, "min": 0.05} for metric in ("CM2", "CM3")],
    )


@pytest.mark.parametrize("change", ELSEWHERE.values(), ids=ELSEWHERE)
def test_fault_9_time_zone_language_and_hashes_change_no_byte(audit, child, tmp_path, change):
    for name, env in (("here", {}), ("there", change)):
        ran = child("run", audit, "--out", tmp_path / name, "--format", FORMATS, "-q", env=env, timeout=300)
        assert ran.returncode in {0, 1, 3}, ran.stderr
    assert "report.html" in result_of(tmp_path / "here")
    assert result_of(tmp_path / "here") == result_of(tmp_path / "there")


def test_fault_7_two_runs_into_different_directories_are_both_right(audit, environment, tmp_path):
    command = [sys.executable, "-m", "permaudit", "run", str(audit), "-q", "--out"]
    running = [
        subprocess.Popen([*command, str(tmp_path / name)], env=environment(), cwd=tmp_path) for name in ("one", "two")
    ]
    codes = {process.wait(timeout=300) for process in running}
    assert len(codes) == 1
    assert result_of(tmp_path / "one") == result_of(tmp_path / "two")
    assert "audit.json" in result_of(tmp_path / "one")


def test_fault_28_the_number_of_threads_changes_no_verdict_and_no_metric(audit, child, tmp_path):
    results = []
    for threads in ("1", "2"):
        names = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
        child("run", audit, "--out", tmp_path / threads, "-q", env=dict.fromkeys(names, threads), timeout=300)
        results.append(json.loads((tmp_path / threads / "audit.json").read_bytes()))
    one, two = results
    assert one["verdict"] == two["verdict"]
    for first, second in zip(one["candidates"], two["candidates"], strict=True):
        assert first["verdict"] == second["verdict"]
        for name, metric in first["metrics"].items():
            assert metric["value"] == pytest.approx(second["metrics"][name]["value"], abs=1e-10)
