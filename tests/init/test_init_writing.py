"""Where the file is written, what it never overwrites, and the paths in it."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from permaudit.errors import OutputError
from permaudit.init import write_text

DATA = "A,B\n" + "".join(f"{place}.5,{place * 7 % 11}.25\n" for place in range(40))


@pytest.fixture
def original(put):
    return put("original.csv", DATA)


def names_in(folder):
    return sorted(path.name for path in folder.iterdir())


def test_a_file_that_is_there_is_not_overwritten(permaudit, original, tmp_path):
    target = tmp_path / "audit.yaml"
    target.write_text("mine", encoding="utf-8")
    ran = permaudit("init", original, "-o", target)
    assert ran.code == 2
    assert f"{target} exists already; name another file with -o, or replace it with --force" in ran.err
    assert target.read_text(encoding="utf-8") == "mine"


def test_a_link_that_leads_nowhere_is_not_overwritten_either(permaudit, original, tmp_path):
    target = tmp_path / "audit.yaml"
    target.symlink_to(tmp_path / "elsewhere.yaml")
    assert permaudit("init", original, "-o", target).code == 2
    assert not (tmp_path / "elsewhere.yaml").exists()


def test_a_file_that_is_there_is_replaced_where_that_is_asked_for(permaudit, original, tmp_path):
    target = tmp_path / "audit.yaml"
    target.write_text("mine", encoding="utf-8")
    assert permaudit("init", original, "-o", target, "--force").code == 0
    assert target.read_text(encoding="utf-8").startswith("# Proposed by")


def test_the_default_is_audit_yaml_here(permaudit, original, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert permaudit("init", "original.csv").code == 0
    assert Path("audit.yaml").is_file()


def test_no_data_file_is_overwritten_even_where_replacing_is_asked_for(permaudit, original, put):
    release = put("release.csv", DATA)
    for path in (original, release):
        ran = permaudit("init", original, release, "-o", path, "--force")
        assert ran.code == 2
        assert "is one of the data files" in ran.err
        assert path.read_text(encoding="utf-8") == DATA


@pytest.mark.parametrize("force", [[], ["--force"]])
def test_a_directory_is_refused(permaudit, original, tmp_path, force):
    assert permaudit("init", original, "-o", tmp_path, *force).code == 2


def test_a_folder_that_is_not_there_is_an_error(permaudit, original, tmp_path):
    ran = permaudit("init", original, "-o", tmp_path / "none" / "audit.yaml")
    assert ran.code == 2
    assert "cannot be written: No such file or directory" in ran.err


def test_a_file_that_comes_up_meanwhile_keeps_its_place(tmp_path):
    target = tmp_path / "audit.yaml"
    target.write_text("theirs", encoding="utf-8")
    with pytest.raises(OutputError, match="exists already"):
        write_text(target, "mine", force=False)
    assert target.read_text(encoding="utf-8") == "theirs"
    assert names_in(tmp_path) == ["audit.yaml"]


def test_a_file_system_without_links_will_do(tmp_path, monkeypatch):
    def refuse(*_):
        raise PermissionError

    monkeypatch.setattr(Path, "hardlink_to", refuse)
    write_text(tmp_path / "audit.yaml", "mine", force=False)
    assert (tmp_path / "audit.yaml").read_text(encoding="utf-8") == "mine"
    with pytest.raises(OutputError, match="exists already"):
        write_text(tmp_path / "audit.yaml", "more", force=False)
    assert names_in(tmp_path) == ["audit.yaml"]


@pytest.mark.parametrize("force", [True, False])
def test_what_cannot_be_written_whole_is_not_written_at_all(tmp_path, monkeypatch, force):
    def full(_):
        raise OSError(28, "No space left on device")

    target = tmp_path / "audit.yaml"
    if force:
        target.write_text("old", encoding="utf-8")
    before = names_in(tmp_path)
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OutputError, match="No space left on device"):
        write_text(target, "mine", force=force)
    assert names_in(tmp_path) == before


def test_the_mode_is_that_of_any_file_one_writes(tmp_path):
    write_text(tmp_path / "audit.yaml", "mine", force=False)
    (tmp_path / "other").touch()
    assert stat.S_IMODE((tmp_path / "audit.yaml").stat().st_mode) == stat.S_IMODE((tmp_path / "other").stat().st_mode)


@pytest.mark.parametrize("folder", [".", "audits", "audits/of/2024"])
def test_paths_are_relative_to_the_audit_file(permaudit, original, tmp_path, monkeypatch, folder):
    (tmp_path / "release.csv").write_text(DATA, encoding="utf-8")
    (tmp_path / folder).mkdir(parents=True, exist_ok=True)
    monkeypatch.chdir(tmp_path)
    target = Path(folder) / "audit.yaml"
    assert permaudit("init", "original.csv", "release.csv", "-o", target).code == 0
    up = "../" * len(Path(folder).parts)
    text = target.read_text(encoding="utf-8")
    assert f"original: {up}original.csv\n" in text
    assert f"path: {up}release.csv\n" in text
    assert str(tmp_path) not in text
    monkeypatch.chdir("/")
    assert permaudit("check", tmp_path / target).code == 0


def test_paths_lead_to_the_file_through_linked_folders(permaudit, original, tmp_path):
    (tmp_path / "far" / "away").mkdir(parents=True)
    (tmp_path / "near").symlink_to(tmp_path / "far" / "away")
    target = tmp_path / "near" / "audit.yaml"
    assert permaudit("init", original, "-o", target).code == 0
    assert permaudit("check", target).code == 0


def test_the_command_is_listed_after_check_and_explains_itself(permaudit):
    listed = permaudit("--help").out
    assert listed.index("  check ") < listed.index("  init ") < listed.index("  demo ")
    assert "CONFIRM" in permaudit("init", "--help").out
