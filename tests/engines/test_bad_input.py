"""What can be wrong with tables in parts, with the disk and with the environment: a clear error, and nothing half-written."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml

from permaudit import PermauditError, ScratchError, Shelf
from permaudit_plugins.engines.disk import DiskEngine

from .files import people
from .parts import MASKED, PEOPLE, SPOILT, write_parts


@pytest.fixture
def folder(tmp_path):
    """Write an audit whose original and release are directories of three files each."""
    write_parts(tmp_path)
    return tmp_path


@pytest.fixture(params=["memory", "disk"])
def refused(request, folder, permaudit):
    """Return a function that runs the audit, which must end with exit code 2 and leave nothing behind."""

    def run():
        scratch = folder / "scratch"
        scratch.mkdir(exist_ok=True)
        options = ["--engine", request.param, "--scratch", scratch]
        ran = permaudit("run", folder / "audit.yaml", "--out", folder / "out", *options)
        assert ran.code == 2
        assert not (folder / "out" / "audit.json").exists()
        assert list(scratch.iterdir()) == []
        return ran.err

    return run


@pytest.mark.parametrize("engine", ["memory", "disk"])
def test_a_table_in_parts_gives_what_the_table_in_one_file_gives(engine, folder, permaudit):
    def verdict(original, release):
        text = (folder / "audit.yaml").read_text(encoding="utf-8")
        path = folder / "one.yaml"
        path.write_text(
            text.replace("original: original", f"original: {original}").replace("path: release", f"path: {release}")
        )
        ran = permaudit("run", path, "--out", folder / "out", "--engine", engine, "--json")
        (candidate,) = yaml.safe_load(ran.out)["candidates"]
        return ran.code, candidate["verdict"], candidate["metrics"]

    PEOPLE.to_parquet(folder / "original.parquet", index=False)
    MASKED.to_parquet(folder / "release.parquet", index=False)
    assert verdict("original", "release") == verdict("original.parquet", "release.parquet")


@pytest.mark.parametrize("what", SPOILT)
def test_what_is_wrong_in_one_part_is_named_with_the_part(what, folder, refused):
    said = SPOILT[what](folder)
    message = refused()
    assert said in message
    if "type" in what:
        assert "in release/part-0.parquet of type double: all parts must have the same types" in message


def test_row_groups_of_one_file_all_have_its_types(folder):
    """Parquet has one schema for a file: mixed types can stand in several files only."""
    first, second = pa.table({"a": [1.5]}), pa.table({"a": ["x"]})
    with pq.ParquetWriter(folder / "x.parquet", first.schema) as writer:
        writer.write_table(first)
        with pytest.raises(ValueError, match="schema"):
            writer.write_table(second)


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda parts: (parts / "more").mkdir(), "release/more: only files may stand in the directory of a table"),
        (lambda parts: (parts / "z.parquet").symlink_to(parts / "part-0.parquet"), "release/z.parquet: only files may"),
        (lambda parts: (parts / "notes.txt").write_text("x"), "release: holds files of several formats"),
        (lambda parts: [path.unlink() for path in parts.iterdir()], "release: is a directory without files"),
    ],
)
def test_whatever_else_stands_in_the_directory_is_refused(spoil, message, folder, refused):
    spoil(folder / "release")
    assert message in refused()


def test_what_writers_of_parts_leave_beside_them_is_not_data(folder, permaudit):
    (folder / "release" / "_SUCCESS").touch()
    (folder / "release" / ".part-0.parquet.crc").write_bytes(b"x")
    assert permaudit("run", folder / "audit.yaml", "--out", folder / "out").code in {0, 1, 3}


def test_a_column_that_only_one_part_has_is_seen(folder, permaudit):
    """Or an identifier could be released in the last part."""
    MASKED[200:].assign(NAME="x").to_parquet(folder / "release" / "part-2.parquet", index=False)
    ran = permaudit("run", folder / "audit.yaml", "--out", folder / "out", "--json")
    findings = {one["rule"]: one for one in yaml.safe_load(ran.out)["candidates"][0]["rules"]}
    assert findings["no-unaudited-columns"]["outcome"] == "fail"
    assert ran.code == 1


def test_a_changed_part_is_another_release(folder, permaudit):
    permaudit("run", folder / "audit.yaml", "--out", folder / "out")
    inputs = ["verify", folder / "out", "--inputs", folder, "--release", folder / "release"]
    assert "is not what was audited" not in permaudit(*inputs).out
    MASKED[:99].to_parquet(folder / "release" / "part-0.parquet", index=False)
    ran = permaudit(*inputs)
    assert ran.code != 0
    assert "is not what was audited" in ran.out


# --------------------------------------------------------------------------- the disk and the environment


def test_a_full_disk_is_said_in_plain_words_and_leaves_nothing(folder, child, monkeypatch):
    """A limit on the size of files stands for the full disk: both end the writing."""
    big = {name: np.tile(column, 700) for name, column in people(300, 3).items()}
    pd.DataFrame(big).to_parquet(folder / "original" / "part-0.parquet", index=False)
    scratch = folder / "scratch2"
    scratch.mkdir()
    ran = child(
        *("run", folder / "audit.yaml", "--out", folder / "out", "--engine", "disk", "--scratch", scratch),
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000)),
    )
    assert ran.returncode == 2
    assert f"no room is left in the scratch directory '{scratch}'" in ran.stderr
    assert "Traceback" not in ran.stderr
    assert list(scratch.iterdir()) == []
    assert not (folder / "out" / "audit.json").exists()


def test_a_disk_that_is_full_while_duckdb_sorts_is_told_as_such(child, tmp_path):
    code = f"""
import pathlib, resource
import numpy as np
from permaudit import ScratchError, Shelf
from permaudit_plugins.engines.disk import DiskEngine
with Shelf(1, pathlib.Path({str(tmp_path)!r})) as shelf:
    columns = shelf.keep([("a", np.random.default_rng(0).random(8_000_000))])
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000))
    try:
        DiskEngine().prepare(columns)
    except ScratchError as error:
        print(error)
"""
    ran = child(code, python=("-c",), timeout=300)
    assert ran.stdout.startswith("no room is left in the scratch directory"), ran.stderr


def test_without_duckdb_the_engine_says_what_to_install_where_it_needs_it(tmp_path, monkeypatch):
    """A column that fits into memory is sorted there."""
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with Shelf(1 << 30, tmp_path) as shelf:
        assert DiskEngine().prepare(shelf.keep(people(50).items())).file.records == 50
    with Shelf(1, tmp_path) as shelf, pytest.raises(PermauditError, match=r"pip install 'permaudit\[duckdb\]'"):
        DiskEngine().prepare(shelf.keep(people(50).items()))


def test_a_scratch_directory_that_cannot_be_used_is_an_error(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(ScratchError, match=r"the scratch directory '.*file' cannot be used"):
        Shelf(1 << 30, tmp_path / "file")


def test_an_interrupted_audit_leaves_no_scratch_files(folder, environment):
    big = {name: np.tile(column, 3000) for name, column in people(300, 3).items()}
    for name in ("original", "release"):
        for part in (folder / name).iterdir():
            part.unlink()
        pd.DataFrame(big).to_parquet(folder / name / "part-0.parquet", index=False)
    scratch = folder / "scratch3"
    scratch.mkdir()
    command = [sys.executable, "-m", "permaudit", "run", str(folder / "audit.yaml"), "--out", str(folder / "out")]
    command += ["--engine", "disk", "--scratch", str(scratch)]
    with subprocess.Popen(command, env=environment(), stderr=subprocess.PIPE, text=True) as process:
        for _ in range(600):
            if list(scratch.glob("*/*")) or process.poll() is not None:
                break
            time.sleep(0.1)
        os.kill(process.pid, signal.SIGTERM)
        process.communicate(timeout=120)
    assert process.returncode == 130
    assert list(scratch.iterdir()) == []
    assert not (folder / "out" / "audit.json").exists()
