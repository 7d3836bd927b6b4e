"""Exit codes, and what stands on the two outputs beside them."""

from __future__ import annotations

import json

import pytest

import permaudit as pa
from permaudit.cli.exits import OF_VERDICT

CANARY = "CANARY-4711"


# --------------------------------------------------------------------------- verdicts


def test_each_verdict_has_its_own_exit_code_and_only_release_has_zero():
    assert OF_VERDICT == {"release": 0, "block": 1, "review": 3}


@pytest.mark.parametrize(
    ("changes", "code", "word"),
    [
        ({}, 0, "RELEASE"),
        ({"rules": [{"rule": "threshold", "metric": "CM2", "min": 1.0}]}, 1, "BLOCK"),
        ({"rules": None}, 3, "REVIEW"),
    ],
)
def test_the_verdict_is_shown_and_written(write_audit, permaudit, changes, code, word):
    audit = write_audit(**changes)
    out = audit.parent.parent / "out"
    ran = permaudit("run", audit, "--out", out)
    assert (ran.code, ran.err) == (code, "")
    assert f"Verdict: {'✔▲✖'[[0, 3, 1].index(code)]} {word}" in ran.out
    assert json.loads((out / "audit.json").read_bytes())["verdict"] == word.lower()


def test_the_command_works_as_a_module_in_a_process_of_its_own(write_audit, child, tmp_path):
    ran = child("run", write_audit())
    assert (ran.returncode, ran.stderr) == (0, "")
    assert sorted(path.name for path in (tmp_path / "permaudit-out").iterdir()) == [
        *(".lock", "audit.json", "manifest.json", "summary.md")
    ]


# --------------------------------------------------------------------------- what is wrong is 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "Usage"),
        (["rnu"], "No such command 'rnu'. Did you mean 'run'?"),
        (["xyzzy"], "No such command 'xyzzy'."),
        (["--nope"], "No such option"),
        (["run"], "Missing argument"),
        (["run", "nowhere.yaml"], "nowhere.yaml"),
        (["run", "{audit}", "--format", "json,docx"], "'docx' is not one of"),
        (["run", "{audit}", "--seed", "-1"], "--seed"),
        (["run", "{audit}", "--seed", "x"], "--seed"),
        (
            ["run", "{audit}", "--engine", "cluster", "--out", "{out}"],
            "no engine 'cluster'; installed are disk, memory",
        ),
        (["run", "{audit}", "--out", "{audit}"], "cannot be made"),
        (["run", "{audit}", "--out", "{audit}/below"], "Not a directory"),
        (["run", "{audit}", "--out", "{folder}"], "holds files that permaudit did not write"),
        (["check", "nowhere.yaml"], "nowhere.yaml"),
        (["schema", "everything"], "everything"),
        (["plugins", "show", "CM4"], "nothing is called 'CM4'; did you mean 'CM"),
        (["demo", "{folder}"], "holds other files"),
    ],
)
def test_what_is_wrong_is_exit_code_2_with_a_message_and_no_traceback(
    write_audit, permaudit, tmp_path, arguments, message
):
    audit = write_audit()
    before = {path.name: path.read_bytes() for path in audit.parent.iterdir()}
    places = {"audit": audit, "folder": audit.parent, "out": tmp_path / "out"}
    ran = permaudit(*(argument.format(**places) for argument in arguments))
    assert ran.code == 2
    assert message in ran.err
    assert "Traceback" not in ran.err + ran.log
    assert ran.out == ""
    assert {path.name: path.read_bytes() for path in audit.parent.iterdir()} == before


def test_wrong_data_is_exit_code_2_and_leaves_no_result(write_audit, permaudit, people, tmp_path):
    audit = write_audit(files={"masked.csv": people.assign(FICA=[CANARY] + [1] * 199)})
    ran = permaudit("run", audit, "--out", tmp_path / "out")
    assert ran.code == 2
    assert "column 'FICA' has 1 value that is not a number" in ran.err
    assert "CANARY" not in ran.out + ran.err
    assert not (tmp_path / "out" / "audit.json").exists()


def test_wrong_data_leaves_an_earlier_result_untouched(write_audit, permaudit, people, tmp_path):
    permaudit("run", write_audit(), "--out", tmp_path / "out")
    before = {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}
    assert before.keys() == {".lock", "audit.json", "summary.md", "manifest.json"}
    permaudit("run", write_audit(files={"masked.csv": people[:0]}), "--out", tmp_path / "out")
    assert {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()} == before


def test_the_output_directory_is_tried_before_anything_is_computed(write_audit, permaudit, tmp_path, monkeypatch):
    def computed(*arguments, **options):
        raise AssertionError("computed before the output directory was tried")

    monkeypatch.setattr("permaudit.runner.run_audit", computed)
    (tmp_path / "file").write_bytes(b"")
    ran = permaudit("run", write_audit(), "--out", tmp_path / "file" / "out")
    assert ran.code == 2


@pytest.mark.parametrize("error", [MemoryError(CANARY), RecursionError(CANARY)])
def test_running_out_of_memory_is_exit_code_2_without_a_value(write_audit, permaudit, tmp_path, monkeypatch, error):
    def exhausted(*arguments, **options):
        raise error

    monkeypatch.setattr("permaudit.runner.run_audit", exhausted)
    ran = permaudit("run", write_audit(), "--out", tmp_path / "out")
    assert ran.code == 2
    assert f"gave up: {type(error).__name__}" in ran.err
    assert "CANARY" not in ran.out + ran.err


# --------------------------------------------------------------------------- bugs are 70


class Bye(BaseException):
    """What some libraries raise to get past `except Exception`."""


@pytest.mark.parametrize("error", [ZeroDivisionError(CANARY), KeyError(CANARY), EOFError(CANARY), Bye(CANARY)])
def test_a_bug_is_exit_code_70_and_says_where_the_log_is(write_audit, permaudit, tmp_path, monkeypatch, error):
    def broken(*arguments, **options):
        raise error

    monkeypatch.setattr("permaudit.runner.run_audit", broken)
    ran = permaudit("run", write_audit(), "--out", tmp_path / "out")
    assert ran.code == 70
    assert "this is a bug in permaudit" in ran.err
    assert "debug log for the operator: " in ran.err
    assert CANARY in ran.log
    assert "CANARY" not in ran.out + ran.err
    assert not (tmp_path / "out" / "audit.json").exists()


@pytest.mark.parametrize("code", [0, None, 1])
def test_nothing_that_ends_the_program_early_can_pass_for_a_release(
    write_audit, permaudit, tmp_path, monkeypatch, code
):
    def ended(*arguments, **options):
        raise SystemExit(code)

    monkeypatch.setattr("permaudit.runner.run_audit", ended)
    assert permaudit("run", write_audit(), "--out", tmp_path / "out").code == 70


def test_a_bug_in_a_process_of_its_own_is_exit_code_70_with_a_private_log(write_audit, child, tmp_path):
    code = f"""
import sys, permaudit.runner
def broken(*arguments, **options):
    raise ZeroDivisionError({CANARY!r})
permaudit.runner.run_audit = broken
from permaudit.cli import main
sys.argv = ["permaudit", "run", {str(write_audit())!r}]
main()
"""
    ran = child(code, python=("-c",))
    assert ran.returncode == 70
    assert "CANARY" not in ran.stdout + ran.stderr
    assert "Traceback" not in ran.stderr
    (log,) = (tmp_path / "scratch").iterdir()
    assert str(log) in ran.stderr
    assert CANARY in log.read_text(encoding="utf-8")
    assert log.stat().st_mode & 0o777 == 0o600


def test_a_log_that_cannot_be_written_does_not_hide_the_exit_code(write_audit, permaudit, tmp_path, monkeypatch):
    def broken(*arguments, **options):
        raise ZeroDivisionError(CANARY)

    monkeypatch.setattr("permaudit.runner.run_audit", broken)
    monkeypatch.setattr("tempfile.mkstemp", lambda **_: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    ran = permaudit("run", write_audit(), "--out", tmp_path / "out")
    assert ran.code == 70
    assert "CANARY" not in ran.out + ran.err


# --------------------------------------------------------------------------- what is printed


def test_json_on_standard_output_is_the_file_and_nothing_else(write_audit, permaudit, tmp_path):
    ran = permaudit("run", write_audit(), "--out", tmp_path / "out", "--json")
    assert ran.code == 0
    assert ran.out == (tmp_path / "out" / "audit.json").read_text(encoding="ascii")
    assert ran.err == ""


@pytest.mark.parametrize("code", [0, 1, 3])
def test_quiet_says_nothing_but_by_its_exit_code(write_audit, permaudit, tmp_path, code):
    rules = {0: [("CM2", 0.05)], 1: [("CM2", 1.0)], 3: []}[code]
    audit = write_audit(rules=[{"rule": "threshold", "metric": name, "min": least} for name, least in rules])
    ran = permaudit("run", audit, "--out", tmp_path / "out", "--quiet")
    assert (ran.code, ran.out, ran.err) == (code, "", "")


def test_only_the_formats_that_were_asked_for_are_written(write_audit, permaudit, tmp_path):
    permaudit("run", write_audit(), "--out", tmp_path / "out", "--format", "json")
    assert not (tmp_path / "out" / "summary.md").exists()
    permaudit("run", write_audit(), "--out", tmp_path / "out", "--format", "md")
    assert {"audit.json", "summary.md"} <= {path.name for path in (tmp_path / "out").iterdir()}
    permaudit("run", write_audit(), "--out", tmp_path / "out", "--format", "json")
    assert not (tmp_path / "out" / "summary.md").exists()


def test_check_finds_nothing_wrong_and_writes_nothing(write_audit, permaudit):
    audit = write_audit()
    before = sorted(audit.parent.iterdir())
    ran = permaudit("check", audit)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == f"{audit}: no mistakes found; 1 candidate, 3 attributes\n"
    assert sorted(audit.parent.iterdir()) == before
    assert permaudit("check", audit, "--quiet").out == ""


@pytest.mark.parametrize("which", ["audit", "result"])
def test_the_schemas_are_printed_as_json(permaudit, which):
    ran = permaudit("schema", which)
    assert ran.code == 0
    assert json.loads(ran.out)["$schema"] == "https://json-schema.org/draft/2020-12/schema"


def test_the_plugins_are_listed_with_their_origin(permaudit, monkeypatch):
    monkeypatch.setenv("COLUMNS", "250")
    ran = permaudit("plugins")
    assert ran.code == 0
    lines = ran.out.splitlines()
    for name in ("CM3", "threshold", "no-identifiers", "csv", "memory", "rank-swap", "board"):
        [place] = [number for number, line in enumerate(lines) if line.split()[:1] == [name]]
        assert f"permaudit {pa.__version__}, permaudit_" in lines[place + 1]


@pytest.mark.parametrize("name", ["CM3", "cm3", "threshold", "rank-swap", "csv", "memory", "board"])
def test_each_plugin_can_be_explained(permaudit, name):
    ran = permaudit("plugins", "show", name)
    assert ran.code == 0
    assert ran.out.casefold().startswith(f"{name.casefold()}: ")


def test_the_options_of_a_reader_are_explained(permaudit):
    ran = permaudit("plugins", "show", "sqlite")
    assert "\nfiles         .sqlite, .db\nparameter     table: the table or view to read (optional)\n" in ran.out


def test_the_version_is_printed(permaudit):
    assert permaudit("--version").out == f"permaudit, version {pa.__version__}\n"


@pytest.mark.parametrize(
    "arguments", [["--help"], ["-h"], ["run", "--help"], ["demo", "-h"], ["plugins", "show", "-h"]]
)
def test_help_is_no_error(permaudit, arguments):
    ran = permaudit(*arguments)
    assert (ran.code, ran.err) == (0, "")
    assert "Usage: permaudit" in ran.out


def test_the_demonstration_works_twice_in_the_same_place(permaudit, tmp_path):
    for _ in range(2):
        ran = permaudit("demo", tmp_path / "demo")
        assert ran.code == 0
        assert "Verdict: ✖ BLOCK" in ran.out
    assert (tmp_path / "demo" / "permaudit-out" / "audit.json").exists()
    assert permaudit("run", tmp_path / "demo" / "audit.yaml", "--out", tmp_path / "out").code == 1
