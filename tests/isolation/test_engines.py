"""Engines, templates and models of parameters work in the host: where one ends or hangs it, that is no verdict."""

from __future__ import annotations

import os
import signal

import pytest

from permaudit.census_like import census_like
from permaudit.deadline import at_most, watched_by
from permaudit.errors import PluginFailedError
from permaudit.isolation.engine import WatchedEngine
from permaudit.report.look import TemplateFolders

ENGINE = """
import ctypes, itertools, os, sys, threading, time
from dataclasses import replace
from permaudit import EngineCard, hookimpl
from permaudit.permutation import pair_moments, rank_columns

permaudit_api = 1

class Odd:
    card = EngineCard(id="odd", title="Odd", summary="none")

    def prepare(self, columns):
        {prepare}
        return tuple(columns), rank_columns(list(columns.values()))

    def moments(self, original, release, *, mirrored=False):
        found = pair_moments(original[0], original[1], release[1], mirrored=mirrored)
        {moments}
        return found

@hookimpl
def permaudit_engines():
    return [Odd()]
"""
WRONG = "returned moments of a wrong shape, or without a number in every place"
SILENT = "a plugin ended the audit before there was a verdict; nothing may be released\n"
SLOW = "the engine 'odd' took longer than 1.2 seconds and was ended; nothing may be released\n"
ENDS = {
    "os._exit(0)": SILENT,
    "ctypes.string_at(0)": "the audit was ended by signal 11; nothing may be released\n",
    "time.sleep(600)": SLOW,
    # The interpreter itself stands still, and nothing in this process can end it.
    "any(itertools.repeat(0))": SLOW,
}


IMPATIENT = "from permaudit.cli import main, supervised; supervised._FAREWELL = 3.0; main()"
"""Waits less long than for users until what was told to end has done so."""


@pytest.fixture
def run_with(distribution, write_audit, child):
    """Return a function that runs an audit by a foreign engine with these bodies."""

    def run(prepare="pass", moments="pass", timeout=10):
        folder = distribution("acme", {"acme": ENGINE.format(prepare=prepare, moments=moments)})
        audit = write_audit(plugins={"allow": ["acme"], "timeout": timeout})
        return child("run", audit, "--engine", "odd", python=("-c", IMPATIENT), env={"PYTHONPATH": str(folder)})

    return run


@pytest.mark.parametrize("fault", ENDS)
def test_one_that_ends_or_hangs_the_run_blocks(run_with, fault, tmp_path):
    ran = run_with(moments=fault, timeout=0.02 if ENDS[fault] == SLOW else 10)
    assert (ran.returncode, ran.stdout) == (1, "")
    assert ran.stderr.endswith(ENDS[fault])
    assert not list(tmp_path.rglob("audit.json"))


NO_MOMENTS = {
    "raise ValueError('CANARY')": "raised ValueError",
    "sys.exit(0)": "raised SystemExit",
    "return None": "returned NoneType, not moments",
    "return replace(found, cross=found.cross * float('nan'))": WRONG,
    "return replace(found, cross=found.cross[:1])": WRONG,
    "return replace(found, original=None)": WRONG,
    "return replace(found, mirror_by_key=None)": WRONG,
    "return replace(found, unchanged=())": WRONG,
}


@pytest.mark.parametrize("fault", NO_MOMENTS)
def test_one_that_gives_no_moments_is_named(fault):
    names = {}
    exec(ENGINE.format(prepare="pass", moments=fault), names)
    engine = WatchedEngine(names["Odd"].card, names["Odd"](), "acme 1.0", 60)
    ready = engine.prepare(census_like(20))
    with pytest.raises(PluginFailedError) as caught:
        engine.moments(ready, ready, mirrored=True)
    assert str(caught.value) == f"the engine 'odd' of acme 1.0 {NO_MOMENTS[fault]}"


def test_an_audit_by_it_ends_as_block_does(install, write_audit, permaudit):
    install("acme", {"acme": ENGINE.format(prepare="raise ValueError('CANARY')", moments="pass")})
    ran = permaudit("run", write_audit(plugins={"allow": ["acme"]}), "--engine", "odd")
    assert (ran.code, ran.out) == (1, "")
    assert ran.err.startswith("the engine 'odd' of acme 1.0 raised ValueError; nothing may be released\n")


def test_one_that_keeps_the_process_from_ending_blocks(run_with):
    # What the audit found was written and shown; only the end did not come.
    ran = run_with(prepare="threading.Thread(target=time.sleep, args=(600,)).start()")
    assert ran.returncode == 1
    assert "RELEASE" in ran.stdout
    assert "the audit was ended by signal 9; nothing may be released\n" in ran.stderr


# --------------------------------------------------------------------------- deadlines


@pytest.fixture
def announced():
    """Return what is told to whoever watches over this process."""
    heard = []
    watched_by(lambda seconds, what: heard.append((seconds, what)))
    yield heard
    watched_by(None)


def test_templates_are_rendered_before_a_deadline(announced, tmp_path):
    (tmp_path / "report.html.j2").write_text("{% for x in range(3) %}{{ x }}{% endfor %}", encoding="utf-8")
    folders = TemplateFolders((tmp_path,))
    with pytest.raises(Exception, match="NoneType"):  # there is no report; that it is over is told all the same
        folders.render(None, None)
    assert announced == [(300, "rendering the report"), (None, "rendering the report")]


def test_in_a_process_that_nobody_misses_the_system_keeps_the_deadline():
    child = os.fork()
    if child == 0:
        from permaudit.deadline import end_alone  # noqa: PLC0415 - as in a worker

        watched_by(end_alone)
        with at_most(60, "what is quick"):
            pass
        with at_most(0.05, "what is not"):
            while True:
                pass
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGALRM
