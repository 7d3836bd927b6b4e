"""Is this file what was audited, and are the inputs still what they were?"""

from __future__ import annotations

import os
import shutil
from dataclasses import replace

import pytest

from .conftest import broken

CODES = {"masked.csv": 0, "bare.csv": 1, "unjudged.csv": 3, "original.csv": 1}


# --------------------------------------------------------------------------- the command


@pytest.mark.parametrize(("name", "code"), [("masked.csv", 0), ("unjudged.csv", 3)])
def test_the_exit_code_is_the_verdict_of_the_file(bundle, permaudit, name, code):
    ran = permaudit("verify", bundle.directory, "--release", bundle.folder / name)
    assert ran.code == code
    assert "INTACT" in ran.out


def test_a_file_that_is_blocked_and_one_that_nobody_audited_do_not_pass(bundle, permaudit, tmp_path):
    ran = permaudit("verify", bundle.directory, "--release", bundle.folder / "bare.csv")
    assert (ran.code, "candidate bare" in ran.out) == (1, True)
    changed = tmp_path / "masked.csv"
    changed.write_bytes((bundle.folder / "masked.csv").read_bytes() + b"\n")
    ran = permaudit("verify", bundle.directory, "--release", changed)
    assert (ran.code, "not the release of any candidate" in ran.out.replace("\n", " ")) == (1, True)


def test_a_copy_of_the_release_under_another_name_is_the_release(bundle, permaudit, tmp_path):
    shutil.copy(bundle.folder / "masked.csv", tmp_path / "final.csv")
    ran = permaudit("verify", bundle.directory, "--release", tmp_path / "final.csv")
    assert (ran.code, "candidate noisy" in ran.out.replace("\n", " ")) == (0, True)


def test_a_file_that_is_two_candidates_has_the_worse_verdict(bundle, permaudit):
    one, other, _ = bundle.outcome.candidates
    twins = [one, replace(other, sha256=one.sha256)]
    bundle.forge(replace(bundle.outcome, candidates=twins))
    ran = permaudit("verify", bundle.directory, "--release", bundle.folder / "masked.csv")
    assert ran.code == 1


def test_a_study_lets_nothing_through(bundle, permaudit):
    outcome = bundle.outcome
    bundle.forge(replace(outcome, provenance=replace(outcome.provenance, study=True)))
    ran = permaudit("verify", bundle.directory, "--release", bundle.folder / "masked.csv")
    assert (ran.code, "must not be released" in ran.out) == (1, True)
    assert permaudit("verify", bundle.directory).code == 0


def test_a_touched_bundle_lets_nothing_through(bundle, permaudit):
    (bundle.directory / "summary.md").write_bytes(b"release it\n")
    for options in ([], ["--release", bundle.folder / "masked.csv"], ["--quiet"]):
        ran = permaudit("verify", bundle.directory, *options)
        assert ran.code == 1
        assert "summary.md" in ran.out


def test_a_right_id_passes_however_it_is_written_and_a_wrong_one_does_not(bundle, permaudit, verified):
    identity = verified().id
    grouped = " ".join(identity[place : place + 8] for place in range(0, 64, 8)).upper()
    for text, code in ((identity, 0), (grouped, 0), ("0" * 64, 1), ("12ab", 2), (identity[:-1], 2)):
        assert permaudit("verify", bundle.directory, "--id", text).code == code


def test_without_a_bundle_or_a_file_nothing_is_said(bundle, permaudit, tmp_path):
    for arguments in (
        [tmp_path / "nowhere"],
        [tmp_path],
        [bundle.directory, "--release", tmp_path / "nowhere.csv"],
        [bundle.directory, "--release", tmp_path],
    ):
        ran = permaudit("verify", *arguments)
        assert (ran.code, ran.out, ran.log) == (2, "", "")
        assert ran.err.strip()


def test_a_pipe_is_no_release_and_is_not_waited_for(bundle, permaudit, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    assert permaudit("verify", bundle.directory, "--release", tmp_path / "pipe").code == 2


def test_quiet_says_nothing_where_all_is_well(bundle, permaudit):
    assert permaudit("verify", bundle.directory, "--quiet").out == ""


def test_a_hostile_name_is_shown_as_text(bundle, permaudit):
    (bundle.directory / "a\x1b[2J\n::error::x").write_bytes(b"")
    ran = permaudit("verify", bundle.directory)
    assert ran.code == 1
    assert ran.out.replace("\n", "").isprintable()
    assert not any(line.lstrip().startswith("::") for line in ran.out.splitlines())


# --------------------------------------------------------------------------- inputs


@pytest.fixture
def moved(bundle, tmp_path):
    """Return a folder with copies of the inputs."""
    folder = tmp_path / "inputs"
    shutil.copytree(bundle.folder, folder, ignore=shutil.ignore_patterns("out"))
    return folder


def test_inputs_are_looked_for_where_one_says(verified, moved):
    assert verified(inputs=moved).intact
    (moved / "original.csv").write_bytes(b"other")
    assert broken(verified(inputs=moved)) == {"original.csv": "input: is not what was audited"}


def test_an_audit_file_that_was_changed_since_is_found(verified, moved):
    with (moved / "audit.yaml").open("a", encoding="utf-8") as stream:
        stream.write("# a comment\n")
    ((what, message),) = broken(verified(inputs=moved)).items()
    assert what.endswith("audit.yaml")
    assert message == "input: is not what was audited"


def test_inputs_that_are_not_there_are_named_and_not_called_right(verified, moved):
    (moved / "original.csv").unlink()
    (moved / "masked.csv").unlink()
    (moved / "masked.csv").mkdir()
    found = verified(inputs=moved)
    assert found.intact
    unchecked = {check.what for check in found.checks if check.message.startswith("input: not found")}
    assert unchecked == {"original.csv", "masked.csv"}


def test_inputs_are_not_guessed_where_two_have_the_same_name(bundle, verified, tmp_path):
    outcome = bundle.outcome
    first, second, *rest = outcome.provenance.inputs
    inputs = [replace(first, path="a/data.csv"), replace(second, path="b/data.csv"), *rest]
    bundle.forge(replace(outcome, provenance=replace(outcome.provenance, inputs=inputs, documents={})))
    folder = tmp_path / "flat"
    folder.mkdir()
    (folder / "data.csv").write_bytes(b"")
    states = {check.what: check.state for check in verified(inputs=folder).checks}
    assert (states["a/data.csv"], states["b/data.csv"]) == ("unchecked", "unchecked")
