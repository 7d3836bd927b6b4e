"""Paths in the audit file: local and regular files, inside the root where there is one."""

from __future__ import annotations

import os

import pytest

from permaudit.config.paths import check_path

from .fakes import VALID, mistakes_in


def line_for(path: str, folder, root=None) -> str | None:
    quoted = path.replace("\\", "\\\\").replace('"', '\\"').replace("\0", "\\0")
    lines = mistakes_in(VALID.replace("original: income.csv", f'original: "{quoted}"'), folder, root)
    if not lines:
        return None
    [line] = lines
    return line.removeprefix("audit.yaml:3:11: original ")


@pytest.mark.parametrize(
    ("path", "scheme"),
    [
        ("http://example.com/x.csv", "http:"),
        ("https://example.com/x.csv", "https:"),
        ("s3://bucket/x.csv", "s3:"),
        ("file:///etc/passwd", "file:"),
        ("file:income.csv", "file:"),
        ("jdbc:postgresql://db/x", "jdbc:"),
        ("gs://b/x", "gs:"),
        ("HTTP://EXAMPLE.COM", "HTTP:"),
        ("git+ssh://host/x", "git+ssh:"),
        ("data:text/csv,a", "data:"),
    ],
)
def test_urls_are_refused_by_their_scheme(path, scheme, folder):
    assert line_for(path, folder) == (
        f"must be a local file, not '{scheme}'; download it first (or put ./ before a name with a colon)"
    )


def test_a_name_with_a_colon_can_be_written(folder):
    (folder / "data:2026.csv").touch()
    assert line_for("./data:2026.csv", folder) is None


def test_a_tilde_is_not_expanded(folder):
    assert line_for("~/income.csv", folder) == (
        "cannot start with ~, which is not expanded; write the whole path (or put ./ before such a name)"
    )


def test_a_missing_file_gets_the_nearest_name(folder):
    (folder / "sub").mkdir()
    (folder / "sub" / "data.csv").touch()
    assert line_for("incom.csv", folder) == "does not exist: 'incom.csv'; did you mean 'income.csv'?"
    assert line_for("sub/dta.csv", folder) == "does not exist: 'sub/dta.csv'; did you mean 'sub/data.csv'?"
    assert line_for("nowhere/x.csv", folder) == "does not exist: 'nowhere/x.csv'"


def test_a_windows_path_gets_a_hint(folder):
    hint = "; write / instead of \\, and no drive letter"
    assert line_for("C:\\data\\income.csv", folder) == f"does not exist: 'C:\\data\\income.csv'{hint}"
    assert line_for("sub\\income.csv", folder) == f"does not exist: 'sub\\income.csv'{hint}"


@pytest.mark.parametrize("name", ["with space.csv", "größe.csv", "年齢.csv", "-dash.csv", "'quoted'.csv"])
def test_odd_names_work(name, folder):
    (folder / name).touch()
    assert line_for(name, folder) is None


def test_what_no_file_can_be_called_is_a_mistake(folder):
    assert line_for("", folder) == "must not be empty"
    assert line_for("a\0b", folder) == "cannot hold a NUL character"
    assert line_for("x" * 300, folder) == f"is too long for a file name: '{'x' * 57}...'"
    assert line_for("income.csv/x", folder) == "cannot be reached: 'income.csv/x': not a directory"


def test_only_regular_files_are_read(folder):
    os.mkfifo(folder / "pipe")
    (folder / "loop").symlink_to("loop")
    assert line_for("pipe", folder) == "must be a regular file, but 'pipe' is a pipe"
    assert line_for("/dev/zero", folder) == "must be a regular file, but '/dev/zero' is a device"
    assert line_for("loop", folder).startswith("cannot be reached: 'loop': too many levels of symbolic links")


def test_a_directory_may_hold_data_in_parts_and_nothing_else(folder):
    assert line_for(".", folder) is None
    problems = check_path(".", ("policy",), folder, None)
    assert [problem.message for problem in problems] == ["policy must be a regular file, but '.' is a directory"]


def test_the_root_confines_every_path_after_following_links(folder):
    root = folder / "root"
    root.mkdir()
    for name in ("income.csv", "release.csv"):
        (root / name).touch()
    (root / "inside.csv").symlink_to("income.csv")
    (root / "outside.csv").symlink_to("../income.csv")
    (root / "out").symlink_to("..")
    assert line_for("inside.csv", root, root) is None
    assert line_for("../root/income.csv", root, root) is None
    assert line_for(str(root / "income.csv"), root, root) is None
    for path in (
        "outside.csv",
        "out/income.csv",
        "../income.csv",
        "../none.csv",
        "/etc/passwd",
        "/proc/self/environ",
        "../root-of-another.csv",
        str(folder / "income.csv"),
    ):
        assert line_for(path, root, root).startswith("leads out of the root directory: '"), path
        assert (line_for(path, root) is None) == os.path.isfile(os.path.join(root, path)), path  # noqa: PTH118, PTH113


def test_paths_are_relative_to_the_audit_file_not_to_the_working_directory(folder, tmp_path_factory, monkeypatch):
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    assert line_for("income.csv", folder) is None


@pytest.mark.parametrize("map_", ["{path}", "{{path: {path}}}"])
def test_maps_are_held_to_the_same(map_, folder):
    root = folder / "root"
    root.mkdir()
    for name in ("income.csv", "release.csv"):
        (root / name).touch()
    text = VALID.replace("linkage: row", f"linkage: {{map: {map_.format(path='../income.csv')}}}")
    [line] = mistakes_in(text, root, root)
    assert "leads out of the root directory: '../income.csv'" in line


def test_candidates_are_held_to_the_same(folder):
    text = VALID.replace("{path: release.csv, kind: masked", "{path: s3://b/release.csv, kind: masked")
    [line] = mistakes_in(text, folder)
    assert line.startswith("audit.yaml:10:23: candidates.vendor-file.path must be a local file, not 's3:'")
