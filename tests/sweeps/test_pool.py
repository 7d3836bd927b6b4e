"""Candidates in several processes: the same results, and none left behind."""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from permaudit import pool
from permaudit.cli.loading import load_audit
from permaudit.errors import DataError
from permaudit.permutation.threads import workers
from permaudit.runner import prepare_run, run_audit
from permaudit_plugins.engines.memory import MemoryEngine

from .foreign import ENGINE, counted, lines, made, result

RULES = [{"rule": "threshold", "metric": "CM2", "min": 0.05}]
ALPHAS = [0.7, 0.8, 0.9, 1.0]
FORCED = (
    "-c",
    "import permaudit.pool; permaudit.pool._WORTH_PROCESSES = 0; from permaudit.cli import main; main(supervise=False)",
)


@pytest.fixture
def calls(tmp_path):
    """Return the file with the calls of the anonymizer."""
    return tmp_path / "calls"


@pytest.fixture
def forced(monkeypatch):
    """Use processes however little there is to do."""
    monkeypatch.setattr(pool, "_WORTH_PROCESSES", 0)


@pytest.fixture
def counted_audit(install, write_audit, calls):
    """Return a function that writes the audit of a sweep with the foreign anonymizer."""

    def write(body="pass", more="", **content):
        install("acme", counted(calls, body, more))
        sweeps = {"s": {"anonymizer": "counted", "params": {"alpha": ALPHAS}}}
        return write_audit(**({"candidates": None, "sweeps": sweeps, "plugins": {"allow": ["acme"]}} | content))

    return write


def processes(calls):
    return {int(process) for _, process, _ in lines(calls)}


# --------------------------------------------------------------------------- the same results


@pytest.mark.usefixtures("forced")
def test_several_processes_give_the_results_of_one_in_the_same_order(counted_audit, calls, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    monkeypatch.delenv("PERMAUDIT_THREADS", raising=False)
    before = dict(os.environ)
    told = calls.with_suffix(".threads")
    body = f"with open({str(told)!r}, 'a') as stream: "
    body += "stream.write(str(os.environ.get('PERMAUDIT_THREADS')) + os.environ['OMP_NUM_THREADS'])"
    audit, host = load_audit(counted_audit(body))
    alone = run_audit(audit, host, study_seed=3)
    calls.unlink()
    told.unlink()
    shared = run_audit(audit, host, study_seed=3, workers=2)
    assert shared == alone
    assert [candidate.name for candidate in shared.candidates] == [candidate.name for candidate in audit.candidates]
    assert sorted(made(calls)) == ALPHAS
    assert len(processes(calls)) > 1
    assert told.read_text("utf-8") == "None7" + "11" * 3  # the first one is made here
    assert dict(os.environ) == before


def test_what_all_candidates_share_can_be_sent_to_another_process(write_audit, people):
    sweeps = {
        "noise": {"anonymizer": "additive-noise", "params": {"alpha": [0.5, 1]}},
        "new": {"anonymizer": "ipso", "params": {"keep": [[]]}},
    }
    others = {"others.csv": people * 1.37}
    audit, host = load_audit(write_audit(sweeps=sweeps, holdout="others.csv", files=others))
    run = prepare_run(audit, host, study_seed=1)
    sent = pickle.loads(pickle.dumps(run))
    assert [sent.candidate(one) for one in audit.candidates] == [run.candidate(one) for one in audit.candidates]


def test_the_original_is_ranked_once_for_all_processes(write_audit, monkeypatch):
    sweeps = {"noise": {"anonymizer": "additive-noise", "params": {"alpha": [0.5, 0.6, 0.7]}}}
    audit, host = load_audit(write_audit(sweeps=sweeps))
    run = prepare_run(audit, host, study_seed=1)
    run.candidate(audit.candidates[-1])  # the first ones run here, before the others are sent away
    sent = pickle.loads(pickle.dumps(run))
    ranked, prepare = [], MemoryEngine.prepare
    monkeypatch.setattr(MemoryEngine, "prepare", lambda engine, some: ranked.append(some) or prepare(engine, some))
    points = [candidate for candidate in audit.candidates if candidate.name.startswith("noise")]
    for point in points:
        sent.candidate(point)
    originals = [dict(columns) for columns in ranked if is_original(columns, sent.data.pairer.whole)]
    assert len(ranked) >= len(points)
    assert not originals


def is_original(columns, whole):
    return all(np.array_equal(values, whole[name]) for name, values in columns.items())


def test_little_work_stays_in_one_process(counted_audit, permaudit, tmp_path, calls):
    permaudit("run", counted_audit(), "--out", tmp_path / "out", "--jobs", 2)
    assert len(processes(calls)) == 1


@pytest.mark.usefixtures("forced")
def test_one_job_is_one_process(counted_audit, permaudit, tmp_path, calls):
    permaudit("run", counted_audit(), "--out", tmp_path / "out", "--jobs", 1)
    assert len(processes(calls)) == 1


@pytest.mark.usefixtures("forced")
def test_an_engine_that_cannot_be_sent_stays_in_one_process(counted_audit, install, permaudit, tmp_path, calls):
    more = "Odd.__reduce__ = lambda self: (lambda: None, ())"
    install("odd", {"odd": ENGINE.format(body="pass", more=more)})
    audit = counted_audit(plugins={"allow": ["acme", "odd"]})
    ran = permaudit("run", audit, "--out", tmp_path / "out", "--jobs", 2, "--engine", "odd")
    assert ran.code == 0
    assert made(calls) == ALPHAS
    assert len(processes(calls)) == 1
    assert "a plugin cannot be sent" in ran.log


# --------------------------------------------------------------------------- what goes wrong


@pytest.mark.usefixtures("forced")
def test_a_candidate_that_raises_in_another_process_is_the_same_error_as_here(counted_audit, permaudit, tmp_path):
    body = 'if params.alpha == 0.9: print("CANARY", file=sys.stderr); raise ValueError("CANARY-4711")'
    audit = counted_audit(body)
    runs, results = [], []
    for jobs in (1, 2):
        runs.append(permaudit("run", audit, "--out", tmp_path / f"{jobs}", "--jobs", jobs, "--study-seed", 1))
        results.append(result(tmp_path / f"{jobs}"))
    assert results[0] == results[1]
    assert results[0]["candidates"][2]["metrics"]["CM2"]["reason"] == "the anonymizer raised ValueError"
    for ran in runs:
        assert ran.code == 1
        assert "CANARY" not in ran.out + ran.err
        assert "ValueError: CANARY-4711" in ran.log
        assert "Traceback" in ran.log


@pytest.mark.usefixtures("forced")
def test_data_that_are_wrong_are_told_from_another_process_as_from_here(counted_audit, permaudit, tmp_path):
    body = 'if params.alpha == 0.9: raise DataError([Mistake("", None, None, "one"), Mistake("", None, None, "two")])'
    audit = counted_audit(body)
    told = [permaudit("run", audit, "--out", tmp_path / "out", "--jobs", jobs, "--no-cache") for jobs in (1, 2)]
    assert [ran.code for ran in told] == [2, 2]
    assert told[0].err == told[1].err == "candidate s alpha=0.9: one\ncandidate s alpha=0.9: two\n"
    assert not (tmp_path / "out").exists()


def test_an_error_with_mistakes_comes_out_of_another_process_as_it_went_in():
    error = DataError.one("a.csv", "is empty")
    sent = pickle.loads(pickle.dumps(error))
    assert (type(sent), str(sent), sent.mistakes) == (DataError, str(error), error.mistakes)


@pytest.mark.usefixtures("forced")
@pytest.mark.parametrize("jobs", [1, 2])
def test_an_anonymizer_that_ends_its_process_blocks_its_candidate_only(counted_audit, permaudit, tmp_path, jobs):
    audit = counted_audit("if params.alpha == 0.9: os._exit(0)")
    assert permaudit("run", audit, "--out", tmp_path / "out", "--jobs", jobs).code == 1
    candidates = result(tmp_path / "out")["candidates"]
    assert [one["verdict"] for one in candidates] == ["release", "release", "block", "release"]
    reason = candidates[2]["metrics"]["CM2"]["reason"]
    assert reason == "the anonymizer ended its process with exit code 0"


@pytest.mark.usefixtures("forced")
def test_an_engine_that_ends_its_process_is_no_verdict(counted_audit, install, permaudit, tmp_path):
    body = "if multiprocessing.parent_process() is not None: os._exit(0)"
    install("odd", {"odd": ENGINE.format(body=body, more="")})
    audit = counted_audit(plugins={"allow": ["acme", "odd"]})
    ran = permaudit("run", audit, "--out", tmp_path / "out", "--jobs", 2, "--engine", "odd")
    assert ran.code == 2
    assert ran.err.startswith("a process ended before its candidate was audited")
    assert not (tmp_path / "out" / "audit.json").exists()


def is_running(number):
    """Tell whether a process is there and no zombie."""
    try:
        return Path(f"/proc/{number}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.parametrize("how", ["to all, as a terminal does", "terminate", "kill"])
def test_whoever_ends_a_run_ends_all_its_processes(counted_audit, environment, tmp_path, calls, how):
    audit = counted_audit("time.sleep(600 if params.alpha > 0.7 else 0)")
    process = subprocess.Popen(
        [sys.executable, *FORCED, "run", audit, "--out", tmp_path / "out", "--jobs", "2"],
        env=environment(PYTHONPATH=os.pathsep.join(path for path in sys.path if "site" in path)),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    tick = threading.Event()
    while len(lines(calls)) < 3:
        assert process.poll() is None, process.stderr.read()
        tick.wait(0.01)
    if how.startswith("to all"):
        os.killpg(process.pid, signal.SIGINT)
    else:
        process.send_signal({"terminate": signal.SIGTERM, "kill": signal.SIGKILL}[how])
    if how == "kill":
        process.wait(timeout=60)
    else:
        printed, told = process.communicate(timeout=60)
        assert (process.returncode, printed, told.strip()) == (130, "", "interrupted")
    for number in processes(calls):
        while is_running(number):
            tick.wait(0.01)
    process.stdout.close()
    process.stderr.close()


@pytest.mark.usefixtures("forced")
def test_points_that_were_finished_before_another_failed_are_not_made_again(counted_audit, permaudit, tmp_path, calls):
    stop = tmp_path / "stop"
    stop.touch()
    body = (
        f"stop = pathlib.Path({str(stop)!r})\n"
        "        while params.alpha == 0.8 and stop.exists() and "
        f"len(list(pathlib.Path({str(tmp_path / 'out' / '.cache')!r}).glob('*.json'))) < 3: time.sleep(0.01)\n"
        "        if params.alpha == 0.8 and stop.exists(): raise DataError([Mistake('', None, None, 'stop')])"
    )
    audit = counted_audit(body)
    assert permaudit("run", audit, "--out", tmp_path / "out", "--jobs", 2).code == 2
    assert sorted(made(calls)) == ALPHAS
    stop.unlink()
    calls.unlink()
    assert permaudit("run", audit, "--out", tmp_path / "out", "--jobs", 2).code == 0
    assert made(calls) == [0.8]


# --------------------------------------------------------------------------- threads


@pytest.mark.parametrize(
    ("said", "expected"), [("1", 1), ("0", None), ("-3", None), ("two", None), ("", None), ("²", None)]
)
def test_the_environment_limits_threads_if_it_names_a_positive_number(monkeypatch, said, expected):
    monkeypatch.delenv("PERMAUDIT_THREADS", raising=False)
    free = workers(None, 1_000_000)
    monkeypatch.setenv("PERMAUDIT_THREADS", said)
    assert workers(None, 1_000_000) == (expected or free)
    assert workers(3, 1_000_000) == 3
    assert workers(None, 10) == 1


def test_the_environment_asks_for_no_more_threads_than_there_are_processors(monkeypatch):
    free = workers(None, 1_000_000)
    monkeypatch.setenv("PERMAUDIT_THREADS", "9999")
    assert workers(None, 1_000_000) == free


@pytest.mark.usefixtures("forced")
def test_progress_counts_every_candidate_once_and_each_has_noise_of_its_own(counted_audit, calls):
    audit, host = load_audit(counted_audit())
    seen = []
    run_audit(audit, host, workers=2, watch=lambda *told: seen.append(told[:2]))
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    assert {total for _, total in seen} == {4}
    assert seen[-1] == (4, 4)
    assert len({number for _, _, number in lines(calls)}) == len(ALPHAS)
