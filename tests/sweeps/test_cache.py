"""The cache: what was made once is not made again, and nothing stale is taken for it."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from importlib import metadata
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from permaudit.bundle import CACHE

from .foreign import counted, lines, made, result

ALPHAS = [0.8, 0.9, 1.0]


@pytest.fixture
def calls(tmp_path):
    """Return the file with the calls of the anonymizer."""
    return tmp_path / "calls"


@pytest.fixture
def sweep(install, write_audit, permaudit, tmp_path, calls):
    """Return a function that runs a sweep and returns the parameters of the points that were made."""
    install("acme", counted(calls))

    def run(*options, alphas=ALPHAS, **content):
        calls.unlink(missing_ok=True)
        sweeps = {"s": {"anonymizer": "counted", "params": {"alpha": list(alphas)}}}
        audit = write_audit(**({"candidates": None, "sweeps": sweeps, "plugins": {"allow": ["acme"]}} | content))
        run.ran = permaudit("run", audit, "--out", tmp_path / "out", "--jobs", 1, *options)
        return made(calls)

    return run


def test_an_unchanged_sweep_costs_no_call_and_gives_the_same_result(sweep, tmp_path):
    assert sweep() == ALPHAS
    before = (tmp_path / "out" / "audit.json").read_bytes()
    assert sweep() == []
    assert (tmp_path / "out" / "audit.json").read_bytes() == before


def test_only_new_points_are_made(sweep, tmp_path):
    sweep()
    assert sweep(alphas=[0.8, 0.85, 0.9, 1.0]) == [0.85]
    assert [one["params"]["alpha"] for one in result(tmp_path / "out")["candidates"]] == [0.8, 0.85, 0.9, 1.0]
    assert sweep(alphas=[1.0]) == []


def test_no_cache_makes_everything_anew_and_keeps_nothing(sweep, tmp_path):
    assert sweep("--no-cache") == ALPHAS
    assert not (tmp_path / "out" / CACHE).exists()
    sweep()
    assert sweep("--no-cache") == ALPHAS


def test_candidates_outside_of_sweeps_are_made_anew_each_time(sweep):
    candidates = {"own": {"anonymizer": "counted", "params": {"alpha": 2}}}
    assert sweep(candidates=candidates) == [2.0, *ALPHAS]
    assert sweep(candidates=candidates) == [2.0]


CHANGES = {
    "rules": {"rules": [{"rule": "threshold", "metric": "CM2", "min": 0.04}]},
    "metrics": {"metrics": ["CM2"]},
    "seed": {"seed": 2},
    "fewer attributes": {"attributes": {"FICA": "numeric", "FEDTAX": "numeric"}, "identifiers": ["INTVAL"]},
    "attributes": {
        "attributes": {"FICA": {"type": "numeric", "decimals": 0}, "FEDTAX": "numeric", "INTVAL": "numeric"}
    },
    "missing": {"missing": "lowest"},
    "identifiers": {"identifiers": ["NAME"]},
    "not audited": {"not-audited": {"WEIGHT": "public"}},
    "how it is read": {"original": {"path": "original.csv", "format": "csv", "options": {"delimiter": ","}}},
    "holdout": {"holdout": "masked.csv"},
    "replicates": {"sweeps": {"s": {"anonymizer": "counted", "params": {"alpha": ALPHAS}, "replicates": 2}}},
    "post": {"sweeps": {"s": {"anonymizer": "counted", "params": {"alpha": ALPHAS}, "post": {"round": True}}}},
    "parameters": {"sweeps": {"s": {"anonymizer": "counted", "params": {"alpha": ALPHAS, "label": "x"}}}},
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_what_changes_the_result_makes_all_points_anew(sweep, change):
    assert sweep() == ALPHAS
    assert set(sweep(**change)) == set(ALPHAS)
    assert sweep.ran.code in {0, 1, 3}
    assert sweep(**change) == []


def test_other_data_make_all_points_anew(sweep, people):
    sweep()
    other = people.copy()
    other.iloc[17, 0] += 1
    assert sweep(files={"original.csv": other}) == ALPHAS
    assert sweep() == []


def test_another_seed_of_the_study_makes_all_points_anew(sweep):
    assert sweep() == sweep("--study-seed", 1) == sweep("--study-seed", 2) == ALPHAS
    assert sweep() == sweep("--study-seed", 1) == []
    assert sweep("--seed", 77) == ALPHAS


def test_another_version_of_a_package_makes_all_points_anew(sweep, monkeypatch):
    sweep()
    true = metadata.version
    monkeypatch.setattr(metadata, "version", lambda name: "99.9" if name == "numpy" else true(name))
    assert sweep() == ALPHAS
    assert sweep() == []


def test_another_version_of_the_plugin_makes_all_points_anew(sweep):
    sweep()
    [info] = [found for path in sys.path if (found := Path(path, "acme-1.0.dist-info", "METADATA")).exists()]
    info.write_text(info.read_text("utf-8").replace("Version: 1.0", "Version: 1.1"), "utf-8")
    assert sweep() == ALPHAS


SPOILT = {
    "empty": b"",
    "cut off": None,
    "no JSON": b"\x00\xff nonsense",
    "other JSON": b'{"name": "s alpha=0.8", "verdict": "release"}',
    "list": b"[]",
}


@pytest.mark.parametrize("content", SPOILT.values(), ids=SPOILT)
def test_a_spoilt_file_counts_as_not_there(sweep, tmp_path, content):
    sweep()
    for path in (tmp_path / "out" / CACHE).iterdir():
        path.write_bytes(path.read_bytes()[:-30] if content is None else content)
    assert sweep() == ALPHAS
    assert sweep() == []


def test_the_result_of_another_point_is_not_taken(sweep, tmp_path):
    sweep()
    first, second, _ = sorted((tmp_path / "out" / CACHE).iterdir())
    first.write_bytes(second.read_bytes())
    assert len(sweep()) == 1


def test_a_folder_in_the_place_of_a_file_is_no_reason_to_fail(sweep, tmp_path):
    sweep()
    for path in (tmp_path / "out" / CACHE).iterdir():
        path.unlink()
        path.mkdir()
    assert sweep() == ALPHAS
    assert sweep.ran.code == 0
    assert all(path.is_dir() for path in (tmp_path / "out" / CACHE).iterdir())  # and nothing half-written beside


BROKEN_RULE = """
from permaudit import Parameters, RuleCard, hookimpl

permaudit_api = 1

class Broken:
    card = RuleCard(id="broken", title="Broken", why="because", always_on=True)
    parameters = Parameters
    def metrics(self, params, *, linked): return ()
    def limits(self, params): return ()
    def judge(self, params, case): raise ValueError("no")

@hookimpl
def permaudit_rules():
    return [Broken()]
"""


def test_the_result_of_a_rule_that_failed_is_not_kept(sweep, install):
    install("acme-rules", {"rules_of_acme": BROKEN_RULE})
    content = {"plugins": {"allow": ["acme", "acme-rules"]}}
    assert sweep(**content) == ALPHAS
    assert sweep.ran.code == 1
    assert sweep(**content) == ALPHAS


def test_the_result_of_an_anonymizer_that_failed_is_not_kept(install, write_audit, permaudit, tmp_path, calls):
    sweeps = {"s": {"anonymizer": "counted", "params": {"alpha": ALPHAS}}}
    body = 'if params.alpha == 0.9: raise ValueError("no")'
    install("acme", counted(calls, body=body))
    audit = write_audit(candidates=None, sweeps=sweeps, plugins={"allow": ["acme"]})
    for expected in (ALPHAS, [*ALPHAS, 0.9]):
        assert permaudit("run", audit, "--out", tmp_path / "out").code == 1
        assert made(calls) == expected


def test_the_cache_is_private_and_holds_no_value_of_the_data(sweep, people, tmp_path):
    canary = people.copy()
    canary.iloc[3, 0] = 918273645
    sweep(files={"original.csv": canary})
    folder = tmp_path / "out" / CACHE
    assert folder.stat().st_mode & 0o777 == 0o700
    assert len(list(folder.iterdir())) == 3
    for path in folder.iterdir():
        assert path.stat().st_mode & 0o777 == 0o600
        assert b"918273645" not in path.read_bytes()


# --------------------------------------------------------------------------- interrupted


def waited(condition, process):
    """Wait until something is true, as long as the process runs."""
    tick = threading.Event()
    while not condition():
        assert process.poll() is None, process.stderr.read()
        tick.wait(0.01)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT], ids=["killed", "interrupted"])
def test_an_interrupted_sweep_goes_on_where_it_stopped(  # noqa: PLR0913, PLR0917
    install, write_audit, environment, permaudit, tmp_path, calls, number
):
    out, hold = tmp_path / "out", tmp_path / "hold"
    hold.touch()
    body = f"while params.alpha == 1.0 and pathlib.Path({str(hold)!r}).exists(): time.sleep(0.01)"
    folder = install("acme", counted(calls, body=body))
    sweeps = {"s": {"anonymizer": "counted", "params": {"alpha": [0.8, 0.9, 1.0, 1.1]}}}
    audit = write_audit(candidates=None, sweeps=sweeps, plugins={"allow": ["acme"]})
    process = subprocess.Popen(
        [sys.executable, "-m", "permaudit", "run", audit, "--out", out, "--jobs", "1"],
        env=environment(PYTHONPATH=str(folder)),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    waited(lambda: len(lines(calls)) == 3, process)  # two are done, and the third is under way
    process.send_signal(number)
    process.communicate(timeout=60)
    assert process.returncode == (-number if number == signal.SIGKILL else 130)
    assert not (out / "audit.json").exists()
    hold.unlink()
    calls.unlink()
    ran = None
    while ran is None or "is in use by another run" in ran.err:  # until the system has ended the killed one's child
        ran = permaudit("run", audit, "--out", out)
    assert ran.code == 0
    assert made(calls) == [1.0, 1.1]
    assert [one["params"]["alpha"] for one in result(out)["candidates"]] == [0.8, 0.9, 1.0, 1.1]


def test_numbers_from_the_cache_are_the_same_numbers(sweep, tmp_path, people):
    """Floats, counts and notes go through JSON without a change."""
    rng = np.random.default_rng(1)
    gaps = people.astype(float).mask(pd.DataFrame(rng.random(people.shape) < 0.02, columns=people.columns))
    body = {"files": {"original.csv": gaps}, "missing": "drop-records"}
    sweep("--study-seed", 1, **body)
    first = result(tmp_path / "out")
    sweep("--study-seed", 1, **body)
    assert result(tmp_path / "out") == first
