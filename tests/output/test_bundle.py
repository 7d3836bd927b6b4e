"""The output directory: whole or not at all, never over somebody else's files, one run at a time."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import random
import signal
import stat
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import pytest

from permaudit import OutputError
from permaudit.bundle import MANIFEST, manifest_files, open_bundle

OLD = {"audit.json": b'{"old": 1}\n', "summary.md": b"# old\n", "extra.csv": b"1,2\n"}
NEW = {"audit.json": b'{"new": 2}\n', "summary.md": b"# new\n"}


@pytest.fixture
def out(tmp_path):
    return tmp_path / "out"


def write(directory, files):
    with open_bundle(directory) as bundle:
        bundle.write(files, {})


def content(directory):
    return {path.name: path.read_bytes() for path in directory.iterdir() if not path.name.startswith(".")}


def result(directory):
    """Return the files of a directory without its manifest, after holding them against it."""
    files = content(directory)
    digests = json.loads(files.pop(MANIFEST))["files"]
    assert digests == {name: hashlib.sha256(data).hexdigest() for name, data in files.items()}
    return files


# --------------------------------------------------------------------------- writing


def test_a_bundle_holds_its_files_and_a_manifest_of_them(out):
    write(out, OLD)
    assert result(out) == OLD
    assert manifest_files(out).keys() == OLD.keys()


def test_a_new_result_replaces_the_old_one_and_leaves_no_stale_file(out):
    write(out, OLD)
    write(out, NEW)
    assert result(out) == NEW
    assert {path.name for path in out.iterdir()} == {*NEW, MANIFEST, ".lock"}


def test_nobody_else_may_read_the_result(out):
    before = os.umask(0)
    try:
        write(out, OLD)
    finally:
        os.umask(before)
    assert stat.S_IMODE(out.stat().st_mode) == 0o700
    assert {stat.S_IMODE(path.stat().st_mode) for path in out.iterdir()} == {0o600}


def test_a_run_that_changes_its_working_directory_still_writes_where_it_was_told(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "elsewhere").mkdir()
    with open_bundle((tmp_path / "out").relative_to(tmp_path)) as bundle:
        os.chdir(tmp_path / "elsewhere")
        bundle.write(NEW, {})
    assert result(tmp_path / "out") == NEW
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_an_interrupted_write_leaves_the_old_result_and_nothing_else(out, monkeypatch):
    write(out, OLD)
    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write(out, NEW)
    assert result(out) == OLD
    assert {path.name for path in out.iterdir()} == {*OLD, MANIFEST, ".lock"}


def interrupt(descriptor):
    raise KeyboardInterrupt


def test_a_directory_that_vanishes_midway_is_an_error(out):
    with open_bundle(out) as bundle:
        (out / ".lock").unlink()
        out.rmdir()
        with pytest.raises(OutputError, match="cannot be written: No such file or directory"):
            bundle.write(NEW, {})
    assert not out.exists()


# --------------------------------------------------------------------------- somebody else's files


@pytest.mark.parametrize("name", ["payroll.csv", "audit.json", ".hidden", "manifest.json~"])
def test_a_directory_with_foreign_files_is_refused_and_left_untouched(out, name):
    out.mkdir()
    (out / name).write_bytes(b"mine")
    with pytest.raises(OutputError, match="holds files that permaudit did not write") as caught, open_bundle(out):
        pytest.fail("opened")
    assert f"'{name}'" in str(caught.value)
    assert [(path.name, path.read_bytes()) for path in out.iterdir()] == [(name, b"mine")]


def test_a_foreign_file_beside_a_result_is_refused_too(out):
    write(out, OLD)
    (out / "notes.txt").write_bytes(b"mine")
    with pytest.raises(OutputError, match="notes"):
        write(out, NEW)
    assert content(out)["audit.json"] == OLD["audit.json"]
    assert content(out)["notes.txt"] == b"mine"


def test_the_name_of_a_foreign_file_cannot_move_the_cursor(out):
    out.mkdir()
    (out / "a\x1b[2Jb\nc").write_bytes(b"")
    with pytest.raises(OutputError) as caught, open_bundle(out):
        pytest.fail("opened")
    assert "a\\x1b[2Jb\\nc" in str(caught.value)
    assert str(caught.value).isprintable()


@pytest.mark.parametrize(
    "text",
    ["", "{}", "[]", "null", "not json", '{"files": 7}', '{"files": ["audit.json"]}', '{"files": {"a": 1', "\xff"],
)
def test_a_manifest_that_is_none_is_refused_and_left_alone(out, text):
    out.mkdir()
    (out / MANIFEST).write_bytes(text.encode("latin-1"))
    with pytest.raises(OutputError, match="manifest"), open_bundle(out):
        pytest.fail("opened")
    assert content(out) == {MANIFEST: text.encode("latin-1")}


@pytest.mark.parametrize("name", ["../victim", "sub/../../victim", "", ".", "..", "sub/file", ".lock", "absolute"])
def test_a_forged_manifest_reaches_no_file_outside_the_directory(out, tmp_path, name):
    victim = tmp_path / "victim"
    victim.write_bytes(b"precious")
    write(out, OLD)
    forged = json.loads((out / MANIFEST).read_bytes())
    forged["files"][str(victim) if name == "absolute" else name] = "0" * 64
    (out / MANIFEST).write_text(json.dumps(forged), encoding="utf-8")
    with pytest.raises(OutputError, match="manifest"):
        write(out, NEW)
    assert victim.read_bytes() == b"precious"


def test_a_directory_in_the_place_of_a_file_is_refused_and_left_alone(out):
    write(out, OLD)
    (out / "extra.csv").unlink()
    (out / "extra.csv").mkdir()
    (out / "extra.csv" / "mine").write_bytes(b"mine")
    with pytest.raises(OutputError):
        write(out, NEW)
    assert (out / "extra.csv" / "mine").read_bytes() == b"mine"


@pytest.mark.parametrize("name", [".commit", ".next"])
def test_a_link_in_the_place_of_the_own_folders_leads_nowhere(out, tmp_path, name):
    elsewhere = tmp_path / "elsewhere"
    write(elsewhere, OLD)
    out.mkdir()
    (out / name).symlink_to(elsewhere)
    with contextlib.suppress(OutputError):
        write(out, NEW)
    assert result(elsewhere) == OLD


def test_a_link_in_the_place_of_the_lock_is_not_followed(out, tmp_path):
    victim = tmp_path / "victim"
    victim.write_bytes(b"precious")
    out.mkdir()
    (out / ".lock").symlink_to(victim)
    with pytest.raises(OutputError):
        write(out, NEW)
    assert victim.read_bytes() == b"precious"


# --------------------------------------------------------------------------- directories that cannot be used


def test_a_path_below_a_regular_file_is_refused_before_anything_is_computed(tmp_path):
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(OutputError, match="cannot be made: Not a directory"), open_bundle(tmp_path / "file" / "out"):
        pytest.fail("opened")


def test_a_regular_file_in_the_place_of_the_directory_is_refused(tmp_path):
    (tmp_path / "file").write_bytes(b"mine")
    with pytest.raises(OutputError, match="cannot be made"), open_bundle(tmp_path / "file"):
        pytest.fail("opened")
    assert (tmp_path / "file").read_bytes() == b"mine"


@pytest.fixture
def ordinary_folder():
    """Yield a folder in which permissions bind, also when the tests run as the superuser."""
    nobody = 65534
    with tempfile.TemporaryDirectory() as folder:
        if os.geteuid() == 0:
            os.chown(folder, nobody, -1)
            os.seteuid(nobody)
        try:
            yield Path(folder)
        finally:
            os.seteuid(os.getuid())


@pytest.mark.parametrize("mode", [0o500, 0o000, 0o200])
def test_a_directory_without_permission_is_refused_before_anything_is_computed(ordinary_folder, mode):
    out = ordinary_folder / "out"
    out.mkdir()
    out.chmod(mode)
    with pytest.raises(OutputError, match=r"Permission denied|cannot be read"), open_bundle(out):
        pytest.fail("opened")
    out.chmod(0o700)
    assert list(out.iterdir()) == []


def test_a_directory_that_cannot_be_made_is_refused(ordinary_folder):
    ordinary_folder.chmod(0o500)
    with pytest.raises(OutputError, match="cannot be made: Permission denied"), open_bundle(ordinary_folder / "out"):
        pytest.fail("opened")
    ordinary_folder.chmod(0o700)


@pytest.mark.parametrize("size", [0, 3, 12, 4096, 1 << 19])
def test_a_full_disk_is_an_error_and_leaves_the_old_result_untouched(out, child, keeps_no_bytecode, size):
    write(out, OLD)
    code = f"""
import os, pathlib, resource, sys
from permaudit import OutputError
from permaudit.bundle import open_bundle
resource.setrlimit(resource.RLIMIT_FSIZE, ({size}, {size}))
try:
    with open_bundle(pathlib.Path({str(out)!r})) as bundle:
        bundle.write({NEW!r} | {{"large.bin": bytes(1 << 20)}}, {{}})
except OutputError as error:
    print(error)
    sys.exit(2)
"""
    ran = child(code, python=("-c",), env=keeps_no_bytecode)
    assert (ran.returncode, ran.stderr) == (2, "")
    assert ran.stdout.strip().endswith("cannot be written: File too large")
    assert result(out) == OLD
    assert {path.name for path in out.iterdir()} == {*OLD, MANIFEST, ".lock"}


# --------------------------------------------------------------------------- two runs


def test_a_second_run_on_the_same_directory_is_refused_with_the_holders_number(out, child):
    code = (
        f"import pathlib\nfrom permaudit.bundle import open_bundle\nwith open_bundle(pathlib.Path({str(out)!r})): pass"
    )
    with open_bundle(out) as bundle:
        ran = child(code, python=("-c",))
        bundle.write(NEW, {})
    assert ran.stderr.strip().endswith(f"is in use by another run (process {os.getpid()})")
    assert result(out) == NEW


def test_two_openings_in_one_process_exclude_each_other_too(out):
    with open_bundle(out), pytest.raises(OutputError, match=f"process {os.getpid()}"), open_bundle(out):
        pytest.fail("opened")


def test_the_lock_of_a_dead_process_is_recognised_as_stale(out):
    write(out, OLD)
    (out / ".lock").write_bytes(b"999999999\n")
    write(out, NEW)
    assert result(out) == NEW


def test_the_lock_is_free_after_an_error(out):
    with pytest.raises(ZeroDivisionError), open_bundle(out):
        raise ZeroDivisionError
    write(out, NEW)
    assert result(out) == NEW


# --------------------------------------------------------------------------- kill -9

REWRITER = """
import itertools, pathlib, sys
from permaudit.bundle import open_bundle
with open_bundle(pathlib.Path(sys.argv[1])) as bundle:
    for number in itertools.count():
        files = {f"{name}.txt": f"{number} {name}\\n".encode() * 500 for name in "abcdef"[: 3 + number % 4]}
        bundle.write(files, {})
        if number == 0:
            print("ready", flush=True)
"""


def one_generation(files):
    """Return the number of the write that all the files come from."""
    numbers = {line.split()[0] for data in files.values() for line in data.decode().splitlines()}
    assert len(numbers) == 1
    (number,) = map(int, numbers)
    assert sorted(files) == [f"{name}.txt" for name in "abcdef"[: 3 + number % 4]]
    assert all(data.count(b"\n") == 500 for data in files.values())
    return number


def test_a_run_that_is_killed_at_any_point_leaves_the_old_or_the_new_result_whole(tmp_path):
    random.seed(4711)
    unfinished = 0
    for kill in range(25):
        directory = tmp_path / str(kill)
        process = subprocess.Popen([sys.executable, "-c", REWRITER, directory], stdout=subprocess.PIPE)
        assert process.stdout.readline() == b"ready\n"
        time.sleep(random.uniform(0, 0.02))
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
        unfinished += (directory / ".commit").exists() or (directory / ".next").exists()
        with open_bundle(directory):
            one_generation(result(directory))
        assert {path.name for path in directory.iterdir()} == {*result(directory), MANIFEST, ".lock"}
    assert unfinished, "no kill fell into a write: the test would show nothing"


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")  # the child only touches files, and never returns
def test_a_death_between_any_two_steps_leaves_the_old_or_the_new_result_whole(tmp_path, monkeypatch):
    """Every system call that changes the directory is a point of death once."""
    steps = ("rename", "replace", "fsync", "mkdir", "rmdir", "unlink", "open")
    outcomes = []
    for death in range(1000):
        directory = tmp_path / str(death)
        write(directory, OLD)
        pid = os.fork()
        if pid == 0:
            left = [death]

            def dying(call, left=left):
                def step(*arguments, **options):
                    if left[0] == 0:
                        os._exit(9)
                    left[0] -= 1
                    return call(*arguments, **options)

                return step

            for name in steps:
                setattr(os, name, dying(getattr(os, name)))
            with contextlib.suppress(BaseException):
                write(directory, NEW)
                os._exit(0)
            os._exit(8)
        _, status = os.waitpid(pid, 0)
        with open_bundle(directory):
            files = result(directory)
        assert files in (OLD, NEW)
        outcomes.append(files == NEW)
        if os.waitstatus_to_exitcode(status) == 0:
            break
        assert os.waitstatus_to_exitcode(status) == 9
    assert outcomes == sorted(outcomes), "once committed, a result does not go away again"
    assert outcomes[0] is False
    assert outcomes[-1] is True
    assert len(outcomes) > 15


def test_while_a_result_is_replaced_a_reader_never_sees_half_a_file(out):
    large = {name: bytes([number]) * 100_000 for number, name in enumerate(["a", "b"])}
    write(out, {"audit.json": large["a"]})
    stop = threading.Event()
    torn = []

    def read():
        while not stop.is_set():
            data = (out / "audit.json").read_bytes()
            if len(set(data)) != 1 or len(data) != 100_000:
                torn.append(len(data))

    reader = threading.Thread(target=read)
    reader.start()
    for number in range(20):
        write(out, {"audit.json": large["ab"[number % 2]]})
    stop.set()
    reader.join()
    assert torn == []
