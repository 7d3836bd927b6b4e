"""Whatever a foreign metric does in its process, the host gets a checked value or says what went wrong."""

from __future__ import annotations

import os
import pickle
import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from permaudit.isolation.limits import Limits
from permaudit.measure import measure

from .conftest import PRINTED, is_running, surroundings

BRIEFLY = Limits(seconds=1.0)
SMALL = Limits(memory=256 << 20)

# --------------------------------------------------------------------------- what goes well


def test_a_value_comes_back_with_all_its_parts(foreign, compared):
    body = "return Measured(rng.random(), {'n': pair.rows.original['FICA'].size, 'x': [1, {'y': 'z'}]}, null=0.75)"
    host = foreign(body)
    metric = host.catalogue.metrics["odd"]
    (pair,) = compared.comparisons
    here = import_module("acme").Odd().compute(pair, np.random.default_rng(5))
    assert metric.compute(pair, np.random.default_rng(5)) == here
    assert metric.card == import_module("acme").Odd.card


def test_it_runs_in_another_process_each_time_and_finds_it_as_it_was_at_first(foreign, compared):
    body = "Odd.calls = getattr(Odd, 'calls', 0) + 1\nreturn Measured(0.5, {'pid': os.getpid(), 'calls': Odd.calls})"
    metric = foreign(body).catalogue.metrics["odd"]
    seen = [metric.compute(compared.comparisons[0], np.random.default_rng(1)).details for _ in range(3)]
    assert len({one["pid"] for one in seen} | {os.getpid()}) == 4
    assert {one["calls"] for one in seen} == {1}


def test_one_call_draws_where_the_last_one_stopped_as_in_one_process(foreign, compared):
    metric = foreign("return Measured(rng.random())").catalogue.metrics["odd"]
    there, here = np.random.default_rng(9), np.random.default_rng(9)
    drawn = [metric.compute(compared.comparisons[0], there).value for _ in range(3)]
    assert drawn == list(here.random(3))
    assert there.random() == here.random()


def test_numbers_of_other_kinds_come_back_as_the_numbers_they_are(measured):
    assert measured("return Measured(np.float32(0.5), {'n': 3})").value == 0.5
    assert measured("return Measured(fractions.Fraction(1, 4))").value == 0.25


def test_an_answer_that_there_is_no_value_comes_back_with_its_reason(measured):
    found = measured("raise NotApplicable('only for dogs')")
    assert (found.status, found.reason) == ("not-applicable", "only for dogs")


def test_what_stands_for_a_metric_can_go_to_another_process(foreign, compared):
    metric = foreign().catalogue.metrics["odd"]
    sent = pickle.loads(pickle.dumps(metric))
    assert sent.card == metric.card
    assert sent.nursery is metric.nursery
    assert sent.compute(compared.comparisons[0], np.random.default_rng(1)).value == 0.5


def test_nothing_is_left_when_nobody_needs_the_plugins_any_more(foreign, compared):
    host = foreign("return Measured(0.5, {'warden': os.getppid()})")
    details = host.catalogue.metrics["odd"].compute(compared.comparisons[0], np.random.default_rng(1)).details
    assert is_running(details["warden"])
    del host
    assert not is_running(details["warden"])


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_after_a_fork_the_child_has_a_process_of_its_own(foreign, compared):
    metric = foreign("return Measured(0.5, {'warden': os.getppid()})").catalogue.metrics["odd"]
    pair = compared.comparisons[0]
    ours = metric.compute(pair, np.random.default_rng(1)).details["warden"]
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            theirs = metric.compute(pair, np.random.default_rng(1)).details["warden"]
            os.write(writing, f"{theirs}".encode())
        finally:
            os._exit(0)
    os.close(writing)
    os.waitpid(child, 0)
    theirs = os.read(reading, 20).decode()
    os.close(reading)
    assert theirs.isdigit()
    assert int(theirs) != ours
    assert metric.compute(pair, np.random.default_rng(1)).details["warden"] == ours


# --------------------------------------------------------------------------- what goes wrong

FORGED = r"""
from permaudit.isolation import child
from permaudit.isolation.parcel import Layout
pickled = b'\x80\x04\x8c\x0fpermaudit.model\x8c\x15dataclass.__globals__\x93.'
child.pack = lambda things, file, most: os.pwrite(file, pickled, 0) and Layout(((0, len(pickled)),))
return Measured(0.9)
"""
WRONG = {
    "raises": ("raise ValueError('CANARY')", "raised ValueError"),
    "exits with 0": ("sys.exit(0)", "raised SystemExit"),
    "interrupts": ("raise KeyboardInterrupt", "raised KeyboardInterrupt"),
    "leaves with 0": ("os._exit(0)", "ended its process with exit code 0"),
    "leaves with 3": ("os._exit(3)", "ended its process with exit code 3"),
    "leaves with 0 after words": (
        "for file in range(3, 99):\n    try: os.write(file, b'{}')\n    except OSError: pass\nos._exit(0)",
        "gave no answer that can be understood",
    ),
    "segmentation fault": ("ctypes.string_at(0)", "was ended by the signal SIGSEGV"),
    "abort": ("os.abort()", "was ended by the signal SIGABRT"),
    "kills itself": ("os.kill(os.getpid(), 9)", "was ended by the signal SIGKILL"),
    "kills its watcher": ("os.kill(os.getppid(), 9)\ntime.sleep(600)", "ended the process that watches over it"),
    "recursion": ("return self.compute(pair, rng)", "raised RecursionError"),
    "another class": ("class Thing: pass\nreturn Thing()", "returned Thing, which cannot leave its process"),
    "a function in the details": ("return Measured(0.9, {'x': lambda: 0})", "returned Measured, which cannot leave"),
    "a foreign class": ("return Measured(0.9, {'x': Odd()})", "returned an object of type Odd, which is no plain data"),
    "code in the details": (
        "class Code:\n    def __reduce__(self): return os.system, ('true',)\nreturn Measured(0.9, {'x': Code()})",
        "returned an object of type system, which is no plain data",
    ),
    "code by way of data": (FORGED, "returned an object of type dataclass.__globals__, which is no plain data"),
    "brackets for a word": (
        "for file in range(3, 99):\n    try: os.write(file, b'[' * 60_000)\n    except OSError: pass\nos._exit(0)",
        "ended its process with exit code 0",
    ),
    "records": ("return Measured(0.9, {'x': ['record'] * 10_000_000})", "returned more than 16 MB"),
    "no measurement": ("return 0.9", "returned float, not a measurement"),
    "NaN": ("return Measured(float('nan'))", "returned a value that is not finite"),
    "out of bounds": ("return Measured(1.7)", "returned a value outside its bounds 0 to 1"),
    "rows changed": ("pair.rows.original['FICA'][:] = 0\nreturn Measured(1)", "raised ValueError"),
    "rows made writable": ("pair.rows.original['FICA'].flags.writeable = True", "raised ValueError"),
    "columns changed": ("pair.rows.release['FICA'] = pair.rows.original['FICA']", "raised TypeError"),
    "moments changed": ("pair.moments.cross[:] = 0\nreturn Measured(1)", "raised ValueError"),
    "memory of the rows changed": (
        "ctypes.memset(pair.rows.original['FICA'].ctypes.data, 0, 8)\nreturn Measured(1)",
        "was ended by the signal SIGSEGV",
    ),
    "closes everything": ("os.closerange(0, 100)\nreturn Measured(1)", "ended its process with exit code 0"),
}


@pytest.mark.parametrize(("body", "reason"), WRONG.values(), ids=WRONG)
def test_a_metric_that_goes_wrong_is_an_error_and_the_host_goes_on(measured, caplog, body, reason):
    found = measured(body)
    assert found.status == "error"
    assert found.value is None
    assert found.reason.startswith(f"the metric {reason}")
    assert "CANARY" not in found.reason
    if "CANARY" in body:
        assert "ValueError: CANARY" in caplog.text


@pytest.mark.parametrize(
    "body",
    [
        "time.sleep(600)",
        "while True: pass",
        "signal.signal(signal.SIGTERM, signal.SIG_IGN); signal.pause()",
        "threading.Event().wait()",
        "while True: print('x' * 10_000)",
        "while True: np.linalg.svd(np.random.rand(500, 500))",
    ],
)
def test_a_metric_that_does_not_end_is_ended(measured, body):
    found = measured(body, limits=BRIEFLY)
    assert (found.status, found.reason) == ("error", "the metric took longer than 1 seconds")


@pytest.mark.parametrize(
    "body",
    [
        "x = np.ones(1 << 30)\nreturn Measured(1)",
        "x = []\nwhile True: x.append(bytearray(1 << 20))",
        "x = b'x' * (1 << 31)\nreturn Measured(1)",
        "x = pa.array(range(10)).take(pa.array(np.zeros(1 << 28, np.int64)))\nreturn Measured(1)",
    ],
)
def test_a_metric_that_takes_too_much_memory_is_stopped(measured, body):
    found = measured(body, limits=SMALL)
    assert (found.status, found.reason) == ("error", "the metric ran out of memory (its limit is 256 MB)")


def test_memory_below_the_limit_can_be_used(measured):
    body = "x = np.ones(16 << 20)\nreturn Measured(float(x.sum() / x.size))"
    assert measured(body, limits=SMALL).value == 1


def test_the_next_call_works_after_every_fault(foreign, compared, tmp_path):
    faults = [
        "os._exit(0)",
        "ctypes.string_at(0)",
        "os.kill(os.getppid(), 9); time.sleep(600)",
        "raise ValueError",
        "return 1",
    ]
    body = "\n".join(
        f"if not os.path.exists({str(tmp_path / str(number))!r}):\n"
        f"    open({str(tmp_path / str(number))!r}, 'w').close()\n    {fault}"
        for number, fault in enumerate(faults)
    )
    metric = foreign(f"{body}\nreturn Measured(0.5)").catalogue.metrics["odd"]
    seen = [measure(metric, compared, np.random.default_rng(1)).status for _ in range(len(faults) + 2)]
    assert seen == ["error"] * len(faults) + ["ok", "ok"]


def test_a_long_trace_is_logged_whatever_its_letters_are(measured, caplog):
    found = measured("raise ValueError('\U0001f600' * 19_000)")
    assert found.reason == "the metric raised ValueError"
    assert "\U0001f600" * 1000 in caplog.text


def test_a_long_reason_for_no_value_is_told(measured):
    found = measured("raise NotApplicable('only for dogs, ' + 'and cats' * 20_000)")
    assert (found.status, found.reason[:14]) == ("not-applicable", "only for dogs,")


def test_a_copy_of_the_process_that_a_metric_forgot_to_end_has_no_word(measured):
    assert (
        measured("child = os.fork()\ntime.sleep(0.5 * bool(child))\nreturn Measured(0.1 if child else 0.9)").value
        == 0.1
    )


@pytest.mark.skipif(sys.platform != "linux", reason="only there does the system say whom it ends first")
def test_where_the_machine_runs_out_of_memory_the_metric_is_ended_first(measured):
    body = "return Measured(0.5, {'first': pathlib.Path('/proc/self/oom_score_adj').read_text()})"
    assert measured(body).details == {"first": "1000\n"}


# --------------------------------------------------------------------------- what it leaves behind


PRINTS = {
    "Python": "print('CANARY')",
    "Python's first stream": "sys.__stdout__.write('CANARY')",
    "the descriptor": "os.write(1, b'CANARY')",
    "another program": "os.system('echo CANARY')",
    "a library in C": "ctypes.CDLL(None).printf(b'CANARY')",
    "Python, another stream in its place": "print('CANARY'); sys.stdout = open(os.devnull, 'w')",
    "a handler from the import": "HANDLER.emit(logging.makeLogRecord({'msg': 'CANARY'}))",
}
TOP = "import logging\nHANDLER = logging.StreamHandler(sys.stdout)"
TOLD = f"the metric {PRINTED}"


@pytest.mark.parametrize("body", PRINTS.values(), ids=PRINTS)
def test_one_that_prints_is_an_error_and_its_words_go_to_the_log_only(measured, caplog, capfd, body):
    found = measured(f"{body}\nreturn Measured(0.5)", top=TOP)
    assert (found.status, found.value, found.reason) == ("error", None, TOLD)
    assert "CANARY" in caplog.text
    assert "CANARY" not in "".join(capfd.readouterr())


def test_one_that_prints_and_has_no_value_is_an_error_too(measured):
    assert measured("print('CANARY')\nraise NotApplicable('only for dogs')").reason == TOLD


def test_what_it_did_besides_printing_is_told_first(measured):
    assert measured("print('CANARY')\nraise ValueError").reason == "the metric raised ValueError"


def test_notes_on_standard_error_and_what_its_import_prints_go_to_the_log_only(measured, caplog, capfd):
    body = "print('CANARY-1', file=sys.stderr); os.system('echo CANARY-2 >&2'); warnings.warn('CANARY-3')\n"
    top = "print('CANARY-0', end=''); ctypes.CDLL(None).printf(b'CANARY-0'); sys.__stdout__.write('CANARY-0')"
    assert measured(f"{body}logging.warning('CANARY-4')\nreturn Measured(0.5)", top=f"{TOP}\n{top}").value == 0.5
    assert "CANARY" not in "".join(capfd.readouterr())
    for number in range(5):
        assert f"CANARY-{number}" in caplog.text


def test_a_flood_of_words_is_cut_off(measured, caplog):
    assert measured("print('x' * 5_000_000, file=sys.stderr)\nreturn Measured(0.5)").value == 0.5
    assert measured("print('x' * 5_000_000)\nreturn Measured(0.5)").reason == TOLD
    assert len(caplog.text) < 400_000


def test_what_it_changes_in_its_process_changes_nothing_here_nor_for_the_next_call(foreign, compared):
    changes = (
        "before = [os.getcwd(), os.environ.get('CARELESS'), np.geterr()['divide'],\n"
        "          len(warnings.filters), str(signal.getsignal(signal.SIGALRM)), os.umask(0o777), os.nice(1)]\n"
        "os.chdir('/'); os.environ['CARELESS'] = 'yes'; np.seterr(all='raise'); warnings.simplefilter('error')\n"
        "signal.signal(signal.SIGALRM, signal.SIG_IGN); random.seed(3); np.random.seed(3)\n"
        "return Measured(0.5, {'before': before})"
    )
    metric = foreign(changes).catalogue.metrics["odd"]
    here = surroundings()
    seen = [metric.compute(compared.comparisons[0], np.random.default_rng(1)).details["before"] for _ in range(2)]
    assert surroundings() == here
    assert seen[0] == seen[1]


def test_whoever_draws_from_the_global_generators_draws_something_else_each_time(foreign, compared):
    """Or two releases would carry the same noise, and their difference none."""
    body = "return Measured(0.5, {'drawn': [random.random(), float(np.random.random())]})"
    metric = foreign(body).catalogue.metrics["odd"]
    drawn = [metric.compute(compared.comparisons[0], np.random.default_rng(1)).details["drawn"] for _ in range(2)]
    assert len({number for pair in drawn for number in pair}) == 4


SURVIVORS = {
    "a child": "pid = subprocess.Popen(['sleep', '600']).pid",
    "a child in a session of its own": "pid = subprocess.Popen(['sleep', '600'], start_new_session=True).pid",
    "a daemon": (
        "r, w = os.pipe()\n"
        "if os.fork() == 0:\n"
        "    os.setsid()\n"
        "    if (pid := os.fork()) == 0: time.sleep(600)\n"
        "    os.write(w, str(pid).encode()); os._exit(0)\n"
        "pid = int(os.read(r, 20))"
    ),
    "a thread": "threading.Thread(target=time.sleep, args=(600,)).start(); pid = os.getpid()",
}


@pytest.mark.parametrize("body", SURVIVORS.values(), ids=SURVIVORS)
@pytest.mark.parametrize("end", ["return Measured(0.5)", "os._exit(0)", "time.sleep(600)"])
def test_whatever_it_starts_is_gone_after_the_call(foreign, compared, tmp_path, body, end):
    told = tmp_path / "pid"
    limits = BRIEFLY if "sleep" in end else None
    metric = foreign(f"{body}\nopen({str(told)!r}, 'w').write(str(pid))\n{end}", limits=limits).catalogue.metrics["odd"]
    result = measure(metric, compared, np.random.default_rng(1))
    assert result.status == ("ok" if "return" in end else "error")
    assert not is_running(told.read_text("ascii"))


def test_no_core_dump_is_left(measured, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert measured("os.abort()").status == "error"
    assert list(Path().iterdir()) == []
