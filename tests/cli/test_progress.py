"""The time that is left is believable: with results found, in bursts, and where points take longer and longer."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys

import numpy as np
import pytest

from permaudit.cli.timeleft import TimeLeft


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def left(clock):
    return TimeLeft(clock)


def test_nothing_is_said_before_anything_is_known(clock, left):
    assert str(left) == ""
    left.heard(0, 100)
    clock.now = 10
    left.heard(1, 100)
    assert left.seconds() is None


def test_steps_of_one_length_end_when_they_should(clock, left):
    for done in range(51):
        clock.now = 3.0 * done
        left.heard(done, 100)
    assert left.seconds() == pytest.approx(150)
    clock.now += 2
    assert left.seconds() == pytest.approx(148)
    assert str(left) == "about 3 min left"


def test_results_that_were_found_say_nothing_of_the_pace(clock, left):
    left.heard(90, 100)
    for done in (91, 92):
        clock.now += 60
        left.heard(done, 100)
    assert left.seconds() == pytest.approx(8 * 60)


def test_a_slow_step_puts_the_end_off(clock, left):
    for done in range(5):
        clock.now = 1.0 * done
        left.heard(done, 10)
    clock.now += 1000
    assert left.seconds() == pytest.approx(5)


def test_the_pace_is_that_of_several_processes_once_they_are_there(clock, left):
    left.heard(0, 60)
    clock.now = 40
    left.heard(1, 60)  # alone; then 4 at a time
    for done in range(2, 30):
        clock.now += 40 if done % 4 == 2 else 0
        left.heard(done, 60)
    assert left.seconds() == pytest.approx(31 * 10, rel=0.3)


def test_starting_the_processes_is_forgotten_soon(clock, left):
    """Two candidates alone, eight seconds of starting, and then two seconds for each candidate."""
    left.heard(0, 30)
    for done, now in enumerate((8, 14, 22, 24, 26, 28), 1):
        clock.now = now
        left.heard(done, 30)
    assert left.seconds() == pytest.approx(24 * 2)


@pytest.mark.parametrize("seed", range(5))
def test_steps_of_any_length_are_foretold_within_a_factor_of_two(clock, left, seed):
    lengths = np.random.default_rng(seed).lognormal(1, 0.7, 80)
    ends = np.concatenate(([0], np.cumsum(lengths)))
    for done in range(60):
        clock.now = ends[done]
        left.heard(done, 80)
        if done >= 16:
            assert 0.5 < left.seconds() / (ends[-1] - ends[done]) < 2


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (20, "less than a minute left"),
        (130, "about 3 min left"),
        (5_000, "about 84 min left"),
        (9_000, "about 3 h left"),
    ],
)
def test_words_promise_no_more_than_is_known(clock, left, seconds, words):
    for done in range(3):
        clock.now = seconds * done
        left.heard(done, 3)
    left.heard(2, 3)
    assert str(left) == words


def test_who_sits_in_front_of_a_terminal_sees_it(write_audit, tmp_path):
    alphas = [round(0.5 + 0.01 * step, 2) for step in range(12)]
    sweeps = {"s": {"anonymizer": "additive-noise", "params": {"alpha": alphas}}}
    audit = write_audit(candidates=None, sweeps=sweeps)
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "permaudit", "run", str(audit), "--out", str(tmp_path / "out"), "--jobs", "1"]
    environment = os.environ | {"TERM": "xterm", "COLUMNS": "140"}
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=theirs, env=environment) as process:
        os.close(theirs)
        seen = b""
        while True:
            try:
                some = os.read(ours, 4096)
            except OSError:  # the other end is closed
                break
            if not some:
                break
            seen += some
        process.wait()
    os.close(ours)
    assert re.search(rb"\d+/12.*less than a minute left", seen)
