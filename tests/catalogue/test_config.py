"""Rows 1 to 26: audit files, and the paths in them."""

from __future__ import annotations

import os
import shutil
import stat

import pytest

from .conftest import CANARY, SYNTHETIC


def edited(audit, old, new):
    """Replace a text of an audit file by another one."""
    content = audit.read_text(encoding="utf-8")
    assert old in content
    audit.write_text(content.replace(old, new, 1), encoding="utf-8")
    return audit


def line_of(audit, text):
    """Return the number of the line that holds a text."""
    lines = audit.read_text(encoding="utf-8").splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)


# --------------------------------------------------------------------------- the file as a file


def test_row_01_an_audit_file_that_is_not_there_is_an_error(run, tmp_path):
    run(tmp_path / "nowhere.yaml").refused("nowhere.yaml: does not exist")


def test_row_01_a_directory_is_no_audit_file(run, tmp_path):
    run(tmp_path).refused("is a directory; an audit file was expected")


def test_row_01_an_audit_file_that_may_not_be_read_is_an_error(write_audit, run, monkeypatch):
    audit = write_audit()
    opened = type(audit).open

    def locked(path, *arguments, **options):
        if path.name == "audit.yaml":
            raise PermissionError(13, "Permission denied")
        return opened(path, *arguments, **options)

    monkeypatch.setattr(type(audit), "open", locked)
    run(audit).refused("audit.yaml: cannot be read: permission denied")


@pytest.mark.parametrize("content", ["", "# only a comment\n", "---\n", "\n\n"], ids=repr)
def test_row_02_an_empty_audit_file_is_told_what_it_needs(write_audit, run, content):
    audit = write_audit()
    audit.write_text(content)
    run(audit).refused("audit.yaml:1:1: is empty")


def test_row_03_a_second_document_is_refused_with_its_line(write_audit, run):
    audit = write_audit()
    lines = audit.read_text().count("\n")
    audit.write_text(audit.read_text() + "---\npermaudit: 1\n")
    run(audit).refused(f"audit.yaml:{lines + 1}:1: a second document starts here")


def test_row_04_a_tab_is_refused_with_its_line(write_audit, run):
    audit = edited(write_audit(), "  FICA: numeric", "\tFICA: numeric")
    run(audit).refused(f"audit.yaml:{line_of(audit, 'FICA')}:1: holds a tab")


def test_row_05_a_key_that_is_there_twice_is_refused_with_both_lines(write_audit, run):
    audit = write_audit()
    first, lines = line_of(audit, "seed: 1"), audit.read_text().count("\n")
    audit.write_text(audit.read_text() + "seed: 2\n")
    run(audit).refused(f"audit.yaml:{lines + 1}:1: the key 'seed' is there twice, first in line {first}")


def test_row_06_an_unknown_key_gets_a_suggestion(write_audit, run):
    audit = edited(write_audit(), "min: 0.05", "mn: 0.05")
    run(audit).refused("rules[0].mn is not a known key; did you mean 'min'?")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("seed: 1", "seed: &one 1", "anchors (&one) are not allowed"),
        ("title: A small audit", "title: *one", "*one"),
        ("seed: 1", "<<: {seed: 1}", "merge keys (<<) are not allowed"),
    ],
    ids=["an anchor", "an alias", "a merge"],
)
def test_row_07_values_by_reference_are_refused(write_audit, run, old, new, message):
    run(edited(write_audit(), old, new)).refused("audit.yaml:", message)


def test_row_08_a_value_that_holds_itself_is_refused(write_audit, run):
    audit = edited(write_audit(), "seed: 1", "seed: &me [*me]")
    run(audit).refused("anchors (&me) are not allowed", "aliases (*me) are not allowed")


@pytest.mark.parametrize("opening", ["[", "{a: "], ids=["lists", "mappings"])
def test_row_09_five_thousand_levels_are_refused(write_audit, run, opening):
    run(edited(write_audit(), "seed: 1", "seed: " + opening * 5000)).refused("is nested too deeply")


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ("more: " + "x" * 20_000_000, "is too large; an audit file has at most 500,000 bytes"),
        ("".join(f"k{number}: 1\n" for number in range(50_000)), "at most"),
        ("more: " + "x" * 20_000, "is too long; a value has at most 10,000 characters"),
    ],
    ids=["a text of 20 MB", "50,000 keys", "a text of 20 kB"],
)
def test_row_10_too_much_is_refused(write_audit, run, more, message):
    audit = write_audit()
    audit.write_text(audit.read_text() + more)
    run(audit).refused("audit.yaml:", message)


@pytest.mark.parametrize(
    "value", ["!!python/object:os.system x", "!env HOME", "!!binary aGVsbG8=", "!!set {a, b}", "!!int '3'"]
)
def test_row_11_tags_are_refused(write_audit, run, value):
    tag = value.split()[0]
    run(edited(write_audit(), "seed: 1", f"seed: {value}")).refused(f"tags ({tag}) are not allowed")


@pytest.mark.parametrize(
    ("encode", "message"),
    [
        (lambda text: text.replace("small", "größer").encode("latin-1"), "is not UTF-8 (byte 0xf6); save it as UTF-8"),
        (lambda text: text.encode("utf-16"), "is UTF-16 or UTF-32; save it as UTF-8"),
        (lambda text: text.encode("utf-16-le"), "holds a NUL character"),
        (lambda text: text.replace("small", "sm\0all").encode(), "holds a NUL character"),
    ],
    ids=["latin-1", "UTF-16", "UTF-16 without a mark", "a NUL"],
)
def test_row_12_what_is_not_utf_8_is_refused(write_audit, run, encode, message):
    audit = write_audit()
    audit.write_bytes(encode(audit.read_text()))
    run(audit).refused("audit.yaml:", message)


def test_row_12_a_byte_order_mark_is_no_mistake(write_audit, run):
    audit = write_audit()
    audit.write_bytes(b"\xef\xbb\xbf" + audit.read_bytes())
    assert run(audit).code == 0


# --------------------------------------------------------------------------- words and numbers


@pytest.mark.parametrize(
    ("old", "new", "reading"),
    [
        ("kind: masked", "kind: no", "no is false to some readers of YAML and text to others"),
        ("seed: 1", "seed: 012", "012 is the number 10 to some readers of YAML and the number 12 to others"),
        ("seed: 1", "seed: 12:30:45", "12:30:45 is the number 45045 to some readers of YAML and text to others"),
        ("seed: 1", "seed: 0x1F", "0x1F is the number 31 to some readers of YAML and text to others"),
        ("seed: 1", "seed: 1_000", "1_000 is 1000 to some readers of YAML and text to others"),
    ],
    ids=["no", "012", "12:30:45", "0x1F", "1_000"],
)
def test_row_13_words_that_readers_of_yaml_do_not_agree_on_are_refused(write_audit, run, old, new, reading):
    run(edited(write_audit(), old, new)).refused(reading)


def test_row_13_a_number_with_an_exponent_is_that_number(write_audit, run):
    ran = run(edited(write_audit(), "min: 0.05", "min: 5e-2"))
    assert ran.code == 0
    assert ran.rule("threshold")["evidence"]["min"] == 0.05


def test_row_14_an_impossible_date_is_a_mistake_with_its_line(write_audit, run):
    audit = edited(write_audit(), "seed: 1", "seed: 2024-13-45")
    run(audit).refused(f"audit.yaml:{line_of(audit, '2024')}:7: seed must be an integer")


@pytest.mark.parametrize("digits", ["9" * 5000, "-" + "9" * 5000, "9" * 20])
def test_row_15_an_integer_without_end_is_refused(write_audit, run, digits):
    run(edited(write_audit(), "seed: 1", f"seed: {digits}")).refused("is too large for an integer")


@pytest.mark.parametrize("limit", ["1.4", "-0.1", ".nan", ".inf", "-.inf", "1e999"])
def test_row_16_a_threshold_that_no_value_can_be_held_against_is_refused(write_audit, run, limit):
    run(edited(write_audit(), "min: 0.05", f"min: {limit}")).refused("rules[0].min")


def test_row_17_a_threshold_that_nothing_can_pass_is_refused(write_audit, run):
    run(edited(write_audit(), "min: 0.05", "min: 0.5\n  max: 0.4")).refused("min is above max")


def test_row_17_a_rule_on_a_metric_that_is_not_computed_is_refused(write_audit, run):
    audit = write_audit(metrics=["UM", "CM1"])
    run(audit).refused("CM2")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"metrics": ["UM", "CM4"]}, "'CM4' is not a known metric"),
        ({"rules": [{"rule": "treshold", "metric": "CM2", "min": 0}]}, "did you mean 'threshold'?"),
        ({"candidates": {"a": {"anonymizer": "mdaf", "params": {"k": 3}}}}, "did you mean 'mdav'?"),
        ({"plugins": {"allow": ["acme-metrics"]}}, "acme-metrics"),
        ({"original": {"path": "original.csv", "format": "cvs"}}, "did you mean 'csv'?"),
    ],
    ids=["a metric", "a rule", "an anonymizer", "a distribution", "a format"],
)
def test_row_18_what_is_not_installed_is_refused(write_audit, run, changes, message):
    run(write_audit(**changes)).refused(message)


def test_row_18_a_plugin_that_is_not_on_the_list_is_not_imported(write_audit, run, install, tmp_path):
    trace = tmp_path / "imported"
    install("acme-metrics", {"acme": f"open({str(trace)!r}, 'w')"})
    run(write_audit(metrics=["CM1", "CM2", "ACME"])).refused("'ACME' is not a known metric")
    assert not trace.exists()


def test_row_19_a_synthetic_release_without_a_threshold_on_cm3_is_blocked(audit_of, run, people, others):
    ran = run(audit_of(people, others, **{**SYNTHETIC, "rules": []}))
    assert (
        ran.blocked("cm3-for-synthetic")["message"]
        == "no rule that decides sets a limit on CM3 for this unlinked release"
    )


@pytest.mark.parametrize(
    ("new", "message"),
    [("", "needs the key 'permaudit'"), ("permaudit: 2\n", "permaudit is version 2 of the format; known is 1")],
    ids=["missing", "2"],
)
def test_row_20_the_version_must_be_there_and_known(write_audit, run, new, message):
    run(edited(write_audit(), "permaudit: 1\n", new)).refused(message)


def test_row_21_a_column_that_is_named_twice_is_refused(write_audit, run):
    run(write_audit(identifiers=["FICA"])).refused("column 'FICA' is named twice")


@pytest.mark.parametrize("name", ["original.csv", "masked.csv"])
def test_row_21_a_column_that_is_not_in_the_data_is_refused_with_the_nearest_name(write_audit, run, name):
    audit = edited(write_audit(), "FICA", "FIKA")
    run(audit).refused(f"{name}: has no column 'FIKA'; did you mean 'FICA'?")


# --------------------------------------------------------------------------- paths


def test_row_22_the_original_itself_as_a_candidate_is_audited_and_blocked(write_audit, run):
    ran = run(write_audit(candidates={"self": {"path": "original.csv", "kind": "masked"}}))
    ran.blocked("no-trivial-permutation")
    ran.blocked("no-unprotected-attribute")
    assert [ran.numbers[name] for name in ("CM1", "CM2", "CM3")] == [0, 0, 0]


@pytest.mark.parametrize("kind", ["masked", "synthetic"])
def test_row_22_a_copy_of_the_original_is_audited_and_blocked(write_audit, run, kind):
    limits = [{"rule": "threshold", "metric": metric, "min": 0.0} for metric in ("CM2", "CM3")]
    audit = write_audit(candidates={"copy": {"path": "copy.csv", "kind": kind}}, rules=limits)
    shutil.copy(audit.parent / "original.csv", audit.parent / "copy.csv")
    ran = run(audit)
    ran.blocked("no-trivial-permutation")
    digests = [entry["sha256"] for entry in ran.result["provenance"]["inputs"] if entry["path"].endswith(".csv")]
    assert len(digests) == 2
    assert digests[0] == digests[1] == ran.candidate["sha256"]


@pytest.mark.parametrize("path", ["/dev/zero", "/dev/stdin", "pipe"])
def test_row_23_what_is_no_regular_file_is_refused_without_being_opened(write_audit, run, path):
    audit = write_audit(original=path)
    os.mkfifo(audit.parent / "pipe")
    run(audit).refused("original must be a regular file")


@pytest.mark.parametrize(
    ("path", "message"), [("/proc/self", "only files may stand in"), ("folder", "is a directory without files")]
)
def test_row_23_a_directory_that_holds_no_parts_of_a_table_is_refused(write_audit, run, path, message):
    audit = write_audit(original=path)
    (audit.parent / "folder").mkdir()
    run(audit).refused(message)


@pytest.mark.parametrize("path", ["../outside.csv", "~/outside.csv", "link.csv", "{folder}/outside.csv"])
def test_row_23_no_path_leads_out_of_the_root(write_audit, run, tmp_path, path):
    outside = tmp_path / "outside.csv"
    audit = write_audit(original=path.format(folder=tmp_path))
    shutil.copy(audit.parent / "original.csv", outside)
    (audit.parent / "link.csv").symlink_to(outside)
    ran = run(audit, "--root", audit.parent)
    ran.refused("audit.yaml:", "original ")
    assert "root" in ran.err or "~" in ran.err


@pytest.mark.parametrize(
    "path",
    ["http://example.org/a.csv", "https://example.org/a.csv", "s3://bucket/a.csv", "file:///tmp/a.csv", "jdbc:x:y"],
)
def test_row_24_an_address_is_refused(write_audit, run, path):
    run(write_audit(original=path)).refused(f"original must be a local file, not '{path.partition(':')[0]}:'")


@pytest.mark.parametrize("name", ["with some spaces.csv", "größe-データ.csv", "x" * 200 + ".csv"], ids=ascii)
def test_row_25_unusual_names_are_read(write_audit, run, name):
    audit = write_audit(original=name)
    (audit.parent / "original.csv").rename(audit.parent / name)
    assert run(audit).code == 0


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("C:\\data\\original.csv", "write / instead of \\, and no drive letter"),
        ("data\\original.csv", "write / instead of \\, and no drive letter"),
        ("x" * 300 + ".csv", "is too long for a file name"),
        ("original\x07.csv", "does not exist"),
    ],
    ids=["a drive", "backslashes", "300 characters", "a bell"],
)
def test_row_25_names_that_cannot_be_used_are_refused(write_audit, run, path, message):
    ran = run(write_audit(original=path))
    ran.refused("audit.yaml:", message)
    assert ran.err.replace("\n", "").isprintable()


def test_row_26_the_folder_of_the_inputs_is_no_output_directory(write_audit, permaudit):
    audit = write_audit()
    before = {path.name: path.read_bytes() for path in audit.parent.iterdir()}
    ran = permaudit("run", audit, "--out", audit.parent)
    assert ran.code == 2
    assert "holds files that permaudit did not write" in ran.err
    assert {path.name: path.read_bytes() for path in audit.parent.iterdir()} == before


def test_row_26_a_directory_with_the_files_of_others_is_left_alone(write_audit, permaudit, tmp_path):
    foreign = tmp_path / "foreign"
    foreign.mkdir(mode=0o755)
    (foreign / "thesis.txt").write_text(CANARY)
    ran = permaudit("run", write_audit(), "--out", foreign)
    assert ran.code == 2
    assert "such as 'thesis.txt'" in ran.err
    assert [path.name for path in foreign.iterdir()] == ["thesis.txt"]
    assert stat.S_IMODE(foreign.stat().st_mode) == 0o755
