"""What can be wrong with the disk and the environment: a clear error, and nothing half-written."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from engine_files.files import people
from engine_files.parts import write_parts
from py4j.protocol import Py4JNetworkError

from permaudit import Shelf
from permaudit_spark.session import told


@pytest.fixture
def folder(tmp_path):
    """Write an audit whose original and release are directories of three files each."""
    write_parts(tmp_path, plugins={"allow": ["permaudit-spark>=0.1"]})
    (tmp_path / "scratch").mkdir()
    return tmp_path


def command(folder):
    run = [sys.executable, "-m", "permaudit", "run", str(folder / "audit.yaml"), "--out", str(folder / "out")]
    return [*run, "--engine", "spark", "--scratch", str(folder / "scratch")]


def ran(folder, *more, **options):
    return subprocess.run(
        [*command(folder), *more], capture_output=True, text=True, timeout=300, check=False, **options
    )


def refused(folder, **options):
    """Run the audit, which must end with exit code 2 and leave nothing behind; return what it said."""
    found = ran(folder, **options)
    assert found.returncode == 2, found.stderr
    assert "Traceback" not in found.stderr
    assert not (folder / "out" / "audit.json").exists()
    assert list((folder / "scratch").iterdir()) == []
    return found.stderr


def test_a_table_in_parts_is_audited_from_the_command_line(folder):
    found = ran(folder, "--json")
    assert (found.returncode, found.stderr) == (0, "")
    result = yaml.safe_load(found.stdout)
    assert result["provenance"]["engine"] == "spark"
    assert result["candidates"][0]["metrics"]["CM2"]["status"] == "ok"
    assert list((folder / "scratch").iterdir()) == []


def test_without_java_it_says_what_to_install(folder):
    environment = {name: value for name, value in os.environ.items() if name != "JAVA_HOME"} | {"PATH": "/nowhere"}
    assert "needs Java 17 or newer, and none is on the PATH" in refused(folder, env=environment)
    environment["JAVA_HOME"] = "/nowhere"
    assert "needs Java 17 or newer, and JAVA_HOME points to none" in refused(folder, env=environment)


def test_a_cluster_that_is_not_there_is_told_as_such(folder):
    environment = dict(os.environ) | {"PERMAUDIT_SPARK_MASTER": "spark://127.0.0.1:1"}
    assert "no Spark answers at 'spark://127.0.0.1:1', the address in PERMAUDIT_SPARK_MASTER" in refused(
        folder, env=environment
    )


def test_a_disk_that_is_full_while_spark_sorts_is_told_as_such(folder):
    """A limit on the size of files stands for the full disk: both end the writing."""
    big = {name: np.tile(column, 2000) for name, column in people(300, 3).items()}
    for name in ("original", "release"):
        shutil.rmtree(folder / name)
        (folder / name).mkdir()
        pd.DataFrame(big).to_parquet(folder / name / "part-0.parquet", index=False)
    # A column takes 4.8 MB on the shelf, and what Spark sends around at a time much more.
    limit = 6_000_000
    told = refused(folder, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
    assert f"no room is left in the scratch directory '{folder / 'scratch'}'" in told


def test_a_java_that_is_gone_is_told_as_such(folder):
    write_large(folder)
    with subprocess.Popen(command(folder), stderr=subprocess.PIPE, text=True, start_new_session=True) as process:
        wait_for_work(process, folder / "scratch")
        for number in members(process.pid):
            if Path("/proc", number, "exe").readlink().name == "java":
                os.kill(int(number), signal.SIGKILL)
        _, told = process.communicate(timeout=120)
    assert process.returncode == 2, told
    assert "Spark could not finish: its Java ended" in told
    assert list((folder / "scratch").iterdir()) == []
    assert not (folder / "out" / "audit.json").exists()


def test_an_interruption_that_breaks_the_connection_to_java_is_an_interruption(tmp_path):
    def broken():
        try:
            raise KeyboardInterrupt  # noqa: TRY301 - as it comes
        except KeyboardInterrupt:
            raise Py4JNetworkError("the answer from Java is empty")  # noqa: B904 - as it happens there

    with Shelf(1 << 30, tmp_path) as shelf, pytest.raises(KeyboardInterrupt), told(shelf):
        broken()


def test_an_interrupted_audit_leaves_no_scratch_files_and_no_java(folder):
    write_large(folder)
    scratch = folder / "scratch"
    with subprocess.Popen(command(folder), stderr=subprocess.PIPE, text=True, start_new_session=True) as process:
        wait_for_work(process, scratch)
        os.kill(process.pid, signal.SIGTERM)
        process.communicate(timeout=120)
    assert process.returncode == 130
    assert list(scratch.iterdir()) == []
    assert not (folder / "out" / "audit.json").exists()
    for _ in range(100):
        if not members(process.pid):
            break
        time.sleep(0.1)
    assert members(process.pid) == []


def write_large(folder):
    """Give both tables a part that takes some time."""
    big = {name: np.tile(column, 3000) for name, column in people(300, 3).items()}
    for name in ("original", "release"):
        pd.DataFrame(big).to_parquet(folder / name / "part-0.parquet", index=False)


def wait_for_work(process, scratch):
    """Wait until Spark has begun, or all is over."""
    for _ in range(1200):
        if list(scratch.glob("*/blockmgr-*")) or process.poll() is not None:
            return
        time.sleep(0.1)


def members(session):
    """Return the processes of a session that live."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            fields = (path / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == session and fields[0] != "Z":
            found.append(path.name)
    return found
