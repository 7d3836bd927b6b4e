"""The process and what is around it: signals, closed outputs, terminals, odd environments."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from permaudit.bundle import manifest_files, open_bundle

SLOW = """
import pathlib, time
from permaudit import Measured, MetricCard, hookimpl

permaudit_api = 1

class Slow:
    card = MetricCard(
        id="slow", title="Slow", measures="risk", better="lower", bounds=(0, 1),
        reference="none", summary="none", low="low", high="high", blind_spots="everything",
    )

    def compute(self, pair, rng):
        pathlib.Path({ready!r}).touch()
        time.sleep(60)
        return Measured(0.5)

@hookimpl
def permaudit_metrics():
    return [Slow()]
"""


def files(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name != ".lock"}


# --------------------------------------------------------------------------- signals


@pytest.fixture(autouse=True)
def a_closed_terminal_is_heard():
    """Whoever starts the tests with nohup has every process that they start ignore it."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_an_interrupted_run_is_exit_code_130_and_leaves_the_old_result(  # noqa: PLR0913, PLR0917
    write_audit, permaudit, distribution, environment, tmp_path, number
):
    out, ready = tmp_path / "out", tmp_path / "ready"
    permaudit("run", write_audit(), "--out", out)
    before = files(out)
    folder = distribution("acme", {"slow": SLOW.format(ready=str(ready))})
    audit = write_audit(metrics=["CM2", "slow"], plugins={"allow": ["acme"]})
    process = subprocess.Popen(
        [sys.executable, "-m", "permaudit", "run", audit, "--out", out],
        env=environment(PYTHONPATH=str(folder)),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    wait_for(ready, process)
    process.send_signal(number)
    printed, told = process.communicate(timeout=60)
    assert process.returncode == 130
    assert (printed, told.strip()) == ("", "interrupted")
    assert files(out) == before
    with open_bundle(out):
        assert manifest_files(out).keys() == {"audit.json", "summary.md"}


def test_who_interrupts_once_more_does_not_keep_scratch_files_from_being_removed(environment, tmp_path):
    """As a terminal does that tells a process and the one that started it, and as impatient people do."""
    folder = tmp_path / "columns"
    folder.mkdir()
    code = f"""
import pathlib, time
from permaudit import Shelf
from permaudit.cli.interruption import end_when_interrupted
end_when_interrupted()
with Shelf(1 << 30, pathlib.Path({str(folder)!r})) as shelf:
    shelf.at_end(lambda: (print("ending", flush=True), time.sleep(0.5)))
    print("working", flush=True)
    time.sleep(60)
"""
    command = [sys.executable, "-c", code]
    with subprocess.Popen(
        command, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        for said in ("working", "ending"):
            assert process.stdout.readline().strip() == said
            process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
    assert process.returncode != 0
    assert list(folder.iterdir()) == []


def test_who_starts_a_run_with_nohup_may_close_the_terminal(environment):
    code = (
        "import signal; from permaudit.cli.interruption import end_when_interrupted; end_when_interrupted(); "
        "print(signal.getsignal(signal.SIGHUP) is signal.SIG_IGN, signal.getsignal(signal.SIGTERM) is signal.SIG_DFL)"
    )
    command = ["nohup", sys.executable, "-c", code]
    ran = subprocess.run(command, env=environment(), capture_output=True, text=True, check=True, timeout=60)
    assert ran.stdout.split() == ["True", "False"]


def wait_for(path, process):
    """Wait until a file is there, or the process ends without it."""
    tick = threading.Event()
    while not path.exists():
        assert process.poll() is None, process.stderr.read()
        tick.wait(0.01)


def is_running(number):
    """Tell whether a process is there and no zombie."""
    try:
        return Path(f"/proc/{number}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_a_second_run_on_the_same_output_is_refused_with_the_holders_number(
    write_audit, permaudit, distribution, environment, tmp_path
):
    out, ready = tmp_path / "out", tmp_path / "ready"
    folder = distribution("acme", {"slow": SLOW.format(ready=str(ready))})
    audit = write_audit(metrics=["CM2", "slow"], plugins={"allow": ["acme"]})
    process = subprocess.Popen(
        [sys.executable, "-m", "permaudit", "run", audit, "--out", out],
        env=environment(PYTHONPATH=str(folder)),
        stderr=subprocess.PIPE,
    )
    wait_for(ready, process)
    second = permaudit("run", write_audit(tmp_path / "other"), "--out", out)
    [holder] = re.findall(r"is in use by another run \(process (\d+)\)", second.err)
    parent = Path(f"/proc/{holder}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[1]
    third = permaudit("run", write_audit(tmp_path / "other"), "--out", tmp_path / "elsewhere")
    process.kill()
    process.communicate()
    assert second.code == 2
    assert int(parent) == process.pid  # plugins run in a supervised child, which holds the lock
    assert third.code == 0
    while is_running(holder):
        threading.Event().wait(0.01)
    assert permaudit("run", write_audit(tmp_path / "other"), "--out", out).code == 0


# --------------------------------------------------------------------------- outputs that cannot be written


@pytest.mark.parametrize(("code", "options"), [(0, ()), (1, ("--json",))], ids=["screen", "json"])
def test_a_reader_who_goes_away_changes_neither_the_exit_code_nor_the_result(
    write_audit, environment, tmp_path, code, options
):
    audit = write_audit(rules=[{"rule": "threshold", "metric": "CM2", "min": 0.01 + 0.99 * code}])
    gone, end = os.pipe()
    os.close(gone)
    ran = subprocess.run(
        [sys.executable, "-m", "permaudit", "run", audit, "--out", tmp_path / "out", *options],
        env=environment(),
        stdout=end,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    os.close(end)
    assert (ran.returncode, ran.stderr) == (code, "")
    assert (tmp_path / "out" / "audit.json").exists()


def test_the_first_line_can_be_taken_through_a_pipe(write_audit, environment, tmp_path):
    command = f"{sys.executable} -m permaudit run {write_audit()} --json | head -1; exit ${{PIPESTATUS[0]}}"
    ran = subprocess.run(
        ["bash", "-c", command], env=environment(), cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "{\n", "")


@pytest.mark.parametrize(("command", "code"), [("plugins", 0), ("schema", 0), ("--help", 2)])
def test_other_commands_survive_a_reader_who_goes_away(environment, command, code):
    gone, end = os.pipe()
    os.close(gone)
    ran = subprocess.run(
        [sys.executable, "-m", "permaudit", command],
        env=environment(),
        stdout=end,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    os.close(end)
    assert ran.returncode == code
    assert ran.stderr == ("gave up: nobody reads the output\n" if code else "")


@pytest.mark.parametrize("options", [(), ("--quiet",)], ids=["screen", "quiet"])
def test_a_closed_standard_output_changes_neither_the_exit_code_nor_the_result(
    write_audit, environment, tmp_path, options
):
    command = [sys.executable, "-m", "permaudit", "run", str(write_audit()), *options]
    ran = subprocess.run(
        ["bash", "-c", '"$@" >&-', "bash", *command],
        env=environment(),
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    assert (tmp_path / "permaudit-out" / "audit.json").exists()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no device that is always full")
@pytest.mark.parametrize("options", [(), ("--json",)], ids=["screen", "json"])
def test_a_full_disk_behind_standard_output_is_an_error_and_no_bug(write_audit, environment, tmp_path, options):
    with Path("/dev/full").open("w", encoding="utf-8") as full:
        ran = subprocess.run(
            [sys.executable, "-m", "permaudit", "run", write_audit(), *options],
            env=environment(),
            cwd=tmp_path,
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert ran.returncode == 2
    assert ran.stderr.strip() == "standard output cannot be written: No space left on device"


def test_an_output_that_knows_few_characters_is_no_error(write_audit, child):
    ran = child("run", write_audit(), env={"PYTHONIOENCODING": "ascii"}, text=False)
    assert ran.returncode == 0
    assert b"RELEASE" in ran.stdout
    assert ran.stderr == b""


# --------------------------------------------------------------------------- colours


def on_a_terminal(command, env):
    """Run a command in front of a terminal, and return its exit code and what it showed."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(command, env=env, stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    shown = b""
    while True:
        try:
            piece = os.read(ours, 65536)
        except OSError:  # the terminal of a process that has ended
            break
        if not piece:
            break
        shown += piece
    os.close(ours)
    return process.wait(), shown.decode("utf-8")


COLOUR = re.compile(r"\x1b\[(?:[0-9]+;)*(?:3[0-7]|4[0-7]|9[0-7]|38|48)[0-9;]*m")


def test_on_a_terminal_there_are_colours_unless_somebody_minds(write_audit, environment, tmp_path):
    command = [sys.executable, "-m", "permaudit", "run", write_audit(), "--out", tmp_path / "out"]
    usual = {"TERM": "xterm-256color", "NO_COLOR": None, "COLORTERM": None, "FORCE_COLOR": None}
    for changes, coloured in (({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)):
        code, shown = on_a_terminal(command, environment(**(usual | changes)))
        assert code == 0
        assert "Verdict: " in shown
        assert bool(COLOUR.search(shown)) is coloured


def test_off_a_terminal_there_is_no_escape_sequence(write_audit, child):
    ran = child("run", write_audit(rules=None), env={"FORCE_COLOR": None, "TERM": "xterm-256color"})
    assert ran.returncode == 3
    assert "\x1b" not in ran.stdout + ran.stderr


# --------------------------------------------------------------------------- odd environments


def test_without_a_home_a_terminal_and_a_generous_umask_it_works(write_audit, environment, tmp_path):
    env = environment(HOME=None, TERM=None, USER=None, LOGNAME=None, XDG_CACHE_HOME=None, XDG_CONFIG_HOME=None)
    command = [sys.executable, "-m", "permaudit", "run", write_audit(), "--json"]
    ran = subprocess.run(
        command, env=env, cwd=tmp_path, stdin=subprocess.DEVNULL, capture_output=True, umask=0o077, check=False
    )
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert json.loads(ran.stdout)["verdict"] == "release"


def test_a_narrow_terminal_and_a_wide_one_show_the_verdict(write_audit, permaudit, tmp_path, monkeypatch):
    for columns in ("20", "40", "400"):
        monkeypatch.setenv("COLUMNS", columns)
        ran = permaudit("run", write_audit(), "--out", tmp_path / "out")
        assert ran.code == 0
        assert "RELEASE" in ran.out
        assert max(map(len, ran.out.splitlines())) <= max(int(columns), 120)


# --------------------------------------------------------------------------- start


@pytest.mark.parametrize("arguments", [["--help"], ["run", "--help"]])
def test_help_imports_nothing_that_costs_time(child, arguments):
    code = f"""
import sys
from permaudit.cli import main
sys.argv = ["permaudit", *{arguments!r}]
try:
    main()
finally:
    heavy = {{"numpy", "pandas", "pyarrow", "pydantic", "rich", "scipy", "jinja2", "yaml"}}
    print(sorted(heavy & set(sys.modules)), file=sys.stderr)
"""
    ran = child(code, python=("-c",))
    assert (ran.returncode, ran.stderr) == (0, "[]\n")


def test_a_run_imports_nothing_that_only_other_runs_need(write_audit, child):
    """Screen and paper, data frames, other processes, foreign plugins, policies, outsiders, a shelf: nothing of that is asked for."""
    code = f"""
import sys
from permaudit.cli import main
sys.argv = ["permaudit", "run", {str(write_audit())!r}, "--quiet"]
try:
    main()
finally:
    heavy = {{"jinja2", "multiprocessing", "packaging", "pandas", "rich", "weasyprint"}}
    rooms = {{"cli.supervised", "config.policy_shape", "data.stored", "fitness", "isolation.nursery", "notebook", "report.coarse"}}
    heavy |= {{f"permaudit.{{room}}" for room in rooms}} | {{"permaudit_plugins.anonymizers._margins"}}
    print(sorted(heavy & set(sys.modules)), file=sys.stderr)
"""
    ran = child(code, python=("-c",))
    assert (ran.returncode, ran.stderr) == (0, "[]\n")


def test_the_checks_of_parameters_are_built_for_the_plugins_that_an_audit_uses(write_audit, child):
    code = f"""
import sys
from permaudit.cli import main
sys.argv = ["permaudit", "run", {str(write_audit())!r}, "--quiet"]
try:
    main()
finally:
    from permaudit_plugins.anonymizers.mdav import MdavParameters
    from permaudit_plugins.rules._limit import Limit
    print(MdavParameters.__pydantic_complete__, Limit.__pydantic_complete__, file=sys.stderr)
"""
    ran = child(code, python=("-c",))
    assert (ran.returncode, ran.stderr) == (0, "False True\n")


def test_what_others_add_to_pydantic_is_not_imported(write_audit, child, distribution, tmp_path):
    seen = tmp_path / "seen"
    folder = distribution("acme", {"acme": f"import pathlib; pathlib.Path({str(seen)!r}).touch(); plugin = None"})
    (folder / "acme-1.0.dist-info" / "entry_points.txt").write_text(
        "[pydantic]\nacme = acme:plugin\n", encoding="utf-8"
    )
    ran = child("run", write_audit(), "--quiet", env={"PYTHONPATH": str(folder)})
    assert (ran.returncode, ran.stderr, seen.exists()) == (0, "", False)
